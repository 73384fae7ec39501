"""The switch offer above the text: answer with this model all the same, or with one that takes tools natively."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.parts import Card, IconMark, label


class OfferCard(QWidget):
    """`answered`: "keep" this model, "switch" to the other, or "" to go back to the text."""

    answered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Another model for this message")
        self._words = label("", "ui", "t1", wrap=True)
        self.keep, self.switch = Button("Answer with it", height=28), Button("", height=28)
        self.close_button = IconButton("close", "Back to the text", 24)
        buttons = Flow(8)
        buttons.addWidget(self.switch)
        buttons.addWidget(self.keep)
        words = QVBoxLayout()
        words.setSpacing(8)
        words.addWidget(self._words)
        words.addLayout(buttons)
        card = Card("panel", "line", 8)
        across = QHBoxLayout(card)
        across.setContentsMargins(12, 10, 8, 12)
        across.setSpacing(10)
        across.addWidget(IconMark("lesson", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        across.addLayout(words, 1)
        across.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 0)
        column.addWidget(card)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.keep.clicked.connect(lambda: self.answered.emit("keep"))
        self.switch.clicked.connect(lambda: self.answered.emit("switch"))
        self.close_button.clicked.connect(lambda: self.answered.emit(""))
        self.hide()

    def show_offer(self, model: str, other: str, named: str) -> None:
        """What is offered: `model` takes no tools natively, `other` does, `named` is what the message names."""
        self._words.setText(
            f"Your message names {named}, but {model} takes no tools natively. It would get them in words."
        )
        self.switch.change(f"Use {other}")
        self.keep.setAccessibleName(f"Answer with {model}")
        self.show()
