"""The chat: its messages in a column, that never moves what is being read.

Rows are built from the end of the chat backwards, as far as somebody scrolls. A row keeps its height until it or the
width changes; the first row in view is the anchor that stays where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.popup import paint_shadow
from conch_desktop.desktop.scroll import Scroll
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.desktop.message_row import MessageRow
    from conch_desktop.domain.messages import Message
    from conch_desktop.tools.guard import Question

COLUMN, SIDE = 680, 24
_AT_END = 8
_FIRST_ROWS, _MORE_ROWS = 24, 16
_TOP, _BOTTOM = 28, 20
_BEYOND = 8


class Pill(Painted):
    """ "12 new lines": goes to the end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = ""
        self.hide()

    def say(self, lines: int) -> None:
        """How much is new below; nothing new still leads to the end."""
        self._words = f"{lines} new line{'' if lines == 1 else 's'}" if lines else "Jump to latest"
        self.setAccessibleName(self._words)
        self.setToolTip("Go to the end (Ctrl+End)")
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        wide = QFontMetrics(look.font("ui", 500)).horizontalAdvance(self._words)
        return QSize(wide + look.px(16 + 8 + 28) + 16, look.px(32) + 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(8, 8, -8, -8)
        paint_shadow(painter, box, box.height() / 2, 8)
        painter.setPen(QPen(look.colour("line2"), 1))
        painter.setBrush(look.colour(self._ground("raised", "btnH") or "raised"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), box.height() / 2, box.height() / 2)
        mark = look.px(16)
        icons.paint(
            painter,
            "latest",
            QRectF(box.x() + look.px(12), box.y() + (box.height() - mark) / 2, mark, mark),
            look.colour("t1"),
        )
        painter.setFont(look.font("ui", 500))
        painter.setPen(look.colour("t1"))
        words = box.adjusted(look.px(12 + 16 + 8), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)


class ChatView(Scroll):
    """Shows what it is given; announces what the person wants."""

    acted = Signal(str, str)
    call_pressed = Signal(str)
    answered = Signal(str, str, str)
    link_pressed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Chat")
        self.setObjectName("chat")
        self._column = QWidget()
        self._column.setObjectName("chat")
        self._column.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column.setAccessibleName("Messages")
        self.setWidget(self._column)
        self._messages: Sequence[Message] = ()
        self._rows: list[MessageRow] = []
        self._heights: dict[MessageRow, int] = {}
        self._first = 0
        self._chat = ""
        self._width = 0
        self._running = False
        self._question: Question | None = None
        self._open_call = ""
        self._placing = False
        self._left_at = 0
        self._pill = Pill(self)
        self._pill.clicked.connect(self.go_to_end)
        self.verticalScrollBar().setSingleStep(40)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        look.changed.connect(self._restyle)

    # What is shown --------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[MessageRow]:
        """The rows that are built."""
        return list(self._rows)

    def show_chat(
        self, chat: str, messages: Sequence[Message], *, running: bool = False, question: Question | None = None
    ) -> None:
        """Shows the messages of a chat as they are now; another chat is shown from its end."""
        other = chat != self._chat
        follow = other or self.at_end()
        if other:
            self._clear()
            self._chat = chat
        if other or not self._rows:
            self._first = max(0, len(messages) - _FIRST_ROWS)
        self._messages, self._running, self._question = messages, running, question
        if self._reconcile() or other:
            self._place(follow)
            self._tell_new(follow)

    def _clear(self) -> None:
        for row in self._rows:
            row.hide()
            row.deleteLater()
        self._rows.clear()
        self._heights.clear()

    def _reconcile(self) -> bool:
        """Makes the rows match the messages; tells whether anything changed."""
        from conch_desktop.desktop.message_row import MessageRow

        shown = self._messages[self._first :]
        changed = False
        keep = 0
        while keep < min(len(self._rows), len(shown)) and self._rows[keep].message.id == shown[keep].id:
            keep += 1
        for row in self._rows[keep:]:
            row.hide()
            row.deleteLater()
            self._heights.pop(row, None)
            changed = True
        del self._rows[keep:]
        for message in shown[keep:]:
            self._rows.append(self._make_row(MessageRow(message, self._column)))
            changed = True
        for at, (row, message) in enumerate(zip(self._rows, shown, strict=True)):
            last = at == len(shown) - 1
            running = self._running and last and message.role == "assistant"
            if row.show_message(message, running=running, last=last, question=self._question if last else None):
                changed = True
        if changed:
            self._mark_open()
        return changed

    def _make_row(self, row: MessageRow) -> MessageRow:
        row.acted.connect(self.acted)
        row.call_pressed.connect(self.call_pressed)
        row.answered.connect(self.answered)
        row.link_pressed.connect(self.link_pressed)
        row.refit.connect(self._refit)
        row.show()
        return row

    def show_open_call(self, call: str) -> None:
        """Marks the line of the call whose card is open."""
        self._open_call = call
        self._mark_open()

    def _mark_open(self) -> None:
        for row in self._rows:
            for line in row.lines():
                line.set_open(line.call is not None and line.call.id == self._open_call)

    def question_card(self) -> QWidget | None:
        """The open question."""
        return self._rows[-1].question_card() if self._rows else None

    def go_to_call(self, call: str) -> None:
        """Brings a call's line or question into view."""
        for row in self._rows:
            place = row.place_of(call)
            if place is not None:
                self.ensureVisible(0, row.y() + place + look.px(80), 0, self.viewport().height() // 3)

    # Place ----------------------------------------------------------------------------------------------------------

    def at_end(self) -> bool:
        """Whether the end is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _AT_END

    def go_to_end(self) -> None:
        """Shows the end and follows it from now on."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._pill.hide()

    def column_width(self) -> int:
        """The width of the column of text."""
        return max(120, min(look.px(COLUMN), self.viewport().width() - 2 * SIDE))

    def _place(self, follow: bool) -> None:
        """Gives every row its place; what is first in view stays where it is, or the end stays in view."""
        self._placing = True
        bar = self.verticalScrollBar()
        anchor, offset = self._anchor(bar.value())
        width = self.column_width()
        fresh = width != self._width
        self._width = width
        left = max(SIDE, (self.viewport().width() - width) // 2) - _BEYOND
        y = look.px(_TOP)
        before: MessageRow | None = None
        for row in self._rows:
            if before is not None:
                y += look.px(24 if row.message.role == "user" else 16)
            if fresh or row.dirty or row not in self._heights:
                self._heights[row] = row.fit(width)
            high = self._heights[row]
            row.setGeometry(left, y, width + 2 * _BEYOND, high)
            y += high
            before = row
        whole = max(y + look.px(_BOTTOM), self.viewport().height())
        self._column.resize(self.viewport().width(), whole)
        bar.setRange(0, max(0, whole - self.viewport().height()))
        if follow:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(anchor.y() + offset)
        self._placing = False

    def _anchor(self, top: int) -> tuple[MessageRow | None, int]:
        for row in self._rows:
            if row.y() + row.height() > top and row in self._heights:
                return row, top - row.y()
        return None, 0

    def _refit(self) -> None:
        # A row unfolds where it was pressed: its own top is what stays, also at the end of the chat.
        self._place(follow=False)

    def _tell_new(self, follow: bool) -> None:
        if follow:
            self._left_at = self._column.height()
            self._pill.hide()
            return
        line = QFontMetrics(look.font("chat")).lineSpacing()
        self._pill.say(max(0, (self._column.height() - self._left_at) // max(1, line)))
        self._pill.show()
        self._put_pill()

    def _put_pill(self) -> None:
        size = self._pill.sizeHint()
        spot = QPoint((self.width() - size.width()) // 2, self.height() - size.height() - 8)
        self._pill.move(spot)
        self._pill.raise_()

    def _scrolled(self, value: int) -> None:
        if self._placing:
            return
        if self.at_end():
            self._left_at = self._column.height()
            self._pill.hide()
        if value < self.viewport().height() and self._first:
            QTimer.singleShot(0, self, self._earlier)

    def _earlier(self) -> None:
        """Builds the rows before the first one; what is in view stays."""
        from conch_desktop.desktop.message_row import MessageRow

        if not self._first or self.verticalScrollBar().value() >= self.viewport().height():
            return
        begin = max(0, self._first - _MORE_ROWS)
        new = [self._make_row(MessageRow(message, self._column)) for message in self._messages[begin : self._first]]
        self._rows[:0] = new
        self._first = begin
        self._reconcile()
        self._place(follow=False)

    def _restyle(self) -> None:
        for row in self._rows:
            row.restyle()
        self._place(self.at_end())

    def resizeEvent(self, event: QResizeEvent) -> None:
        follow = self.at_end()
        super().resizeEvent(event)
        self._place(follow)
        self._put_pill()
