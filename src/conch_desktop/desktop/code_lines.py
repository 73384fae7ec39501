"""The lines of a code block: only those in view are laid out and painted, so that a long text costs what a short does.

A place in it is the number of a character from its start.
"""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from conch_desktop.desktop.code_text import COLOURED_MOST, Colouring, units
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE

_SLICE = 0.004
_WHOLE_LINE = 2000
"""A line longer than this is painted in part."""
_COLOUR_AFTER = 120


class CodeLines(QAbstractScrollArea):
    """Read-only lines in mono, without wrapping, with their own bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # A press gives the keys to the messages.
        self._pressed = False
        self.setAccessibleName("Code")
        self.viewport().setAutoFillBackground(False)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._code, self._language = "", ""
        self._lines: list[str] = [""]
        self._starts: list[int] = [0]
        self._longest = 0
        self._chosen = (0, 0)
        self._marks: list[tuple[int, int, bool]] = []
        self._colours: list[list[tuple[int, int, str]]] = []
        self._colouring: Colouring | None = None
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._slice)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_COLOUR_AFTER)
        self._soon.timeout.connect(self._colour_new)
        self.restyle()

    # Content --------------------------------------------------------------------------------------------------------

    def show_code(self, code: str, language: str, *, whole: bool) -> None:
        """Shows the code; only what is new is added to what is there."""
        follow = self._at_end()
        if language != self._language or not code.startswith(self._code):
            self._language = language
            self._code, self._lines, self._starts, self._longest, self._colours = "", [""], [0], 0, []
            self._colouring = None
        new = code[len(self._code) :]
        if new:
            self._add(new)
        self._code = code
        self._ranges()
        if follow and not whole:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        if whole:
            self._soon.stop()
            self._colour_all()
        elif new and not self._soon.isActive():
            self._soon.start()
        self.viewport().update()

    def _add(self, new: str) -> None:
        first, *others = new.split("\n")
        self._lines[-1] += first
        self._longest = max(self._longest, _columns(self._lines[-1]))
        start = self._starts[-1]
        before = self._lines[-1]
        for line in others:
            start += len(before) + 1
            self._starts.append(start)
            self._lines.append(line)
            self._longest = max(self._longest, _columns(line))
            before = line

    @property
    def count(self) -> int:
        """How many lines are shown; the line feed at the end opens none."""
        return len(self._lines) - (1 if len(self._lines) > 1 and not self._lines[-1] else 0)

    def toPlainText(self) -> str:
        """The code."""
        return self._code

    def restyle(self) -> None:
        """Takes the look of now."""
        self._font = look.font("code")
        metrics = QFontMetricsF(self._font)
        self._letter = max(1.0, metrics.horizontalAdvance("0"))
        self._high = look.px(LINE["code"])
        self._base = (self._high - metrics.height()) / 2
        self._ranges()
        self.viewport().update()

    def text_height(self) -> int:
        """The height of all lines."""
        return self.count * self._high

    def text_width(self) -> int:
        """The width of the longest line."""
        return round(self._longest * self._letter) + 2

    # Colours --------------------------------------------------------------------------------------------------------

    def _colour_all(self) -> None:
        if self._language and len(self._colours) < self.count and self._colouring is None:
            self._colouring = Colouring(self._code[:COLOURED_MOST], self._language)
            self._slices.start()

    def _slice(self) -> None:
        if self._colouring is None:
            self._slices.stop()
            return
        done = self._colouring.run(_SLICE)
        if len(self._colouring.lines) >= len(self._colours):
            self._colours = self._colouring.lines
        if done:
            self._slices.stop()
            self._colouring = None
            if len(self._code) > COLOURED_MOST:
                self._colours = self._colours[:-1]
                self._soon.start()
        self.viewport().update()

    def _colour_new(self) -> None:
        """Colours lines that have none yet, by themselves: those that arrived, or those that came into view."""
        if not self._language or self._colouring is not None:
            return
        begin = len(self._colours)
        end = len(self._lines) - 1
        if self._starts[begin if begin < len(self._starts) else -1] > COLOURED_MOST:
            end = min(end, self.verticalScrollBar().value() // self._high + 40)
        if end <= begin:
            return
        end = min(end, begin + 40)
        lines = Colouring("\n".join(self._lines[begin:end]), self._language)
        lines.run(_SLICE * 2)
        found = lines.lines[: end - begin]
        self._colours += found + [[]] * (end - begin - len(found))
        self.viewport().update()
        if end < len(self._lines) - 1:
            self._soon.start()

    # Selection ------------------------------------------------------------------------------------------------------

    def hit(self, point: QPoint) -> int:
        """The place under a point of the viewport."""
        row = (point.y() + self.verticalScrollBar().value()) // self._high
        if row < 0:
            return 0
        if row >= self.count:
            return len(self._code)
        line = self._lines[row]
        x = point.x() + self.horizontalScrollBar().value()
        if len(line) > _WHOLE_LINE:
            return self._starts[row] + max(0, min(len(line), round(x / self._letter)))
        layout = self._layout(line)
        column = layout.lineAt(0).xToCursor(x) if layout.lineCount() else 0
        if not line.isascii():
            column = len(line.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "replace"))
        return self._starts[row] + min(column, len(line))

    def word_at(self, place: int) -> tuple[int, int]:
        """The word around a place."""
        begin = end = max(0, min(place, len(self._code)))
        while begin and _in_word(self._code[begin - 1]):
            begin -= 1
        while end < len(self._code) and _in_word(self._code[end]):
            end += 1
        return begin, end

    def choose(self, start: int, end: int) -> None:
        """Shows a selection; an empty one is none."""
        if (start, end) != self._chosen:
            self._chosen = (start, end)
            self.viewport().update()

    def mark(self, marks: list[tuple[int, int, bool]]) -> None:
        """Marks places that were searched for: (start, end, whether it is the one)."""
        if marks != self._marks:
            self._marks = marks
            self.viewport().update()

    def reveal(self, place: int) -> None:
        """Scrolls so that a place is in view."""
        row = max(0, bisect_right(self._starts, place) - 1)
        bar = self.verticalScrollBar()
        if not bar.value() <= row * self._high <= bar.value() + self.viewport().height() - self._high:
            bar.setValue(row * self._high - self.viewport().height() // 3)
        x = round((place - self._starts[row]) * self._letter)
        across = self.horizontalScrollBar()
        if not across.value() <= x <= across.value() + self.viewport().width() - 40:
            across.setValue(x - self.viewport().width() // 3)

    def top_of(self, place: int) -> int:
        """How far down in the viewport a place is."""
        row = max(0, bisect_right(self._starts, place) - 1)
        return row * self._high - self.verticalScrollBar().value()

    # Events ---------------------------------------------------------------------------------------------------------

    def _at_end(self) -> bool:
        return self.verticalScrollBar().value() >= self.verticalScrollBar().maximum() - 2

    def _ranges(self) -> None:
        bar, across = self.verticalScrollBar(), self.horizontalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._high)
        bar.setRange(0, max(0, self.text_height() - self.viewport().height()))
        across.setPageStep(self.viewport().width())
        across.setSingleStep(round(self._letter * 4))
        across.setRange(0, max(0, self.text_width() - self.viewport().width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._ranges()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        if dy and self._language and len(self._code) > COLOURED_MOST and not self._soon.isActive():
            self._soon.start()
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        across = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        bar = self.verticalScrollBar()
        ends = bar.value() == (bar.minimum() if event.angleDelta().y() > 0 else bar.maximum())
        if across or (not ends and self._pressed):
            super().wheelEvent(event)
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        self._pressed = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = True  # From now on the wheel turns what is in here, until the pointer leaves.
        event.ignore()  # The chat selects, across all messages.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    # Paint ----------------------------------------------------------------------------------------------------------

    def _layout(self, text: str) -> QTextLayout:
        layout = QTextLayout(text, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        option.setTabStopDistance(self._letter * 4)
        layout.setTextOption(option)
        layout.beginLayout()
        line = layout.createLine()
        if line.isValid():
            line.setLineWidth(1e7)
        layout.endLayout()
        return layout

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        top = self.verticalScrollBar().value()
        left = self.horizontalScrollBar().value()
        painter.setPen(look.colour("t1"))
        first = max(0, (top + event.rect().top()) // self._high)
        last = min(self.count - 1, (top + event.rect().bottom()) // self._high)
        for row in range(first, last + 1):
            self._paint_line(painter, row, row * self._high - top, left)

    def _paint_line(self, painter: QPainter, row: int, y: int, left: int) -> None:
        line, start = self._lines[row], self._starts[row]
        skipped = 0
        if len(line) > _WHOLE_LINE:
            skipped = max(0, int(left / self._letter) - 20)
            line = line[skipped : skipped + int(self.viewport().width() / self._letter) + 60]
        layout = self._layout(line)
        spans: list[QTextLayout.FormatRange] = []
        if row < len(self._colours) and not skipped:
            for at, length, tone in self._colours[row]:
                spans.append(_span(at, length, ink=tone))
        for begin, end, current in self._marks:
            _add_range(spans, line, start + skipped, begin, end, "accL" if current else "mendM")
        if self._chosen[0] != self._chosen[1]:
            _add_range(spans, line, start + skipped, *self._chosen, "sel")
            if self._chosen[0] <= start + len(self._lines[row]) < self._chosen[1]:  # The line feed is chosen too.
                x = layout.lineAt(0).naturalTextWidth() if layout.lineCount() else 0
                spot = QRectF(x + skipped * self._letter - left, y, self._letter / 2, self._high)
                painter.fillRect(spot, look.colour("sel"))
        layout.draw(painter, QPointF(skipped * self._letter - left, y + self._base), spans)


def _columns(line: str) -> int:
    return len(line.expandtabs(4)) if "\t" in line else len(line)


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _span(start: int, length: int, *, ink: str = "", ground: str = "") -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length = start, length
    style = QTextCharFormat()
    if ink:
        style.setForeground(look.colour(ink))
    if ground:
        style.setBackground(look.colour(ground))
    found.format = style
    return found


def _add_range(spans: list[QTextLayout.FormatRange], line: str, start: int, begin: int, end: int, ground: str) -> None:
    """Tints the part of a line between two places."""
    first, last = max(0, begin - start), min(len(line), end - start)
    if first < last:
        at = units(line[:first])
        spans.append(_span(at, units(line[first:last]), ground=ground))
