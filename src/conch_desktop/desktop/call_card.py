"""A call in the activity panel: closed in a few lines; open with what was sent, what ran, and what came back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.call_body import CallBody
from conch_desktop.desktop.call_motion import CallPicture
from conch_desktop.desktop.call_news import news
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import Card, paint_tag, tag_width
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import STATE_ICONS, STATE_TONES, STATE_WORDS, arguments_line, state_text, tags

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord
    from conch_desktop.engine.again import Again

_PAD = 14


class CardHead(CallPicture):
    """The closed card, and the head of an open one. `walked`: an arrow, up (-1) or down (1)."""

    ring = 0

    walked = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self._source = ""
        news.changed.connect(self._heard)

    def show_call(self, call: CallRecord, source: str) -> None:
        """Shows the call as it is now."""
        self.call, self._source = call, source
        shown = news.name(call)
        name = f"{shown or 'Call'}, {source}, {STATE_WORDS[call.state]}, {state_text(call, time.time())}"
        self.setAccessibleName(name)
        self.setToolTip(news.full_name(call))
        self._set_moving()
        self.update()

    def _heard(self, call: str) -> None:
        if self.call is not None and call in ("", self.call.id):
            self.show_call(self.call, self._source)

    def high(self, width: int) -> int:
        """The height it needs."""
        if self.isChecked() or self.call is None:
            return look.px(37)
        return look.px(82 if tags(self.call) else 59)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.walked.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

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
        end = _text(painter, news.name(call) or "tool", left, right - 8, line, look.font("code", 500), "t1")
        _text(painter, self._source, end + 7, right - 8, line, look.font("ui"), "t2")
        if not self.isChecked():
            self._paint_below(painter, call, left)

    def _paint_below(self, painter: QPainter, call: CallRecord, left: float) -> None:
        font = look.font("mono")
        room = int(self.width() - left - 36)
        shown = QFontMetrics(font).elidedText(
            news.progress(call) or arguments_line(call), Qt.TextElideMode.ElideRight, room
        )
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


class CallCard(Card):
    """One call. `opened` tells its id and whether it is open; `asked` that the person wants to see the question."""

    opened = Signal(str, bool)
    asked = Signal(str)
    case_wanted = Signal(str)
    again_wanted = Signal(str)
    walked = Signal(str, int)
    refit = Signal()

    def __init__(self, call: CallRecord, source: str, parent: QWidget | None = None) -> None:
        super().__init__("raised", "line", 8, "", parent)
        self.call: CallRecord = call
        self._head = CardHead(self)
        self._head.toggled.connect(self._toggled)
        self._head.walked.connect(lambda step: self.walked.emit(self.call.id, step))
        self._question = Button("Go to the question", height=24, parent=self)
        self._question.clicked.connect(lambda: self.asked.emit(self.call.id))
        self._body: CallBody | None = None
        self._again: Again | None = None
        self._running_again = False
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

    def show_again(self, again: Again | None, *, running: bool = False) -> None:
        """What running it once more came to, or that it runs."""
        self._again, self._running_again = again, running
        self._drop_body()
        self._refit()

    @property
    def body(self) -> CallBody | None:
        """What an open card shows."""
        return self._body

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
            high += 4 if tags(self.call) else 0
            self._question.setGeometry(left, high - 4, hint.width(), hint.height())
            high += hint.height() + 6
        elif self._question.isVisibleTo(self):
            self._question.setGeometry(0, 0, 0, 0)
        if self.is_open:
            if self._body is None:
                self._body = CallBody(self.call, self, self._again, running=self._running_again)
                self._body.again_wanted.connect(lambda: self.again_wanted.emit(self.call.id))
                self._body.case_wanted.connect(lambda: self.case_wanted.emit(self.call.id))
                self._body.refit.connect(self._refit)
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

    def _refit(self) -> None:
        self.dirty = True
        self.refit.emit()

    def _drop_body(self) -> None:
        if self._body is not None:
            self._body.hide()
            self._body.deleteLater()
            self._body = None
