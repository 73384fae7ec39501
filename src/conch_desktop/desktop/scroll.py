"""A scroll area whose bar lies over its content, so that the content keeps the whole width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QHBoxLayout, QScrollArea, QScrollBar, QWidget


class OverBar(QScrollBar):
    """The bar that is seen, for the area's own that is not."""

    def __init__(self, area: QAbstractScrollArea) -> None:
        super().__init__(Qt.Orientation.Vertical, area)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area = area
        self._own = area.verticalScrollBar()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        self._own.rangeChanged.connect(self._ranged)
        self._own.valueChanged.connect(self.setValue)
        self.valueChanged.connect(self._own.setValue)

    def _ranged(self, least: int, most: int) -> None:
        self.setPageStep(self._own.pageStep())
        self.setSingleStep(self._own.singleStep())
        self.setRange(least, most)
        self.setVisible(most > least)
        self.raise_()

    def place(self) -> None:
        """Puts it at the right edge of its area."""
        wide = self.sizeHint().width()
        self.setGeometry(self._area.width() - wide, 0, wide, self._area.height())


class Scroll(QScrollArea):
    """Scrolls up and down only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = OverBar(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.place()


def centred(page: QWidget) -> Scroll:
    """A scroll area with `page` in its middle, as wide as the page wants to be."""
    inner = QWidget()
    inner.setObjectName("chat")
    across = QHBoxLayout(inner)
    across.setContentsMargins(0, 0, 0, 0)
    across.addStretch(1)
    across.addWidget(page, 100)
    across.addStretch(1)
    area = Scroll()
    area.setWidgetResizable(True)
    area.setWidget(inner)
    return area
