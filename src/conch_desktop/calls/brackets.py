"""Which bracket closes which: several values run together, brackets that were left open, and brackets too many.

The text has been mended between its marks (`slips`), so outside texts every bracket is one. Closing is only done
where it can't matter how: at the end, after a whole value.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from conch_desktop.calls import patterns
from conch_desktop.calls.edits import Edit
from conch_desktop.calls.places import Ending
from conch_desktop.calls.record import Unmendable
from conch_desktop.calls.strict import DEEPEST, scan_text
from conch_desktop.domain.calls import Json, MendKind

_CLOSER = {"{": "}", "[": "]"}
_OPEN = ("{", "[")
_BETWEEN = patterns.SPACES + ","
_NOT_CLOSABLE = "brackets are missing, and what stands in a comment or after the rest may belong to it"
_UNFINISHED = {
    ":": "the text ends before the value",
    "{": "the text ends before anything stands in the object",
    "[": "the text ends before anything stands in the list",
    ",": "the text ends after a comma, and it can't be told what was to follow",
    "key": "the text ends after a name, before its value",
}


@dataclass(slots=True)
class Balanced:
    """What makes the brackets of a text fit, and where the values that stand side by side begin."""

    edits: list[Edit] = field(default_factory=list)
    kinds: list[MendKind] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    settled: int | None = None
    """Where closing brackets begin that don't fit what is open."""

    def change(self, start: int, end: int, instead: str, kind: MendKind) -> None:
        self.edits.append((start, end, instead))
        self.kinds.append(kind)


class Brackets:
    """Walks the brackets of `text` once. `left` says what stands at the end, `unfinished` where a text begins that
    only the end closed, `closable` whether brackets may be put right at all.
    """

    def __init__(self, text: str, ending: Ending, left: str, *, unfinished: int | None, closable: bool) -> None:
        self.text = text
        self.ending = ending
        self.left = left
        self.unfinished = unfinished
        self.closable = closable
        self.open: list[tuple[str, int]] = []
        self.done = Balanced()

    def balance(self) -> Balanced:
        """Raises `Unmendable` where two ways of closing would say different things."""
        text, at, closed = self.text, 0, False
        while True:
            at, begun = self._next(at, closed=closed), at
            if not self.open and text[begun:at].strip(_BETWEEN):
                raise Unmendable("something stands outside the object", begun)
            if at >= len(text):
                break
            mark = text[at]
            if mark in "{[":
                self._opens(mark, at, begun, closed=closed)
            elif self._closes(mark, at):
                break
            closed = mark in "}]"
            at += 1
        if self.open:
            self._close_at_end()
        return self.done

    def judge_depth(self) -> None:
        """Raises `Unmendable` when the text, of which the end may be missing, is nested too deeply."""
        at = 0
        while (at := self._next(at, closed=False)) < len(self.text):
            if self.text[at] in "{[":
                self._opens(self.text[at], at, at, closed=False)
            else:
                del self.open[-1:]
            at += 1

    def _next(self, at: int, *, closed: bool) -> int:
        """The next bracket outside a text."""
        text = self.text
        if closed and self.open and (found := patterns.WHITES.match(text, at)):
            at = found.end()
            if text[at : at + 1] in _OPEN:
                return at
        passed = patterns.TO_DEEPER if self.open else patterns.TO_BRACKET
        while True:
            found = passed.match(text, at)
            at = found.end() if found else at
            if text[at : at + 1] != '"':
                return at
            if at == self.unfinished:
                return len(text)
            try:
                at = scan_text(text, at + 1, True)[1]
            except json.JSONDecodeError:
                return len(text)

    def _opens(self, mark: str, at: int, begun: int, *, closed: bool) -> None:
        if not self.open:
            self.done.starts.append(at)
        elif closed and not self.text[begun:at].strip(patterns.SPACES):
            if self.open[-1][0] == "{":
                raise Unmendable("a name is missing before this value", at)
            self.done.change(at, at, ",", "missing_comma")
        self.open.append((mark, at))
        if len(self.open) > DEEPEST:
            fault = Unmendable(f"it is nested deeper than {DEEPEST} levels", at)
            fault.steps = ()  # the path would be as long
            raise fault

    def _closes(self, mark: str, at: int) -> bool:
        """Takes a closing bracket; whether it ends the walk."""
        if self.open and _CLOSER[self.open[-1][0]] == mark:
            self.open.pop()
            return False
        if patterns.TAIL.fullmatch(self.text, at):
            if not self.closable:
                raise Unmendable(_NOT_CLOSABLE, at)
            self._settle(at)
            return True
        raise Unmendable(f"this {mark} closes nothing that was opened, or something else than what it should", at)

    def _settle(self, at: int) -> None:
        """Only closing brackets are left and they don't fit: whatever they were meant for, all is closed with them."""
        if self.text[:at].rstrip(patterns.SPACES)[-1:] in _OPEN:
            raise Unmendable("nothing stands between an opening bracket and a closing one of another kind", at)
        due = "".join(_CLOSER[opened] for opened, _ in reversed(self.open))
        self.done.settled = at
        left = "".join(mark for mark in self.text[at:] if mark in "}]")
        if len(left) < len(due) and self.ending == "cut":
            raise Unmendable("not every bracket is closed", at, cut=True)
        self.open.clear()
        self.done.change(at, len(self.text), due, "stray_closer" if len(left) > len(due) else "closed")

    def _close_at_end(self) -> None:
        text = self.text
        if self.ending == "cut":
            raise Unmendable("not every bracket is closed", len(text), cut=True)
        if why := _UNFINISHED.get(self.left):
            raise Unmendable(why, len(text))
        if not self.closable:
            raise Unmendable(_NOT_CLOSABLE, len(text))
        if self.ending == "open" and ((self.left == "text" and self.unfinished is not None) or text[-1:].isdigit()):
            raise Unmendable("the text ends inside a value", len(text))
        due = "".join(_CLOSER[opened] for opened, _ in reversed(self.open))
        self.done.change(len(text), len(text), due, "closed")


def one_way_to_close(value: Json) -> bool:
    """Whether a bracket too many at the end of `value` can only be that: had an earlier one been the one too many,
    what follows it would belong to something else.
    """
    here = value
    while isinstance(here, dict) and here:
        *before, here = here.values()
        if any(isinstance(each, dict) for each in before):
            return False
    while isinstance(here, list) and here:
        *before, here = here
        if any(isinstance(each, list) for each in before):
            return False
    return True
