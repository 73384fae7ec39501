"""The words for what a call got wrong: kinds, values, options and paths as a model reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from conch_desktop.calls.signature import OPTIONS_SHOWN
from conch_desktop.calls.strict import Written
from conch_desktop.domain.calls import Json

ROOT = "(the arguments)"
_QUOTED = 40
_NAME = 120
_PLAIN = re.compile(r"[\w$.\[\]-]+")

_KINDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def quoted(value: Json) -> str:
    """A value as an error names it: `the text "ten"`, `the number 7`, `a list of 3`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {json.dumps(clipped(value), ensure_ascii=False)}"
        case Written():
            return f"the number {clipped(value.text)}"
        case int() | float():
            return f"the number {clipped(json.dumps(value))}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"


def name(path: str) -> str:
    """A field's name or path, in quotes when it holds more than letters and the marks of a path."""
    shown = path if _PLAIN.fullmatch(path) else json.dumps(path, ensure_ascii=False)
    return clipped(shown, _NAME)


def kinds(wanted: Iterable[str]) -> str:
    """Kinds of values: "text or null"."""
    return " or ".join(dict.fromkeys(_KINDS.get(kind, kind) for kind in wanted)) or "anything"


def options(wanted: Sequence[Json]) -> str:
    """The options of a field, 12 at most."""
    shown = ", ".join(clipped(json.dumps(option, ensure_ascii=False), 80) for option in wanted[:OPTIONS_SHOWN])
    more = ", …" if len(wanted) > OPTIONS_SHOWN else ""
    return f"{'one of ' if len(wanted) > 1 else ''}{shown}{more}"


def missing(path: str, wanted: str) -> str:
    """A required field that isn't there."""
    return f"{clipped(path, _NAME)}: required ({wanted}), but it was missing."


def expected(path: str, wanted: str, value: Json) -> str:
    """A value that is something else than what is wanted."""
    return f"{clipped(path, _NAME) or ROOT}: expected {wanted}, got {quoted(value)}."


def clipped(text: str, length: int = _QUOTED) -> str:
    """A text, shortened when it is long."""
    return text if len(text) <= length else text[:length] + "…"
