"""Rows of plain data as a model for a list. Whoever paints them asks for the whole row; screen readers get words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
"""Asks for the row itself."""


class ListRows(QAbstractListModel, Generic[Row]):
    """The rows. A subclass says in `told` what a row is in words."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []

    def put(self, rows: Sequence[Row]) -> None:
        """Shows other rows."""
        self.beginResetModel()
        self.rows = list(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        return row if role == ROW else self.told(row, role)

    def told(self, row: Row, role: int) -> str | None:
        """What is said of a row in a role of Qt's; None where nothing is."""
        raise NotImplementedError
