"""One text of almost-JSON, in whatever quotes it stands, as the changes that make a JSON string of it.

What a text says is never changed: only how it is written, and only where one reading exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conch_desktop.calls.edits import Edit
from conch_desktop.domain.calls import MendKind


class Unclear(Exception):
    """A text that can be read in two ways, or in none."""


_ESCAPES = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_GOOD = frozenset('"\\/bfnrt')
_MEANT_ELSEWHERE = {
    # A backslash that starts no JSON escape stands for itself, unless Python or JavaScript would read something else.
    '"': re.compile(r"\\(?:x[0-9a-fA-F]{2}|0|U[0-9a-fA-F]{8}|N\{|[`\n\r])"),
    "'": re.compile(r"\\(?:x[0-9a-fA-F]{2}|[0-7]|U[0-9a-fA-F]{8}|N\{|[av`\n\r])"),
}
_MARKS = {
    quote: re.compile(rf"\\(?:u[0-9a-fA-F]{{4}}|.)|[\x00-\x1f]{other}", re.DOTALL)
    for quote, other in (('"', ""), ("'", '|"'))
}
_CONTROL = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def rewritten(text: str, start: int, end: int, quote: str) -> tuple[list[Edit], list[MendKind]]:
    """What makes a JSON string of the content `text[start:end]` that stood in `quote`s (the quotes themselves are the
    caller's). Raises `Unclear`.
    """
    literal = _backslashes_stand_for_themselves(text[start:end], quote)
    edits: list[Edit] = []
    kinds: list[MendKind] = []
    for edit, kind in _changes(text, start, end, quote, literal):
        edits.append(edit)
        if kind is not None and kind not in kinds:
            kinds.append(kind)
    return edits, kinds


def _changes(text: str, start: int, end: int, quote: str, literal: bool) -> Iterator[tuple[Edit, MendKind | None]]:
    for mark in _MARKS[quote].finditer(text, start, end):
        found = mark[0]
        if found == '"':
            yield (mark.start(), mark.start(), "\\"), None
        elif found[0] != "\\":
            yield (*mark.span(), _CONTROL.get(found) or f"\\u{ord(found):04x}"), "control_character"
        elif literal:
            yield (mark.start(), mark.start(), "\\"), "backslash"
        elif found == "\\'":
            yield (*mark.span(), "'"), None if quote == "'" else "backslash"


def _backslashes_stand_for_themselves(content: str, quote: str) -> bool:
    """Whether no backslash of `content` starts an escape, so that each can only be itself. Raises `Unclear`."""
    if "\\" not in content:
        return False
    found = set(_ESCAPES.findall(content))
    bad = {escape for escape in found if len(escape) == 1 and escape not in _GOOD and escape != "'"}
    if not bad:
        return False
    if "u" in bad:
        raise Unclear("a \\u is not followed by four hexadecimal digits")
    if len(bad) < len(found):
        shown = ", ".join(f"\\{escape}" for escape in sorted(bad)[:3] if escape.isprintable())
        raise Unclear(f"backslashes that start an escape stand beside ones that don't ({shown}); write each as \\\\")
    if other := _MEANT_ELSEWHERE[quote].search(content):
        raise Unclear(f"{other[0]!r} is no escape of JSON; write the backslash as \\\\, or the character itself")
    return True
