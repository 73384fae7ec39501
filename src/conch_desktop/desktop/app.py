"""The window's program: start, one window a profile, the loop, and the end.

The order of the start matters: the window is drawn and takes keys first; only then the database is opened and
everything that takes time is imported.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import platformdirs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog

from conch_desktop.desktop.first_look import FirstLook, read_first_look
from conch_desktop.desktop.instance import Instance
from conch_desktop.desktop.loop import Loop, run
from conch_desktop.desktop.spawn import Tasks
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window

if TYPE_CHECKING:
    from conch_desktop.domain.errors import StoreError
    from conch_desktop.engine.assembly import Program

log = logging.getLogger(__name__)

_PAINT_PATIENCE = 3.0
_END_PATIENCE = 8.0
_SETTLE = 0.4
"""Seconds before a picture is taken, for what is drawn one step later."""


def run_window(*, data_dir: Path | None, model: str, screenshot: Path | None) -> int:
    """Opens the window and runs until it is closed; the exit status."""
    return start(data_dir=data_dir, model=model, screenshot=screenshot)


def start(
    *, data_dir: Path | None, model: str, screenshot: Path | None, painted: Callable[[], None] | None = None
) -> int:
    """`run_window`; `painted` is called once, when the composer has been drawn."""
    if not _screen(headless=screenshot is not None):
        sys.stderr.write("There is no screen to open a window on. With --screenshot FILE none is needed.\n")
        return 1
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("conch-desktop")
    app.setApplicationDisplayName("Conch Desktop")
    app.setDesktopFileName("conch-desktop")
    app.setQuitOnLastWindowClosed(False)
    folder = data_dir or platformdirs.user_data_path("conch-desktop", appauthor=False)
    instance = Instance(folder)
    if not instance.first:
        return _second(instance, screenshot)
    seen = read_first_look(folder)
    _take_look(app, seen)
    window = Window()
    _take_place(window, seen)
    if painted is not None:
        window.composer.writing.painted.connect(painted)
    window.show()
    life = Life(window, instance, folder, model, screenshot)
    loop = Loop(app)
    with _heard_errors(window):
        return run(loop, life.live())


def _screen(*, headless: bool) -> bool:
    """Whether Qt finds a screen; without one only a picture can be made."""
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return True
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return True
    if headless:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    return headless


def _second(instance: Instance, screenshot: Path | None) -> int:
    """Another copy has this profile: it is shown."""
    if screenshot is not None:
        sys.stderr.write("Conch Desktop is open with this profile. Close it, or name another with --data-dir.\n")
        return 1
    if instance.show_first():
        return 0
    sys.stderr.write("Conch Desktop runs with this profile, but it does not answer.\n")
    return 1


def _take_look(app: QApplication, seen: FirstLook) -> None:
    look.choice = "light" if seen.theme == "light" else "dark" if seen.theme == "dark" else "system"
    look.zoom = max(80, min(200, seen.zoom))
    look.install(app)


def _take_place(window: Window, seen: FirstLook) -> None:
    window.take_geometry(seen.geometry)
    shell = window.shell
    shell.sidebar_open, shell.panel_open = seen.sidebar_open, seen.panel_open
    shell.sidebar_width, shell.panel_width = seen.sidebar_width, seen.panel_width


@contextlib.contextmanager
def _heard_errors(window: Window):  # type: ignore[no-untyped-def]
    """An error in a slot is written down and said, and the window goes on."""
    before = sys.excepthook

    def heard(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        log.error("An error in the window", exc_info=(kind, error, trace))
        window.say(f"Something inside the program broke ({kind.__name__}). What you wrote is kept.")

    sys.excepthook = heard
    try:
        yield
    finally:
        sys.excepthook = before


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
            await self._painted()
            self._instance.listen(self._window.to_front)
            if await self._open():
                status = await self._stay()
        finally:
            await self._end()
        return status

    async def _painted(self) -> None:
        drawn = asyncio.Event()
        self._window.composer.writing.painted.connect(drawn.set)
        if self._window.composer.writing.seen:
            drawn.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PAINT_PATIENCE):
                await drawn.wait()

    async def _open(self) -> bool:
        """Opens the program; asks what to do when the database can't be used. False when the person leaves."""
        from conch_desktop.domain.errors import StoreError
        from conch_desktop.engine.assembly import Program

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
        from conch_desktop.desktop.store_trouble import StoreTrouble

        page = StoreTrouble(error.what, error.advice, str(self._folder))
        chosen: asyncio.Future[Path] = asyncio.get_running_loop().create_future()
        page.quit.connect(self._window.close)
        page.other_folder.connect(lambda: self._ask_folder(chosen))
        self._window.show_whole(page)
        if self._screenshot is not None:
            await self._picture()
            return False
        self._window.closing.connect(lambda: chosen.done() or chosen.cancel())
        try:
            self._folder = await chosen
        except asyncio.CancelledError:
            if self._quit.is_set():
                return False
            raise
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
        from conch_desktop.desktop.desk import Desk

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
