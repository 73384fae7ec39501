"""A call in the activity panel: closed in a few lines; open with what was sent, what ran, and what came back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button, IconButton, Painted
from conch_desktop.desktop.flow import Flow, fit_layout
from conch_desktop.desktop.marks import ran_marks, sent_marks
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.parts import Card, IconMark, Line, label, paint_tag, still, tag_width
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import (
    STATE_ICONS,
    STATE_TONES,
    STATE_WORDS,
    arguments_line,
    clock,
    count,
    mend_lines,
    pretty,
    state_text,
    tags,
)

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord

_PAD = 14


class CardHead(Painted):
    """The closed card, and the head of an open one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.call: CallRecord | None = None
        self._source = ""
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)

    def show_call(self, call: CallRecord, source: str) -> None:
        """Shows the call as it is now."""
        self.call, self._source = call, source
        name = f"{call.name or 'Call'}, {source}, {STATE_WORDS[call.state]}, {state_text(call, time.time())}"
        self.setAccessibleName(name)
        self.setToolTip(call.name if len(call.name) > 24 else "")
        self._set_moving()
        self.update()

    def high(self, width: int) -> int:
        """The height it needs."""
        if self.isChecked() or self.call is None:
            return look.px(37)
        return look.px(82 if tags(self.call) else 59)

    def _set_moving(self) -> None:
        if self.call is not None and self.call.state == "running" and self.isVisible():
            self._timer.start(1000 if still(self) else 40)
        else:
            self._timer.stop()

    def showEvent(self, event: QShowEvent) -> None:
        self._set_moving()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()

    def _step(self) -> None:
        self._turn = 0.0 if still(self) else (self._turn + 14.4) % 360
        if not self.visibleRegion().isEmpty():
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(look.px(200), self.high(0))

    def paintEvent(self, event: QPaintEvent) -> None:
        call = self.call
        if call is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() and not self.isChecked():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("btnH"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(3 if call.state == "waiting" else 1, 1, -1, -1), 7, 7)
        line = look.px(37)
        tone = STATE_TONES.get(call.state, "t2")
        mark = look.px(16)
        turn = self._turn if call.state == "running" else 0.0
        icons.paint(
            painter, STATE_ICONS[call.state], QRectF(_PAD, (line - mark) / 2, mark, mark), look.colour(tone), turn
        )
        chevron = QRectF(self.width() - 10 - mark, (line - mark) / 2, mark, mark)
        icons.paint(painter, "chevron-down" if self.isChecked() else "chevron-right", chevron, look.colour("t2"))
        font = look.font("ui", tabular=True)
        words = state_text(call, time.time())
        wide = QFontMetrics(font).horizontalAdvance(words)
        right = chevron.x() - 10 - wide
        painter.setFont(font)
        painter.setPen(look.colour(tone))
        painter.drawText(QRectF(right, 0, wide + 2, line), Qt.AlignmentFlag.AlignVCenter, words)
        left = _PAD + mark + 10
        end = _text(painter, call.name or "tool", left, right - 8, line, look.font("code", 500), "t1")
        _text(painter, self._source, end + 7, right - 8, line, look.font("ui"), "t2")
        if not self.isChecked():
            self._paint_below(painter, call, left)

    def _paint_below(self, painter: QPainter, call: CallRecord, left: float) -> None:
        font = look.font("mono")
        room = int(self.width() - left - 36)
        shown = QFontMetrics(font).elidedText(arguments_line(call), Qt.TextElideMode.ElideRight, room)
        painter.setFont(font)
        painter.setPen(look.colour("t2"))
        top = look.px(30)
        painter.drawText(QRectF(left, top, room + 4, look.px(18)), Qt.AlignmentFlag.AlignVCenter, shown)
        x = left
        for words, kind in tags(call):
            wide = tag_width(words)
            paint_tag(painter, QRectF(x, look.px(55), wide, look.px(18)), words, kind)
            x += wide + 8


def _text(painter: QPainter, text: str, left: float, right: float, high: int, font: QFont, tone: str) -> float:
    metrics = QFontMetrics(font)
    room = int(right - left)
    if room < 12 or not text:
        return left
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
    painter.setFont(font)
    painter.setPen(look.colour(tone))
    wide = metrics.horizontalAdvance(shown)
    painter.drawText(QRectF(left, 0, wide + 4, high), Qt.AlignmentFlag.AlignVCenter, shown)
    return left + wide


class Section(QWidget):
    """A heading with its Copy, and below it a text."""

    def __init__(self, head: str, rest: str, content: QWidget, copied: str | None, *, apart: bool = False) -> None:
        super().__init__()
        line = QHBoxLayout()
        line.setSpacing(4)
        line.addWidget(label(head, "small", "t2", 600))
        if apart:
            line.addStretch(1)
        line.addWidget(label(rest, "small", "t2"))
        if not apart:
            line.addStretch(1)
        if copied is not None:
            copy = IconButton("copy", f"Copy {head}", 24)
            copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(copied))
            line.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6 if copied is not None else 10, 12, 12)
        column.setSpacing(4 if copied is not None else 6)
        column.addLayout(line)
        column.addWidget(content)


class CallCard(Card):
    """One call. `opened` tells its id and whether it is open; `asked` that the person wants to see the question."""

    opened = Signal(str, bool)
    asked = Signal(str)
    refit = Signal()

    def __init__(self, call: CallRecord, source: str, parent: QWidget | None = None) -> None:
        super().__init__("raised", "line", 8, "", parent)
        self.call: CallRecord = call
        self._head = CardHead(self)
        self._head.toggled.connect(self._toggled)
        self._question = Button("Go to the question", height=24, parent=self)
        self._question.clicked.connect(lambda: self.asked.emit(self.call.id))
        self._body: QWidget | None = None
        self._source = source
        self.dirty = True
        self.show_call(call, source)

    def show_call(self, call: CallRecord, source: str) -> bool:
        """Shows the call as it is now; False when nothing changed."""
        if call is self.call and not self.dirty:
            return False
        self.call, self._source = call, source
        waiting = call.state == "waiting"
        self.edge, self.bar = ("acc", "acc") if waiting else ("line", "")
        self._question.setVisible(waiting)
        self._head.show_call(call, source)
        self.setAccessibleName(self._head.accessibleName())
        self._drop_body()
        self.dirty = True
        self.update()
        return True

    @property
    def is_open(self) -> bool:
        """Whether it is open."""
        return self._head.isChecked()

    def set_open(self, is_open: bool) -> None:
        """Opens or closes it."""
        self._head.setChecked(is_open)

    def take_focus(self) -> None:
        """Puts the keys on it."""
        self._head.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def restyle(self) -> None:
        """Takes the look of now."""
        self._drop_body()
        self.dirty = True

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        self.dirty = False
        high = self._head.high(width)
        self._head.setGeometry(0, 0, width, high)
        if self._question.isVisibleTo(self) and not self.is_open:
            left, hint = _PAD + look.px(16) + 10, self._question.sizeHint()
            self._question.setGeometry(left, high - 4, hint.width(), hint.height())
            high += hint.height() + 6
        elif self._question.isVisibleTo(self):
            self._question.setGeometry(0, 0, 0, 0)
        if self.is_open:
            if self._body is None:
                self._body = self._build()
                self._body.show()
            tall = fit_layout(self._body, width - 2)
            self._body.setGeometry(1, high, width - 2, tall)
            high += tall + 1
        return high

    def _toggled(self, is_open: bool) -> None:
        if not is_open:
            self._drop_body()
        self.dirty = True
        self.refit.emit()
        self.opened.emit(self.call.id, is_open)

    def _drop_body(self) -> None:
        if self._body is not None:
            self._body.hide()
            self._body.deleteLater()
            self._body = None

    # The open card --------------------------------------------------------------------------------------------------

    def _build(self) -> QWidget:
        call = self.call
        body = QWidget(self)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for section in [self._sent(), *self._ran(), *self._mended(), *self._answer(), *self._sent_back()]:
            column.addWidget(Line())
            column.addWidget(section)
        column.addWidget(Line())
        column.addWidget(self._actions(call))
        return body

    def _sent(self) -> QWidget:
        box = MonoBox("Sent", self.call.raw)
        if isinstance(box.text, QTextEdit):
            _mark_sent(box.text, self.call)
        return Section("Sent", "by the model, byte for byte", box, self.call.raw)

    def _ran(self) -> list[QWidget]:
        call = self.call
        if call.state in ("reading",):
            return []
        if (
            call.args is None
            or call.state in ("not_run", "refused", "denied")
            or (call.state == "stopped" and call.started is None)
        ):
            return [Section("Ran", "", label(_why_not(call), "small", "t2", wrap=True), None)]
        shown = pretty(dict(call.args))
        box = MonoBox("Ran", shown)
        if isinstance(box.text, QTextEdit):
            box.text.setExtraSelections(
                [_selection(box.text, start, end, "value") for start, end in ran_marks(call, shown)]
            )
        rest = "what the tool was given" if call.started else "what the tool will be given"
        return [Section("Ran" if call.started else "Will run", rest, box, shown)]

    def _mended(self) -> list[QWidget]:
        call = self.call
        if not call.mends and not call.dropped:
            return []
        lines = QWidget()
        column = QVBoxLayout(lines)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for words, where in mend_lines(call.mends):
            column.addLayout(_mend_line("mend", "mend", words, where))
        for path in call.dropped:
            words = f"{path} was left out: {call.name} has no such field"
            column.addLayout(_mend_line("close", "err", words, path))
        rest = count(len(call.mends), "mend")
        if call.dropped:
            rest += f", {count(len(call.dropped), 'field')} left out"
        return [Section("Mended", rest, lines, None, apart=True)]

    def _answer(self) -> list[QWidget]:
        call = self.call
        if not call.answer or call.state in ("not_run", "refused", "denied"):
            return []
        # What the model was told beside the answer (notes on left-out fields) follows it in the same text.
        text = call.sent_back if call.sent_back.startswith(call.answer) else call.answer
        box = MonoBox("Answer", text, edge="errL" if call.is_error else "line")
        return [Section("Answer", count(len(call.answer), "character"), box, text, apart=True)]

    def _sent_back(self) -> list[QWidget]:
        call = self.call
        unheard = call.state in ("not_run", "refused", "denied")
        if not call.sent_back or (call.answer and call.sent_back.startswith(call.answer) and not unheard):
            return []
        box = MonoBox("Sent back", call.sent_back, edge="errL" if call.is_error else "line")
        return [Section("Sent back", "what the model was told", box, call.sent_back)]

    def _actions(self, call: CallRecord) -> QWidget:
        row = QWidget()
        flow = Flow(6, apart=1 if call.started else 0)
        copy = Button("Copy", "plain", "copy", 28)
        copy.setAccessibleName("Copy the call")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(whole_text(call)))
        flow.addWidget(copy)
        if call.started:
            when = label(clock(call.started, seconds=True), "small", "t2")
            when.setMinimumHeight(look.px(28))
            flow.addWidget(when)
        column = QVBoxLayout(row)
        column.setContentsMargins(8, 8, 12, 8)
        column.addLayout(flow)
        return row


def _why_not(call: CallRecord) -> str:
    if call.state == "not_run":
        return "Nothing ran. The call did not fit the tool."
    if call.state == "denied":
        return f"Nothing ran. You said no{': ' + call.why if call.why else ''}."
    if call.state == "refused":
        return f"Nothing ran: {call.why}." if call.why else "Nothing ran."
    return "Nothing ran."


def _mend_line(icon: str, tone: str, words: str, where: str) -> QHBoxLayout:
    line = QHBoxLayout()
    line.setSpacing(8)
    line.addWidget(IconMark(icon, tone), 0, Qt.AlignmentFlag.AlignTop)
    line.addWidget(label(words, "small", "t1", wrap=True), 1)
    line.addWidget(label(where, "tiny", "t2"), 0, Qt.AlignmentFlag.AlignTop)
    return line


def whole_text(call: CallRecord) -> str:
    """A call as text, for pasting elsewhere."""
    parts = [f"{call.name} ({STATE_WORDS[call.state]})", f"Sent:\n{call.raw}"]
    if call.args is not None:
        parts.append(f"Ran:\n{pretty(dict(call.args))}")
    if call.sent_back or call.answer:
        parts.append(f"Answer:\n{call.sent_back or call.answer}")
    return "\n\n".join(parts)


def _mark_sent(text: QTextEdit, call: CallRecord) -> None:
    text.setExtraSelections([_selection(text, start, end, kind) for start, end, kind in sent_marks(call)])


def _selection(text: QTextEdit, start: int, end: int, kind: str) -> QTextEdit.ExtraSelection:
    """A marked place. Only paint: the bytes never change."""
    form = QTextCharFormat()
    if kind == "value":
        form.setBackground(look.colour("mendM"))
    else:
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        form.setUnderlineColor(QColor(look.colour("mend")))
    cursor = QTextCursor(text.document())
    most = text.document().characterCount() - 1
    cursor.setPosition(min(_utf16(call_text(text), start), most))
    cursor.setPosition(min(_utf16(call_text(text), end), most), QTextCursor.MoveMode.KeepAnchor)
    selection = QTextEdit.ExtraSelection()
    selection.format = form
    selection.cursor = cursor
    return selection


def call_text(text: QTextEdit) -> str:
    """What a box shows."""
    return text.toPlainText()


def _utf16(text: str, characters: int) -> int:
    """A place in characters as a place in Qt's UTF-16."""
    return len(text[:characters].encode("utf-16-le")) // 2
