"""The requests one answer took, when it took more than one: how each went, and what the provider said of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import Card, IconMark, label
from conch_desktop.desktop.taught_models import Quote
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import duration

if TYPE_CHECKING:
    from conch_desktop.domain.messages import TriedPart

_WAYS = {
    "native": "with native tools",
    "strict": "with native tools, strict",
    "words": "with the tools in words",
    "none": "without tools",
}
_MOST_WORDS = 240


def title(tries: Sequence[TriedPart]) -> str:
    """What the card is called: how the last request was another than the first."""
    first, last = tries[0].mode, tries[-1].mode
    if last == first:
        return "Asked again"
    return {"words": "Asked again, in words", "none": "Asked again, without tools"}.get(last, "Asked again, strict")


class TriesCard(Card):
    """A line for each request; the provider's words below one that was refused."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("raised", "line", 8, "", parent)
        self.tries: Sequence[TriedPart] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 9, 12, 11)
        self._column.setSpacing(4)
        self._rows: list[QWidget] = []

    def show_tries(self, tries: Sequence[TriedPart]) -> None:
        """Shows these."""
        if tuple(tries) == tuple(self.tries):
            return
        self.tries = tuple(tries)
        self.setAccessibleName(". ".join([title(tries), *(_spoken(one) for one in tries)]))
        for row in self._rows:
            row.hide()
            self._column.removeWidget(row)
            row.deleteLater()
        self._rows = [_head(title(tries))]
        for number, one in enumerate(tries, 1):
            self._rows.append(_line(str(number), _WAYS.get(one.mode, one.mode), _outcome(one)))
            if one.words:
                self._rows.append(_quote(one.words[:_MOST_WORDS]))
        for row in self._rows:
            self._column.addWidget(row)
            row.show()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        return fit_layout(self, width)


def _outcome(one: TriedPart) -> str:
    return f"{'answered' if one.answered else 'refused'}, {duration(one.ms)}"


def _spoken(one: TriedPart) -> str:
    return ", ".join(filter(None, (_WAYS.get(one.mode, one.mode), _outcome(one), one.words)))


def _head(words: str) -> QWidget:
    head = QWidget()
    line = QHBoxLayout(head)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    line.addWidget(IconMark("again", "t2"))
    line.addWidget(label(words, "ui", "t1", 500), 1)
    return head


def _line(number: str, words: str, outcome: str) -> QWidget:
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    count = label(number, "small", "t2")
    count.setFixedWidth(look.px(16))
    line.addWidget(count, 0, Qt.AlignmentFlag.AlignTop)
    line.addWidget(label(words, "small", "t2", wrap=True), 1)
    line.addWidget(label(outcome, "small", "t2"), 0, Qt.AlignmentFlag.AlignTop)
    return row


def _quote(words: str) -> QWidget:
    """The provider's words, below those of the try."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(look.px(16) + 8, 0, 0, 2)
    line.addWidget(Quote(words))
    return row
