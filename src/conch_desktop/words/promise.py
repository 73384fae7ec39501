"""Whether a text that begins like JSON or like a call in Python may still become a call.

Only while it may is it held back: its first key must be one of a call, and a name that of a tool on offer.
"""

from __future__ import annotations

import re

from conch_desktop.words.formats import ARGUMENT_KEYS, NAME_KEYS, OTHER_KEYS
from conch_desktop.words.names import Names

WINDOW = 200
"""Characters within which it must be clear."""

_IDENTIFIER = re.compile(r"[A-Za-z_][\w.-]*")
_KEY = re.compile(r"\w*")
_QUOTES = "\"'"


def may_be_call(text: str, names: Names, *, native: bool, python: bool = False) -> bool | None:
    """Whether `text` may still become a call; None when more must come to tell.

    `native`: the first key must be a name. `python`: a bare call in Python counts, too.
    """
    body = text[:WINDOW].lstrip()
    may = _may_be_call(body, names, native=native, python=python)
    return False if may is None and len(text) >= WINDOW else may


def _may_be_call(body: str, names: Names, *, native: bool, python: bool) -> bool | None:
    if not body:
        return None
    if body[0] == "[":
        inner = body[1:].lstrip()
        if not inner:
            return None
        return _object(inner[1:], names, native=native) if inner[0] == "{" else _callee(inner, names)
    if body[0] == "{":
        return _object(body[1:], names, native=native)
    return _callee(body, names) if python else False


def _callee(body: str, names: Names) -> bool | None:
    """A call in Python begins with a tool's name and a bracket."""
    for before in ("print(", "print ("):
        if before.startswith(body):
            return None
        body = body.removeprefix(before).lstrip()
    if not body:
        return None
    found = _IDENTIFIER.match(body)
    if not found:
        return False
    after = body[found.end() :].lstrip()[:1]
    if not after:
        return None if names.may_begin(found.group()) else False
    return after == "(" and names.find(found.group()) is not None


def _object(body: str, names: Names, *, native: bool) -> bool | None:
    body = body.lstrip()
    if body.startswith("{"):
        body = body[1:].lstrip()  # doubled braces
    if not body:
        return None
    quote = body[0] if body[0] in _QUOTES else ""
    found = _KEY.match(body, len(quote))
    key = found.group() if found else ""
    after = body[len(quote) + len(key) :]
    keys = NAME_KEYS if native else (*NAME_KEYS, *ARGUMENT_KEYS, *OTHER_KEYS)
    if not after:
        return None if any(known.startswith(key) for known in keys) else False
    if key not in keys or not after.startswith(quote):
        return False
    return _named(after[len(quote) :].lstrip(), names) if key in NAME_KEYS else True


def _named(body: str, names: Names) -> bool | None:
    """What follows a name key."""
    if not body:
        return None
    if body[0] not in ":=":
        return False
    body = body[1:].lstrip()
    if not body:
        return None
    if body[0] == "{":
        return True  # OpenAI's {"function": {…}}
    if body[0] not in _QUOTES:
        return False
    name, closed, _ = body[1:].partition(body[0])
    if closed:
        return names.find(name) is not None
    return None if names.may_begin(name) else False
