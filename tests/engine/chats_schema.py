"""The JSON Schema of exported chats, made from the dataclasses they are read into.

`python -m tests.engine.chats_schema` writes `docs/chats.schema.json`.
"""

from __future__ import annotations

import json
import types
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from conch_desktop.domain.archive import ArchivedChat
from conch_desktop.domain.typed_json import KIND
from conch_desktop.engine.archiving import FORMAT, KINDS, VERSION, NamedProvider

FILE = Path(__file__).parents[2] / "docs" / "chats.schema.json"

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    type(None): {"type": "null"},
    Any: {},
}


def schema() -> dict[str, Any]:
    """The whole schema."""
    found: dict[str, Any] = {}
    chats, providers = _of(tuple[ArchivedChat, ...], found), _of(tuple[NamedProvider, ...], found)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Chats exported by Conch Desktop",
        "type": "object",
        "properties": {
            "kind": {"const": FORMAT},
            "version": {"const": VERSION},
            "providers": providers,
            "chats": chats,
        },
        "required": ["kind", "version", "chats"],
        "$defs": dict(sorted(found.items())),
    }


def _of(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(one, found) for one in inside]}
    if origin is Literal:
        return {"enum": list(inside)}
    if origin is tuple and inside[-1] is Ellipsis:
        return {"type": "array", "items": _of(inside[0], found)}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_of(one, found) for one in inside], "minItems": len(inside)}
    if is_dataclass(kind):
        return _object(kind, found)
    return _PLAIN.get(kind, {"type": "object"})


def _object(kind: Any, found: dict[str, Any]) -> dict[str, Any]:
    if kind.__name__ not in found:
        found[kind.__name__] = {}
        hints, name = get_type_hints(kind), KINDS.names.get(kind)
        tag = {} if name is None else {KIND: {"const": name}}
        needed = [one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING]
        found[kind.__name__] = {
            "type": "object",
            "properties": {**tag, **{one.name: _of(hints[one.name], found) for one in fields(kind)}},
            "required": [*tag, *needed],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{kind.__name__}"}


if __name__ == "__main__":
    FILE.write_text(json.dumps(schema(), indent=2) + "\n", "utf-8")
