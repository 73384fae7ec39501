"""A formula on lines of its own: drawn in the middle of the column, or its source where it can't be."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.formulas import formulas
from conch_desktop.desktop.theme import look


class MathBlock(QWidget):
    """One formula. It is chosen whole or not at all."""

    grown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self._image: QImage | None = None
        self._chosen = self._marked = False
        formulas.drawn.connect(self._drawn)

    def show_formula(self, source: str) -> None:
        """Another formula."""
        self._source = source
        self.setAccessibleName(f"Formula: {source}")
        self.setToolTip(source[:400])
        self.restyle()

    def restyle(self) -> None:
        """Takes the look of now."""
        self._image = formulas.find(self._source, look.font("chat"), look.colour("t1"), display=True)
        self.update()

    def _drawn(self, source: str) -> None:
        if source == self._source:
            self.restyle()
            self.grown.emit()

    def _layout(self, width: int) -> QTextLayout:
        layout = QTextLayout(self._source.replace("\n", "\u2028")[:4000], look.font("code"))
        option = QTextOption(Qt.AlignmentFlag.AlignHCenter)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(40, width))
            line.setPosition(QPoint(0, 0) + QPoint(0, round(y)))
            y += look.px(20)
        layout.endLayout()
        return layout

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        if self._image is None:
            return max(1, self._layout(width).lineCount()) * look.px(20) + 8
        wide, high = (length / self._image.devicePixelRatio() for length in (self._image.width(), self._image.height()))
        return round(high * min(1.0, width / max(1.0, wide))) + 8

    def hit(self, point: QPoint) -> int:
        """The place under a point: before or behind the formula."""
        return 0 if point.x() < self.width() / 2 else len(self._source)

    def word_at(self, place: int) -> tuple[int, int]:
        """All of it."""
        return 0, len(self._source)

    def choose(self, start: int, end: int) -> None:
        """Shows whether it is chosen."""
        if (start != end) != self._chosen:
            self._chosen = start != end
            self.update()

    def mark(self, marks: list[tuple[int, int, bool]]) -> None:
        """Marks it when what was searched for is in it."""
        if bool(marks) != self._marked:
            self._marked = bool(marks)
            self.update()

    def top_of(self, place: int) -> int:
        """How far down a place is."""
        return 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._chosen or self._marked:
            painter.fillRect(self.rect(), look.colour("sel" if self._chosen else "mendM"))
        if self._image is None:
            painter.setPen(look.colour("t2"))
            self._layout(self.width()).draw(painter, QPoint(0, 4))
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        wide, high = (length / self._image.devicePixelRatio() for length in (self._image.width(), self._image.height()))
        part = min(1.0, self.width() / max(1.0, wide))
        painter.drawImage(QRectF((self.width() - wide * part) / 2, 4, wide * part, high * part), self._image)
