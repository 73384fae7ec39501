"""A table of a message as data: its rows, in bands that are parsed and drawn by themselves. No Qt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conch_desktop.desktop.markdown import parse

if TYPE_CHECKING:
    from markdown_it.token import Token

    from conch_desktop.desktop.segments import Segment

BAND = 20
"""Rows that are drawn together: what is far from the window is not laid out."""
ROWS_MOST = 200
_CELL_LEAST, _CELL_MOST = 6, 48

_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Shape:
    """How the columns are set: their share of the width in percent, and "", "right" or "center".

    The shares are `fixed` when several bands must have the same; else Qt finds them from the words.
    """

    shares: tuple[float, ...]
    aligned: tuple[str, ...]
    fixed: bool = False


class Table:
    """The lines of a table segment."""

    def __init__(self, segment: Segment) -> None:
        lines = segment.source.split("\n")
        if segment.dedent:
            lines = [re.sub(rf"^ {{1,{segment.dedent}}}", "", line) for line in lines]
        lines = [line for line in lines if line.strip()]
        self.head = lines[:2]
        self.rows = lines[2:]
        self.shape = self._shape()

    @property
    def bands(self) -> int:
        """How many bands are shown: those of the first rows, at least one."""
        return max(1, -(-min(len(self.rows), ROWS_MOST) // BAND))

    def band_rows(self, band: int) -> list[str]:
        """The lines of a band."""
        return self.rows[:ROWS_MOST][band * BAND : (band + 1) * BAND]

    def cells(self, band: int) -> list[list[Token]]:
        """The cells of a band as their tokens; the first band begins with the head."""
        found: list[list[Token]] = []
        for token in parse("\n".join([*self.head, *self.band_rows(band)]) + "\n"):
            if token.type == "tr_open":
                found.append([])
            elif token.type == "inline" and found:
                found[-1].append(token)
        return found if band == 0 else found[1:]

    def plain_head(self) -> list[str]:
        """The words above the columns."""
        return split_row(self.head[0]) if self.head else []

    def _shape(self) -> Shape:
        marks = split_row(self.head[1]) if len(self.head) > 1 else []
        aligned = tuple(
            "center" if mark.startswith(":") and mark.endswith(":") else "right" if mark.endswith(":") else ""
            for mark in marks
        )
        widths = [float(_CELL_LEAST)] * max(1, len(marks))
        for line in [*self.head[:1], *self.rows[:BAND]]:
            for column, cell in enumerate(split_row(line)[: len(widths)]):
                widths[column] = max(widths[column], min(_CELL_MOST, len(cell.strip("*`_")) + 2))
        whole = sum(widths)
        return Shape(tuple(width * 100 / whole for width in widths), aligned, fixed=self.bands > 1)


def split_row(line: str) -> list[str]:
    """The cells of a line, as they are written."""
    line = line.strip()
    line = line.removeprefix("|")
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)]
