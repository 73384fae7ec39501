"""The messages as a list for those who read with the keyboard or by ear: each with who wrote it and its text.

It lies behind the messages and draws nothing. Qt's own list tells assistive programs what is in it, off screen too;
the row that has the keys is ringed by the chat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from conch_desktop.domain.messages import Message, Outline

Index = QModelIndex | QPersistentModelIndex
Entry = Message | Outline

SPOKEN_MOST = 20_000


def spoken(entry: Entry) -> str:
    """Who wrote a message, and what."""
    if isinstance(entry, Outline):
        return "You, not loaded yet" if entry.role == "user" else "The model, not loaded yet"
    who = "You" if entry.role == "user" else entry.author or "The model"
    text = entry.text
    calls = ", ".join(f"{call.name} {call.state}" for call in entry.calls)
    end = entry.failure.what if entry.failure is not None else ""
    return f"{who}: " + ". ".join(filter(None, (text[:SPOKEN_MOST], f"Calls: {calls}" if calls else "", end)))


class _Messages(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.entries: Sequence[Entry] = ()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.DisplayRole):
            return spoken(self.entries[index.row()])
        return None

    def show_entries(self, entries: Sequence[Entry], same: int) -> None:
        """Other messages; the first `same` are those that were there."""
        count, before = len(entries), len(self.entries)
        same = min(same, before, count)
        if before > same:
            self.beginRemoveRows(QModelIndex(), same, before - 1)
            self.entries = self.entries[:same]
            self.endRemoveRows()
        if count > same:
            self.beginInsertRows(QModelIndex(), same, count - 1)
            self.entries = entries
            self.endInsertRows()
        self.entries = entries


class _Small(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(1, 1)


class ReadingList(QListView):
    """The list. `moved` tells which message the keys are on; -1 when they went elsewhere."""

    moved = Signal(int)

    def __init__(self, parent: QWidget, keys: Callable[[QKeyEvent], bool]) -> None:
        super().__init__(parent)
        self._keys = keys
        self._row = -1
        self._model = _Messages(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setItemDelegate(_Small(self))
        self.setUniformItemSizes(True)
        self.setModel(self._model)
        self.setAccessibleName("Messages")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoScroll(False)

    def show_entries(self, entries: Sequence[Entry], same: int) -> None:
        """The messages as they are now."""
        if self._row >= same:
            self._row = -1
        self._model.show_entries(entries, same)

    @property
    def row(self) -> int:
        """The message the keys are on; -1 for none."""
        return self._row

    def go(self, row: int) -> None:
        """Puts the keys on a message."""
        if 0 <= row < self._model.rowCount():
            self._row = row
            index = self._model.index(row)
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.moved.emit(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys(event):
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)  # It would make the first message the current one.
        by_key = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        )
        if by_key:
            self.go(self.row if self.row >= 0 else self._model.rowCount() - 1)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.moved.emit(-1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Nothing is drawn: the messages lie over it."""
