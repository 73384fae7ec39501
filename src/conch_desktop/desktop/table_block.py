"""A table in a message: rules only; a long one is cut, with "show all"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QTableView, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.document import COLUMNS_MOST, ROWS_MOST, TableRows, table_rows
from conch_desktop.desktop.text_block import MARGIN, TextBlock
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from markdown_it.token import Token

Index = QModelIndex | QPersistentModelIndex
_ALL_HEIGHT = 480


class _Cells(QAbstractTableModel):
    """All cells as plain text."""

    def __init__(self, table: TableRows) -> None:
        super().__init__()
        self._table = table

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else max(0, len(self._table.rows) - 1)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._table.columns

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self._text(index.row() + 1, index.column()) if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._text(0, section) if orientation == Qt.Orientation.Horizontal else section + 1

    def _text(self, row: int, column: int) -> str:
        cells = self._table.rows[row]
        return cells[column].content if column < len(cells) else ""


class TableBlock(QWidget):
    """The table, and below a cut one the button that shows it whole."""

    refit = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens: list[Token] = []
        self.text = TextBlock("chat", "t1", self)
        self.text.setAccessibleName("Table")
        self._all = Button("", height=28, parent=self)
        self._all.clicked.connect(self._show_all)
        self._all.hide()
        self._view: QTableView | None = None

    def show_table(self, tokens: list[Token]) -> None:
        """Shows a table segment."""
        self._tokens = tokens
        table = table_rows(tokens)
        self.text.show_table(tokens)
        cut = len(table.rows) - 1 > ROWS_MOST or table.columns > COLUMNS_MOST
        self._all.change(f"Show all {len(table.rows) - 1:,} rows")
        self._all.setVisible(cut and self._view is None)

    def restyle(self) -> None:
        """Takes the look of now."""
        self.text.restyle()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        if self._view is not None:
            self._view.setGeometry(0, 0, width, look.px(_ALL_HEIGHT))
            return look.px(_ALL_HEIGHT)
        high = self.text.fit(width + 2 * MARGIN)
        self.text.setGeometry(-MARGIN, -MARGIN, width + 2 * MARGIN, high)
        high -= 2 * MARGIN
        if self._all.isVisibleTo(self):
            hint = self._all.sizeHint()
            self._all.setGeometry(0, high + 8, hint.width(), hint.height())
            high += 8 + hint.height()
        return high

    def _show_all(self) -> None:
        view = QTableView(self)
        view.setModel(_Cells(table_rows(self._tokens)))
        view.model().setParent(view)
        view.setAccessibleName("Table")
        self._view = view
        self.text.hide()
        self._all.hide()
        view.show()
        self.refit.emit()
