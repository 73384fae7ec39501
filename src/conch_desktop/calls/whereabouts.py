"""Which part of the arguments a fault is in: from a place in a text that can't be read further to a path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from conch_desktop.calls import patterns
from conch_desktop.calls.places import Step
from conch_desktop.calls.strict import scan_text


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
