"""A window under test: the look installed, and asyncio on Qt's loop."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.buttons import FocusRing
from conch_desktop.desktop.loop import Loop
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]

QtBot.waitUntil.__kwdefaults__ = {"timeout": 30_000}
"""In milliseconds: a machine that does much else has its time, and a test that passes waits no longer."""


@pytest.fixture(autouse=True)
def _look(qapp: QApplication) -> Iterator[None]:
    """Every test begins in the light, at 100 %."""
    look.choice, look.contrast, look.zoom = "light", "system", 100
    look.install(qapp)
    yield
    FocusRing.drop()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


_tests = itertools.count(1)


@pytest.fixture(autouse=True)
def _garbage() -> Iterator[None]:
    """Widgets are deleted on this thread, as in the program (`desktop.garbage`)."""
    gc.disable()
    yield
    gc.collect(1 if next(_tests) % 20 else 2)
    gc.enable()


@pytest.fixture
def window(qtbot: QtBot) -> Window:
    """The whole window, shown, with nothing behind it."""
    made = Window()
    made.allow_close = True
    qtbot.addWidget(made)
    made.resize(1440, 900)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def run(qapp: QApplication) -> Iterator[Run[Any]]:
    """Runs a coroutine on the program's own loop."""
    loop = Loop(qapp)
    asyncio.set_event_loop(loop)

    def work(coroutine: Coroutine[Any, Any, T]) -> T:
        answer: T = loop.run_until_complete(asyncio.wait_for(coroutine, 60))
        return answer

    yield work
    left = [task for task in asyncio.all_tasks(loop) if not task.done()]
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=5))
    loop.run_until_complete(loop.shutdown_asyncgens())
    asyncio.set_event_loop(None)
    loop.close()
