"""Reads almost-JSON: valid JSON exactly as it is, and the slips models make where only one reading exists.

The order: read strictly; mend what stands between marks (`slips`); see to the brackets (`brackets`); read strictly
again. So every value comes from the C reader of `json`, nothing is ever evaluated, and the time is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from conch_desktop.calls.edits import nowhere_else, way_back
from conch_desktop.calls.places import Ending, Mark, Value, path_text, white
from conch_desktop.calls.strict import Unfit, scan
from conch_desktop.domain.calls import Mend

_FIRST = frozenset('{["-0123456789tfnNI')
"""What a value may begin with, so that reading strictly is worth a try."""
_COMMA_AT_END = re.compile(r",\s*+[}\]][\s}\]]*+\Z")
_FENCE = re.compile(r"(```[\w+-]*+)[ \t]*+(?:\r?\n)?+(?=[{\[])")
_FENCE_END = re.compile(r"\s*+(```)\s*+\Z")
_TAIL = 200
_LONG = 4_000
"""Characters from which reading twice costs more than a look at the end."""

LONGEST = 1_000_000
"""Characters that are read; a longer text is refused, valid or not."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a text says: its values side by side, what was mended, the words before and after.

    `lost`: a further value followed that could not be read.
    """

    values: tuple[Value, ...]
    marks: Sequence[Mark] = ()
    before: str = ""
    after: str = ""
    lost: bool = False

    def mends(self) -> list[Mend]:
        """What was mended, in the order of the text."""
        return [Mend(kind, "", (start, end)) for kind, start, end in sorted(self.marks, key=itemgetter(1, 2))]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a text has no reading, or two; where, as a path and as a place; and whether it only was cut off."""

    why: str
    path: str = ""
    at: int | None = None
    cut: bool = False


def repair(text: str, *, ending: Ending = "whole") -> Repaired | Unreadable:
    """Reads `text`. What it says is never guessed: where two readings exist, the answer is `Unreadable`."""
    if len(text) > LONGEST:
        return Unreadable(f"it is {len(text):,} characters long, and at most {LONGEST:,} are read")
    begin = white(text, 0)
    if len(text) > _LONG and (quick := _comma_at_end(text, begin)) is not None:
        return quick
    error: json.JSONDecodeError | None = None
    if text[begin : begin + 1] in _FIRST:
        try:
            value, end = scan(text, begin)
            if white(text, end) == len(text):
                return Repaired((Value(value, text, begin, nowhere_else),))
        except json.JSONDecodeError as caught:
            if len(text) <= _LONG and (quick := _comma_at_end(text, begin)) is not None:
                return quick
            error = caught
        except Unfit as unfit:
            return Unreadable(str(unfit), path_text(unfit.steps), begin)
    elif (quick := _fenced(text, begin)) is not None:
        return quick
    from conch_desktop.calls.reading import read

    return read(text, ending, begin, error)


def _comma_at_end(text: str, begin: int) -> Repaired | None:
    """The most frequent slip: a comma before the last brackets. No valid text ends so, which spares reading twice."""
    end = len(text)
    found = _COMMA_AT_END.match(text, max(end - _TAIL, text.rfind(",")))
    if not found or text[begin : begin + 1] not in ("{", "["):
        return None
    comma = found.start()
    if text[max(begin, comma - _TAIL) : comma].rstrip()[-1:] in ("", "{", "[", ",", ":"):
        return None  # not after a value: something may be missing
    body = f"{text[:comma]}{text[comma + 1 :]}"
    try:
        value, stop = scan(body, begin)
    except (json.JSONDecodeError, Unfit):
        return None
    if white(body, stop) < len(body):
        return None
    read = Value(value, body, begin, way_back([(comma, comma + 1, "")]))
    return Repaired((read,), (("trailing_comma", comma, comma + 1),))


def _fenced(text: str, begin: int) -> Repaired | None:
    """Valid JSON that is all there is in a fence; anything else about fences is seen to with the words around."""
    opened = _FENCE.match(text, begin)
    if not opened:
        return None
    start = opened.end()
    try:
        value, end = scan(text, start)
    except (json.JSONDecodeError, Unfit):
        return None
    closed = _FENCE_END.match(text, end)
    if not closed:
        return None
    marks: tuple[Mark, ...] = (("fence", *opened.span(1)), ("fence", *closed.span(1)))
    return Repaired((Value(value, text, start, nowhere_else),), marks, text[begin:start], closed[1])
