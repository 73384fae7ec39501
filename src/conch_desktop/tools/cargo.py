"""Whether a call could carry data out of a chat: by any free text, a long number, a field of its own naming."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool

MOST_DIGITS = 6
"""Digits of all numbers of a call together that say next to nothing."""

MOST_CHOICES = 12
"""Values of a call; more of them could spell something, however little each one says."""

MOST_IN_ALL = 40
"""Digits and choices of all calls of a chat to one place; what each call may say alone would otherwise add up."""


def adds_up(calls: Iterable[Mapping[str, Json]]) -> bool:
    """Whether the arguments of these calls together could carry data, though each of them alone could not."""
    said = 0
    waiting: list[Json] = [dict(args) for args in calls]
    while waiting and said <= MOST_IN_ALL:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        else:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            said += _digits(value) if is_number else value is not None
    return said > MOST_IN_ALL


def carries_data(tool: Tool, args: Mapping[str, Json]) -> bool:
    """Whether anything in `args` is more than a choice the tool's own schema offers, a switch, or a small number.

    The schema is read only as far as it is plain; whatever is not certain counts as data.
    """
    waiting: list[tuple[Json, Any]] = [(dict(args), tool.parameters)]
    digits = seen = 0
    while waiting:
        value, schema = waiting.pop()
        schema = schema if isinstance(schema, Mapping) else {}
        seen += 1
        if isinstance(value, Mapping):
            fields = schema.get("properties")
            fields = fields if isinstance(fields, Mapping) else {}
            if any(name not in fields for name in value):
                return True
            waiting += [(item, fields[name]) for name, item in value.items()]
        elif isinstance(value, list):
            waiting += [(item, schema.get("items")) for item in value]
        elif not _is_choice(value, schema):
            if isinstance(value, str):
                return True
            digits += _digits(value)
        if digits > MOST_DIGITS or seen > MOST_CHOICES:
            return True
    return False


def _digits(value: Json) -> int:
    return len(str(value).lstrip("-").replace(".", ""))


def _is_choice(value: Json, schema: Mapping[str, Any]) -> bool:
    """Whether the value is a switch, nothing, or one of the options the schema names."""
    options = schema.get("enum")
    offered = [*(options if isinstance(options, list) else ()), *([schema["const"]] if "const" in schema else ())]
    return value is None or value == "" or isinstance(value, bool) or value in offered
