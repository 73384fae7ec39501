"""Chats into JSON files and back from them: asks for the file, and says what came of it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog

from conch_desktop.desktop.saving_desk import file_name
from conch_desktop.desktop.wording import count
from conch_desktop.domain.errors import ConchError

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

Says = Callable[[str, bool], None]
"""Hears what came of it, and whether it went wrong."""

_FILES = "JSON (*.json)"


class ArchiveDesk(QObject):
    """Exports and imports chats. Without `says` the window tells what came of it."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        window.sidebar.exported.connect(lambda chat: self.ask_where((chat,)))

    def ask_where(self, chats: Sequence[str] = (), says: Says | None = None) -> None:
        """Lets the person choose where these chats go; all of them without any."""
        titles = [one.title for one in self._chats.chats if one.id in chats]
        name = file_name(titles[0] if titles else "chats", "json")
        dialog = QFileDialog(self._window, "Export as JSON", str(Path.home() / name), _FILES)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        self._ask(dialog, lambda path: self.export(path, chats, says))

    def ask_which(self, says: Says | None = None) -> None:
        """Lets the person choose the file to bring chats from."""
        dialog = QFileDialog(self._window, "Import chats", str(Path.home()), _FILES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._ask(dialog, lambda path: self.bring(path, says))

    def _ask(self, dialog: QFileDialog, work: Callable[[Path], Coroutine[Any, Any, None]]) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._tasks.spawn(work(Path(path)), "export or import chats"))
        dialog.open()

    async def export(self, path: Path, chats: Sequence[str] = (), says: Says | None = None) -> None:
        """Writes the chats and says how it went."""
        try:
            many = await self._program.archiving.export(path, chats)
        except ConchError as error:
            self._say(says, str(error), bad=True)
        else:
            self._say(says, f"{count(many, 'chat')} exported to {path}.")

    async def bring(self, path: Path, says: Says | None = None) -> None:
        """Brings the chats of a file and says what became of them."""
        try:
            brought = await self._program.archiving.bring(path)
        except ConchError as error:
            self._say(says, str(error), bad=True)
        else:
            await self._chats.refresh()
            self._say(says, brought.text)

    def _say(self, says: Says | None, words: str, *, bad: bool = False) -> None:
        if says is None:
            self._window.say(words)
        else:
            says(words, bad)
