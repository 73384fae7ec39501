"""What is selected in a chat, across messages: two places in the model, whatever of it is on screen. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a chat: the number of the message, of the block in it, and of the letter in that."""

    row: int
    block: int
    at: int


@dataclass(frozen=True, slots=True)
class Span:
    """From where the selection began to where it is now, in any order."""

    anchor: Place
    head: Place

    @property
    def first(self) -> Place:
        """The place that is further up."""
        return min(self.anchor, self.head)

    @property
    def last(self) -> Place:
        """The place that is further down."""
        return max(self.anchor, self.head)

    @property
    def empty(self) -> bool:
        """Whether nothing is selected."""
        return self.anchor == self.head

    def inside(self, row: int, block: int, length: int) -> tuple[int, int]:
        """What of a block is selected: (start, end); equal when nothing is."""
        first, last = self.first, self.last
        if not (first.row, first.block) <= (row, block) <= (last.row, last.block):
            return 0, 0
        start = first.at if (row, block) == (first.row, first.block) else 0
        end = last.at if (row, block) == (last.row, last.block) else length
        return start, max(start, end)


Part = Callable[[int, int], str]
"""The words of a block between two places."""


def copied(span: Span, rows: Callable[[int], Sequence[tuple[int, Callable[[], str], Part]]]) -> str:
    """The selected words in order. `rows` gives for a message its blocks: (number, all words, some of them)."""
    first, last = span.first, span.last
    messages: list[str] = []
    for row in range(first.row, last.row + 1):
        words: list[str] = []
        for block, whole, part in rows(row):
            here = (row, block)
            if not (first.row, first.block) <= here <= (last.row, last.block):
                continue
            if here in ((first.row, first.block), (last.row, last.block)):
                start = first.at if here == (first.row, first.block) else 0
                end = last.at if here == (last.row, last.block) else 1 << 60
                words.append(part(start, end))
            else:
                words.append(whole().rstrip("\n"))
        text = "\n\n".join(word for word in words if word)
        if text:
            messages.append(text)
    return "\n\n".join(messages)
