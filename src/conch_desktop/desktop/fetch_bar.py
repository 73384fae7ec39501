"""Fetching the small model: a button, then a bar with MB and Cancel, then what went wrong."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import label, set_tone
from conch_desktop.desktop.theme import look


class Bar(QWidget):
    """How far it is, from 0 to 1."""

    def __init__(self) -> None:
        super().__init__()
        self.share = 0.0
        self.setFixedHeight(look.px(6))
        self.setMinimumWidth(look.px(80))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Progress")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        radius = whole.height() / 2
        painter.setBrush(look.colour("tag"))
        painter.drawRoundedRect(whole, radius, radius)
        painter.setBrush(look.colour("acc"))
        done = QRectF(whole)
        done.setWidth(max(whole.height(), whole.width() * self.share))
        if self.share > 0:
            painter.drawRoundedRect(done, radius, radius)


def megabytes(number: int) -> str:
    """Bytes in MB, as they are counted on a disk."""
    return f"{number / 1_000_000:.0f}"


class FetchBar(QWidget):
    """`wanted` and `cancelled` say what the person wants; the rest is told to it."""

    wanted = Signal()
    cancelled = Signal()

    def __init__(self, words: str, kind: str = "plain") -> None:
        super().__init__()
        self._words = words
        self.button = Button(words, kind)
        self._bar = Bar()
        self._said = label("", "small", "t2")
        self._cancel = Button("Cancel", height=28)
        self.button.clicked.connect(self.wanted)
        self._cancel.clicked.connect(self.cancelled)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(10)
        for part in (self.button, self._bar, self._said, self._cancel):
            line.addWidget(part, 1 if part is self._bar else 0)
        self.show_idle()

    def show_idle(self) -> None:
        """Nothing is being fetched."""
        self.button.change(self._words)
        self.button.show()
        for part in (self._bar, self._said, self._cancel):
            part.hide()

    def show_progress(self, done: int, whole: int) -> None:
        """Bytes that have arrived, of all."""
        self._bar.share = done / whole if whole else 0.0
        self._bar.update()
        self._bar.setAccessibleDescription(f"{self._bar.share:.0%}")
        set_tone(self._said, "t2")
        self._said.setText(f"{megabytes(done)} of {megabytes(whole)} MB" if whole else "Starting")
        self.button.hide()
        for part in (self._bar, self._said, self._cancel):
            part.show()

    def show_failure(self) -> None:
        """It did not work; the reason stands elsewhere, with room for it."""
        self.show_idle()
        self.button.change("Try again")
