"""Changes to a text, and the way back: from a place in the changed text to the place in the text as it was sent."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

Edit = tuple[int, int, str]
"""From, to, and what stands there instead."""

Back = Callable[[int, int], tuple[int, int]]
"""A span of a text that was changed or unwrapped, as a span of the text it came from."""

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)


def nowhere_else(start: int, end: int) -> tuple[int, int]:
    """The way back of a text that was not changed."""
    return start, end


def applied(text: str, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> str:
    """`text[start:end]` with `edits` made; they are in order and don't overlap."""
    pieces: list[str] = []
    at = start
    for first, last, instead in edits:
        pieces += (text[at:first], instead)
        at = last
    pieces.append(text[at:end])
    return "".join(pieces)


def way_back(edits: Iterable[Edit], start: int = 0) -> Back:
    """From a span of `applied(text, edits, start)` to the span of `text`."""
    made = list(edits)
    map_: list[_Map] = []

    def back(first: int, last: int) -> tuple[int, int]:
        if not map_:  # most texts are never asked for their places
            map_.append(_Map(made, start))
        begin = map_[0].place(first)[0]
        return begin, max(begin, map_[0].place(last - 1)[1]) if last > first else begin

    return back


class _Map:
    """Where each change begins and ends in the changed text, and what it stands for."""

    def __init__(self, edits: Iterable[Edit], start: int) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []
        self.olds: list[tuple[int, int]] = []
        self.start = start
        shift = -start
        for first, last, instead in edits:
            self.begins.append(first + shift)
            self.ends.append(first + shift + len(instead))
            self.olds.append((first, last))
            shift += len(instead) - (last - first)

    def place(self, at: int) -> tuple[int, int]:
        """Where the character at `at` came from: its own place, or all of what it stands for."""
        which = bisect_right(self.begins, at) - 1
        if which < 0:
            return at + self.start, at + self.start + 1
        if at < self.ends[which]:
            return self.olds[which]
        old = at - self.ends[which] + self.olds[which][1]
        return old, old + 1


def out_of_text(body: str, start: int, end: int) -> Back:
    """From a span of the text written as the JSON string `body[start:end]` (quotes and all) to the span of `body`."""
    return way_back(((*found.span(), "x") for found in _ESCAPE.finditer(body, start + 1, end - 1)), start + 1)


def joined(inner: Back, outer: Back) -> Back:
    """Two ways back, one after the other."""
    return lambda start, end: outer(*inner(start, end))
