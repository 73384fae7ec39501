"""A run of text in a message: a read-only document with what is painted around its words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextLine,
    QTextTable,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.document import (
    CODE,
    CODE_INSET,
    CODE_PAD,
    FORMULA,
    INDENT,
    MARKER,
    NESTED,
    QUOTE,
    QUOTE_INDENT,
    RULE,
    Builder,
    write_table,
)
from conch_desktop.desktop.formulas import formulas
from conch_desktop.desktop.markdown import link_allowed
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE

if TYPE_CHECKING:
    from markdown_it.token import Token

MARGIN = 4
"""Room around the words for the frames of inline code; whoever places the block takes it off again."""


class TextBlock(QTextBrowser):
    """One segment of text (or a table, or plain words). It fits itself to a width; it never scrolls by itself."""

    link_pressed = Signal(str)
    grown = Signal()
    """A formula was drawn; the height may be another."""

    def __init__(self, role: str = "chat", tone: str = "t1", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role, self._tone = role, tone
        self._source: tuple[str, Any] = ("plain", "")
        self._spans: list[tuple[int, int]] = []
        self._runs: list[Run] = []
        self._starts: list[int] = []
        self._look = ""
        self._width = -1
        self._high = 0
        self.caret = False
        self.pending: set[str] = set()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.document().setDocumentMargin(MARGIN)
        self.setAccessibleName("Text")
        self.anchorClicked.connect(self._pressed)

    # Content --------------------------------------------------------------------------------------------------------

    def show_tokens(self, tokens: list[Token]) -> None:
        """Shows blocks of Markdown."""
        runs = _runs(tokens)
        same = 0
        if self._source[0] == "text" and self._look == look.name and not self.pending:
            while same < min(len(runs), len(self._runs)) - 1 and runs[same] == self._runs[same]:
                same += 1
        if same:
            self._go_on(tokens, same)
        else:
            self._show("text", tokens)
        self._runs = runs

    def _go_on(self, tokens: list[Token], same: int) -> None:
        """Writes only what is behind the first blocks that are the same as before."""
        self._source = ("text", tokens)
        builder = Builder(self.document(), self._role, self._tone)
        begins = [at for at, token in enumerate(tokens) if not token.level and token.nesting >= 0]
        builder.go_on(tokens[begins[same] :], self._starts[same])
        self._starts = self._starts[:same] + builder.starts
        self.pending = builder.pending
        if self.pending:
            formulas.drawn.connect(self._drawn, Qt.ConnectionType.UniqueConnection)
        self._spans = _code_spans(self.document())
        self._measure()

    def show_plain(self, text: str) -> None:
        """Shows text that is no Markdown."""
        self._show("plain", text)

    def restyle(self) -> None:
        """Writes the content again in the look of now."""
        self._show(*self._source)

    def _show(self, kind: str, what: Any) -> None:
        self._source = (kind, what)
        chosen = self.textCursor()
        anchor, position = chosen.anchor(), chosen.position()
        before = self.document().characterCount()
        if kind == "table":
            rows, shape, head = what
            self.pending = write_table(self.document(), rows, shape, head=head)
        else:
            builder = Builder(self.document(), self._role, self._tone)
            if kind == "text":
                builder.write(what)
            else:
                builder.write_plain(what)
            self.pending = builder.pending
            self._starts = builder.starts
        self._look = look.name
        if self.pending:
            formulas.drawn.connect(self._drawn, Qt.ConnectionType.UniqueConnection)
        if anchor != position and max(anchor, position) < min(before, self.document().characterCount()):
            # What was selected stays selected while more text arrives behind it.
            cursor = QTextCursor(self.document())
            cursor.setPosition(anchor)
            cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
        self._spans = [] if kind == "plain" else _code_spans(self.document())
        self._measure()

    def _drawn(self, source: str) -> None:
        if source in self.pending:
            self.restyle()
            self.grown.emit()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        # Nothing in a message is ever loaded, from this computer or from anywhere.
        return QImage()

    def fit(self, width: int) -> int:
        """Lays itself out for `width`; gives the height it needs."""
        if width != self._width:
            self._width = width
            self.setLineWrapColumnOrWidth(width)
            self._measure()
        return self._high

    def ideal_width(self) -> int:
        """The width its longest line takes."""
        return math.ceil(self.document().idealWidth())

    def lead(self) -> int:
        """How much lower the words stand than Qt puts them, so that they are in the middle of their lines.

        Qt adds what a line is taller than its font below the words.
        """
        return round((look.px(LINE[self._role]) - QFontMetricsF(look.font(self._role)).lineSpacing()) / 2)

    def _measure(self) -> None:
        self._high = math.ceil(self.document().size().height())

    # Links, copies --------------------------------------------------------------------------------------------------

    def _pressed(self, url: QUrl) -> None:
        if link_allowed(url.toString()):
            self.link_pressed.emit(url.toString())

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied: the words, with the marks of lists that are painted and no part of the text."""
        cursor = self.textCursor()
        data = QMimeData()
        data.setText(plain_between(self.document(), cursor.selectionStart(), cursor.selectionEnd()))
        return data

    # Selection of the chat ------------------------------------------------------------------------------------------

    def hit(self, point: QPoint) -> int:
        """The place under a point of the block."""
        return self.cursorForPosition(point).position()

    def word_at(self, place: int) -> tuple[int, int]:
        """The word around a place."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(place, self.length()))
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def length(self) -> int:
        """The last place."""
        return max(0, self.document().characterCount() - 1)

    def choose(self, start: int, end: int) -> None:
        """Shows a selection; an empty one is none."""
        cursor = self.textCursor()
        start, end = min(start, self.length()), min(end, self.length())
        if (cursor.anchor(), cursor.position()) != (start, end):
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    def mark(self, marks: list[tuple[int, int, bool]]) -> None:
        """Marks places that were searched for: (start, end, whether it is the one)."""
        if not marks and not self.extraSelections():
            return
        found = []
        for start, end, current in marks:
            place = QTextEdit.ExtraSelection()
            place.cursor = QTextCursor(self.document())
            place.cursor.setPosition(min(start, self.length()))
            place.cursor.setPosition(min(end, self.length()), QTextCursor.MoveMode.KeepAnchor)
            place.format.setBackground(look.colour("accL" if current else "mendM"))
            found.append(place)
        self.setExtraSelections(found)

    def top_of(self, place: int) -> int:
        """How far down in the block a place is."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(place, self.length()))
        return self.cursorRect(cursor).top()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()  # The chat selects, across all messages.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        shape = Qt.CursorShape.PointingHandCursor if self.anchorAt(event.position().toPoint()) else None
        self.viewport().setCursor(shape or Qt.CursorShape.IBeamCursor)
        event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def links(self) -> list[str]:
        """The addresses of its links, in order."""
        found = []
        block = self.document().begin()
        while block.isValid():
            found += [span.format.anchorHref() for span in block.textFormats() if span.format.isAnchor()]
            block = block.next()
        return found

    def press_link(self, point: QPoint) -> bool:
        """Presses the link under a point; False when there is none."""
        address = self.anchorAt(point)
        if address:
            self._pressed(QUrl(address))
        return bool(address)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # The chat scrolls, not the block.

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()  # The message has one.

    # Paint ----------------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for start, length in self._spans:
            self._paint_code(painter, start, length)
        if self._source[0] == "text":
            self._paint_blocks(painter, event.rect().top(), event.rect().bottom())
        painter.end()
        super().paintEvent(event)
        if self.caret:
            self._paint_caret()

    def _block_rect(self, block: QTextBlock) -> QRectF:
        return self.document().documentLayout().blockBoundingRect(block)

    def _paint_blocks(self, painter: QPainter, top: int, bottom: int) -> None:
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            rect = self._block_rect(block)
            if rect.top() > bottom:
                break
            if rect.bottom() >= top:
                if form.hasProperty(QUOTE):
                    self._paint_bars(painter, block, rect, int(form.property(QUOTE)))
                if form.hasProperty(MARKER):
                    self._paint_marker(painter, block, rect, str(form.property(MARKER)))
                if form.hasProperty(NESTED):
                    box = QRectF(form.leftMargin() + MARGIN - CODE_INSET, rect.top() - 6, 0, rect.height() + 12)
                    box.setRight(self._width - MARGIN)
                    painter.setPen(QPen(look.colour("line"), 1))
                    painter.setBrush(look.colour("code"))
                    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
                if form.hasProperty(RULE):
                    middle = rect.center().y()
                    painter.setPen(QPen(look.colour("line2"), 1))
                    painter.drawLine(QPointF(MARGIN, middle), QPointF(self._width - MARGIN, middle))
            block = block.next()

    def _paint_bars(self, painter: QPainter, block: QTextBlock, rect: QRectF, depth: int) -> None:
        bottom = rect.bottom()
        following = block.next()
        if following.isValid() and following.blockFormat().hasProperty(QUOTE):
            bottom = self._block_rect(following).top()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("line2"))
        top = rect.top()
        for level in range(min(depth, 20)):
            left = MARGIN + level * look.px(QUOTE_INDENT)
            painter.drawRoundedRect(QRectF(left, top, 3, bottom - top), 1.5, 1.5)

    def _paint_marker(self, painter: QPainter, block: QTextBlock, rect: QRectF, marker: str) -> None:
        line = block.layout().lineAt(0)
        if not line.isValid():
            return
        base = block.layout().position().y() + line.y() + line.ascent()
        left = block.blockFormat().leftMargin() + MARGIN
        font = look.font(self._role)
        turned = block.blockFormat().rightMargin() > 0
        if turned:  # From right to left: the same, seen in a mirror.
            left = self._width - MARGIN - block.blockFormat().rightMargin() + look.px(INDENT)
        if marker in ("[ ]", "[x]"):
            size = look.px(14)
            self._paint_box(painter, QRectF(left - look.px(INDENT) + 1, base - size + 2, size, size), marker == "[x]")
        elif marker == "•":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("t3"))
            radius = look.px(5) / 2
            height = look.px(5)
            beside = look.px(INDENT) - look.px(8)
            middle = left - look.px(INDENT) + beside if turned else left - beside
            painter.drawEllipse(QPointF(middle, base - height), radius, radius)
        else:
            painter.setFont(font)
            painter.setPen(look.colour("t2"))
            spot = QRectF(0, base - line.ascent(), left - look.px(6), line.height())
            if turned:
                spot = QRectF(left - look.px(INDENT) + look.px(6), spot.y(), look.px(INDENT) * 2, spot.height())
            side = Qt.AlignmentFlag.AlignLeft if turned else Qt.AlignmentFlag.AlignRight
            painter.drawText(spot, side | Qt.AlignmentFlag.AlignTop, marker)

    def _paint_box(self, painter: QPainter, box: QRectF, ticked: bool) -> None:
        painter.setPen(QPen(look.colour("acc" if ticked else "field"), 1.2))
        painter.setBrush(look.colour("acc") if ticked else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 3, 3)
        if ticked:
            icons.paint(painter, "check", box, look.colour("onacc"))

    def _paint_code(self, painter: QPainter, start: int, length: int) -> None:
        block = self.document().findBlock(start)
        layout = block.layout()
        origin = layout.position()
        first = start - block.position()
        painter.setPen(QPen(look.colour("line"), 1))
        painter.setBrush(look.colour("code"))
        high = QFontMetricsF(look.font("code")).height()
        at = first
        while at < first + length:
            line = layout.lineForTextPosition(at)
            if not line.isValid():
                break
            stop = min(first + length, line.textStart() + line.textLength())
            left, right = _x(line, at), _x(line, stop)
            if stop == first + length:
                right -= look.px(CODE_PAD) + 1  # The room after the code is part of its last letter.
            top = origin.y() + line.y() + line.ascent() - high * 0.78 - 2
            pad = look.px(CODE_PAD)
            box = QRectF(origin.x() + left - pad, top, right - left + 2 * pad, high + 3)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            if stop <= at:
                break
            at = stop

    def _paint_caret(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        rect = QRectF(self.cursorRect(cursor))
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(look.colour("acc")))
        high = look.px(16)
        painter.drawRoundedRect(QRectF(rect.x() + 4, rect.bottom() - high - look.px(2), look.px(8), high), 2, 2)


Run = tuple[tuple[str, str, str, bool], ...]


def _runs(tokens: list[Token]) -> list[Run]:
    """The blocks of the top level, in a form that can be compared."""
    found: list[Run] = []
    run: list[tuple[str, str, str, bool]] = []
    for token in tokens:
        run.append((token.type, token.content, str(token.attrs) if token.attrs else token.tag, token.hidden))
        if not token.level and token.nesting <= 0:
            found.append(tuple(run))
            run = []
    return found


def _x(line: QTextLine, position: int) -> float:
    found: Any = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else found)


def _code_spans(document: QTextDocument) -> list[tuple[int, int]]:
    """Where inline code stands: (position, length)."""
    found: list[tuple[int, int]] = []
    block = document.begin()
    while block.isValid():
        for form in block.textFormats():
            if form.format.hasProperty(CODE):
                start, length = block.position() + form.start, form.length
                if found and found[-1][0] + found[-1][1] == start:
                    found[-1] = (found[-1][0], found[-1][1] + length)
                else:
                    found.append((start, length))
        block = block.next()
    return found


def plain_between(document: QTextDocument, start: int, end: int) -> str:
    """The words between two places of a document as plain text: marks of lists written, formulas as their source."""
    lines: list[str] = []
    block = document.findBlock(start)
    row = -1
    while block.isValid() and block.position() < end:
        first = max(0, start - block.position())
        words = block.text()[first : end - block.position()]
        if "\ufffc" in words:
            words = _with_formulas(block, first, words)
        marker = block.blockFormat().property(MARKER)
        if marker and start <= block.position():
            words = f"{'- ' if marker.startswith('[') else ''}{'-' if marker == '•' else marker} {words}"
        words = words.replace("\u2028", "\n")
        table: QTextTable | None = QTextCursor(block).currentTable()
        now = table.cellAt(block.position()).row() if table else -1
        if now >= 0 and now == row and lines:
            lines[-1] += f"\t{words}"
        elif now >= 0 or block.text() or (row < 0 and not _before_table(block)):
            lines.append(words)
        row = now
        block = block.next()
    return "\n".join(lines)


def _before_table(block: QTextBlock) -> bool:
    """Whether a block is the one that Qt puts before a table that begins a document."""
    following = block.next()
    return block.position() == 0 and following.isValid() and bool(QTextCursor(following).currentTable())


def _with_formulas(block: QTextBlock, first: int, words: str) -> str:
    sources = {
        span.start: str(span.format.property(FORMULA))
        for span in block.textFormats()
        if span.format.hasProperty(FORMULA)
    }
    return "".join(
        f"${sources.get(first + at, '')}$" if letter == "\ufffc" else letter for at, letter in enumerate(words)
    )
