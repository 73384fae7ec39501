"""A widget in a cycle is deleted on the window's thread, whatever other threads make meanwhile."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.garbage import Garbage


class Cyclic(QWidget):
    """A widget that only a search finds."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


@pytest.fixture
def garbage(qapp: QApplication) -> Iterator[Garbage]:
    was = gc.isenabled()
    made = Garbage()
    yield made
    made.stop()
    if not was:
        gc.disable()


def left() -> tuple[weakref.ref[Cyclic], list[int]]:
    """A widget nobody has any more, and on which threads it went."""
    on: list[int] = []
    made = Cyclic()
    weakref.finalize(made, lambda: on.append(threading.get_ident()))
    return weakref.ref(made), on


def test_what_another_thread_makes_deletes_no_widget(garbage: Garbage, qtbot: QtBot) -> None:
    widget, on = left()

    def work() -> None:
        kept = [[at] for at in range(200_000)]
        assert kept

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert widget() is not None
    much = [[at] for at in range(2_000)]
    qtbot.waitUntil(lambda: widget() is None)
    assert on == [threading.get_ident()]
    assert much


def test_little_garbage_is_left_alone(garbage: Garbage, monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()
    seen: list[int] = []
    monkeypatch.setattr(gc, "collect", lambda generation=2: seen.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (700, 10, 10))
    garbage.look()
    assert seen == []
    for count, searched in (((701, 0, 0), 0), ((701, 11, 0), 1), ((0, 0, 11), 2)):
        monkeypatch.setattr(gc, "get_count", lambda count=count: count)
        garbage.look()
        assert seen.pop() == searched


def test_the_search_is_given_back(qapp: QApplication) -> None:
    was = gc.isenabled()
    Garbage().stop()
    assert gc.isenabled()
    if not was:
        gc.disable()
