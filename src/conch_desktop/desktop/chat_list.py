"""The list of chats: its rows, how they are painted, and renaming in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from conch_desktop.desktop import icons
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.list_rows import ROW, Index, ListRows
from conch_desktop.desktop.parts import paint_tag, still, tag_width
from conch_desktop.desktop.theme import look

_MARGIN, _HEADING, _ROW, _MORE = 8, 36, 32, 28


@dataclass(frozen=True, slots=True)
class Row:
    """A row: a heading (no `chat`), or a chat with the one mark at its right: waiting, streaming or pin."""

    title: str
    chat: str = ""
    mark: str = ""


class ChatRows(ListRows[Row]):
    """The rows as a model."""

    def put(self, rows: Sequence[Row]) -> None:
        """Shows other rows; where only marks and titles changed, nothing moves."""
        new = list(rows)
        if [(row.chat, bool(row.chat) or row.title) for row in new] == [
            (row.chat, bool(row.chat) or row.title) for row in self.rows
        ]:
            old, self.rows = self.rows, new
            for at, (before, after) in enumerate(zip(old, new, strict=True)):
                if before != after:
                    self.dataChanged.emit(self.index(at), self.index(at))
            return
        super().put(new)

    def place(self, chat: str) -> QModelIndex:
        """Where a chat's row is."""
        for at, row in enumerate(self.rows):
            if row.chat and row.chat == chat:
                return self.index(at)
        return QModelIndex()

    def told(self, row: Row, role: int) -> str | None:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = {"waiting": ", waiting for you", "streaming": ", answering", "pin": ", pinned"}.get(row.mark, "")
            return row.title + state
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.title if row.chat else None
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not self.rows[index.row()].chat:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


class _RowPainter(QStyledItemDelegate):
    """Paints a row and makes its rename box."""

    renamed = Signal(str, str)

    def __init__(self, view: ChatList) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row: Row = index.data(ROW)
        return QSize(0, look.px(_ROW if row.chat else _HEADING))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(ROW)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.chat:
            self._paint_chat(painter, rect, row, option)
        else:
            painter.setFont(look.font("tiny", 600))
            painter.setPen(look.colour("t3"))
            spot = rect.adjusted(16, look.px(8), -16, 0)
            painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, row.title)
        painter.restore()

    def _paint_chat(self, painter: QPainter, rect: QRect, row: Row, option: QStyleOptionViewItem) -> None:
        from PySide6.QtWidgets import QStyle

        state = option.state
        box = QRectF(rect.adjusted(_MARGIN, 0, -_MARGIN, 0))
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hover = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.setPen(Qt.PenStyle.NoPen)
        if selected or hover:
            painter.setBrush(look.colour("sel" if selected else "hover"))
            painter.drawRoundedRect(box, 6, 6)
        if selected and self._view.ringed:
            painter.setPen(QPen(look.colour("acc"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        right = self._paint_mark(painter, rect, row, hover)
        font = look.font("ui", 500 if selected else 400)
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        words = QRect(rect.x() + 16, rect.y(), right - rect.x() - 16 - 8, rect.height())
        shown = QFontMetrics(font).elidedText(row.title, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _paint_mark(self, painter: QPainter, rect: QRect, row: Row, hover: bool) -> int:
        """Paints what stands at the right; gives where the title has to end."""
        edge = rect.right() - 15
        mark = look.px(16)
        spot = QRectF(edge - mark, rect.y() + (rect.height() - mark) / 2, mark, mark)
        if row.mark == "waiting":
            width, high = tag_width("waiting"), look.px(18)
            tag = QRectF(edge - width, rect.y() + (rect.height() - high) / 2, width, high)
            paint_tag(painter, tag, "waiting", "acc")
            return edge - width
        if hover:
            icons.paint(painter, "more", spot, look.colour("t2"))
            return edge - mark
        if row.mark == "streaming":
            icons.paint(painter, "running", spot, look.colour("acc"), self._view.turn)
            return edge - mark
        if row.mark == "pin":
            icons.paint(painter, "pin", spot, look.colour("t3"))
            return edge - mark
        return edge

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = Field("Name of the chat", parent=parent)
        field.entered.connect(lambda: self._take(field))
        field.escaped.connect(lambda: self.closeEditor.emit(field))
        return field

    def _take(self, field: Field) -> None:
        self.commitData.emit(field)
        self.closeEditor.emit(field)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, Field):
            editor.setText(index.data())
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, Field) and editor.text().strip():
            self.renamed.emit(index.data(ROW).chat, editor.text().strip())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(QRect(option.rect).adjusted(_MARGIN, 0, -_MARGIN, 0))

    def eventFilter(self, editor: Any, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(editor, Field) and isinstance(event, QKeyEvent):
            return False  # The field itself knows Enter and Escape, also while an input method composes.
        return bool(super().eventFilter(editor, event))


class ChatList(QListView):
    """The rows. Signals name chats by their id."""

    opened = Signal(str)
    asked_more = Signal(str, QPoint)
    renamed = Signal(str, str)
    deleted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.rows = ChatRows()
        self.ringed = False
        self.turn = 0.0
        self._current = ""
        painter = _RowPainter(self)
        painter.renamed.connect(self.renamed)
        self.setModel(self.rows)
        self.setItemDelegate(painter)
        self.setAccessibleName("Chats")
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.customContextMenuRequested.connect(self._context)
        self._timer = QTimer(self)
        self._timer.setInterval(60)
        self._timer.timeout.connect(self._step)

    def put(self, rows: Sequence[Row]) -> None:
        """Shows other rows and keeps the place and the chosen one."""
        if self.state() == QAbstractItemView.State.EditingState:
            return
        at = self.verticalScrollBar().value()
        self.rows.put(rows)
        self.choose(self._current)
        self.verticalScrollBar().setValue(at)
        moving = any(row.mark == "streaming" for row in rows)
        if moving and not still(self):
            self._timer.start()
        else:
            self._timer.stop()

    def choose(self, chat: str) -> None:
        """Marks the row of the chat that is open."""
        self._current = chat
        place = self.rows.place(chat)
        if place.isValid():
            self.setCurrentIndex(place)
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())

    def chosen(self) -> str:
        """The chat whose row is current."""
        index = self.currentIndex()
        return str(index.data(ROW).chat) if index.isValid() else ""

    def rename(self, chat: str) -> None:
        """Opens the rename box in a chat's row."""
        place = self.rows.place(chat)
        if place.isValid():
            self.setCurrentIndex(place)
            self.edit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.chosen():
            self.opened.emit(self.chosen())
        elif key == Qt.Key.Key_Delete and self.chosen():
            self.deleted.emit(self.chosen())
        elif key == Qt.Key.Key_F2 and self.chosen():
            self.rename(self.chosen())
        elif key == Qt.Key.Key_Menu and self.chosen():
            spot = self.visualRect(self.currentIndex()).bottomLeft() + QPoint(16, 0)
            self.asked_more.emit(self.chosen(), self.viewport().mapToGlobal(spot))
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        spot = event.position().toPoint()
        index = self.indexAt(spot)
        if event.button() != Qt.MouseButton.LeftButton or not index.isValid() or not index.data(ROW).chat:
            return
        if spot.x() > self.viewport().width() - look.px(_MORE) - _MARGIN and index.data(ROW).mark != "waiting":
            self.asked_more.emit(index.data(ROW).chat, event.globalPosition().toPoint())
            self.choose(self._current)
        else:
            self.opened.emit(index.data(ROW).chat)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.ringed = event.reason() != Qt.FocusReason.MouseFocusReason
        if not self.currentIndex().isValid() and self.ringed:
            first = next((at for at, row in enumerate(self.rows.rows) if row.chat), None)
            if first is not None:
                self.setCurrentIndex(self.rows.index(first))
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.ringed = False
        self.viewport().update()

    def _context(self, spot: QPoint) -> None:
        index = self.indexAt(spot)
        if index.isValid() and index.data(ROW).chat:
            self.asked_more.emit(index.data(ROW).chat, self.viewport().mapToGlobal(spot))

    def _step(self) -> None:
        self.turn = (self.turn + 21.6) % 360
        for at, row in enumerate(self.rows.rows):
            if row.mark == "streaming":
                self.update(self.rows.index(at))
