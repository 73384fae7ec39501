"""What is at hand when a provider is added: servers that run on this computer, keys in the environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.settings_parts import CardList


@dataclass(frozen=True, slots=True)
class AtHand:
    """Something that can be taken. `row` is the kind it fills in, with `url` or `key_env`."""

    row: str
    title: str
    words: str
    url: str = ""
    key_env: str = ""


class _OfferRow(QWidget):
    """One of them, with its button."""

    taken = Signal(object)

    def __init__(self, offer: AtHand) -> None:
        super().__init__()
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(offer.title, "ui", "t1", 500, wrap=True))
        words.addWidget(label(offer.words, "small", "t2", wrap=True))
        use = Button("Use", height=28)
        use.setAccessibleName(f"Use {offer.title}")
        use.clicked.connect(lambda: self.taken.emit(offer))
        line = QHBoxLayout(self)
        line.setContentsMargins(14, 10, 12, 10)
        line.setSpacing(12)
        line.addWidget(IconMark("key" if offer.key_env else "computer", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        line.addWidget(use)


class ProviderOffers(QWidget):
    """All of them in a card; nothing is seen where there is nothing."""

    taken = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._list = CardList()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 8)
        column.setSpacing(6)
        column.addWidget(label("At hand on this computer", "ui", "t2"))
        column.addWidget(self._list)
        self.hide()

    def put(self, offers: Sequence[AtHand]) -> None:
        """Shows other ones."""
        rows: list[QWidget] = []
        for offer in offers:
            row = _OfferRow(offer)
            row.taken.connect(self.taken)
            rows.append(row)
        self._list.put(rows)
        self.setVisible(bool(rows))
