"""The window's program: start, one window a profile, the loop, and the end.

The order of the start matters: the window is drawn and takes keys first; only then the database is opened and
everything that takes time is imported.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.first_look import FirstLook, read_first_look
from conch_desktop.desktop.instance import Instance
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window

log = logging.getLogger(__name__)

_PAINT_PATIENCE = 3000
"""Milliseconds; a window that starts hidden is never drawn."""

_LATER = (
    "asyncio",
    "qasync",
    "conch_desktop.domain.events",
    "conch_desktop.store.chats",
    "conch_desktop.providers.registry",
    "conch_desktop.engine.assembly",
    "conch_desktop.desktop.message_row",
    "conch_desktop.desktop.chats_desk",
    "conch_desktop.desktop.lessons_desk",
    "conch_desktop.desktop.models_desk",
    "conch_desktop.desktop.settings_desk",
    "conch_desktop.desktop.options_desk",
    "conch_desktop.desktop.palette_desk",
    "conch_desktop.desktop.search_desk",
    "conch_desktop.desktop.life",
)
"""What is imported after the first picture: one after the other, so that keys and the mouse are heard in between."""


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
    folder = data_dir or _own_folder()
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
    with _heard_errors(window):
        if not _draw(app, window):
            instance.close()
            return 0
        # Only now what takes time: asyncio, the store, HTTP, the tools.
        from conch_desktop.desktop.life import run_life

        return run_life(app, window, instance, folder, model, screenshot)


def _draw(app: QApplication, window: Window) -> bool:
    """Lets Qt draw the window, then imports the rest in steps; False when the window was closed meanwhile."""
    closed: list[bool] = []
    left = iter(_LATER)

    def step() -> None:
        module = next(left, "")
        if module and not closed:
            import_module(module)
            QTimer.singleShot(0, step)
        else:
            app.exit()  # Not `quit`: that asks the window to close first.

    def begin() -> None:
        patience.stop()
        QTimer.singleShot(0, step)

    patience = QTimer()
    patience.setSingleShot(True)
    patience.timeout.connect(begin)
    patience.start(_PAINT_PATIENCE)
    window.composer.writing.painted.connect(begin)
    window.closing.connect(lambda: closed.append(True))
    app.exec()
    return not closed


def _own_folder() -> Path:
    import platformdirs

    return platformdirs.user_data_path("conch-desktop", appauthor=False)


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
    look.contrast = "high" if seen.contrast == "high" else "system"
    look.zoom = max(80, min(200, seen.zoom))
    look.install(app)


def _take_place(window: Window, seen: FirstLook) -> None:
    window.take_geometry(seen.geometry)
    shell = window.shell
    shell.sidebar_open, shell.panel_open = seen.sidebar_open, seen.panel_open
    shell.sidebar_width, shell.panel_width = seen.sidebar_width, seen.panel_width


@contextlib.contextmanager
def _heard_errors(window: Window) -> Iterator[None]:
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
