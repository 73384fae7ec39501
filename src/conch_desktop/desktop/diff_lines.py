"""A diff as the guard's question carries it, taken apart: lines with numbers and signs. Plain data, no Qt.

Its first line names the file and where the rest begins ("notes.md, line 4:", "new file notes.md:"); then follow lines
with " ", "-" or "+" before them, and "@@ -4,7 +4,9 @@" where lines are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FIRST = re.compile(r", line (\d+):$")
_SKIPPED = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line. `sign` is " ", "-", "+", "@" where lines are left out, or "" for a word beside the diff."""

    sign: str
    text: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Diff:
    """A diff with what it is of, and how many of its lines are added and removed."""

    title: str
    lines: tuple[DiffLine, ...]
    added: int
    removed: int


def read_diff(preview: str) -> Diff:
    """Takes a preview apart; a text that is no diff comes back as lines without signs."""
    head, _, rest = preview.partition("\n")
    first = _FIRST.search(head)
    start = int(first.group(1)) if first else 1
    old = new = start
    lines: list[DiffLine] = []
    for text in rest.split("\n") if rest else ():
        sign, words = text[:1], text[1:]
        if sign == "@" and (skipped := _SKIPPED.match(text)):
            old, new = (start - 1 + int(number) for number in skipped.groups())
            lines.append(DiffLine("@", "…"))
        elif sign == "-":
            lines.append(DiffLine("-", words, old))
            old += 1
        elif sign == "+":
            lines.append(DiffLine("+", words, new))
            new += 1
        elif sign in (" ", ""):
            lines.append(DiffLine(" ", words, new))
            old, new = old + 1, new + 1
        else:
            lines.append(DiffLine("", text))
    title = head[: first.start()] if first else head.removesuffix(":")
    signs = [line.sign for line in lines]
    return Diff(title, tuple(lines), signs.count("+"), signs.count("-"))
