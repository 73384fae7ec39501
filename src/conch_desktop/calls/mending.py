"""Mends one stretch of almost-JSON and reads it: slips first, then brackets, then JSON, each at most a few times."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from conch_desktop.calls import patterns
from conch_desktop.calls.brackets import Balanced, Brackets, one_way_to_close
from conch_desktop.calls.edits import Back, Edit, applied, joined, way_back
from conch_desktop.calls.places import Ending, Mark, Value
from conch_desktop.calls.record import Unmendable
from conch_desktop.calls.slips import Before, Slips, only_markup
from conch_desktop.calls.strict import DEEPEST, scan
from conch_desktop.calls.whereabouts import path_at

ATTEMPTS = 2
"""How often the whole is read again after a mend, in the hope that it was the only one; then all are looked for."""
_BRACKETS = frozenset({"closed", "stray_closer"})
_COMMAS = frozenset({"missing_comma", "extra_comma"})
MORE_WAYS = "its brackets don't fit, and there is more than one way to put them right"
_WORD_END = re.compile(r"[\w.+-]+\Z")
_FAULTS = (
    ("Expecting ':'", "a name must be followed by a colon and its value"),
    ("Expecting property name", "a name in double quotes was expected"),
    ("Illegal trailing comma", "a value is missing after a comma"),
    ("Expecting value", "a value is missing"),
    ("Expecting ','", "a comma or a closing bracket was expected"),
    ("Unterminated", "the text has no closing quote"),
)


class Mending:
    """The mending of `text` from `start`, where its first bracket stands."""

    def __init__(self, text: str, start: int, ending: Ending) -> None:
        self.text = text
        self.start = start
        self.slips = Slips(text, ending)
        self.values: list[Value] = []
        self.marks: list[Mark] = []

    def read(self, error: json.JSONDecodeError, attempts: int) -> int:
        """Reads the value that begins at `start`, and those run together with it; returns where in the text it ends.

        `error` is what strict reading said. Raises `Unmendable` and `Unfit`.
        """
        try:
            return self._read(error, attempts)
        except Unmendable as fault:
            if fault.steps is None:
                prefix = applied(self.text, [e for e in self._edits() if e[1] <= fault.at], self.start, fault.at)
                fault.steps = path_at(prefix)
            raise

    def _read(self, error: json.JSONDecodeError, attempts: int) -> int:
        at, before = self._resumed(error, self.start) or (self.start, "[")
        if error.msg.startswith("Unterminated"):
            self.slips.texts.unfinished = error.pos
        for number in range(1, attempts + 1):
            at, before = self.slips.run(at, before, most=number)
            if at >= len(self.text) or not self.slips.record.marks:
                break
            body = applied(self.text, self._edits(), self.start)
            back = way_back(self._edits(), self.start)
            try:
                value, end = scan(body, 0)
            except json.JSONDecodeError as later:
                at, before = self._resumed(later, at, back) or (at, before)
                continue
            self.values.append(Value(value, body, 0, back))
            self.marks = self.slips.record.marks
            return back(end, end)[0] if end < len(body) else len(self.text)
        at, before = self.slips.run(at, before, most=DEEPEST)
        if len(self.slips.record.marks) >= DEEPEST:
            self._judge_depth(at)
            at, before = self.slips.run(at, before)
        if before != "closed" or not self._reads_now(at):
            self._balance(at, before)
        return at

    def _judge_depth(self, stop: int) -> None:
        """Refuses a text with a slip at every level before the rest of it is looked at."""
        body = applied(self.text, self._edits(), self.start, stop)
        Brackets(body, "whole", "text", unfinished=None, closable=True).judge_depth()

    def _reads_now(self, stop: int) -> bool:
        """Whether all was mended already, so that the brackets need no look."""
        edits = self._edits()
        body = applied(self.text, edits, self.start, stop)
        try:
            value, end = scan(body, 0)
        except json.JSONDecodeError:
            return False
        if body[end:].strip(patterns.SPACES):
            return False
        self.values.append(Value(value, body, 0, way_back(edits, self.start)))
        self.marks = self.slips.record.marks
        return True

    def _edits(self) -> list[Edit]:
        return sorted(self.slips.record.edits)

    # --- where strict reading stopped ---

    def _resumed(self, error: json.JSONDecodeError, low: int, back: Back | None = None) -> tuple[int, Before] | None:
        """Where to look for the slip at which strict reading stopped, and what stands before it.

        None when it can't be told; then the search goes on from where it was.
        """
        at = back(error.pos, error.pos)[0] if back else error.pos
        if error.msg.startswith("Invalid"):
            at = self._opening_quote(low, at)
        end = _white_before(self.text, low, at)
        if at <= low or end <= low:
            return None
        match self.text[end - 1]:
            case "{" | "[" | ":" | "," as mark:
                self.slips.comma = end - 1
                return end, mark
            case "}" | "]":
                return end, "closed"
            case '"':
                return end, "key" if error.msg.startswith("Expecting ':'") else "text"
        return self._before_word(low, end)

    def _before_word(self, low: int, end: int) -> tuple[int, Before] | None:
        """The start of the number or word that ends at `end`, when what is before it is plain."""
        word = _WORD_END.search(self.text, max(low, end - 64), end)
        if not word or word.start() == end - 64:
            return None
        begin = _white_before(self.text, low, word.start())
        mark = self.text[begin - 1 : begin] if begin > low else ""
        self.slips.comma = begin - 1
        match mark:
            case "," | "[" | ":":
                return begin, mark
        return None

    def _opening_quote(self, low: int, at: int) -> int:
        """The quote that opens the text around `at`; `low` when it is not near."""
        for _ in range(64):
            at = self.text.rfind('"', low, at)
            if at < 0:
                break
            before = self.text[max(low, at - 64) : at]
            if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
                return at
        return low

    # --- brackets, then JSON ---

    def _balance(self, stop: int, before: Before) -> None:
        edits, slips = self._edits(), self.slips
        body = applied(self.text, edits, self.start, stop)
        back = way_back(edits, self.start)
        unfinished = None if slips.texts.unfinished is None else _forward(edits, slips.texts.unfinished, self.start)
        closable = not slips.hidden and (stop >= len(self.text) or only_markup(self.text, stop))
        brackets = Brackets(body, slips.ending, before, unfinished=unfinished, closable=closable)
        try:
            done = brackets.balance()
        except Unmendable as fault:
            fault.steps = path_at(body[: fault.at]) if fault.steps is None else fault.steps
            fault.at = back(fault.at, fault.at)[0]
            raise
        self._only_brackets(done, back)
        self.marks = slips.record.marks
        for edit, kind in zip(done.edits, done.kinds, strict=True):
            self.marks.append((kind, *back(edit[0], edit[1])))
        sound = applied(body, done.edits)
        starts = [_forward(done.edits, start) for start in done.starts]
        self._scan_all(sound, starts, joined(way_back(done.edits), back))
        if "stray_closer" in done.kinds and not one_way_to_close(self.values[-1].value):
            raise Unmendable(MORE_WAYS, stop)

    def _only_brackets(self, done: Balanced, back: Back) -> None:
        """Brackets are only put right where the commas around them are: else more than one thing may be missing."""
        kinds = {kind for kind, _, _ in self.slips.record.marks} | set(done.kinds)
        if kinds & _COMMAS and set(done.kinds) & _BRACKETS:
            raise Unmendable(MORE_WAYS, self.start)
        if done.settled is None:
            return
        at = back(done.settled, done.settled)[0]
        for kind, _, end in self.slips.record.marks:
            if kind == "trailing_comma" and end <= at and not self.text[end:at].strip(patterns.SPACES + "}]"):
                raise Unmendable(MORE_WAYS, at)

    def _scan_all(self, sound: str, starts: list[int], back: Back) -> None:
        for start, following in pairwise([*starts, len(sound)]):
            try:
                value, end = scan(sound, start)
            except json.JSONDecodeError as error:
                why = next((words for msg, words in _FAULTS if error.msg.startswith(msg)), error.msg)
                fault = Unmendable(why, back(error.pos, error.pos)[0])
                fault.steps = path_at(sound[start : error.pos])
                raise fault from None
            if sound[end:following].strip(patterns.SPACES + ","):
                raise Unmendable("something stands after the object that may belong to it", back(end, end)[0])
            self.values.append(Value(value, sound, start, back))


def _white_before(text: str, low: int, at: int) -> int:
    """Where the white before `at` begins, `low` at the earliest."""
    length = 64
    while True:
        piece = text[max(low, at - length) : at]
        if kept := piece.rstrip(patterns.SPACES):
            return at - len(piece) + len(kept)
        if at - length <= low:
            return low
        length *= 8


def _forward(edits: list[Edit], at: int, start: int = 0) -> int:
    """Where the character at `at` stands once `edits` are made."""
    shift = sum(len(instead) - (last - first) for first, last, instead in edits if last <= at and first < at)
    return at - start + shift
