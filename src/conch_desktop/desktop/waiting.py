"""Messages that wait in the composer until the answer ends, each in a row with a way to take it back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import Card, ElidedLabel, IconMark, label


class Waiting(QWidget):
    """The rows. `taken_back` tells the number of the one that is wanted back."""

    taken_back = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.texts: tuple[str, ...] = ()
        self.buttons: list[Button] = []
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(10, 10, 10, 0)
        self._column.setSpacing(4)
        self.setAccessibleName("Waiting messages")
        self.hide()

    def show_texts(self, texts: Sequence[str]) -> bool:
        """Shows these; False when they are shown already."""
        if tuple(texts) == self.texts:
            return False
        self.texts = tuple(texts)
        for row in self._rows:
            row.hide()
            self._column.removeWidget(row)
            row.deleteLater()
        self.buttons = []
        self._rows = [self._row(at, text) for at, text in enumerate(self.texts)]
        for row in self._rows:
            self._column.addWidget(row)
            row.show()
        self.setVisible(bool(self._rows))
        return True

    def _row(self, at: int, text: str) -> QWidget:
        row = Card("panel", "line", 8)
        row.setAccessibleName(f"Waiting: {text[:200]}")
        back = Button("Take back", "link", height=24)
        back.setAccessibleName(f"Take back: {' '.join(text[:40].split())}")
        back.clicked.connect(lambda: self.taken_back.emit(at))
        self.buttons.append(back)
        line = QHBoxLayout(row)
        line.setContentsMargins(10, 4, 10, 4)
        line.setSpacing(8)
        line.addWidget(IconMark("clock", "t2"))
        line.addWidget(label("waiting", "small", "t2"))
        line.addWidget(ElidedLabel(text, "ui", "t1"), 1)
        line.addWidget(back)
        return row
