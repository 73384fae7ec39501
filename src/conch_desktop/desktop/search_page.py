"""The page of a search in all chats: every place with the words around it. The search box of the sidebar steers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import (
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from conch_desktop.desktop import icons
from conch_desktop.desktop.chips import Chip
from conch_desktop.desktop.list_rows import ROW, Index, ListRows
from conch_desktop.desktop.palette import bold_parts
from conch_desktop.desktop.parts import label, paint_card
from conch_desktop.desktop.place_rows import Kind, PlaceRow, place_rows, summary
from conch_desktop.desktop.slash_menu import key_width, paint_key
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.store.chats import Found

WIDE = 720
_HEADING, _WHO, _LINE = 44, 22, 22
_LINES_MOST = 3
_INSET = 42
_BAR = 16
"""The room of the list's bar."""
_KEYS = ((("↑", "↓"), "move"), (("Enter",), "open there"), (("Esc",), "back to the chat"))
_KINDS: dict[Kind, str] = {"all": "Everything", "user": "You wrote", "assistant": "Models wrote"}


class PlaceRows(ListRows[PlaceRow]):
    """The rows as a model."""

    def told(self, row: PlaceRow, role: int) -> str | None:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (row.who, row.text, row.beside, row.tail) if part)
        return None


class PlacePainter(QStyledItemDelegate):
    """Paints a heading or a place; what was looked for is marked in it."""

    words = ""
    wide = WIDE
    """How wide the rows are at most; beside them is the room of the list's bar."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: PlaceRow = index.data(ROW)
        wide = min(option.rect.width() or self.wide, self.wide)
        if not row.message:
            return QSize(0, look.px(_HEADING))
        lines = self._layout(row, wide - look.px(_INSET) - 24)[1]
        return QSize(0, look.px(10 + _WHO + 10) + lines * look.px(_LINE))

    def _layout(self, row: PlaceRow, wide: float) -> tuple[QTextLayout, int]:
        """The words with what was found marked, and on how many lines they stand."""
        layout = QTextLayout(row.text, look.font("ui"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        marks: list[QTextLayout.FormatRange] = []
        at = 0
        for text, hit in bold_parts(row.text, self.words):
            size = len(text.encode("utf-16-le", "surrogatepass")) // 2
            if hit:
                mark = QTextLayout.FormatRange()
                mark.start, mark.length = at, size
                mark.format.setBackground(look.colour("mendM"))
                marks.append(mark)
            at += size
        layout.setFormats(marks)
        layout.beginLayout()
        lines = 0
        while lines < _LINES_MOST and (line := layout.createLine()).isValid():
            line.setLineWidth(max(40.0, wide))
            line.setPosition(QPointF(0, lines * look.px(_LINE)))
            lines += 1
        layout.endLayout()
        return layout, lines

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: PlaceRow = index.data(ROW)
        rect = QRect(option.rect)
        rect.setWidth(min(rect.width(), self.wide))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hover = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if row.message:
            self._place(painter, rect, row, chosen=chosen, hover=hover)
        else:
            self._heading(painter, rect, row, chosen=chosen)
        painter.restore()

    def _heading(self, painter: QPainter, rect: QRect, row: PlaceRow, *, chosen: bool) -> None:
        spot = rect.adjusted(0, look.px(12), 0, 0)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("sel"))
            painter.drawRoundedRect(spot.adjusted(0, 0, 0, -2), 6, 6)
        mark = look.px(16)
        icons.paint(
            painter, "chat", QRectF(rect.x() + 2, spot.y() + (spot.height() - mark) / 2, mark, mark), look.colour("t2")
        )
        flags = Qt.AlignmentFlag.AlignVCenter
        small, font = look.font("ui"), look.font("ui", 600)
        painter.setFont(small)
        painter.setPen(look.colour("t2"))
        painter.drawText(spot.adjusted(0, 0, -2, 0), flags | Qt.AlignmentFlag.AlignRight, row.tail)
        room = spot.width() - mark - 20 - QFontMetrics(small).horizontalAdvance(row.tail)
        name = QFontMetrics(font).elidedText(row.text, Qt.TextElideMode.ElideRight, room)
        left = spot.adjusted(mark + 10, 0, 0, 0)
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        painter.drawText(left, flags, name)
        after = QFontMetrics(font).horizontalAdvance(name) + 10
        if after + QFontMetrics(small).horizontalAdvance(row.beside) < room:
            painter.setFont(small)
            painter.setPen(look.colour("t2"))
            painter.drawText(left.adjusted(after, 0, 0, 0), flags, row.beside)

    def _place(self, painter: QPainter, rect: QRect, row: PlaceRow, *, chosen: bool, hover: bool) -> None:
        ground = look.colour("sel" if chosen else "hover" if hover else "raised")
        paint_card(painter, QRectF(rect).adjusted(0, 1, 0, -3), ground, look.colour("line"), 8)
        mark, top = look.px(16), rect.y() + look.px(8)
        icons.paint(
            painter, "pencil" if row.mine else "chat", QRectF(rect.x() + 14, top + 4, mark, mark), look.colour("t2")
        )
        left = rect.x() + look.px(_INSET)
        painter.setFont(look.font("small"))
        painter.setPen(look.colour("t2"))
        painter.drawText(QRect(left, top, rect.width() - look.px(_INSET) - 24, look.px(_WHO)), 0, row.who)
        painter.setPen(look.colour("t1"))
        layout = self._layout(row, rect.width() - look.px(_INSET) - 24)[0]
        layout.draw(painter, QPointF(left, top + look.px(_WHO)))
        if chosen:
            wide = key_width("Enter")
            paint_key(
                painter, rect.right() - wide - 12, QRectF(rect.x(), top, rect.width(), look.px(_WHO)), "Enter", ""
            )


class _Head(QWidget):
    """The row above the page: what it is, and what the keys do."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(look.px(48))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(0, self.height() - 1, self.width(), 1, look.colour("line"))
        rect = QRectF(self.rect())
        painter.setFont(look.font("ui", 500))
        painter.setPen(look.colour("t1"))
        words = "Search in all chats"
        painter.drawText(rect.adjusted(20, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, words)
        small = QFontMetrics(look.font("small"))
        room = sum(
            sum(map(key_width, keys)) + small.horizontalAdvance(told) + (22 if told else 0) for keys, told in _KEYS
        )
        left = rect.right() - room
        if left < QFontMetrics(look.font("ui", 500)).horizontalAdvance(words) + 40:
            return
        for keys, told in _KEYS:
            for key in keys[:-1]:
                left = paint_key(painter, left, rect, key, "")
            left = paint_key(painter, left, rect, keys[-1], told)


class SearchPage(QWidget):
    """What was found. `opened`: (chat, message or "") is wanted."""

    opened = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Search in all chats")
        self._found: Sequence[Found] = ()
        self._now = 0.0
        self._kind: Kind = "all"
        self._title = label("", "h2", "t1", 600)
        self._order = label("newest first", "small", "t2")
        self._head = _Head()
        self.rows, self.painter, self.list = PlaceRows(), PlacePainter(), QListView()
        self.list.setModel(self.rows)
        self.list.setItemDelegate(self.painter)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setAccessibleName("Places")
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(lambda _: self.take())
        self.list.activated.connect(lambda _: self.take())
        self._head.setParent(self)
        self._page = QWidget(self)
        title = QHBoxLayout()
        title.setContentsMargins(0, 0, _BAR, 0)
        title.addWidget(self._title, 1)
        title.addWidget(self._order, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self._page)
        column.setContentsMargins(0, 24, 0, 0)
        column.setSpacing(12)
        column.addLayout(title)
        column.addLayout(self._chips())
        column.addWidget(self.list, 1)

    def _chips(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(8)
        group = QButtonGroup(self)
        self.chips: dict[Kind, Chip] = {}
        for kind in get_args(Kind):
            chip = self.chips[kind] = Chip(_KINDS[kind])
            group.addButton(chip)
            line.addWidget(chip)
            chip.clicked.connect(lambda _=False, kind=kind: self._choose(kind))
        self.chips["all"].setChecked(True)
        line.addStretch(1)
        return line

    def show_found(self, words: str, found: Sequence[Found], now: float) -> None:
        """Shows what was found for these words."""
        self.painter.words, self._found, self._now = words, found, now
        self._show()

    def _choose(self, kind: Kind) -> None:
        self._kind = kind
        self._show()

    def _show(self) -> None:
        rows = place_rows(self._found, self._now, self._kind)
        self.rows.put(rows)
        self._title.setText(summary(rows) if rows else "Nothing found")
        if rows:
            first = next((at for at, row in enumerate(rows) if row.message), 0)
            self.list.setCurrentIndex(self.rows.index(first))
            self.list.scrollToTop()

    def move_mark(self, step: int) -> None:
        """To the next place or the one before, for the search box."""
        at = self.list.currentIndex().row() + step
        if 0 <= at < len(self.rows.rows):
            self.list.setCurrentIndex(self.rows.index(at))
            self.list.scrollTo(self.rows.index(at))

    def take(self) -> None:
        """Opens the place that is marked."""
        index = self.list.currentIndex()
        if index.isValid():
            row: PlaceRow = index.data(ROW)
            self.opened.emit(row.chat, row.message)

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide, head = max(120, min(look.px(WIDE), self.width() - 48)), self._head.height()
        left = (self.width() - wide) // 2
        self.painter.wide = wide
        self._head.setGeometry(0, 0, self.width(), head)
        # The bar of the list stands beside the rows, not on them.
        self._page.setGeometry(left, head, min(wide + _BAR, self.width() - left), self.height() - head)
        self.list.scheduleDelayedItemsLayout()
