"""Where Tab goes: through the areas of the window as they lie on the screen, and within each from top to bottom.

Qt's own order is that in which widgets were made. Messages, cards and questions come and go, so that order has nothing
to do with where things are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from conch_desktop.desktop.window import Window


def move_focus(window: Window, *, forward: bool) -> bool:
    """Gives the keys to the next control, or the one before; False where Qt's own order is right."""
    stops = _stops(window)
    focus: QWidget | None = window.focusWidget()
    if not stops or focus is None:
        return False
    if focus in stops:
        at = stops.index(focus) + (1 if forward else -1)
    else:  # Something that is only pressed has the keys: on from where it is.
        before = [number for number, stop in enumerate(stops) if _is_before(window, stop, focus)]
        at = (before[-1] + 1 if before else 0) if forward else (before[-1] if before else -1)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    stops[at % len(stops)].setFocus(reason)
    return True


def _stops(window: Window) -> list[QWidget]:
    """Every control that Tab stops at, in order; none where a page stands before the chat."""
    popup = next((one for one in reversed(window.popups) if one.isVisible()), None)
    if popup is not None:  # What lies below waits until it is closed.
        return list(_chain(popup))
    if window.whole.currentWidget() is not window.shell:
        return []
    found: list[QWidget] = []
    for area in (window.sidebar, window.header):
        found += on_screen(area, list(_chain(area)))
    if window.pages.currentWidget() is window.page:
        messages = [one for one in _chain(window.view) if not one.visibleRegion().isEmpty()]
        if window.view.list in messages:
            messages.remove(window.view.list)
            found.append(window.view.list)
        found += on_screen(window.view, messages)
        found += on_screen(window.composer, list(_chain(window.composer)))
    else:
        found += list(_chain(window.pages))
    return found + on_screen(window.activity, list(_chain(window.activity)))


def _chain(area: QWidget) -> Iterator[QWidget]:
    """The controls of an area that Tab stops at, in the order in which they were made.

    Qt's own chain is not walked: PySide's `nextInFocusChain` takes widgets for its own and deletes them.
    """
    for one in area.findChildren(QWidget):
        tab = one.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
        proxied: QWidget | None = one.focusProxy()
        if tab and proxied is None and one.isVisible() and one.isEnabled():
            yield one


def on_screen(area: QWidget, controls: Sequence[QWidget]) -> list[QWidget]:
    """Controls in the order in which they are read: in lines from the top, each line from the left."""
    placed = sorted(((_place(area, one), one) for one in controls), key=lambda each: each[0].center().y())
    lines: list[list[tuple[QRect, QWidget]]] = []
    for place, one in placed:
        if lines and place.top() < lines[-1][0][0].center().y():
            lines[-1].append((place, one))
        else:
            lines.append([(place, one)])
    return [one for line in lines for _, one in sorted(line, key=lambda each: each[0].left())]


def _place(area: QWidget, control: QWidget) -> QRect:
    return QRect(control.mapTo(area, QPoint(0, 0)), control.size())


def _is_before(window: Window, stop: QWidget, focus: QWidget) -> bool:
    """Whether a stop comes before something that is none: in an area to the left, or above it in the same one."""
    areas: list[QWidget] = [window.sidebar, window.header, window.view, window.composer, window.activity]
    inside = [next((at for at, area in enumerate(areas) if area.isAncestorOf(one)), 0) for one in (stop, focus)]
    if inside[0] != inside[1]:
        return inside[0] < inside[1]
    return stop is window.view.list or _place(window, stop).center().y() < _place(window, focus).center().y()
