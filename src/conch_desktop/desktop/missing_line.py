"""A line above the composer that names what is missing before a message is sent: apps and tools of apps."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.parts import IconMark, label


class MissingLine(QWidget):
    """The words, a way to the settings, and one to hide them until they are others. `changed`: it came or went."""

    asked = Signal()
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = ""
        self._said = label("", "small", "t2", wrap=True)
        self.look = Button("See Apps", "link", height=24)
        self.look.clicked.connect(self.asked)
        self.close_button = IconButton("close", "Hide what is missing", 24)
        self.close_button.clicked.connect(self._hide)
        line = QHBoxLayout(self)
        line.setContentsMargins(15, 8, 8, 0)
        line.setSpacing(8)
        line.addWidget(IconMark("warning", "mend"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._said, 1)
        line.addWidget(self.look, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, words: str) -> None:
        """What is missing; "" for nothing. Words that were hidden stay hidden."""
        if words == self.words:
            return
        self.words = words
        self._said.setText(words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))
        self.changed.emit()

    def _hide(self) -> None:
        self.hide()
        self.changed.emit()
