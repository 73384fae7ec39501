"""A field of one line that knows when an input method is composing in it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Field(QLineEdit):
    """Enter and Escape belong to the input method while it composes; else they are signals."""

    entered = Signal()
    escaped = Signal()
    moved = Signal(int)
    """Up and down, for a list that is steered from this field."""

    def __init__(self, name: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.composing = False

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self.composing and (key in _ENTER or key == Qt.Key.Key_Escape):
            return
        if key in _ENTER:
            self.entered.emit()
        elif key == Qt.Key.Key_Escape and self.receivers("2escaped()"):
            self.escaped.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.receivers("2moved(int)"):
            self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)
