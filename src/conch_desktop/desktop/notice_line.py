"""A quiet line of the program's own in an answer: what a model taught, what is tried again. *Why?* opens the panel."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.theme import look

_LEAST_LINE = 24


class NoticeLine(QWidget):
    """The words in the middle, with a thin line at both sides where there is room."""

    asked = Signal()

    def __init__(self, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.words = words
        self.setAccessibleName(words)
        self._middle = QWidget(self)
        line = QHBoxLayout(self._middle)
        line.setContentsMargins(12, 0, 12, 0)
        line.setSpacing(8)
        line.addWidget(IconMark("lesson", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(label(words, "small", "t2", wrap=True), 1)
        why = Button("Why?", "link", height=20)
        why.setAccessibleName(f"Why? {words}")
        why.clicked.connect(self.asked)
        line.addWidget(why, 0, Qt.AlignmentFlag.AlignTop)

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        wide = min(width, self._middle.sizeHint().width())
        high = fit_layout(self._middle, wide)
        self._middle.setGeometry((width - wide) // 2, 0, wide, high)
        return high

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, middle, ink = QPainter(self), self._middle.geometry(), look.colour("line")
        if middle.left() >= _LEAST_LINE:
            y = look.px(10)
            painter.fillRect(QRectF(0, y, middle.left(), 1), ink)
            painter.fillRect(QRectF(middle.right(), y, self.width() - middle.right(), 1), ink)
