"""What is marked in a call's texts: mends and left-out fields in *Sent*, changed values in *Ran*. Plain functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord

Mark = Literal["read", "value", "out", "wrong"]
"""Read forgivingly (quotes, keys, commas), a value that changed, a field that was left out, one that did not fit."""

Span = tuple[int, int]

VALUES = {"number", "boolean", "list_of_one", "option_case", "json_text", "ref", "null"}
"""Mends that change a value; the others only change how the text was read."""

MARKED_MOST = 20_000
"""Characters of a text up to which places are looked for in it."""

_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"']++)|(?P<odd>["'])""",
    re.DOTALL,
)
_FAULT = re.compile(r"^- (?P<path>[^\s:]+): (?P<rest>.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Member:
    """Where a member stands: from its key (or its value, in a list) and from its value on, to its end."""

    key: int
    value: int
    end: int


@dataclass(slots=True)
class _Open:
    """A bracket that is still open, and the member that is being read in it."""

    path: str
    bracket: str
    index: int = 0
    name: str = ""
    key: int = -1
    value: int = -1
    end: int = -1

    def member_path(self) -> str:
        if self.bracket == "[":
            return f"{self.path}[{self.index}]"
        return f"{self.path}.{self.name}" if self.path else self.name


class _Places:
    """Goes over a text once and notes where its members stand."""

    def __init__(self) -> None:
        self.found: dict[str, Member] = {}
        self._stack: list[_Open] = []

    def read(self, text: str) -> None:
        for token in _TOKEN.finditer(text):
            self._take(text, token["mark"] or "", token.start(), token.end())
        end = len(text.rstrip())
        while self._stack:
            top = self._stack[-1]
            if top.value >= 0:
                top.end = max(top.end, end)
            self._close()
            self._stack.pop()

    def _take(self, text: str, mark: str, start: int, end: int) -> None:
        top = self._stack[-1] if self._stack else None
        if mark and mark in "{[":
            self._grow(start, end)
            self._stack.append(_Open(top.member_path() if top is not None else "", mark))
        elif top is None:
            return
        elif mark and mark in "}]":
            self._close()
            self._stack.pop()
            self._grow(start, end)
        elif mark == ",":
            self._close()
        elif mark == ":" and top.bracket == "{" and top.key < 0:
            top.name, top.key = text[top.value : top.end].strip("\"'"), top.value
            top.value = top.end = -1
        else:
            self._grow(start, end)

    def _grow(self, start: int, end: int) -> None:
        """The member that is being read reaches to `end`."""
        if self._stack:
            top = self._stack[-1]
            top.value = start if top.value < 0 else top.value
            top.end = end

    def _close(self) -> None:
        """The member that is being read has ended."""
        top = self._stack[-1]
        if top.value >= 0 and (top.bracket == "[" or top.key >= 0):
            start = top.value if top.bracket == "[" else top.key
            self.found.setdefault(top.member_path(), Member(start, top.value, top.end))
        top.index += 1
        top.name, top.key, top.value, top.end = "", -1, -1, -1


def members(text: str) -> dict[str, Member]:
    """The place of each member of the JSON in `text`, by its path. It need not be sound: this is only for marks."""
    places = _Places()
    if len(text) <= MARKED_MOST:
        places.read(text)
    return places.found


def sent_marks(call: CallRecord) -> list[tuple[int, int, Mark]]:
    """Places in the raw text: (start, end, kind), those that matter most last, because they are painted over others."""
    places = members(call.raw) if call.dropped or call.state == "not_run" else {}
    spots = [(mend.span, mend.what in VALUES or mend.what == "trailing_comma") for mend in call.mends if mend.span]
    marks: list[tuple[int, int, Mark]] = [(*span, "read") for span, changed in spots if not changed]
    marks += [(*span, "value") for span, changed in spots if changed]
    marks += [(places[path].key, places[path].end, "out") for path in call.dropped if path in places]
    if call.state == "not_run":
        marks += [(places[path].value, places[path].end, "wrong") for path in faulty(call) if path in places]
    return marks


def faulty(call: CallRecord) -> list[str]:
    """The fields that did not fit, as the text to the model names them."""
    return [one["path"] for one in _FAULT.finditer(call.sent_back) if "missing" not in one["rest"]]


def ran_marks(call: CallRecord, shown: str) -> list[Span]:
    """Places of changed values in `shown`, the arguments over several lines."""
    changed = {mend.path for mend in call.mends if mend.what in VALUES and mend.path}
    if not changed:
        return []
    places = members(shown)
    return [(places[path].value, places[path].end) for path in sorted(changed) if path in places]
