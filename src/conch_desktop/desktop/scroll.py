"""A scroll area whose bar lies over its content, so that the content keeps the whole width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QScrollBar, QWidget


class Scroll(QScrollArea):
    """Scrolls up and down only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        own = self.verticalScrollBar()
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bar.hide()
        own.rangeChanged.connect(self._ranged)
        own.valueChanged.connect(self._bar.setValue)
        self._bar.valueChanged.connect(own.setValue)

    def _ranged(self, least: int, most: int) -> None:
        own = self.verticalScrollBar()
        self._bar.setPageStep(own.pageStep())
        self._bar.setSingleStep(own.singleStep())
        self._bar.setRange(least, most)
        self._bar.setVisible(most > least)
        self._bar.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self._bar.sizeHint().width()
        self._bar.setGeometry(self.width() - wide, 0, wide, self.height())
