"""Eyes for what does not fit: text that is cut off, things that lie over each other, controls that can't be reached.

Run as `python -m tests.desktop.fitting FOLDER`: opens the program at the scale of `QT_SCALE_FACTOR` in a window as
large as a screen of 1366 x 768, goes through its pages and every size of text, and prints what does not fit.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QLineEdit, QWidget

from conch_desktop.desktop.buttons import Button, FocusRing, IconButton
from conch_desktop.desktop.call_line import CallLine
from conch_desktop.desktop.finding import FindBar
from conch_desktop.desktop.loop import Loop
from conch_desktop.desktop.parts import ElidedLabel, Paragraph
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.reading_list import ReadingList
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window
from tests.desktop.at_work import at_work
from tests.desktop.hands import press, settle, soon, write
from tests.servers import call, say

SCREEN = (1366, 768)
ZOOMS = (80, 100, 125, 150, 200)

TEXT = """# Boats

The early boat is calmer, see [the timetable](https://example.org/times).

- Ana sits outside

| Boat | From | Arrives | Swell |
|---|---|---|--:|
| 07:40 | Quay 4 | 08:25 | calm |

```python
def share(fares: list[float], people: int) -> float:
    return round(sum(fares) / people, 2)
```
"""


def place(window: QWidget, one: QWidget) -> QRect:
    return QRect(one.mapTo(window, QPoint(0, 0)), one.size())


def seen(window: QWidget, one: QWidget) -> QRect:
    """What of a widget is not cut by the edge of something that scrolls."""
    whole, up = place(window, one), one.parentWidget()
    while up is not window and up is not None:
        if isinstance(up.parentWidget(), QAbstractScrollArea):
            whole = whole.intersected(place(window, up))
        up = up.parentWidget()
    return whole


def described(one: QWidget) -> str:
    words = one.text() if isinstance(one, QLabel) else one.accessibleName()
    return f"{type(one).__name__} {words[:40]!r}"


def cut_off(one: QWidget) -> bool:
    """Whether the words of a widget have not enough room; what ends in "…" and says all in its tooltip has."""
    if isinstance(one, Paragraph):
        return bool(one.text()) and one.heightForWidth(one.width()) > one.height() + 1
    if isinstance(one, QLabel):
        metrics = QFontMetrics(one.font())
        wide = metrics.horizontalAdvance(one.text()) if not one.wordWrap() else 0
        return bool(one.text()) and (
            wide > one.contentsRect().width() + 1 or metrics.height() > one.contentsRect().height() + 3
        )
    if isinstance(one, (Button, IconButton)):
        hint = one.sizeHint()
        return hint.width() > one.width() + 1 or hint.height() > one.height() + 1
    if isinstance(one, QLineEdit):
        metrics = QFontMetrics(one.font())
        words = 0 if one.text() else metrics.horizontalAdvance(one.placeholderText())
        return metrics.height() > one.height() or words > one.width()
    return False


def out_of_reach(window: QWidget, one: QWidget) -> bool:
    """Whether a control goes beyond what holds it, where nothing scrolls there."""
    up, whole = one.parentWidget(), QRect(QPoint(0, 0), one.size())
    child: QWidget = one
    while up is not None:
        whole.translate(child.pos())
        if isinstance(up.parentWidget(), QAbstractScrollArea):
            across = whole.left() >= -1 and whole.right() <= up.width()
            return not across
        if not up.rect().adjusted(-1, -1, 1, 1).contains(whole):
            return True
        if up is window:
            return False
        child, up = up, up.parentWidget()
    return False


_WORDS = (QLabel, Button, IconButton, QLineEdit, ElidedLabel, CallLine)


def shown(area: QWidget) -> list[QWidget]:
    return [
        one
        for one in area.findChildren(QWidget)
        if one.isVisible() and not isinstance(one, (ReadingList, FocusRing)) and one.width() and one.height()
    ]


def misfits(window: Window, area: QWidget | None = None) -> Iterator[str]:
    """Everything that does not fit in the window, or in a part of it."""
    area = area or window
    words = [one for one in shown(area) if isinstance(one, _WORDS)]
    for one in words:
        if not seen(window, one).isEmpty() and cut_off(one):
            yield f"cut off: {described(one)} {one.width()}x{one.height()} of {one.sizeHint().toTuple()}"
        if not isinstance(one, QLabel) and out_of_reach(window, one):
            yield f"out of reach: {described(one)} {place(window, one).getRect()}"
    areas = {one: seen(window, one) for one in words}
    for one, other in itertools.combinations(words, 2):
        if one.isAncestorOf(other) or other.isAncestorOf(one):
            continue
        both = areas[one].intersected(areas[other])
        if both.width() > 2 and both.height() > 3:
            yield f"overlap: {described(one)} and {described(other)} {both.getRect()}"


def composer_misfits(window: Window) -> Iterator[str]:
    writing = window.composer.writing
    if writing.viewport().height() < 3 * writing.fontMetrics().lineSpacing():
        yield f"the composer is {writing.viewport().height()} high"
    if not window.rect().contains(place(window, window.composer)):
        yield "the composer is out of reach"


async def through_all(
    folder: Path, size: tuple[int, int], zooms: Sequence[int] = ZOOMS, opened_at: Sequence[int] = (80, 200)
) -> list[str]:
    """Goes through pages and sizes of text in a window of that size; what does not fit where.

    Popups are opened at some sizes of text, and go through all while they are open.
    """
    wrong: list[str] = []
    async with at_work(folder) as (window, _, _, server, _):
        window.resize(*size)
        server.then(call("remember", '{"content":"tea"}'), say(TEXT))
        window.composer.setFocus()
        write(window, "Remember tea")
        press(window, "Enter")
        await soon(lambda: window.view.findChildren(QuestionCard), "the call waits")

        async def look_at(name: str, area: QWidget | None = None) -> None:
            for zoom in zooms:
                look.set_zoom(zoom)
                await settle()
                found = [*misfits(window, area), *(composer_misfits(window) if area is None else ())]
                wrong.extend(f"{size[0]}x{size[1]}, {zoom} %, {name}: {one}" for one in found)
            look.set_zoom(100)
            await settle()

        await look_at("question")
        (card,) = [one for one in window.view.findChildren(QuestionCard) if one.isVisible()]
        press(window, "Ctrl+Shift+J", "o")
        await soon(lambda: not window.composer.send.running, "the end")
        assert card is not None
        await look_at("answer")
        for _ in range(2):
            before = window.activity.isVisible()
            press(window, "Ctrl+J")
            await settle()
            if window.activity.isVisible() == before:
                wrong.append(f"{size}: the panel does not fold")
            await look_at("panel " + ("open" if window.activity.isVisible() else "folded"), window.activity)
        if not window.activity.isVisible():
            press(window, "Ctrl+J")
        press(window, "Ctrl+K")
        write(window, "newest tool row")
        press(window, "Enter")
        await look_at("card", window.activity)
        press(window, "Escape")
        for keys, zoom in itertools.product(("Ctrl+M", "Ctrl+K", "Ctrl+Shift+O"), opened_at):
            look.set_zoom(zoom)
            await settle()
            press(window, keys)
            await settle()
            (popup,) = [one for one in window.popups if one.isVisible()]
            wrong.extend(f"{size[0]}x{size[1]}, {zoom} %, {keys}: {one}" for one in misfits(window, popup))
            await look_at(f"{keys} opened at {zoom} %", popup)
            press(window, "Escape")
            await settle()
        press(window, "Ctrl+F")
        await settle()
        await look_at("find", window.view.findChildren(FindBar)[0])
        press(window, "Escape")
        press(window, "Ctrl+K")
        write(window, "add a provider")
        press(window, "Enter")
        await settle()
        await look_at("form", window.whole.currentWidget())
    return wrong


if __name__ == "__main__":
    _app = QApplication([])
    look.install(_app)
    _loop = Loop(_app)
    asyncio.set_event_loop(_loop)
    _scale = float(os.environ.get("QT_SCALE_FACTOR", "1"))
    _size = (int(SCREEN[0] / _scale), int(SCREEN[1] / _scale))
    for _line in _loop.run_until_complete(through_all(Path(sys.argv[1]), _size)):
        sys.stdout.write(_line + "\n")
