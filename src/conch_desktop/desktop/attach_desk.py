"""Joins what is attached in the window with the program: reads files, says what can't be attached, keeps drafts."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, QTimer
from PySide6.QtGui import QImage, QTextCursor

from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.attached_chip import name_of
from conch_desktop.desktop.drop_target import DropTarget
from conch_desktop.desktop.file_menu import FileMenu
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.messages import Attached, PicturePart

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.preview import Preview
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

MOST_FILES = 20
"""Pictures and files of one message."""
_LOOK_AFTER = 60
_NAMED = re.compile(r"(?:^|\s)@([^\s@]{0,80})$")


class AttachDesk(QObject):
    """What is attached in the chat that is open, and in the drafts of the others."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        self._row = window.composer.attachments
        self._saved: dict[str, tuple[Attached, ...]] = {}
        self._stored: dict[str, tuple[Attached, ...]] = {}
        self._place = 0
        """How often another chat was shown: what was read for the one before does not land in this one."""
        self._stopped = threading.Event()
        self._preview: Preview | None = None
        self._found: dict[str, Path] = {}
        self._menu = FileMenu(window)
        self._look = QTimer(self)
        self._look.setSingleShot(True)
        self._look.setInterval(_LOOK_AFTER)
        self._look.timeout.connect(self._look_for_files)
        self._wire()

    def _wire(self) -> None:
        window, composer = self._window, self._window.composer
        composer.attach.connect(self._choose)
        composer.changed.connect(self._typed)
        composer.writing.attached.connect(self.take_mime)
        composer.writing.steered.connect(self._menu.steer)
        composer.attachments.opened.connect(self._open)
        window.view.attachment_opened.connect(self._open)
        window.escapes.append(self._close_menu)
        self._menu.taken.connect(self._take_file)
        self._target = DropTarget(window.page, composer.writing.viewport())
        self._target.dropped.connect(self.take_mime)

    # What is attached -----------------------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[Attached, ...]:
        """What is attached in the chat that is open."""
        return self._row.items

    def take(self) -> tuple[Attached, ...]:
        """Takes everything out of the composer, to be sent."""
        items = self._row.items
        self._row.show_items(())
        return items

    def show(self, items: Sequence[Attached]) -> None:
        """Another chat is open, and this is attached in it."""
        self._place += 1
        self._window.composer.keep()
        self._row.say("")
        self._row.set_reading(0)
        self._row.show_items(items)

    def put_before(self, chat: str, items: Sequence[Attached]) -> None:
        """Puts back what was not sent, before what was attached since; also in a chat that is not open."""
        if not items:
            return
        if chat == self._chats.chat:
            self._row.show_items((*items, *self._row.items))
        else:
            self._tasks.spawn(self._put_into(chat, items), "keep the draft")

    async def _put_into(self, chat: str, items: Sequence[Attached]) -> None:
        await self.save(chat, (*items, *await self.read(chat)))

    async def read(self, chat: str) -> tuple[Attached, ...]:
        """What is attached in the draft of a chat."""
        if chat not in self._saved:
            self._saved[chat] = self._stored[chat] = tuple(await self._program.chats.draft_attached(chat))
        return self._saved[chat]

    def known(self, chat: str) -> tuple[Attached, ...]:
        """What is attached in the draft of a chat that was open in this run."""
        return self._saved.get(chat, ())

    async def save(self, chat: str, items: Sequence[Attached]) -> None:
        """Keeps what is attached but not sent, behind what is attached to messages that wait there."""
        self._saved[chat] = tuple(items)
        whole = (*self._chats.waiting_attached(chat), *items)
        if self._stored.get(chat, ()) != whole:
            self._stored[chat] = whole
            await self._program.chats.save_attached(chat, whole)

    def stop(self) -> None:
        """The program ends: nothing is read any more."""
        self._stopped.set()
        self._look.stop()

    # Where it comes from --------------------------------------------------------------------------------------------

    def take_mime(self, data: QMimeData) -> None:
        """Attaches what was pasted or dropped."""
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths:
            self.add(paths)
        elif data.hasImage():
            self._spawn([_pasted(QImage(data.imageData()))])

    def add(self, paths: Sequence[Path]) -> None:
        """Attaches files."""
        self._spawn([_from_file(path, self._stopped) for path in paths])

    def _choose(self) -> None:
        """Lets the person choose files."""
        from PySide6.QtWidgets import QFileDialog

        dialog = QFileDialog(self._window, "Attach files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda names: self.add([Path(name) for name in names]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _spawn(self, readers: Sequence[Callable[[], Awaitable[Attached]]]) -> None:
        room = MOST_FILES - len(self._row.items) - self._row.reading
        self._row.say("")
        taken = readers[: max(0, room)]
        if len(taken) < len(readers):
            self._tell([f"{MOST_FILES} files are the most in one message; {len(readers) - len(taken)} left out."])
        if taken:
            self._row.set_reading(self._row.reading + len(taken))
            self._tasks.spawn(self._read(taken, self._chats.chat, self._place), "attach the file")

    async def _read(self, readers: Sequence[Callable[[], Awaitable[Attached]]], chat: str, place: int) -> None:
        """Reads one after the other, so that twenty large ones are not all in memory twice."""
        told: list[str] = []
        for reader in readers:
            made: list[Attached] = []
            try:
                made.append(await reader())
            except ConchError as error:
                told.append(str(error))
            if place == self._place:
                self._landed(made, told)
            elif chat and chat != self._chats.chat:  # another chat is open: it is for the one before
                await self.save(chat, (*await self.read(chat), *made))

    def _landed(self, made: Sequence[Attached], told: Sequence[str]) -> None:
        if made:
            announce(self._window, f"{name_of(made[0])} is attached")
            self._row.add(made)
        else:
            self._window.composer.keep()
            self._tell(told)
        self._row.set_reading(max(0, self._row.reading - 1))

    def _tell(self, told: Sequence[str]) -> None:
        self._row.say(" ".join(told))
        announce(self._window, told[-1])

    # Opening one ----------------------------------------------------------------------------------------------------

    def _open(self, attached: Attached) -> None:
        from conch_desktop.desktop.preview import Preview

        if self._preview is None:
            self._preview = Preview(self._window)
            self._window.popups.append(self._preview)
        self._preview.show_attached(attached)

    # Files by name --------------------------------------------------------------------------------------------------

    def _word(self) -> str | None:
        """The word after an @ right before the cursor."""
        cursor = self._window.composer.writing.textCursor()
        found = _NAMED.search(cursor.block().text()[max(0, cursor.positionInBlock() - 90) : cursor.positionInBlock()])
        return found[1] if found is not None and not cursor.hasSelection() else None

    def _typed(self) -> None:
        if self._word() is None:
            self._look.stop()
            self._close_menu()
        else:
            self._look.start()
            if not self._menu.isHidden():
                self._window.composer.writing.steering = True

    def _look_for_files(self) -> None:
        word = self._word()
        if word is not None:
            self._tasks.spawn(self._offer(word), "look for files")

    async def _offer(self, word: str) -> None:
        if not self._program.hands.folders():
            if not word:
                self._window.composer.say("No folder is granted for @. Settings, Files.")
            return
        found = await asyncio.to_thread(self._program.hands.find_files, word, self._stopped)
        if self._word() != word:
            return
        self._found = dict(found)
        composer = self._window.composer
        place = composer.rect().translated(composer.mapTo(self._window, composer.rect().topLeft()))
        composer.writing.steering = self._menu.offer_files(list(self._found), place)

    def _take_file(self, name: str) -> None:
        """Attaches the file that was chosen; the word that named it goes."""
        writing = self._window.composer.writing
        word, cursor = self._word(), writing.textCursor()
        if word is not None:
            back = len(word) + 1
            cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, back)
            cursor.removeSelectedText()
            writing.setTextCursor(cursor)
        self._close_menu()
        if name in self._found:
            self.add([self._found[name]])

    def _close_menu(self) -> bool:
        if self._menu.isHidden():
            return False
        self._menu.hide()
        self._window.composer.writing.steering = False
        return True


def _from_file(path: Path, stopped: threading.Event) -> Callable[[], Awaitable[Attached]]:
    async def read() -> Attached:
        from conch_desktop.engine.attaching import read_attached

        attached = await asyncio.to_thread(read_attached, path, stopped)
        if isinstance(attached, PicturePart):
            return await _fitted(attached)
        return attached

    return read


def _pasted(image: QImage) -> Callable[[], Awaitable[Attached]]:
    async def read() -> Attached:
        from conch_desktop.desktop.pictures import from_image

        picture = await asyncio.to_thread(from_image, image)
        if picture is None:
            raise ConchError("The picture that was pasted can’t be read.")
        return PicturePart(picture)

    return read


async def _fitted(attached: PicturePart) -> Attached:
    from conch_desktop.desktop.pictures import fit_to_send

    picture = await asyncio.to_thread(fit_to_send, attached.picture.data)
    if picture is None:
        raise ConchError(f"{attached.name} is a picture that can’t be read, or of more than 60 million pixels.")
    return replace(attached, picture=picture)
