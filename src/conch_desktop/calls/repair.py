"""Reads almost-JSON: valid JSON exactly as it is, and the slips models make where only one reading exists.

The order: read strictly; mend what stands between marks (`slips`); see to the brackets (`brackets`); read strictly
again. So every value comes from the C reader of `json`, nothing is ever evaluated, and the time is linear.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from conch_desktop.calls.edits import Back, joined, nowhere_else, out_of_text, way_back
from conch_desktop.calls.places import Ending, Mark, Value, path_text, white
from conch_desktop.calls.strict import Unfit, scan, scan_text
from conch_desktop.domain.calls import Mend

_COMMA_AT_END = re.compile(r",\s*+[}\]][\s}\]]*+\Z")
_COMMAS = re.compile(r"[,\s]*+")
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
        return Unreadable(f"is {len(text):,} characters long, and at most {LONGEST:,} are read")
    begin = white(text, 0)
    if len(text) > _LONG and (read := _comma_at_end(text, begin)) is not None:
        return read
    error: json.JSONDecodeError | None = None
    try:
        value, end = scan(text, begin)
        if white(text, end) == len(text):
            return Repaired((Value(value, text, begin, nowhere_else),))
    except json.JSONDecodeError as caught:
        if len(text) <= _LONG and (read := _comma_at_end(text, begin)) is not None:
            return read
        error = caught
    except Unfit as unfit:
        return Unreadable(str(unfit), path_text(unfit.steps), begin)
    return _Reading(text, ending).read(begin, error)


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
    return Repaired(
        (Value(value, body, begin, way_back([(comma, comma + 1, "")])),), (("trailing_comma", comma, comma + 1),)
    )


@dataclass(slots=True)
class _Reading:
    """One text that is not simply valid JSON."""

    text: str
    ending: Ending
    values: list[Value] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lost: bool = False

    def read(self, begin: int, error: json.JSONDecodeError | None) -> Repaired | Unreadable:
        from conch_desktop.calls.slips import Unmendable

        try:
            return self.whole(begin, error)
        except Unmendable as fault:
            at = max(begin, min(fault.at, len(self.text)))
            return Unreadable(str(fault), path_text(fault.steps or ()), at, cut=fault.cut or self.ending == "cut")
        except Unfit as unfit:
            return Unreadable(str(unfit), path_text(unfit.steps))

    def whole(self, begin: int, error: json.JSONDecodeError | None) -> Repaired:
        """The values, and what is around them. Raises `Unmendable` and `Unfit`."""
        from conch_desktop.calls import frame

        if (quoted := self._quoted_whole(begin)) is not None:
            return quoted
        before = frame.leading(self.text, begin)
        self.marks += before.marks
        if (escaped := self._escaped_whole(before.at)) is not None:
            return escaped
        end = self._values(before.at, error if before.at == begin else None)
        after = "" if self.lost else self._trailing(end)
        return Repaired(tuple(self.values), self.marks, before.text, after, self.lost)

    def _trailing(self, end: int) -> str:
        from conch_desktop.calls import frame
        from conch_desktop.calls.brackets import one_way_to_close
        from conch_desktop.calls.mending import MORE_WAYS
        from conch_desktop.calls.slips import Unmendable

        after = frame.trailing(self.text, end)
        if any(kind == "stray_closer" for kind, *_ in after.marks) and not one_way_to_close(self.values[-1].value):
            raise Unmendable(MORE_WAYS, end)
        self.marks += after.marks
        return after.text

    def _values(self, at: int, error: json.JSONDecodeError | None) -> int:
        """Reads values as long as they stand directly side by side; returns where the last one ends."""
        from conch_desktop.calls.slips import Unmendable

        while True:
            try:
                if error is not None:
                    raise error
                value, end = scan(self.text, at)
                self.values.append(Value(value, self.text, at, nowhere_else))
            except json.JSONDecodeError as caught:
                error = None
                try:
                    end = self._mended(at, caught)
                except Unmendable:
                    if not self.values or self.ending == "cut":
                        raise
                    self.lost = True  # the ones before it are whole; what follows is a call of its own
                    return at
            found = _COMMAS.match(self.text, end)
            following = found.end() if found else end
            if self.text[following : following + 1] not in ("{", "["):
                return end
            at = following

    def _mended(self, at: int, error: json.JSONDecodeError) -> int:
        from conch_desktop.calls.mending import Mending

        mending = Mending(self.text, at, self.ending)
        end = mending.read(error) if not self.values else mending.read(error, 0)
        self.values += mending.values
        self.marks += mending.marks
        return end

    # --- arguments that were written as a text, without being one ---

    def _quoted_whole(self, begin: int) -> Repaired | None:
        """A text in quotes that is no JSON string, because line breaks or quotes in it stand bare."""
        from conch_desktop.calls.slips import Unmendable

        quote = self.text[begin : begin + 1]
        if quote not in ('"', "'"):
            return None
        end = len(self.text.rstrip())
        if quote == '"' and (loose := _loose_text(self.text, begin, end)):
            return Repaired((Value(loose, self.text, begin, nowhere_else),), (("control_character", begin, end),))
        inside = self.text[begin + 1 : end - 1]
        if self.text[end - 1] != quote or not re.fullmatch(r"\s*\{.*\}\s*", inside, re.DOTALL):
            return None
        if "\\" in inside:
            raise Unmendable("the arguments stand in quotes, and it can't be told what the backslashes mean", begin)
        read = _Reading(inside, self.ending).whole(white(inside, 0), None)
        shift = begin + 1
        quotes: tuple[Mark, ...] = (("words_around", begin, begin + 1), ("words_around", end - 1, end))
        return _moved(read, lambda start, end: (start + shift, end + shift), quotes)

    def _escaped_whole(self, at: int) -> Repaired | None:
        r"""`{\"query\": \"x\"}`: the inside of a JSON text, without its quotes."""
        if not re.compile(r'[{\[](?:\s|\\[nrt])*+\\"').match(self.text, at):
            return None
        end = len(self.text.rstrip())
        written = f'"{self.text[at:end]}"'
        inside = _loose_text(written, 0, len(written))
        if inside is None:
            return None
        read = repair(inside, ending="cut" if self.ending == "cut" else "open")
        if isinstance(read, Unreadable) or not isinstance(read.values[0].value, dict):
            return None
        out = out_of_text(written, 0, len(written))
        back = joined(out, lambda start, end: (start + at - 1, end + at - 1))
        return _moved(read, back, (*self.marks, ("escaped_quotes", at, end)))


def _moved(read: Repaired, back: Back, marks: Sequence[Mark]) -> Repaired:
    """The same reading, of a text that lies within another."""
    values = tuple(Value(v.value, v.body, v.at, joined(v.back, back)) for v in read.values)
    inner = [(kind, *back(start, end)) for kind, start, end in read.marks]
    return Repaired(values, [*marks, *inner], read.before, read.after, read.lost)


def _loose_text(text: str, start: int, end: int) -> str | None:
    """The text written from `start` to `end`, bare line breaks allowed; None when it does not end there."""
    try:
        value, stop = scan_text(text, start + 1, False)
    except json.JSONDecodeError:
        return None
    return str(value) if stop == end else None
