"""What every picture of a call shares: its mark turns while the call runs, and stands still where nobody sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.parts import still

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord

_STEP = 40
"""Milliseconds between two pictures: a turn a second."""

_SECONDS = 1000
"""Milliseconds between two where motion is reduced: only the seconds go on."""


class CallPicture(Painted):
    """Shows `call`. `_turn` is how far its mark has turned, in degrees."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.call: CallRecord | None = None
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)

    def showEvent(self, event: QShowEvent) -> None:
        self._set_moving()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()

    def _set_moving(self) -> None:
        if self.call is not None and self.call.state == "running" and self.isVisible():
            self._timer.start(_SECONDS if still(self) else _STEP)
        else:
            self._timer.stop()

    def _step(self) -> None:
        self._turn = 0.0 if still(self) else (self._turn + 14.4) % 360
        if not self.visibleRegion().isEmpty():
            self.update()
