"""One run of the window, from its first picture to the end: opens the program, waits, ends everything in order."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.garbage import Garbage
from conch_desktop.desktop.instance import Instance
from conch_desktop.desktop.loop import Loop, run
from conch_desktop.desktop.spawn import Tasks
from conch_desktop.desktop.store_trouble import StoreTrouble
from conch_desktop.domain.errors import StoreError
from conch_desktop.engine.assembly import Program

if TYPE_CHECKING:
    from conch_desktop.desktop.window import Window

_END_PATIENCE = 8.0
_SETTLE = 0.4
"""Seconds before a picture is taken, for what is drawn one step later."""


def run_life(
    app: QApplication, window: Window, instance: Instance, folder: Path, model: str, screenshot: Path | None
) -> int:
    """Runs the window on the program's own loop; the exit status."""
    garbage = Garbage()
    try:
        return run(Loop(app), Life(window, instance, folder, model, screenshot).live())
    finally:
        garbage.stop()


class Life:
    """One run of the window, from the first picture to the end."""

    def __init__(self, window: Window, instance: Instance, folder: Path, model: str, screenshot: Path | None) -> None:
        self._window, self._instance, self._folder = window, instance, folder
        self._model, self._screenshot = model, screenshot
        self._quit = asyncio.Event()
        self._tasks = Tasks(window.say)
        self._program: Program | None = None

    async def live(self) -> int:
        """Lives until the window is closed."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Loop)
        self._window.closing.connect(self._quit.set)
        loop.on_signals(self._quit.set)
        status = 0
        try:
            self._instance.listen(self._window.to_front)
            if await self._open():
                status = await self._stay()
        finally:
            await self._end()
        return status

    async def _open(self) -> bool:
        """Opens the program; asks what to do when the database can't be used. False when the person leaves."""
        while not self._quit.is_set():
            try:
                self._program = await Program.open(self._folder)
            except StoreError as error:
                if not await self._other_folder(error):
                    return False
            else:
                return True
        return False

    async def _other_folder(self, error: StoreError) -> bool:
        """Shows what is wrong; True when another folder was chosen."""
        page = StoreTrouble(error.what, error.advice, str(self._folder))
        chosen: asyncio.Future[Path] = asyncio.get_running_loop().create_future()
        page.quit.connect(self._window.close)
        page.other_folder.connect(lambda: self._ask_folder(chosen))
        self._window.show_whole(page)
        if self._screenshot is not None:
            await self._picture()
            return False
        leaving = asyncio.ensure_future(self._quit.wait())
        try:
            await asyncio.wait((chosen, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
        if not chosen.done():
            chosen.cancel()
            return False
        self._folder = chosen.result()
        other = Instance(self._folder)
        if other.first:
            self._instance.close()
            self._instance = other
            other.listen(self._window.to_front)
        self._window.show_whole(None)
        return True

    def _ask_folder(self, chosen: asyncio.Future[Path]) -> None:
        def take(path: str) -> None:
            if not chosen.done():
                chosen.set_result(Path(path))

        dialog = QFileDialog(self._window, "Open another data folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(take)
        dialog.open()

    async def _stay(self) -> int:
        assert self._program is not None
        desk = Desk(self._window, self._program, self._tasks)
        try:
            await desk.start(self._model)
            if self._screenshot is not None:
                return await self._picture()
            await self._quit.wait()
        finally:
            await desk.aclose()
        return 0

    async def _picture(self) -> int:
        await asyncio.sleep(_SETTLE)
        assert self._screenshot is not None
        if self._window.grab().save(str(self._screenshot)):
            return 0
        sys.stderr.write(f"The picture could not be written to {self._screenshot}.\n")
        return 1

    async def _end(self) -> None:
        """Ends every task, then the program, then the window; in this order, and not for ever."""
        self._window.hide()
        await self._tasks.aclose()
        if self._program is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_END_PATIENCE):
                    await self._program.aclose()
        self._instance.close()
        self._window.allow_close = True
        self._window.close()
