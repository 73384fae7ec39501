"""A tool's arguments in one line, as a model reads them: `{query: string, limit?: integer}` (behaviour 2.4)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

OPTIONS_SHOWN = 12
LONGEST = 600
_LEVELS = 2


def signature(schema: Mapping[str, Any]) -> str:
    """The one-line signature of a tool's parameters, at most `LONGEST` characters."""
    line = _shape(schema, 0)
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _shape(schema: object, level: int) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    options = schema.get("enum")
    if isinstance(options, Sequence) and 0 < len(options) <= OPTIONS_SHOWN:
        return "|".join(json.dumps(option, ensure_ascii=False) for option in options if option is not None)
    for union in ("anyOf", "oneOf"):
        branches = schema.get(union)
        if isinstance(branches, Sequence):
            return _joined(_shape(branch, level) for branch in branches)
    kinds = schema.get("type")
    if isinstance(kinds, Sequence) and not isinstance(kinds, str):
        return _joined(_typed(kind, schema, level) for kind in kinds)
    return _typed(kinds, schema, level)


def _typed(kind: object, schema: Mapping[str, Any], level: int) -> str:
    if kind == "array":
        return f"{_shape(schema.get('items'), level)}[]"
    if kind == "object" or (kind is None and "properties" in schema):
        return _object(schema, level)
    return str(kind) if isinstance(kind, str) else "any"


def _object(schema: Mapping[str, Any], level: int) -> str:
    properties = schema.get("properties")
    if level > _LEVELS or not isinstance(properties, Mapping):
        return "object" if level else "{}"
    required = schema.get("required")
    wanted = set(required) if isinstance(required, Sequence) else set()
    fields = (
        f"{name}{'' if name in wanted else '?'}: {_shape(value, level + 1)}" for name, value in properties.items()
    )
    return "{" + ", ".join(fields) + "}"


def _joined(shapes: Any) -> str:
    return "|".join(dict.fromkeys(shape for shape in shapes if shape != "null")) or "null"
