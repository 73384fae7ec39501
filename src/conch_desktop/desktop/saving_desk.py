"""A whole chat as Markdown: copied, or saved into a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from conch_desktop.desktop.groups import NEW_CHAT

if TYPE_CHECKING:
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.messages import Message
    from conch_desktop.engine.assembly import Program


class SavingDesk(QObject):
    """Copies and saves chats."""

    def __init__(self, window: Window, program: Program, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._tasks = window, program, tasks
        window.sidebar.copied.connect(lambda chat: self._tasks.spawn(self._copy(chat), "copy the chat"))
        window.sidebar.saved.connect(lambda chat: self._tasks.spawn(self._ask_where(chat), "save the chat"))

    async def _copy(self, chat: str) -> None:
        _, text = await self._read(chat)
        QGuiApplication.clipboard().setText(text)
        self._window.say("Copied the whole chat as Markdown.")

    async def _read(self, chat_id: str) -> tuple[str, str]:
        chat = await self._program.chats.get(chat_id)
        title = chat.title if chat is not None else ""
        return title or NEW_CHAT, chat_markdown(title, await self._program.chats.messages(chat_id))

    async def _ask_where(self, chat: str) -> None:
        title, text = await self._read(chat)
        dialog = QFileDialog(self._window, "Save as Markdown", str(Path.home() / file_name(title)), "Markdown (*.md)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("md")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._tasks.spawn(self.save(Path(path), text), "save the chat"))
        dialog.open()

    async def save(self, path: Path, text: str) -> None:
        """Writes the file and says how it went."""
        try:
            await asyncio.to_thread(path.write_text, text, "utf-8")
        except OSError as error:
            self._window.say(f"{path.name} could not be saved: {error.strerror or error}.")
        else:
            self._window.say(f"Saved as {path}.")


def chat_markdown(title: str, messages: Sequence[Message]) -> str:
    """The words of a chat, each message under who wrote it; thinking and calls are left out."""
    parts = [f"# {title}"] if title else []
    for message in messages:
        if message.text.strip():
            who = "You" if message.role == "user" else message.author or "The model"
            parts.append(f"**{who}**\n\n{message.text.strip()}")
    return "\n\n".join(parts) + "\n"


def file_name(title: str, ending: str = "md") -> str:
    """A name every file system takes."""
    plain = " ".join(re.sub(r"[^\w\- ]+", " ", title).split())[:80].strip()
    return f"{plain or 'chat'}.{ending}"
