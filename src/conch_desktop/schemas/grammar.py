"""JSON Schema to GBNF, the grammar llama.cpp constrains an answer by.

Arguments come in a fixed order, the required ones first, the optional ones last. What a grammar can't say (patterns,
bounds of numbers, references) is left open here and judged when the call is checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

TEXT_LIMIT = 400
"""The longest text a grammar lets a model write, in characters: a small model with no end in sight writes for ever."""

ITEMS_LIMIT = 20
"""The longest list."""

DEPTH_LIMIT = 8
"""How deep objects and lists are described; deeper ones are any JSON."""

_BASE = {
    "char": r'[^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "integer": r'"-"? ("0" | [1-9] [0-9]{0,14})',
    "number": r'integer ("." [0-9]{1,15})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
    "any-text": r'"\"" char{0,' + str(TEXT_LIMIT) + r'} "\""',
    "any": "any-text | number | boolean | null | any-list | any-object",
    "any-list": '"[" (any (", " any){0,' + str(ITEMS_LIMIT - 1) + '})? "]"',
    "any-object": r'"{" (any-text ": " any (", " any-text ": " any){0,' + str(ITEMS_LIMIT - 1) + r'})? "}"',
}


class Grammar:
    """Rules of a grammar while it is being made. Rule names are made up, so no name of a schema is ever part of one."""

    def __init__(self) -> None:
        self._rules: dict[str, str] = {}

    def value(self, schema: object, depth: int = 0) -> str:
        """An expression that matches the JSON of a value which fits `schema`, as far as a grammar can say."""
        if not isinstance(schema, Mapping) or depth >= DEPTH_LIMIT:
            return "any"
        if "const" in schema:
            return literal(json.dumps(schema["const"], ensure_ascii=False))
        options = schema.get("enum")
        if isinstance(options, Sequence) and not isinstance(options, str) and options:
            return self._either(literal(json.dumps(option, ensure_ascii=False)) for option in options)
        for union in ("anyOf", "oneOf"):
            branches = schema.get(union)
            if isinstance(branches, Sequence) and branches:
                return self._either(self.value(branch, depth + 1) for branch in branches)
        kinds = schema.get("type")
        if isinstance(kinds, Sequence) and not isinstance(kinds, str):
            return self._either(self._typed(kind, schema, depth) for kind in kinds)
        return self._typed(kinds, schema, depth)

    def text(self, root: str) -> str:
        """The whole grammar, with `root` as the expression an answer has to match."""
        rules = {"root": root, **self._rules, **_BASE}
        return "\n".join(f"{name} ::= {body}" for name, body in rules.items()) + "\n"

    def _typed(self, kind: object, schema: Mapping[str, Any], depth: int) -> str:
        match kind:
            case "string":
                return _text(schema)
            case "integer" | "number" | "boolean" | "null":
                return str(kind)
            case "array":
                return self._list(schema, depth)
            case "object":
                return self._object(schema, depth)
            case _:
                return self._object(schema, depth) if "properties" in schema else "any"

    def _list(self, schema: Mapping[str, Any], depth: int) -> str:
        item = self._rule(self.value(schema.get("items"), depth + 1))
        least = _bound(schema, "minItems", 0, ITEMS_LIMIT)
        most = max(least, _bound(schema, "maxItems", ITEMS_LIMIT, ITEMS_LIMIT))
        if most == 0:
            return '"[]"'
        body = f'{item} (", " {item}){{{max(least - 1, 0)},{most - 1}}}'
        return f'"[" {body} "]"' if least else f'"[" ({body})? "]"'

    def _object(self, schema: Mapping[str, Any], depth: int) -> str:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            return "any-object" if schema.get("additionalProperties") is not False and depth else '"{}"'
        wanted = schema.get("required")
        required = [name for name in wanted if name in properties] if isinstance(wanted, Sequence) else []
        fields = {
            name: f"{literal(json.dumps(name, ensure_ascii=False) + ': ')} {self.value(value, depth + 1)}"
            for name, value in properties.items()
        }
        first = literal(", ").join(f" {fields[name]} " for name in required).strip()
        optional = [fields[name] for name in properties if name not in required]
        rest = self._optional(optional, separated=bool(required))
        return self._rule(f'"{{" {first} {rest} "}}"')

    def _optional(self, fields: Sequence[str], *, separated: bool) -> str:
        """Any of `fields`, in order, each with a comma before it unless nothing came before."""
        if not fields:
            return ""
        tails = [""] * (len(fields) + 1)
        for place in range(len(fields) - 1, -1, -1):
            tails[place] = self._rule(f'(", " {fields[place]})? {tails[place + 1]}')
        if separated:
            return tails[0]
        starts = (f"{field} {tails[place + 1]}".strip() for place, field in enumerate(fields))
        return f"({' | '.join(starts)})?"

    def _either(self, expressions: Any) -> str:
        return f"({' | '.join(dict.fromkeys(expressions))})"

    def _rule(self, body: str) -> str:
        name = f"r{len(self._rules)}"
        self._rules[name] = body
        return name


def literal(text: str) -> str:
    """`text` as a literal of a grammar."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _text(schema: Mapping[str, Any]) -> str:
    least = _bound(schema, "minLength", 0, TEXT_LIMIT)
    most = max(least, _bound(schema, "maxLength", TEXT_LIMIT, TEXT_LIMIT))
    return rf'"\"" char{{{least},{most}}} "\""'


def _bound(schema: Mapping[str, Any], key: str, default: int, limit: int) -> int:
    value = schema.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return default
    return min(value, limit)
