"""Where a value stands in the text it was read from, and which value stands at a place of a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from conch_desktop.calls import patterns
from conch_desktop.calls.edits import Back
from conch_desktop.calls.strict import scan_text
from conch_desktop.domain.calls import Json, MendKind

Ending = Literal["whole", "open", "cut"]
"""How a text ends. `whole`: its writer stopped by itself, so brackets and one last text may be closed. `open`: nothing
says so, and brackets may only be closed after a whole value. `cut`: nothing is closed."""

Mark = tuple[MendKind, int, int]
"""A mend and its place; made by the thousand, so it is no more than a tuple."""

Step = str | int
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


def path_at(prefix: str) -> tuple[Step, ...]:
    """The steps to the end of `prefix`, which is sound as far as it goes: where a fault that begins there is."""
    starts = [*_open_brackets(prefix), len(prefix)]
    steps = []
    for start, end in pairwise(starts):
        step = _last_step(prefix[start], prefix[start + 1 : end].rstrip())
        if step is None:
            break
        steps.append(step)
    return tuple(steps)


def _open_brackets(text: str) -> list[int]:
    """The places of the brackets that are still open at the end of `text`."""
    found: list[int] = []
    at = 0
    while at < len(text):
        match = patterns.TO_DEEPER.match(text, at)
        at = match.end() if match else at
        mark = text[at : at + 1]
        if not mark:
            break
        if mark == '"':
            try:
                at = scan_text(text, at + 1, False)[1]
            except json.JSONDecodeError:
                break
        elif mark in ("{", "["):
            found.append(at)
            at += 1
        else:
            del found[-1:]
            at += 1
    return found


def _last_step(mark: str, inside: str) -> Step | None:
    """Which member of a list or an object comes last in `inside`, of which the end may be missing."""
    if mark == "[":
        items = inside.removesuffix(",")
        count = _members("[", f"{items}]")
        return None if count is None else len(count) - (items == inside and bool(items))
    if inside.endswith(":"):
        pairs = _members("{", f"{inside}null}}")
    else:
        pairs = None if inside.endswith(",") or not inside else _members("{", f"{inside}}}")
    return pairs[-1][0] if pairs else None


def _members(mark: str, rest: str) -> Sequence[Any] | None:
    try:
        read: Sequence[Any] = json.loads(mark + rest, object_pairs_hook=list, parse_float=str, parse_int=str)
    except ValueError:
        return None
    return read


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
        at = _white(body, at)
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
        at = _white(body, at)
        if body[at] == _CLOSER[mark]:
            at += 1
            node.span = (start, at)
            frames.pop()
            continue
        at = _white(body, at + 1) if body[at] == "," else at
        frames[-1] = (mark, node, start, index + 1)
        step: Step = index
        if mark == "{":
            step, at = scan_text(body, at + 1, True)
            at = _white(body, at) + 1
        return at, node.inner.get(step)
    return at, None


def _white(body: str, at: int) -> int:
    found = patterns.WHITES.match(body, at)
    return found.end() if found else at


def in_source(span: tuple[int, int] | None, back: Back) -> tuple[int, int] | None:
    """A span that was found, in the text as it was sent."""
    return None if span is None else back(*span)
