"""A tool's arguments in one line, as a model reads them: `{query: string, limit?: integer}` (behaviour 2.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from conch_desktop.calls.shapes import Shape, shape_of

OPTIONS_SHOWN = 12
LONGEST = 600
_LEVELS = 2
_ORDER = ("string", "number", "integer", "boolean", "array", "object")
_PLAIN_NAME = re.compile(r"[\w$-]+")


def signature(schema: Mapping[str, Any]) -> str:
    """The one-line signature of a tool's parameters, at most `LONGEST` characters."""
    line = _shape(shape_of(schema), 0)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _shape(shape: Shape, level: int) -> str:
    options = shape.options
    if options is not None and 0 < len(options) <= OPTIONS_SHOWN:
        return "|".join(_written(option) for option in options if option is not None) or "null"
    if shape.branches and not shape.fields:
        return _joined(_shape(branch, level) for branch in shape.branches)
    if shape.kinds is None:
        return "any" if level else "{}"
    return _joined(_kind(kind, shape, level) for kind in _ORDER if kind in shape.kinds)


def _kind(kind: str, shape: Shape, level: int) -> str:
    if kind == "array":
        items = _shape(shape.items, level) if shape.items is not None else "any"
        return f"({items})[]" if "|" in items and not items.startswith("{") else f"{items}[]"
    if kind == "object":
        return _object(shape, level)
    return kind


def _object(shape: Shape, level: int) -> str:
    if level > _LEVELS or not shape.fields:
        return "object" if level else "{}"
    fields = (
        f"{_name(name)}{'' if name in shape.required else '?'}: {_shape(inner, level + 1)}"
        for name, inner in shape.fields.items()
    )
    return "{" + ", ".join(fields) + "}"


def _name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else _written(name)


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _joined(shapes: Iterable[str]) -> str:
    return "|".join(dict.fromkeys(shape for shape in shapes if shape != "null")) or "null"
