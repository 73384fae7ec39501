"""Reads lines of bounded size from a pipe: a longer one is cut, and an answer is made of what is left of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from conch_desktop.domain.calls import Json

LONGEST_MESSAGE = 16_000_000
"""Bytes of one message that are read; pictures come in base64, and the largest schema of a real server has 88 kB."""

KEPT_TEXT = 400_000
"""Characters that are kept of an answer that is longer than a message may be."""

_TAIL = 4_096


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end. `size` is how long it was; longer than `head` when it was cut. `tail` is its end then."""

    head: bytes
    size: int
    tail: bytes = b""

    @property
    def was_cut(self) -> bool:
        """Whether there was more than `head`."""
        return self.size > len(self.head)


@dataclass(slots=True)
class Lines:
    """Puts pieces together to lines."""

    longest: int = LONGEST_MESSAGE
    _pieces: list[bytes] = field(default_factory=list)
    _kept: int = 0
    _size: int = 0
    _tail: bytes = b""

    def feed(self, piece: bytes) -> Iterator[Line]:
        """The lines that end in this piece."""
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            self._take(piece[start:end])
            yield self._line()
            start = end + 1
        self._take(piece[start:])

    def close(self) -> Line:
        """What was left without a line's end."""
        return self._line()

    def _take(self, piece: bytes) -> None:
        if room := max(self.longest - self._kept, 0):
            self._pieces.append(piece[:room])
            self._kept += min(len(piece), room)
        self._size += len(piece)
        if self._size > self.longest:
            self._tail = (self._tail + piece[-_TAIL:])[-_TAIL:]

    def _line(self) -> Line:
        line = Line(b"".join(self._pieces), self._size, self._tail)
        self._pieces, self._kept, self._size, self._tail = [], 0, 0, b""
        return line


_ID = re.compile(rb'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")')
_TEXT = re.compile(rb'"text"\s*:\s*"')


def answer_of_cut(line: Line) -> dict[str, Any] | None:
    """An answer of JSON-RPC in place of one that was too long: the beginning of its text, and that it was cut.

    None when nobody can tell which request it answers. Its id stands at its beginning or, as the TypeScript library
    writes it, at its end.
    """
    found = _ID.search(line.head[:200]) or next(reversed(list(_ID.finditer(line.tail))), None)
    if found is None:
        return None
    start = _TEXT.search(line.head)
    text = _read_text(line.head[start.end() : start.end() + KEPT_TEXT]) if start else ""
    told = too_long(line.size, len(text))
    content = [{"type": "text", "text": piece} for piece in (text, told) if piece]
    return {"jsonrpc": "2.0", "id": json.loads(found.group(1)), "result": {"content": content}}


def too_long(size: int, kept: int) -> str:
    """What model and person are told of a cut answer. `size` in bytes, `kept` in characters."""
    return f"[The answer had {size / 1e6:,.0f} MB and was cut: {kept:,} characters of it are shown. Ask for less.]"


def _read_text(raw: bytes) -> str:
    """The text of a JSON string whose end may be missing."""
    text = raw.decode("utf-8", "ignore")
    whole = re.match(r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*', text)
    value: Json = json.loads(f'"{whole.group() if whole else ""}"', strict=False)
    return str(value)
