"""A diff on the card of a question: numbers, signs, colours. As tall as it needs up to a cap, then with its own bars.

Only the lines in view are painted, so that a change of a thousand lines costs what one of ten does.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.diff_lines import Diff, read_diff
from conch_desktop.desktop.parts import ElidedLabel, Line, label
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import count

MOST = 320
"""px; a longer diff scrolls."""

_LINE = 20
_GROUNDS = {"+": "addS", "-": "errS"}
_INKS = {"+": "add", "-": "err", "@": "t2", "": "t2"}
_LONGEST = 2000
"""Characters of a line that are painted."""


class DiffBox(QAbstractScrollArea):
    """The lines. The wheel scrolls it only while it has the focus or there is nothing else to scroll."""

    def __init__(self, diff: Diff) -> None:
        super().__init__()
        self.diff = diff
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        said = f"{count(diff.added, 'line')} added, {diff.removed:,} removed"
        self.setAccessibleName(f"Change of {diff.title}: {said}")
        self.setAccessibleDescription("\n".join(f"{line.sign} {line.text}" for line in diff.lines[:200]))
        self.viewport().setAutoFillBackground(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        last = max((line.number for line in diff.lines), default=1)
        metrics = QFontMetrics(look.font("mono"))
        self._numbers = metrics.horizontalAdvance("0" * max(2, len(str(last)))) + look.px(22)
        longest = max((len(line.text) for line in diff.lines), default=0)
        self._widest = self._numbers + look.px(40) + min(longest, _LONGEST) * metrics.horizontalAdvance("0")

    def sizeHint(self) -> QSize:
        return QSize(look.px(200), self.high())

    def minimumSizeHint(self) -> QSize:
        return QSize(look.px(80), self.high())

    def high(self) -> int:
        """Its height: that of its lines, or the cap."""
        return min(self._tall(), look.px(MOST))

    def _tall(self) -> int:
        return max(1, len(self.diff.lines)) * look.px(_LINE) + 2 * look.px(6) + look.px(8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        view = self.viewport().size()
        line = look.px(_LINE)
        for bar, whole, room in (
            (self.verticalScrollBar(), self._tall() - look.px(8), view.height()),
            (self.horizontalScrollBar(), self._widest, view.width()),
        ):
            bar.setRange(0, max(0, whole - room))
            bar.setPageStep(room)
            bar.setSingleStep(line)

    def wheelEvent(self, event: QWheelEvent) -> None:
        bar = self.verticalScrollBar()
        across = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        ends = bar.value() == (bar.minimum() if event.angleDelta().y() > 0 else bar.maximum())
        if across or (not ends and self.hasFocus()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), look.colour("code"))
        painter.setFont(look.font("mono"))
        line, wide = look.px(_LINE), self.viewport().width()
        top = look.px(6) - self.verticalScrollBar().value()
        first = max(0, -top // line)
        for at in range(first, min(len(self.diff.lines), first + self.viewport().height() // line + 2)):
            self._paint_line(painter, at, QRect(0, top + at * line, wide, line))
        if self.hasFocus():
            painter.setPen(QPen(look.colour("acc"), 2))
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1))

    def _paint_line(self, painter: QPainter, at: int, row: QRect) -> None:
        one = self.diff.lines[at]
        if one.sign in _GROUNDS:
            painter.fillRect(row, look.colour(_GROUNDS[one.sign]))
        middle = Qt.AlignmentFlag.AlignVCenter
        left = row.x() - self.horizontalScrollBar().value()
        if one.number:
            painter.setPen(look.colour("t2"))
            number = QRect(left, row.y(), self._numbers - look.px(8), row.height())
            painter.drawText(number, middle | Qt.AlignmentFlag.AlignRight, str(one.number))
        painter.setPen(look.colour(_INKS.get(one.sign, "t1")))
        painter.drawText(QRect(left + self._numbers + look.px(4), row.y(), look.px(14), row.height()), middle, one.sign)
        painter.setPen(look.colour("t2" if one.sign in ("@", "") else "t1"))
        words = QRect(left + self._numbers + look.px(18), row.y(), max(1, self._widest), row.height())
        flags = middle | Qt.TextFlag.TextExpandTabs | Qt.TextFlag.TextSingleLine
        painter.drawText(words, flags, one.text[:_LONGEST])


class DiffView(QWidget):
    """The head of a diff (what it is of, how much changes) and its lines."""

    def __init__(self, preview: str) -> None:
        super().__init__()
        diff = read_diff(preview)
        self.box = DiffBox(diff)
        head = QHBoxLayout()
        head.setContentsMargins(14, 6, 14, 6)
        head.setSpacing(12)
        head.addWidget(ElidedLabel(diff.title, "mono", "t2"), 1)
        if diff.added:
            head.addWidget(label(f"{count(diff.added, 'line')} added", "small", "add"))
        if diff.removed:
            words = f"{diff.removed:,} removed" if diff.added else f"{count(diff.removed, 'line')} removed"
            head.addWidget(label(words, "small", "err"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(Line())
        column.addLayout(head)
        if diff.lines:
            column.addWidget(Line())
            column.addWidget(self.box)
        column.addWidget(Line())
