"""The page for a database that can't be used: what happened, that it is untouched, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import Card, IconMark, label
from conch_desktop.desktop.theme import look


class StoreTrouble(QWidget):
    """Two choices: another data folder, or quit."""

    quit = Signal()
    other_folder = Signal()

    def __init__(self, what: str, advice: str, where: str) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("The database can’t be used")
        card = Card("raised", "line", 10)
        card.setMaximumWidth(look.px(600))
        title = QHBoxLayout()
        title.setSpacing(12)
        title.addWidget(IconMark("warning", "err", 20), 0, Qt.AlignmentFlag.AlignTop)
        title.addWidget(label("Your chats could not be opened", "h3", "t1", 600, wrap=True), 1)
        other = Button("Open another data folder…")
        leave = Button("Quit")
        other.clicked.connect(self.other_folder)
        leave.clicked.connect(self.quit)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(leave)
        buttons.addWidget(other)
        column = QVBoxLayout(card)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addLayout(title)
        column.addWidget(label(what, "ui", "t1", wrap=True))
        if advice:
            column.addWidget(label(advice, "ui", "t2", wrap=True))
        column.addWidget(label(where, "mono", "t2", wrap=True))
        if "Nothing in it was changed" not in advice:
            column.addWidget(label("The file is left as it is.", "ui", "t2"))
        column.addSpacing(4)
        column.addLayout(buttons)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(card, 100)
        row.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(24, 24, 24, 24)
        whole.addStretch(2)
        whole.addLayout(row)
        whole.addStretch(3)
