"""A watchdog over the UI thread: no piece of work there may hold up what the person does."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

MOST_MS = 50.0
_EVERY = 2


class Watchdog:
    """Measures the processor time of the UI thread between two ticks of a timer, which events come between."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self.longest = 0.0
        self._last = time.thread_time()
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.tick)

    def start(self) -> None:
        """From now on. What earlier tests left is no part of it, as `ChatsDesk` sees to while a turn runs."""
        gc.collect()
        gc.freeze()
        self._last = time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        """No longer; what ran since the last tick counts."""
        if self._timer.isActive():
            self.tick()
            self._timer.stop()
            gc.unfreeze()

    def tick(self) -> None:
        """A moment between two events."""
        now = time.thread_time()
        self.longest = max(self.longest, (now - self._last) * 1000)
        self._last = now

    def rest(self) -> None:
        """What the test itself did since does not count."""
        self._last = time.thread_time()


@pytest.fixture
def watchdog(qapp: QApplication) -> Iterator[Watchdog]:
    """Fails the test if the UI thread was held for more than 50 ms of its processor time."""
    dog = Watchdog()
    yield dog
    dog.stop()
    assert dog.longest <= MOST_MS, f"the UI thread was held for {dog.longest:.0f} ms"
