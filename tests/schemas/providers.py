"""What each family of providers takes as a tool's schema, as a checker of its own: faults in words, none when fine.

The rules are those that providers' refusals showed; they are written here a second time, so that a dialect which
forgets one is found out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

GEMINI_FIELDS = frozenset(
    re.findall(
        r"\w+",
        """type format title description nullable enum items properties required anyOf minimum maximum minLength
        maxLength minItems maxItems minProperties maxProperties pattern example default propertyOrdering""",
    )
)
STRICT_FIELDS = frozenset(("type", "description", "enum", "items", "properties", "required"))
SIX = {"string", "number", "integer", "boolean", "array", "object"}
GEMINI_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
GEMINI_LEVELS = 32
MOST_CHARACTERS = 1_000_000


def faults(schema: Any, dialect: str) -> list[str]:
    """Why a provider of that dialect would refuse the schema."""
    check = {"gemini": _gemini, "strict": _strict, "anthropic": _anthropic, "permissive": _openai}[dialect]
    return [*_unsendable(schema), *check(schema)]


def _unsendable(schema: Any) -> Iterator[str]:
    try:
        text = json.dumps(schema, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, RecursionError, TypeError) as error:
        yield f"can't be sent: {error}"
        return
    if len(text) > MOST_CHARACTERS:
        yield f"{len(text):,} characters"
    yield from (f"the number {number} is beyond 64 bits" for number in _numbers(schema) if abs(number) >= 2**63)


def _numbers(value: Any) -> Iterator[float]:
    rest = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            rest.extend(part.values())
        elif isinstance(part, list):
            rest.extend(part)
        elif isinstance(part, int) and not isinstance(part, bool):
            yield part


def _plain_nodes(schema: Any) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Every node of a schema that only nests by properties, items and anyOf: where, the node, its level."""
    rest: list[tuple[str, Any, int]] = [("#", schema, 0)]
    while rest:
        where, node, level = rest.pop()
        if not isinstance(node, dict):
            raise TypeError(f"{where}: {node!r} is no schema")
        yield where, node, level
        for name, child in (node.get("properties") or {}).items():
            rest.append((f"{where}/{name}", child, level + 1))
        if "items" in node:
            rest.append((f"{where}/items", node["items"], level + 1))
        for number, child in enumerate(node.get("anyOf", ())):
            rest.append((f"{where}/anyOf/{number}", child, level + 1))


def _gemini(schema: Any) -> Iterator[str]:
    if schema.get("type") != "object" or not schema.get("properties"):
        yield "the root is no object with fields"
    for where, node, level in _plain_nodes(schema):
        if level > GEMINI_LEVELS:
            yield f"{where}: nested too deep"
        yield from (f"{where}: unknown field {key}" for key in node.keys() - GEMINI_FIELDS)
        if "anyOf" in node:
            if set(node) != {"anyOf"} or not node["anyOf"]:
                yield f"{where}: anyOf must be the only field set"
            continue
        yield from _typed(where, node)
        if any(not isinstance(option, str) or not option for option in node.get("enum", ())):
            yield f"{where}: options are text, and not empty"
        if "enum" in node and node["type"] != "string":
            yield f"{where}: enum only for STRING type"
        formats = {"string": {"enum", "date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}
        if "format" in node and node["format"] not in formats.get(node["type"], ()):
            yield f"{where}: format {node['format']}"
        yield from (f"{where}: name {name!r}" for name in node.get("properties", ()) if not GEMINI_NAME.fullmatch(name))
        if "nullable" in node and node["nullable"] is not True:
            yield f"{where}: nullable"


def _strict(schema: Any) -> Iterator[str]:
    for where, node, _ in _plain_nodes(schema):
        yield from (f"{where}: {key}" for key in node.keys() - STRICT_FIELDS)
    yield from _gemini(schema)  # which gets this dialect too


def _typed(where: str, node: dict[str, Any]) -> Iterator[str]:
    kind = node.get("type")
    if kind not in SIX:
        yield f"{where}: type {kind!r}"
        return
    if ("items" in node) != (kind == "array"):
        yield f"{where}: items and type {kind}"
    if "properties" in node and (kind != "object" or not node["properties"]):
        yield f"{where}: properties of {kind}"
    needed = node.get("required", [])
    if "required" in node and (not needed or not set(needed) <= set(node.get("properties", ()))):
        yield f"{where}: required {needed}"
    for key in ("enum", "required"):
        values = node.get(key, ["one"])
        if not values or len(set(values)) != len(values):
            yield f"{where}: {key} {values}"
    if not isinstance(node.get("description", ""), str):
        yield f"{where}: description"


def _anthropic(schema: Any) -> Iterator[str]:
    if schema.get("type") != "object":
        yield "the root is no object"
    yield from (f"{key} at the top level" for key in ("anyOf", "oneOf", "allOf") if key in schema)
    yield from (f"name {name!r}" for name in schema.get("properties", ()) if not ANTHROPIC_NAME.fullmatch(name))
    yield from _well_formed(schema)
    for node in _nodes(schema):
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            if key in node and abs(node[key]) >= 2**31:
                yield f"{key} {node[key]}: int too big to convert"


def _openai(schema: Any) -> Iterator[str]:
    if schema.get("type") != "object" or "properties" not in schema:
        yield "object schema missing properties"
    yield from (f"{key} at the top level" for key in ("anyOf", "oneOf", "allOf", "enum", "not") if key in schema)
    yield from _well_formed(schema)
    for node in _nodes(schema):
        kinds = node.get("type")
        if "array" in (kinds if isinstance(kinds, list) else [kinds]) and "items" not in node:
            yield "array schema missing items"
        if "required" in node and "properties" not in node:
            yield "'required' present but 'properties' is missing"
        if "prefixItems" in node or node.get("items") is False or node.get("not") == {}:
            yield "Unrecognized schema"
        pattern = node.get("pattern", "^$")
        if not (pattern.startswith("^") and pattern.endswith("$")) or re.search(r"\(\?|\\[dwsb1]|[\0-\x1f]", pattern):
            yield f"pattern {pattern}"
        if node.get("maxLength", 0) > 2_000 or node.get("maxItems", 0) > 2_000:
            yield "failed to parse grammar"


def _well_formed(schema: Any) -> Iterator[str]:
    """Draft 2020-12, and references that lead somewhere in the schema, not only back to themselves."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        yield f"no draft 2020-12: {error.message}"
        return
    good: set[str] = set()
    for node in _nodes(schema):
        trail: dict[str, None] = {}
        here: Any = node
        while isinstance(here, dict) and "$ref" in here and here["$ref"] not in good:
            if here["$ref"] in trail:
                yield f"{here['$ref']} leads only to itself"
                break
            trail[here["$ref"]] = None
            here = _target(schema, here["$ref"])
            if here is None:
                yield f"{next(reversed(trail))}: Error resolving ref"
            elif len(here) > 1:
                break
        good.update(trail)


def _target(schema: Any, ref: str) -> Any:
    if not ref.startswith("#/"):
        return None
    for part in ref[2:].split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(schema, dict) or name not in schema:
            return None
        schema = schema[name]
    return schema if isinstance(schema, dict) else None


_MAPS = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
_VALUES = {"enum", "const", "default", "examples", "example", "required"}


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every node of a schema in JSON Schema, taken by where schemas stand."""
    rest = [schema]
    while rest:
        node = rest.pop()
        if isinstance(node, list):
            rest.extend(node)
        if not isinstance(node, dict):
            continue
        yield node
        for key, value in node.items():
            if key in _MAPS and isinstance(value, dict):
                rest.extend(value.values())
            elif key not in _VALUES and isinstance(value, (dict, list)) and key in _KNOWN:
                rest.append(value)


_KNOWN = {
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
}
