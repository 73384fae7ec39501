"""A switch: on or off, taken at once."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.theme import look

_WIDE, _HIGH = 34, 20


class Switch(Painted):
    """Its state is `isChecked`; `clicked` tells what the person did, `show_state` what is true."""

    def __init__(self, name: str, *, on: bool = False) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_state(self, on: bool) -> None:
        """Shows what is true now; nobody is told."""
        if on != self.isChecked():
            self.setChecked(on)
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(look.px(_WIDE), look.px(_HIGH))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        on = self.isChecked()
        edge = look.colour("t1" if look.high else "acc" if on else "field")
        painter.setPen(QPen(edge, 2 if look.high else 1))
        painter.setBrush(look.colour("acc" if on else "field"))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        knob = box.height() - 4
        left = box.right() - knob - 2 if on else box.left() + 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("onacc" if on else "raised"))
        painter.drawEllipse(QRectF(left, box.top() + 2, knob, knob))
