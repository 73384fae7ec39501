"""The line above a turn's calls: how the model was given its tools, why, and when."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.theme import look

_EDGE = 4


class TurnHead(QWidget):
    """The mode in bold and the reason after it, as one text that wraps; the time at the right."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._said = ("", "", "")

    def say(self, mode: str, why: str, when: str) -> None:
        """What it says."""
        if (mode, why, when) != self._said:
            self._said = (mode, why, when)
            self.setAccessibleName(f"Turn at {when}: {mode}{', ' if mode and why else ''}{why}")
            self.update()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        layout = self._layout(width)
        return math.ceil(layout.boundingRect().height()) + 2

    def _layout(self, width: int) -> QTextLayout:
        mode, why, when = self._said
        text = f"{mode}, {why}" if mode and why else mode or why
        layout = QTextLayout(text, look.font("ui"))
        bold = QTextCharFormat()
        bold.setFont(look.font("ui", 500))
        bold.setForeground(look.colour("t1"))
        span = QTextLayout.FormatRange()
        span.start, span.length, span.format = 0, len(mode), bold
        layout.setFormats([span])
        room = width - 2 * _EDGE - QFontMetrics(look.font("ui")).horizontalAdvance(when) - 12
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(20, room))
            line.setPosition(QPointF(_EDGE, y))
            y += line.height() + 1
        layout.endLayout()
        return layout

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(look.colour("t2"))
        self._layout(self.width()).draw(painter, QPointF(0, 0))
        painter.setFont(look.font("ui", tabular=True))
        spot = QRectF(self.rect()).adjusted(0, 0, -_EDGE, 0)
        painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, self._said[2])
