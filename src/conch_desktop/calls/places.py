"""Where the parts of a value stand in the text it was read from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from conch_desktop.calls.edits import Back
from conch_desktop.calls.strict import scan_text
from conch_desktop.domain.calls import Json, MendKind

Ending = Literal["whole", "open", "cut"]
"""How a text ends. `whole`: its writer stopped by itself, so brackets and one last text may be closed. `open`: nothing
says so, and brackets may only be closed after a whole value. `cut`: nothing is closed."""

Mark = tuple[MendKind, int, int]
"""A mend and its place; made by the thousand, so it is no more than a tuple."""

Step = str | int
_WHITES = re.compile(r"[ \t\n\r]*+")
_CLOSER = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Value:
    """One value, with what is needed to find its parts again: it begins at `at` in the sound text `body`, and `back`
    leads from spans of `body` to spans of the text as it was sent.
    """

    value: Json
    body: str
    at: int
    back: Back


def path_text(steps: Iterable[Step]) -> str:
    """Steps as people write them: `attendees[1].role`."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


@dataclass(slots=True)
class Wanted:
    """Places that are looked for, as a tree of steps; `span` is filled in when one is found."""

    inner: dict[Step, Wanted] = field(default_factory=dict)
    span: tuple[int, int] | None = None

    def at(self, steps: Iterable[Step]) -> Wanted:
        """The node for `steps`, made when it is not there yet."""
        node = self
        for step in steps:
            node = node.inner.setdefault(step, Wanted())
        return node


_reader = json.JSONDecoder(parse_float=str, parse_int=str)


def find(body: str, at: int, wanted: Wanted) -> None:
    """Fills in where in the JSON text `body` the value at `at` and those `wanted` within it stand, in one pass."""
    frames: list[tuple[str, Wanted, int, int]] = []  # bracket, what is wanted of it, its start, the next index
    node: Wanted | None = wanted
    while True:
        at = white(body, at)
        mark = body[at]
        if node is not None and node.inner and mark in _CLOSER:
            frames.append((mark, node, at, 0))
            at += 1
        else:
            end = _reader.raw_decode(body, at)[1]
            if node is not None:
                node.span = (at, end)
            at = end
        at, node = _next_member(body, at, frames)
        if not frames:
            return


def _next_member(body: str, at: int, frames: list[tuple[str, Wanted, int, int]]) -> tuple[int, Wanted | None]:
    """Goes to the next member of the innermost open object or list, closing those that end here."""
    while frames:
        mark, node, start, index = frames[-1]
        at = white(body, at)
        if body[at] == _CLOSER[mark]:
            at += 1
            node.span = (start, at)
            frames.pop()
            continue
        at = white(body, at + 1) if body[at] == "," else at
        frames[-1] = (mark, node, start, index + 1)
        step: Step = index
        if mark == "{":
            step, at = scan_text(body, at + 1, True)
            at = white(body, at) + 1
        return at, node.inner.get(step)
    return at, None


def white(body: str, at: int) -> int:
    """The next place that is no white space."""
    found = _WHITES.match(body, at)
    return found.end() if found else at
