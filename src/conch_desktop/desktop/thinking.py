"""A model's thinking, folded away until somebody wants to read it."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.text_block import MARGIN, TextBlock
from conch_desktop.desktop.theme import look

_INDENT = 24


class _Head(Painted):
    """The line that folds and unfolds."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._words = "Thinking"

    def say(self, words: str) -> None:
        """Other words."""
        self._words = words
        self.setAccessibleName(f"{words}, {'open' if self.isChecked() else 'folded'}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(QFontMetrics(look.font("ui")).horizontalAdvance(self._words) + look.px(22) + 8, look.px(24))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ink = look.colour("t1" if self.underMouse() else "t2")
        mark = look.px(16)
        name = "chevron-down" if self.isChecked() else "chevron-right"
        icons.paint(painter, name, QRectF(0, (self.height() - mark) / 2, mark, mark), ink)
        painter.setFont(look.font("ui"))
        painter.setPen(ink)
        spot = self.rect().adjusted(look.px(22), 0, 0, 0)
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)


class Thinking(QWidget):
    """Its head and, once opened, the words behind a bar."""

    refit = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = _Head(self)
        self._text: TextBlock | None = None
        self._words = ""
        self._begun = 0.0
        self._took = ""
        self._head.toggled.connect(self._toggled)

    def show_text(self, words: str, *, running: bool) -> None:
        """The thinking as it is now."""
        if running and not self._begun:
            self._begun = time.monotonic()
        if not running and self._begun and not self._took:
            seconds = round(time.monotonic() - self._begun)
            self._took = f" for {seconds} s" if seconds else ""
        self._head.say("Thinking" if running else f"Thought{self._took}")
        if words != self._words:
            self._words = words
            if self._text is not None and self._head.isChecked():
                self._text.show_plain(words)

    def state(self) -> tuple[bool, float, str]:
        """What is kept of it while it is far from the window: whether it is open, and its times."""
        return self._head.isChecked(), self._begun, self._took

    def restore(self, state: tuple[bool, float, str]) -> None:
        """Makes it as it was."""
        is_open, self._begun, self._took = state
        self._head.setChecked(is_open)

    def restyle(self) -> None:
        """Takes the look of now."""
        if self._text is not None:
            self._text.restyle()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        hint = self._head.sizeHint()
        self._head.setGeometry(0, 0, min(hint.width(), width), hint.height())
        if self._text is None or not self._head.isChecked():
            return hint.height()
        left = look.px(_INDENT) - MARGIN
        high = self._text.fit(width - left)
        self._text.setGeometry(left, hint.height(), width - left, high)
        return hint.height() + high

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._text is None or not self._head.isChecked():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("line2"))
        top = self._head.height() + MARGIN
        painter.drawRoundedRect(QRectF(look.px(7), top, 3, self.height() - top - MARGIN), 1.5, 1.5)

    def _toggled(self, is_open: bool) -> None:
        if is_open and self._text is None:
            self._text = TextBlock("ui", "t2", self)
            self._text.setAccessibleName("Thinking")
        if self._text is not None:
            self._text.setVisible(is_open)
            if is_open:
                self._text.show_plain(self._words)
        self.show_text(self._words, running=self._begun > 0 and not self._took)
        self.refit.emit()
