"""Fields: one line of text that knows when an input method is composing in it, and a list to choose from."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.theme import look

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Choice(QComboBox):
    """A list to choose from, with the look's own arrow."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        mark = look.px(16)
        spot = QRectF(self.width() - mark - 10, (self.height() - mark) / 2, mark, mark)
        icons.paint(QPainter(self), "chevron-down", spot, look.colour("t2"))


class Field(QLineEdit):
    """Enter and Escape belong to the input method while it composes; else they are signals."""

    entered = Signal()
    went_back = Signal()
    """Shift+Enter, where it means something else than Enter."""
    escaped = Signal()
    moved = Signal(int)
    """Up and down, for a list that is steered from this field."""
    aside = Signal(int)
    """Left (-1) and right (1) while nothing is written here, for such a list."""

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
        shifted = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if key in _ENTER and shifted and self.receivers("2went_back()"):
            self.went_back.emit()
        elif key in _ENTER:
            self.entered.emit()
        elif key == Qt.Key.Key_Escape and self.receivers("2escaped()"):
            self.escaped.emit()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.receivers("2moved(int)"):
            self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and not self.text() and self.receivers("2aside(int)"):
            self.aside.emit(-1 if key == Qt.Key.Key_Left else 1)
        else:
            super().keyPressEvent(event)
