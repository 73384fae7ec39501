"""What stands in schemas, read with care: types, numbers, counts and texts as servers really write them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeGuard

KINDS = ("string", "number", "integer", "boolean", "array", "object", "null")
"""JSON Schema's types."""

_KIND_WORDS: Mapping[str, str] = MappingProxyType(
    {kind: kind for kind in KINDS}
    | {
        # Names of other languages, as servers written by hand send them.
        "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
        "list": "array", "tuple": "array", "dict": "object", "map": "object", "none": "null",
    }
)  # fmt: skip

_ALONE = {kind: (kind,) for kind in KINDS}

HALF = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair: text that can't be sent as UTF-8."""

BEYOND = 2**63
"""Numbers from here on don't fit what providers read them into."""

SAFE_INTEGER = 2**53 - 1
"""The largest whole number a double holds exactly. As a bound it comes from Zod and says nothing of a field."""

_DEEPEST = 40
_MOST_VALUES = 20_000
"""A value counts its JSON values and its characters."""


class Dropped(Exception):
    """A value that can't be sent as JSON."""


def kinds_of(value: Any) -> tuple[str, ...] | None:
    """The types that a `type` keyword means, None for any: one or several, in any case, by whatever name."""
    if type(value) is str and value in _ALONE:
        return _ALONE[value]
    words = value if isinstance(value, list) else [value]
    known = dict.fromkeys(_KIND_WORDS.get(word.lower(), "") for word in words if isinstance(word, str))
    found = tuple(kind for kind in known if kind)
    return None if not found or any(isinstance(word, str) and word.lower() == "any" for word in words) else found


def as_schema(value: Any) -> dict[str, Any] | bool | None:
    """What stands where a schema belongs, as a schema; None for what is none.

    The name of a type, or a list of them, is what people mean by it who write schemas by hand.
    """
    if isinstance(value, (dict, bool)):
        return value
    kinds = kinds_of(value) if isinstance(value, (str, list)) else None
    return None if kinds is None else {"type": kinds[0] if len(kinds) == 1 else list(kinds)}


def branches_in(value: Any) -> list[dict[str, Any] | bool]:
    """The schemas of a union; null among them means null."""
    if not isinstance(value, list):
        return []
    found = [{"type": "null"} if part is None else as_schema(part) for part in value]
    return [part for part in found if part is not None]


def kind_of(value: Any) -> str:
    """The type of a JSON value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def is_number(value: Any) -> TypeGuard[float]:
    """A number that every provider can read."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and -BEYOND < value < BEYOND


def is_count(value: Any) -> TypeGuard[float]:
    """A number of characters, items or fields."""
    return is_number(value) and value >= 0 and value == int(value)


def clean(text: str) -> str:
    """The text as it can be sent: half a surrogate pair becomes U+FFFD."""
    return text if text.isascii() else HALF.sub("�", text)


def sendable(text: str) -> bool:
    """Can the text be sent unchanged?"""
    return text.isascii() or HALF.search(text) is None


def cleaned(value: Any) -> Any:
    """A copy of a JSON value that can be sent. Raises `Dropped` for what is too deep, too large or no JSON at all."""
    budget = [_MOST_VALUES]
    return _cleaned(value, 0, budget)


def _cleaned(value: Any, depth: int, budget: list[int]) -> Any:
    budget[0] -= 1
    if budget[0] < 0 or depth > _DEEPEST:
        raise Dropped
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        budget[0] -= len(value)
        if budget[0] < 0:
            raise Dropped
        return clean(value)
    if isinstance(value, (int, float)):
        if not is_number(value):
            raise Dropped
        return value
    if isinstance(value, (list, tuple)):
        return [_cleaned(item, depth + 1, budget) for item in value]
    if isinstance(value, Mapping):
        return {clean(str(key)): _cleaned(item, depth + 1, budget) for key, item in value.items()}
    raise Dropped


def as_text(option: Any) -> str:
    """An option as text: itself, or its JSON."""
    return option if isinstance(option, str) else json.dumps(option, sort_keys=True, ensure_ascii=False)


def one_line(value: Any) -> str:
    """A value as it is written into a description."""
    return json.dumps(value, ensure_ascii=False)


def as_json(number: float) -> float:
    """A number without a needless ".0"."""
    return int(number) if abs(number) < BEYOND and number == int(number) else number
