"""Reads a text that is not simply valid JSON: what stands around it, values side by side, slips within them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from conch_desktop.calls import frame
from conch_desktop.calls.brackets import no_name_holds_a_bracket, one_way_to_close
from conch_desktop.calls.edits import Back, joined, nowhere_else, out_of_text
from conch_desktop.calls.mending import ATTEMPTS, MORE_WAYS, Mending
from conch_desktop.calls.places import Ending, Mark, Value, path_text, white
from conch_desktop.calls.record import Unmendable
from conch_desktop.calls.repair import Repaired, Unreadable, repair
from conch_desktop.calls.strict import Unfit, scan, scan_text

_BETWEEN = re.compile(r"[,\s]*+(</([\w:.-]++)>\s*+<\2>)?+\s*+")
"""What stands between values that run together: commas, and tags that close one call and open the next."""
_ESCAPED = re.compile(r'[{\[](?:\s|\\[nrt])*+\\"')
_BRACKETS = ("{", "[")
_QUOTES = ('"', "'")
_LONG = 4_000
_OBJECT = re.compile(r"\s*\{.*\}\s*", re.DOTALL)


def read(text: str, ending: Ending, begin: int, error: json.JSONDecodeError | None) -> Repaired | Unreadable:
    """Reads `text`, of which strict reading from `begin` said `error`, or found more than one value."""
    try:
        return Reading(text, ending).whole(begin, error)
    except Unmendable as fault:
        at = max(begin, min(fault.at, len(text)))
        return Unreadable(str(fault), path_text(fault.steps or ()), at, cut=fault.cut or ending == "cut")
    except Unfit as unfit:
        return Unreadable(str(unfit), path_text(unfit.steps))


@dataclass(slots=True)
class Reading:
    """One text that is not simply valid JSON."""

    text: str
    ending: Ending
    values: list[Value] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lost: bool = False

    def whole(self, begin: int, error: json.JSONDecodeError | None) -> Repaired:
        """The values, and what is around them. Raises `Unmendable` and `Unfit`."""
        text, at, before = self.text, begin, ""
        if text[begin : begin + 1] in _QUOTES and (quoted := self._quoted_whole(begin)) is not None:
            return quoted
        if text[begin : begin + 1] not in _BRACKETS:
            words = frame.leading(text, begin)
            self.marks += words.marks
            at, before = words.at, words.text
        if (escaped := self._escaped_whole(at)) is not None:
            return escaped
        end = self._values(at, error if at == begin else None)
        after = "" if self.lost or white(text, end) >= len(text) else self._trailing(end)
        return Repaired(tuple(self.values), self.marks, before, after, self.lost)

    def _trailing(self, end: int) -> str:
        after = frame.trailing(self.text, end)
        last = self.values[-1].value
        stray = any(kind == "stray_closer" for kind, *_ in after.marks)
        if stray and not (one_way_to_close(last) and no_name_holds_a_bracket(last)):
            raise Unmendable(MORE_WAYS, end)
        self.marks += after.marks
        return after.text

    def _values(self, at: int, error: json.JSONDecodeError | None) -> int:
        """Reads values as long as they stand directly side by side; returns where the last one ends."""
        while True:
            end = self._value(at, error)
            if end is None:
                return at
            found = _BETWEEN.match(self.text, end)
            following = found.end() if found else end
            if self.text[following : following + 1] not in _BRACKETS:
                return end
            if found and found[1]:
                self.marks.append(("words_around", *found.span(1)))
            at, error = following, None

    def _value(self, at: int, error: json.JSONDecodeError | None) -> int | None:
        """Reads the value at `at`, of which strict reading may have said `error`; None when a later one is lost."""
        if error is None:
            try:
                value, end = scan(self.text, at)
            except json.JSONDecodeError as caught:
                error = caught
            else:
                self.values.append(Value(value, self.text, at, nowhere_else))
                return end
        mending = Mending(self.text, at, self.ending)
        try:
            # Trying again after each of a few mends pays for a long text with one slip, and for the first value only.
            end = mending.read(error, ATTEMPTS if len(self.text) > _LONG and not self.values else 0)
        except Unmendable:
            if not self.values or self.ending == "cut":
                raise
            self.lost = True  # the ones before it are whole; what follows is a call of its own
            return None
        self.values += mending.values
        self.marks += mending.marks
        return end

    # --- arguments that were written as a text, without being one ---

    def _quoted_whole(self, begin: int) -> Repaired | None:
        """A text in quotes that is no JSON string, because line breaks or quotes in it stand bare."""
        quote = self.text[begin]
        end = len(self.text.rstrip())
        if quote == '"' and (loose := _loose_text(self.text, begin, end)):
            return Repaired((Value(loose, self.text, begin, nowhere_else),), (("control_character", begin, end),))
        inside = self.text[begin + 1 : end - 1]
        if self.text[end - 1] != quote or not _OBJECT.fullmatch(inside):
            return None
        if "\\" in inside:
            raise Unmendable("the arguments stand in quotes, and it can't be told what the backslashes mean", begin)
        read = Reading(inside, self.ending).whole(white(inside, 0), None)
        shift = begin + 1
        quotes: tuple[Mark, ...] = (("words_around", begin, begin + 1), ("words_around", end - 1, end))
        return _moved(read, lambda start, end: (start + shift, end + shift), quotes)

    def _escaped_whole(self, at: int) -> Repaired | None:
        r"""`{\"query\": \"x\"}`: the inside of a JSON text, without its quotes."""
        if not _ESCAPED.match(self.text, at):
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
