"""A message of the person's, opened to be changed and sent again."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.composer import Writing
from conch_desktop.desktop.parts import label, paint_card
from conch_desktop.desktop.theme import look

_LINES_MOST = 12


class _Text(Writing):
    """The words; Escape leaves, unless an input method has it."""

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.composing:
            self.escaped.emit()
            return
        super().keyPressEvent(event)


class EditBlock(QWidget):
    """The words in a field, with Send and Cancel."""

    sent = Signal(str)
    left = Signal()
    refit = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Edit the message")
        self.text = _Text()
        self.text.setParent(self)
        self.text.setAccessibleName("Edit the message")
        self.text.setFont(look.font("chat"))
        self.text.setPlainText(text)
        self.text.selectAll()
        self.text.enter.connect(self._send)
        self.text.escaped.connect(self.left)
        self.text.textChanged.connect(self._changed)
        self._note = label("Everything after it is taken away.", "small", "t2", parent=self)
        self.send = Button("Send", "primary", height=28, parent=self)
        self.cancel = Button("Cancel", "quiet", height=28, parent=self)
        self.send.clicked.connect(self._send)
        self.cancel.clicked.connect(self.left)
        self._lines = 0

    def _send(self) -> None:
        text = self.text.toPlainText().strip()
        if text:
            self.sent.emit(text)

    def _changed(self) -> None:
        if self.text.blockCount() != self._lines:
            self._lines = self.text.blockCount()
            self.refit.emit()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        line = QFontMetrics(look.font("chat")).lineSpacing()
        letters = max(10, width // max(1, QFontMetrics(look.font("chat")).averageCharWidth()) - 4)
        rows = sum(1 + len(words) // letters for words in self.text.toPlainText()[:6000].split("\n"))
        text = max(2, min(_LINES_MOST, rows)) * line + 4
        self.text.setGeometry(13, 10, width - 24, text)
        y = 10 + text + 8
        right = width - 10
        for button in (self.send, self.cancel):
            hint = button.sizeHint()
            button.setGeometry(right - hint.width(), y, hint.width(), hint.height())
            right -= hint.width() + 8
        self._note.setGeometry(13, y, max(10, right - 13), look.px(28))
        return y + look.px(28) + 10

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(QPainter(self), QRectF(self.rect()), look.colour("raised"), look.colour("acc"), 10)
