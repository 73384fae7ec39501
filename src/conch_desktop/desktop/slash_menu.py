"""The menu that opens at "/": the tools, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.groups import matches
from conch_desktop.desktop.parts import paint_tag, tag_width
from conch_desktop.desktop.popup import SHADOW, paint_shadow
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import EFFECT_WORDS, TOOL_ICONS

_ROW, _HEAD, _FOOT, _PAD, _MOST, WIDTH = 48, 30, 34, 6, 6, 520


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool as the menu lists it."""

    name: str
    source: str
    sentence: str
    effect: str


def first_sentence(text: str) -> str:
    """The first sentence of a description, without its full stop."""
    return text.strip().split(". ")[0].split("\n")[0].rstrip(".")


class SlashMenu(QWidget):
    """Drawn over the window, above the composer; steered by the composer's keys, so it never has the focus."""

    taken = Signal(str)
    head = "Ask for a tool in this message"
    many = "tools"

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._tools: Sequence[ToolRow] = ()
        self._shown: list[ToolRow] = []
        self._at = 0
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Tools")
        self.hide()

    @property
    def shown(self) -> list[str]:
        """The names on offer."""
        return [tool.name for tool in self._shown]

    def put(self, tools: Sequence[ToolRow]) -> None:
        """All tools there are."""
        self._tools = tools

    def offer(self, name: str, above: QRect) -> bool:
        """Opens, narrows or closes for a name as far as it is written; tells whether it is open.

        `above` is the composer in the window.
        """
        found = [tool for tool in self._tools if matches(name, tool.name, tool.source)]
        found.sort(key=lambda tool: not tool.name.startswith(name))
        return self.show_rows(found, above)

    def row_height(self) -> int:
        """The height of a row."""
        return look.px(_ROW)

    def show_rows(self, found: Sequence[ToolRow], above: QRect) -> bool:
        """Opens with the first of these, or closes when there is none; tells whether it is open."""
        if not found:
            self.hide()
            return False
        room = (above.y() - 16 - look.px(_HEAD + _FOOT)) // self.row_height()
        found = found[: max(1, min(_MOST, room))]
        if [tool.name for tool in found] != self.shown:
            self._at = 0
        self._shown = list(found)
        wide = min(look.px(WIDTH), above.width())
        high = look.px(_HEAD + _FOOT) + self.row_height() * len(self._shown) + _PAD
        place = QRect(above.x(), above.y() - high - 8, wide, high)
        self.setGeometry(place.adjusted(-SHADOW, -SHADOW, SHADOW, SHADOW))
        self.show()
        self.raise_()
        self.update()
        self.setAccessibleDescription(self._shown[self._at].name)
        return True

    def steer(self, key: int) -> None:
        """-1 up, 1 down, 0 take."""
        if self.isHidden() or not self._shown:
            return
        if key:
            self._at = (self._at + key) % len(self._shown)
            self.setAccessibleDescription(self._shown[self._at].name)
            self.update()
        else:
            self.taken.emit(self._shown[self._at].name)

    def _card(self) -> QRectF:
        return QRectF(self.rect()).adjusted(SHADOW, SHADOW, -SHADOW, -SHADOW)

    def _row(self, at: int) -> QRectF:
        card = self._card()
        high = self.row_height()
        return QRectF(card.x() + _PAD, card.y() + look.px(_HEAD) + at * high, card.width() - 2 * _PAD, high)

    def _at_spot(self, spot: QPoint) -> int | None:
        return next((at for at in range(len(self._shown)) if self._row(at).contains(spot.toPointF())), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._at_spot(event.position().toPoint())
        if at is not None and at != self._at:
            self._at = at
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._at_spot(event.position().toPoint())
        if at is not None:
            self.taken.emit(self._shown[at].name)

    def sizeHint(self) -> QSize:
        return QSize(look.px(WIDTH), look.px(240))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        card = self._card()
        paint_shadow(painter, card, 12)
        painter.setPen(QPen(look.colour("line2"), 1))
        painter.setBrush(look.colour("raised"))
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)
        painter.setFont(look.font("tiny", 600))
        painter.setPen(look.colour("t2"))
        head = QRectF(card.x() + 18, card.y() + 4, card.width() - 36, look.px(_HEAD) - 4)
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, self.head)
        for at, tool in enumerate(self._shown):
            self._paint_row(painter, self._row(at), tool, at == self._at)
        self._paint_foot(painter, card)

    def _paint_row(self, painter: QPainter, rect: QRectF, tool: ToolRow, chosen: bool) -> None:
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("sel"))
            painter.drawRoundedRect(rect, 6, 6)
        self._paint_words(painter, rect, tool)

    def _paint_words(self, painter: QPainter, rect: QRectF, tool: ToolRow) -> None:
        mark = look.px(18)
        spot = QRectF(rect.x() + 12, rect.y() + (rect.height() - mark) / 2, mark, mark)
        icons.paint(painter, TOOL_ICONS.get(tool.source, "app"), spot, look.colour("t2"))
        effect = EFFECT_WORDS.get(tool.effect, "")
        wide, high = tag_width(effect), look.px(18)
        tag = QRectF(rect.right() - 12 - wide, rect.y() + (rect.height() - high) / 2, wide, high)
        paint_tag(painter, tag, effect, "plain")
        left = rect.x() + 12 + mark + 14
        room = int(tag.x() - left - 8)
        upper = QRectF(left, rect.y() + look.px(5), room, look.px(20))
        font = look.font("code", 500)
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        flags = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(upper, flags, tool.name)
        after = QFontMetrics(font).horizontalAdvance(tool.name) + 8
        painter.setFont(look.font("ui"))
        painter.setPen(look.colour("t2"))
        painter.drawText(upper.adjusted(after, 0, 0, 0), flags, tool.source)
        painter.setFont(look.font("small"))
        sentence = QFontMetrics(look.font("small")).elidedText(tool.sentence, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(left, rect.y() + look.px(24), room, look.px(18)), flags, sentence)

    def _paint_foot(self, painter: QPainter, card: QRectF) -> None:
        foot = QRectF(card.x(), card.bottom() - look.px(_FOOT), card.width(), look.px(_FOOT))
        painter.setPen(look.colour("line"))
        painter.drawLine(foot.topLeft(), foot.topRight())
        left = foot.x() + 16
        for key, words in (("↑", ""), ("↓", "move"), ("Tab", "take"), ("Esc", "close")):
            left = paint_key(painter, left, foot, key, words)
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("t2"))
        many = f"{len(self._shown)} of {len(self._tools) or len(self._shown)} {self.many}"
        painter.drawText(foot.adjusted(0, 0, -16, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, many)


def key_width(key: str) -> int:
    """The room `paint_key` needs for a key without words."""
    return max(QFontMetrics(look.font("tiny")).horizontalAdvance(key) + look.px(10), look.px(18)) + 3


def paint_key(painter: QPainter, left: float, foot: QRectF, key: str, words: str) -> float:
    """A key in its frame, and what it does; gives where the next one begins."""
    font = look.font("tiny")
    metrics = QFontMetrics(font)
    high = look.px(18)
    wide = max(metrics.horizontalAdvance(key) + look.px(10), high)
    box = QRectF(left, foot.y() + (foot.height() - high) / 2, wide, high)
    painter.setPen(QPen(look.colour("line2"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setFont(font)
    painter.setPen(look.colour("t1"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, key)
    if not words:
        return left + wide + 3
    painter.setFont(look.font("small"))
    painter.setPen(look.colour("t2"))
    spot = QRectF(box.right() + 6, foot.y(), 400, foot.height())
    painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, words)
    return spot.x() + QFontMetrics(look.font("small")).horizontalAdvance(words) + 16
