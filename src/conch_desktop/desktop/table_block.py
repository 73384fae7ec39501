"""A table in a message: bands of rows with rules only, and below a cut one "show all", which opens every row."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QFrame, QTableView, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.tables import Table, split_row
from conch_desktop.desktop.text_block import MARGIN, TextBlock
from conch_desktop.desktop.theme import look

Index = QModelIndex | QPersistentModelIndex
_ALL_HEIGHT = 480


class TableBlock(TextBlock):
    """One band of a table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("chat", "t1", parent)
        self.setAccessibleName("Table")

    def show_band(self, table: Table, band: int) -> None:
        """Shows some rows of a table."""
        self._show("table", (table.cells(band), table.shape, band == 0))


class Cells(QAbstractTableModel):
    """All cells as plain text; a row is split when it is shown."""

    def __init__(self, table: Table, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = table.rows
        self._head = table.plain_head()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._head)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        cells = split_row(self._rows[index.row()])
        return cells[index.column()] if index.column() < len(cells) else ""

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._head[section] if orientation == Qt.Orientation.Horizontal else section + 1


class TableMore(QWidget):
    """The button below a cut table; once pressed, the whole table with bars of its own."""

    opened = Signal()
    refit = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table: Table | None = None
        self.button = Button("", height=28, parent=self)
        self.button.clicked.connect(self.opened)
        self.view: QTableView | None = None

    def show_more(self, table: Table, *, whole: bool) -> None:
        """Offers all rows of a table, or shows them."""
        self._table = table
        self.button.change(f"Show all {len(table.rows):,} rows")
        self.button.setVisible(not whole)
        if whole and self.view is None:
            self.view = QTableView(self)
            self.view.setFrameShape(QFrame.Shape.StyledPanel)
            self.view.setAccessibleName(f"Table, {len(table.rows):,} rows")
            self.view.setModel(Cells(table, self.view))
            self.view.setAlternatingRowColors(True)
            for column in range(min(20, len(table.shape.shares))):
                self.view.setColumnWidth(column, max(80, int(table.shape.shares[column] * look.px(680) / 100)))
            self.view.show()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        if self.view is not None:
            self.view.setGeometry(0, 0, width, look.px(_ALL_HEIGHT))
            return look.px(_ALL_HEIGHT)
        hint = self.button.sizeHint()
        self.button.setGeometry(0, 0, hint.width(), hint.height())
        return hint.height()


__all__ = ["MARGIN", "Cells", "TableBlock", "TableMore"]
