"""Python's search for garbage, on the window's thread only.

Python searches on whichever thread makes an object at the wrong moment: the store's, or one that reads a file. A widget
that is part of a cycle would be deleted there, and Qt may then end the program. So the search is taken from Python and
done here, between events, about as often as Python would.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer

_EVERY = 500
"""Milliseconds."""


class Garbage(QObject):
    """Searches while it lives; `stop` gives the search back to Python."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Searches the oldest generation that is due, and the younger ones with it."""
        for generation in (2, 1, 0):
            if gc.get_count()[generation] > gc.get_threshold()[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """No more."""
        self._timer.stop()
        gc.enable()
