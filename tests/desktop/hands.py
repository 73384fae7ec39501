"""Hands and eyes of a person before the window: keys that go where the focus is, and what is painted, and when."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from conch_desktop.desktop.window import Window
from tests.servers import Piece, Reply, Wait, chunk, event

PATIENCE = 40.0
"""Seconds that something may take on a computer that is busy with other things; it ends as soon as it is so."""

_NAMES = {
    "Enter": Qt.Key.Key_Return,
    "Escape": Qt.Key.Key_Escape,
    "Tab": Qt.Key.Key_Tab,
    "Backtab": Qt.Key.Key_Backtab,
    "Up": Qt.Key.Key_Up,
    "Down": Qt.Key.Key_Down,
    "Left": Qt.Key.Key_Left,
    "Right": Qt.Key.Key_Right,
    "Home": Qt.Key.Key_Home,
    "End": Qt.Key.Key_End,
    "Space": Qt.Key.Key_Space,
    "PageUp": Qt.Key.Key_PageUp,
    "F1": Qt.Key.Key_F1,
    "F2": Qt.Key.Key_F2,
    "F6": Qt.Key.Key_F6,
}
_MODIFIERS = {"Ctrl": Qt.KeyboardModifier.ControlModifier, "Shift": Qt.KeyboardModifier.ShiftModifier}


async def soon(true: Callable[[], object], what: str = "", seconds: float = PATIENCE) -> None:
    """Waits until something is true; fails with words for it."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"This did not happen in {seconds:.0f} s: {what}"
        await asyncio.sleep(0.01)


async def settle() -> None:
    """Lets the window do what it put off: timers of 0, layouts, paints."""
    for _ in range(4):
        await asyncio.sleep(0.02)


# Keys ---------------------------------------------------------------------------------------------------------------


def with_keys(window: Window) -> QWidget:
    """The widget that has the keys: of a menu or dialog that is open, else of the window."""
    above: QWidget | None = QApplication.activePopupWidget() or QApplication.activeModalWidget()
    there: list[QWidget | None] = [QApplication.focusWidget(), window.focusWidget(), window]
    if above is not None:
        there = [above.focusWidget(), above]
    return next(one for one in there if one is not None)


def press(window: Window, *keys: str) -> None:
    """Presses keys by name ("Enter", "Ctrl+Shift+J", "o"), one after the other, each where the focus is then."""
    for name in keys:
        *held, last = name.split("+") if not name.endswith("++") else [*name[:-2].split("+"), "+"]
        modifiers = Qt.KeyboardModifier.NoModifier
        for one in held:
            modifiers |= _MODIFIERS[one]
        QTest.keyClick(with_keys(window), _NAMES[last] if last in _NAMES else Qt.Key(ord(last.upper())), modifiers)


def write(window: Window, text: str) -> None:
    """Types a text, letter by letter."""
    for letter in text:
        QTest.keyClicks(with_keys(window), letter)


def go_to_chat(window: Window) -> None:
    """Goes from area to area until the messages have the keys."""
    for _ in range(5):
        if with_keys(window) is window.view.list:
            return
        press(window, "F6")
    raise AssertionError("The messages can't be reached with F6.")


# The pointer --------------------------------------------------------------------------------------------------------


def _mouse(target: QWidget, kind: QEvent.Type, spot: QPoint, held: Qt.MouseButton) -> None:
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    made = QMouseEvent(
        kind, spot.toPointF(), target.mapToGlobal(spot).toPointF(), button, held, Qt.KeyboardModifier.NoModifier
    )
    QCoreApplication.sendEvent(target, made)


class Drag:
    """The button goes down at a spot of a widget, and stays down until it is let go.

    As Qt does it, what lies under the first spot gets all of it, and passes on what it does not take.
    """

    def __init__(self, port: QWidget, spot: QPoint) -> None:
        self._port, self._spot = port, spot
        self._target = port.childAt(spot) or port
        self._send(QEvent.Type.MouseButtonPress, Qt.MouseButton.LeftButton)

    def _send(self, kind: QEvent.Type, held: Qt.MouseButton) -> None:
        _mouse(self._target, kind, self._target.mapFrom(self._port, self._spot), held)

    def move(self, spot: QPoint) -> None:
        """The pointer goes to another spot, which may lie outside."""
        self._spot = spot
        self._send(QEvent.Type.MouseMove, Qt.MouseButton.LeftButton)

    def release(self) -> None:
        """The button goes up."""
        self._send(QEvent.Type.MouseButtonRelease, Qt.MouseButton.NoButton)


def click(port: QWidget, spot: QPoint) -> None:
    """Presses what lies at a spot of a widget."""
    Drag(port, spot).release()


async def hover(window: Window, widget: QWidget, spot: QPoint) -> None:
    """Moves the pointer to a spot of a widget, as the screen tells the window of it."""
    handle, place = window.windowHandle(), widget.mapTo(window, spot)
    # Not from this task: Qt handles events meanwhile, and tasks go on that must not begin inside another.
    QTimer.singleShot(0, lambda: QTest.mouseMove(handle, place))
    await soon(widget.underMouse, "the pointer is over it")


# Eyes and clocks ----------------------------------------------------------------------------------------------------


class Frames(QObject):
    """When the window was painted, and how long it ever did not answer; as clocks on the wall say it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self.at: list[float] = []
        self._beats = [time.monotonic()]
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(2)
        self._timer.timeout.connect(lambda: self._beats.append(time.monotonic()))
        self._timer.start()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest:
            self.at.append(time.monotonic())
        return False

    def gap(self, since: float, until: float) -> float:
        """The longest time between two pictures, in ms."""
        return _gap([since, *(one for one in self.at if since < one < until), until])

    def held(self, since: float, until: float) -> float:
        """The longest time in which no event was heard, in ms."""
        return _gap([one for one in self._beats if since <= one <= until])

    def stop(self) -> None:
        """No longer."""
        self._timer.stop()


def _gap(moments: Sequence[float]) -> float:
    return max((after - before for before, after in itertools.pairwise(moments)), default=0.0) * 1000


class Typist(QObject):
    """Somebody who types on, whatever the window does: each key comes from another thread, as from a keyboard.

    `waits` are the milliseconds from each key to the picture that shows it.
    """

    def __init__(self, field: QWidget, viewport: QWidget, length: Callable[[], int]) -> None:
        super().__init__()
        self._field, self._length = field, length
        self._pressed: list[float] = []
        self.waits: list[float] = []
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            shown = self._length()
            while len(self.waits) < min(shown, len(self._pressed)):
                self.waits.append((time.monotonic() - self._pressed[len(self.waits)]) * 1000)
        return False

    async def type(self, text: str, every: float) -> None:
        """Types a text into an empty field, a key each `every` seconds; ends when all of it was painted."""

        def work() -> None:
            for letter in text:
                time.sleep(every)  # A person's pace, on a thread of its own.
                key = Qt.Key(ord(letter.upper()))
                self._pressed.append(time.monotonic())
                for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                    made = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, letter)
                    QCoreApplication.postEvent(self._field, made)

        hand = threading.Thread(target=work, name="typist", daemon=True)
        hand.start()
        await soon(lambda: len(self.waits) == len(text), "everything that was typed is painted")
        hand.join()


class Paced(Sequence[Piece]):
    """The body of a reply whose pieces come so many a second, by the clock, and then the `end`.

    `sent` are the moments at which each piece left, `all_sent` is when everything had.
    """

    def __init__(self, pieces: Sequence[str], a_second: float, *end: Any) -> None:
        self._pieces, self._every = pieces, 1 / a_second
        self._end = end or (chunk(finish="stop"),)
        self.began = self.all_sent = 0.0
        self.sent: list[float] = []

    def __len__(self) -> int:
        return len(self._pieces)

    @overload
    def __getitem__(self, at: int) -> Piece: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Piece]: ...
    def __getitem__(self, at: int | slice) -> Piece | Sequence[Piece]:
        return self._pieces[at]

    def __iter__(self) -> Iterator[Piece]:
        self.began = time.monotonic()
        for number, piece in enumerate(self._pieces):
            ahead = self.began + number * self._every - time.monotonic()
            if ahead > 0.002:
                yield Wait(ahead)
            yield event(chunk(piece))
            self.sent.append(time.monotonic())
        for last in self._end:
            yield event(last)
        yield event("[DONE]")
        self.all_sent = time.monotonic()


def paced(pieces: Sequence[str], a_second: float, *end: Any) -> tuple[Reply, Paced]:
    """The pieces as an answer, so many a second; and its body, which tells when what was sent."""
    body = Paced(pieces, a_second, *end)
    return Reply(200, {"content-type": "text/event-stream"}, body, "chunked"), body
