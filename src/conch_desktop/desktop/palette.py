"""The command palette: every action by its name, and chats by their title. F1 opens it as the list of shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.groups import matches
from conch_desktop.desktop.list_rows import ROW, Index, ListRows
from conch_desktop.desktop.parts import IconMark, Line
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.slash_menu import paint_key
from conch_desktop.desktop.theme import look

WIDE, TOP, _HEAD, _FOOT, _LINE, _HEADING = 640, 96, 51, 34, 40, 30
_CHATS_MOST = 8


Group = Literal[
    "Actions",
    "Go to",
    "Chats",
    "While you write",
    "In a question",
    "In the list of chats",
    "In the list of models",
    "While you search in a chat",
]
"""The headings, in their order. Those of places hold keys that only mean something there."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do. `also` are further words it is found by, `beside` stands after the name."""

    name: str
    icon: str
    do: Callable[[], object]
    keys: str = ""
    beside: str = ""
    also: str = ""
    group: Group = "Actions"


@dataclass(frozen=True, slots=True)
class PaletteRow:
    """A heading or an action."""

    text: str
    action: Action | None = None


def palette_rows(actions: Sequence[Action], words: str, *, keys_only: bool = False) -> list[PaletteRow]:
    """What is found, in groups; names that begin with the words first. Chats are found only by words."""
    rows: list[PaletteRow] = []
    for group in get_args(Group):
        found = [one for one in actions if one.group == group and matches(words, one.name, one.beside, one.also)]
        if keys_only:
            found = [one for one in found if one.keys]
        if words.strip():
            start = words.strip().casefold()
            found.sort(key=lambda one: not one.name.casefold().startswith(start))
        if group == "Chats":
            found = found[:_CHATS_MOST] if words.strip() else []
        if found:
            rows.append(PaletteRow(group))
            rows += [PaletteRow(one.name, one) for one in found]
    return rows


NOTHING = "Nothing has these words"
"""Stands where nothing was found."""


class _Rows(ListRows[PaletteRow]):
    def told(self, row: PaletteRow, role: int) -> str | None:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole and row.action is not None:
            return ", ".join(part for part in (row.text, row.action.beside, row.action.keys) if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.rows[index.row()].action is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class _RowPainter(QStyledItemDelegate):
    """Paints a row; the words that were typed are bold in it."""

    words = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, look.px(_HEADING if index.data(ROW).action is None else _LINE))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: PaletteRow = index.data(ROW)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.action is None:
            painter.setFont(look.font("tiny", 600))
            painter.setPen(look.colour("t2"))
            painter.drawText(rect.adjusted(18, look.px(6), -18, 0), Qt.AlignmentFlag.AlignVCenter, row.text)
        else:
            self._action(painter, rect, row.action, bool(option.state & QStyle.StateFlag.State_Selected))
        painter.restore()

    def _action(self, painter: QPainter, rect: QRect, action: Action, chosen: bool) -> None:
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("sel"))
            painter.drawRoundedRect(rect.adjusted(6, 0, -6, 0), 6, 6)
        mark = look.px(18)
        spot = QRectF(rect.x() + 18, rect.y() + (rect.height() - mark) / 2, mark, mark)
        icons.paint(painter, action.icon, spot, look.colour("t2"))
        right = self._keys(painter, rect, action.keys)
        left = spot.right() + 12
        for text, bold in bold_parts(action.name, self.words):
            font = look.font("ui", 600 if bold else 500 if not self.words.strip() else 400)
            left = _put(painter, text, left, right, rect, font, look.colour("t1"))
        _put(painter, action.beside, left + 8, right, rect, look.font("ui"), look.colour("t2"))

    def _keys(self, painter: QPainter, rect: QRect, keys: str) -> float:
        """The shortcut at the right; gives where it begins."""
        parts = key_parts(keys)
        if not parts:
            return float(rect.right() - 18)
        metrics = QFontMetrics(look.font("tiny"))
        widths = [max(metrics.horizontalAdvance(part) + look.px(10), look.px(18)) + 6 for part in parts]
        left = start = float(rect.right() - 18 - sum(widths))
        for part, wide in zip(parts, widths, strict=True):
            paint_key(painter, left, QRectF(rect), part, "")
            left += wide
        return start - 12


def key_parts(keys: str) -> list[str]:
    """The keys that are pressed together, one by one."""
    plus = keys.endswith("++")
    return [*filter(None, keys.removesuffix("++").split("+")), *(["+"] if plus else [])]


def _put(painter: QPainter, text: str, left: float, right: float, rect: QRect, font: QFont, ink: QColor) -> float:
    """A piece of a line, cut where there is no more room; gives its end."""
    if not text or left >= right - 8:
        return left
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(right - left))
    painter.setFont(font)
    painter.setPen(ink)
    wide = metrics.horizontalAdvance(shown)
    painter.drawText(QRectF(left, rect.y(), wide + 4, rect.height()), Qt.AlignmentFlag.AlignVCenter, shown)
    return left + wide


def bold_parts(text: str, words: str) -> list[tuple[str, bool]]:
    """The text in pieces, those bold that were typed."""
    low = text.casefold()
    marked = [False] * len(text)
    for word in words.casefold().split():
        at = low.find(word) if len(low) == len(text) else -1
        if at >= 0:
            marked[at : at + len(word)] = [True] * len(word)
    for at in range(1, len(text) - 1):  # The space between two words that were typed.
        marked[at] = marked[at] or (text[at] == " " and marked[at - 1] and marked[at + 1])
    parts: list[tuple[str, bool]] = []
    for letter, bold in zip(text, marked, strict=True):
        if parts and parts[-1][1] == bold:
            parts[-1] = (parts[-1][0] + letter, bold)
        else:
            parts.append((letter, bold))
    return parts


class _Foot(QWidget):
    """The keys of the palette itself."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(look.px(_FOOT))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        foot, left = QRectF(self.rect()), 16.0
        for key, words in (("↑", ""), ("↓", "move"), ("Enter", "do it"), ("Esc", "close")):
            left = paint_key(painter, left, foot, key, words)
        words = "all shortcuts"
        wide = QFontMetrics(look.font("small")).horizontalAdvance(words)
        wide += QFontMetrics(look.font("tiny")).horizontalAdvance("F1") + look.px(10) + 6
        paint_key(painter, self.width() - 16 - wide, foot, "F1", words)


class CommandPalette(Popup):
    """The palette. It does what is chosen after it has closed, so that the focus is back where it was."""

    done = Signal(str)
    veil = True

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "Commands")
        self._actions: Sequence[Action] = ()
        self._keys_only = False
        self.search = Field("Do something, or find a chat", "Do something, or find a chat")
        self.search.setObjectName("find")
        self.rows = _Rows()
        self._painter = _RowPainter()
        self.list = QListView()
        self.list.setModel(self.rows)
        self.list.setItemDelegate(self._painter)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setAccessibleName("Commands")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        head = QHBoxLayout()
        head.setContentsMargins(18, 0, 18, 0)
        head.setSpacing(10)
        head.addWidget(IconMark("search", "t2", 18))
        head.addWidget(self.search, 1)
        top = QWidget()
        top.setLayout(head)
        top.setFixedHeight(look.px(_HEAD))
        self.body.addWidget(top)
        self.body.addWidget(Line())
        self.body.addSpacing(4)
        self.body.addWidget(self.list, 1)
        self.body.addSpacing(4)
        self.body.addWidget(Line())
        self.body.addWidget(_Foot())
        self.search.textChanged.connect(self._show)
        self.search.moved.connect(self._move)
        self.search.entered.connect(self._take)
        self.list.clicked.connect(lambda _: self._take())

    def open_with(self, actions: Sequence[Action], *, keys_only: bool = False) -> None:
        """Opens it over the upper middle of the window; `keys_only` leaves what has a shortcut."""
        self._actions, self._keys_only = actions, keys_only
        self.search.setPlaceholderText("Find a shortcut" if keys_only else "Do something, or find a chat")
        self.search.clear()
        self._show()
        self.open_at(self._spot(), self.search)

    def _spot(self) -> QRect:
        window = self.window().size()
        wide = min(look.px(WIDE), window.width() - 16)
        top = min(look.px(TOP), max(8, window.height() // 8))
        rows = sum(look.px(_HEADING if row.action is None else _LINE) for row in self.rows.rows)
        least = look.px(_LINE)
        high = look.px(_HEAD + _FOOT) + 12 + max(rows, least)
        return QRect((window.width() - wide) // 2, top, wide, min(high, window.height() - top - 24))

    def _show(self, _text: str = "") -> None:
        words = self.search.text()
        self._painter.words = words
        found = palette_rows(self._actions, words, keys_only=self._keys_only)
        self.rows.put(found or [PaletteRow(NOTHING)])
        if not found:
            announce(self, NOTHING)
        first = next((at for at, row in enumerate(self.rows.rows) if row.action is not None), None)
        if first is not None:
            self.list.setCurrentIndex(self.rows.index(first))
            self.list.scrollToTop()
        if self.isVisible():
            self.place_at(self._spot())

    def _move(self, step: int) -> None:
        at = self.list.currentIndex().row()
        while 0 <= at + step < len(self.rows.rows):
            at += step
            if self.rows.rows[at].action is not None:
                self.list.setCurrentIndex(self.rows.index(at))
                self.list.scrollTo(self.rows.index(at))
                return
        if step < 0:
            self.list.scrollToTop()

    def _take(self) -> None:
        index = self.list.currentIndex()
        row: PaletteRow | None = index.data(ROW) if index.isValid() else None
        if row is not None and row.action is not None:
            action = row.action
            self.close_popup()
            self.done.emit(action.name)
            action.do()
