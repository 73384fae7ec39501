"""A call in the text of an answer: one line with its state, its tool, what it is about and its time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.call_motion import CallPicture
from conch_desktop.desktop.call_news import news
from conch_desktop.desktop.parts import paint_tag, tag_width
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import STATE_ICONS, STATE_TONES, STATE_WORDS, about, mended, state_text

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord

_AT_WORK = ("reading", "waiting", "running")
BEYOND = 8
"""How far its ground reaches beyond the column at both sides."""


class CallLine(CallPicture):
    """Press it to open the call's card."""

    ring = 0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open = False
        self.undo: Button | None = None
        """Takes back what the call did; made when there is something to take back."""
        news.changed.connect(self._heard)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_call(self, call: CallRecord, source: str = "") -> None:
        """Shows the call as it is now."""
        if call is self.call:
            return
        self.call = call
        self._source = source
        self.setAccessibleName(f"Call of {news.name(call)}, {STATE_WORDS[call.state]}, {about(call)}".rstrip(", "))
        self.setToolTip("\n".join(filter(None, (news.full_name(call), "Open in Activity"))))
        self._set_moving()
        self._show_undo()
        self.update()

    def set_open(self, is_open: bool) -> None:
        """Whether its card is open in the panel."""
        if is_open != self._open:
            self._open = is_open
            self.update()

    def _heard(self, call: str) -> None:
        if self.call is not None and call in ("", self.call.id):
            self._show_undo()
            self.update()

    def _show_undo(self) -> None:
        can = self.call is not None and news.can_undo(self.call)
        if can and self.undo is None:
            self.undo = Button("Undo", "link", height=24, parent=self)
            self.undo.clicked.connect(self._undone)
        if self.undo is not None and self.call is not None:
            self.undo.setAccessibleName(f"Undo {self.call.name}: {about(self.call)[:40]}")
            self.undo.setVisible(can)
            self._place_undo()

    def _undone(self) -> None:
        if self.call is not None:
            news.undo_asked.emit(self.call.id)

    def _place_undo(self) -> None:
        if self.undo is not None:
            hint = self.undo.sizeHint()
            after = QFontMetrics(look.font("ui", tabular=True)).horizontalAdvance(self._state_words()) + 12
            left = self.width() - BEYOND - after - hint.width()
            self.undo.setGeometry(left, (self.height() - hint.height()) // 2, hint.width(), hint.height())

    def _state_words(self) -> str:
        return state_text(self.call, time.time()) if self.call is not None else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_undo()

    def fit(self, width: int) -> int:
        """Its height."""
        return look.px(32)

    def sizeHint(self) -> QSize:
        return QSize(look.px(200), look.px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        call = self.call
        if call is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._ground("code" if self._open or call.state == "waiting" else None, "hover")
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        high = self.height()
        mark = look.px(16)
        tone = STATE_TONES.get(call.state, "t2")
        turn = self._turn if call.state == "running" else 0.0
        icons.paint(
            painter, STATE_ICONS[call.state], QRectF(BEYOND, (high - mark) / 2, mark, mark), look.colour(tone), turn
        )
        right = self._paint_right(painter, call, high)
        left = float(BEYOND + mark + 8)
        left = self._words(painter, news.name(call) or "tool", left, right, look.font("code", 500), "t1")
        self._words(painter, news.progress(call) or about(call), left + 8, right, look.font("ui"), "t2")

    def _paint_right(self, painter: QPainter, call: CallRecord, high: int) -> float:
        """The state or time, and before it a tag or the app; gives where the words must end."""
        right = float(self.width() - BEYOND)
        font = look.font("ui", tabular=True)
        words = self._state_words()
        wide = QFontMetrics(font).horizontalAdvance(words)
        painter.setFont(font)
        painter.setPen(look.colour(STATE_TONES.get(call.state, "t2")))
        painter.drawText(QRectF(right - wide, 0, wide + 2, high), Qt.AlignmentFlag.AlignVCenter, words)
        right -= wide + 8
        if self.undo is not None and self.undo.isVisibleTo(self):
            right = self.undo.x() - 12.0
        if call.mends and call.state != "waiting" and self.width() > look.px(360):
            text = f"{mended(call)} mended"
            wide, tall = tag_width(text), look.px(18)
            paint_tag(painter, QRectF(right - wide, (high - tall) / 2, wide, tall), text, "mend")
            right -= wide + 8
        # Whose tool it is matters while something can be done about it; afterwards the card tells.
        if call.source != "builtin" and call.state in _AT_WORK and self.width() > look.px(440):
            font = look.font("small")
            wide = QFontMetrics(font).horizontalAdvance(call.source)
            painter.setFont(font)
            painter.setPen(look.colour("t2"))
            painter.drawText(QRectF(right - wide, 0, wide + 2, high), Qt.AlignmentFlag.AlignVCenter, call.source)
            right -= wide + 8
        return right

    def _words(self, painter: QPainter, text: str, left: float, right: float, font: QFont, tone: str) -> float:
        metrics = QFontMetrics(font)
        room = int(right - left)
        if room < 12 or not text:
            return left
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.setFont(font)
        painter.setPen(look.colour(tone))
        wide = metrics.horizontalAdvance(shown)
        painter.drawText(QRectF(left, 0, wide + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, shown)
        return left + wide
