"""What is done with each keyword of a schema that is mended into draft 2020-12 (see `draft`).

A function writes the keyword into the task's node and returns what it could only say in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from conch_desktop.schemas.described import BOUNDS, NAME, OPTIONS, SHAPE, Said, listed, ranged
from conch_desktop.schemas.shapes import unlike
from conch_desktop.schemas.values import (
    KINDS,
    SAFE_INTEGER,
    Dropped,
    as_text,
    branches_in,
    clean,
    cleaned,
    is_count,
    is_number,
    kinds_of,
    sendable,
)
from conch_desktop.schemas.written import MOST_NODES, shown

if TYPE_CHECKING:
    from conch_desktop.schemas.draft import Task, Writer

_MOST_OPTIONS = 2_000
_LONGEST_PATTERN = 500
_LONGEST_CHECKED = 2_000

_LONGEST_REPEAT = 1_000
_LONGEST_REPEAT_LISTED = 250
"""Larger repetitions make a grammar too large ("failed to parse grammar"): firecrawl/firecrawl#4512."""

Told = Iterable[Said] | None


def _type(writer: Writer, task: Task, key: str, value: Any) -> None:
    sound = isinstance(value, str) and value in KINDS
    if isinstance(value, list):
        sound = bool(value) and all(isinstance(kind, str) and kind in KINDS for kind in value)
        sound = sound and len(set(value)) == len(value)
    kinds = kinds_of(value)
    if sound:
        task.out[key] = list(value) if isinstance(value, list) else value
    elif kinds is None:
        writer.note("A type that is none is left out.")
    else:
        task.out[key] = kinds[0] if len(kinds) == 1 else list(kinds)


def _properties(writer: Writer, task: Task, key: str, value: Any) -> None:
    if not isinstance(value, dict):
        writer.note(f"{key} is no object; it is left out.")
        return
    fields: dict[str, Any] = {}
    task.out[key] = fields
    for name, schema in value.items():
        if isinstance(name, str):
            sent = writer.name(name, task)
            said = () if sent == name else (Said(NAME, f"Own name: {shown(name)}."),)
            child = writer.child(schema, task, said=said)
            if child is not None:
                fields[sent] = child


def _map(writer: Writer, task: Task, key: str, value: Any) -> None:
    if not isinstance(value, dict):
        return
    schemas: dict[str, Any] = {}
    task.out[key] = schemas
    for name, schema in value.items():
        if isinstance(name, str) and sendable(name) and (key != "patternProperties" or is_pattern(name)):
            child = writer.child(schema, task)
            schemas[name] = {"not": {}} if child is None else child


def _list(writer: Writer, task: Task, key: str, value: Any) -> None:
    branches = [part for part in branches_in(value) if not writer.comes_back(part, task.node)]
    written = [child for part in branches if (child := writer.child(part, task)) is not None]
    if written:
        task.out[key] = written


def _one(writer: Writer, task: Task, key: str, value: Any) -> None:
    child = writer.child(value, task, listed=key == "contains")
    if child is not None:
        task.out[key] = child


def _extra(writer: Writer, task: Task, key: str, value: Any) -> None:
    if isinstance(value, bool):
        task.out[key] = value
    elif isinstance(value, dict):
        task.out[key] = writer.child(value, task, listed=key == "unevaluatedItems")


def _not(writer: Writer, task: Task, key: str, value: Any) -> Told:
    if writer.rules.grammars and (value is True or value == {}):
        return [Said(BOUNDS, "Leave this out.")]  # llama.cpp: "Unrecognized schema" (ggml-org/llama.cpp#14227)
    _one(writer, task, key, value)
    return None


def _items(writer: Writer, task: Task, key: str, value: Any) -> Told:
    if isinstance(value, list):  # the old drafts' way to say prefixItems
        return _tuple(writer, task, value, task.node.get("additionalItems"))
    if isinstance(task.node.get("prefixItems"), list):
        return None  # written with it
    child = writer.child(value, task, listed=True)
    if child is not None:
        task.out[key] = child
    elif not writer.rules.grammars:
        task.out[key] = False
    return None


def _prefix(writer: Writer, task: Task, key: str, value: Any) -> Told:
    return _tuple(writer, task, value, task.node.get("items")) if isinstance(value, list) else None


def _tuple(writer: Writer, task: Task, parts: list[Any], rest: Any) -> Told:
    """A list with a place for each item. Grammars and chat templates know only `items`, so there it is told."""
    if isinstance(rest, list):  # both drafts' ways at once
        rest = None
    places = [child for part in parts if (child := writer.child(part, task, listed=True)) is not None]
    more = writer.child(rest, task, listed=True) if isinstance(rest, dict) else None
    if not writer.rules.grammars:
        if places:
            task.out["prefixItems"] = places
        if isinstance(rest, bool) or more is not None:
            task.out["items"] = rest if more is None else more
        return None
    choices = [*places, *([] if more is None else [more])]
    if choices:
        task.out["items"] = choices[0] if len(choices) == 1 else {"anyOf": choices}
    words = "The first items in the order of the choices." if len(places) > 1 else ""
    most = f"At most {len(places)} items." if rest is False else ""
    return [Said(SHAPE, text) for text in (words, most) if text]


def _enum(writer: Writer, task: Task, key: str, value: Any) -> Told:
    given = value if isinstance(value, list) else []
    options = []
    for option in given[: _MOST_OPTIONS + 1]:
        try:
            kept = cleaned(option)
        except Dropped:
            kept = None
        if option is not None and (kept is None or (isinstance(option, str) and kept != option)):
            writer.note("Options that can't be sent are left out.")
        else:
            options.append(kept)
    if len(options) > _MOST_OPTIONS:
        writer.note(f"{len(given):,} options are more than can be sent; the first are told.")
        return [Said(OPTIONS, f"Options: {listed([as_text(option) for option in options], 180, len(given))}.")]
    if options:
        task.out[key] = unlike(options)
    return None


def _const(writer: Writer, task: Task, key: str, value: Any) -> None:
    if not isinstance(value, str) or sendable(value):
        writer.copy(task.out, key, value)


def _required(writer: Writer, task: Task, key: str, value: Any) -> Told:
    if isinstance(value, list):
        fields = task.node.get("properties")
        gone = {name for name, schema in fields.items() if schema is False} if isinstance(fields, dict) else set()
        names = dict.fromkeys(name for name in value[:MOST_NODES] if isinstance(name, str) and name not in gone)
        task.out[key] = [writer.name(name, task) for name in names]
    elif value is True:  # draft 3 said so in the field itself
        return [Said(BOUNDS, "Required.")]
    return None


def _count(writer: Writer, task: Task, key: str, value: Any) -> Told:
    if not is_count(value):
        writer.note(f"{key} is no count; it is left out.")
        return None
    longest = _LONGEST_REPEAT_LISTED if task.listed else _LONGEST_REPEAT
    what = {"Length": "characters", "Items": "items"}.get(key[3:])
    if writer.rules.grammars and what and value > longest:
        return [Said(BOUNDS, f"At {'least' if key.startswith('min') else 'most'} {int(value)} {what}.")]
    task.out[key] = int(value)
    return None


def _number(writer: Writer, task: Task, key: str, value: Any) -> Told:
    if not is_number(value):
        if not isinstance(value, bool):
            writer.note(f"{key} is no number that can be sent; it is left out.")
        return None
    largest = writer.rules.bound
    if largest is None or abs(value) <= largest:
        task.out[key] = value
    elif abs(value) < SAFE_INTEGER:
        bound = value, key.startswith("exclusive")
        return [Said(BOUNDS, ranged(bound, None) if key.endswith("inimum") else ranged(None, bound))]
    return None


def _multiple(writer: Writer, task: Task, key: str, value: Any) -> None:
    if is_number(value) and value > 0:
        task.out[key] = value


def _pattern(writer: Writer, task: Task, key: str, value: Any) -> Told:
    if not isinstance(value, str):
        return None
    if not sendable(value) or not (plain_pattern(value) if writer.rules.grammars else is_pattern(value)):
        return [Said(SHAPE, f"Pattern: {clean(value)}")]
    task.out[key] = value
    return None


def _text(writer: Writer, task: Task, key: str, value: Any) -> None:
    if isinstance(value, str):
        task.out[key] = clean(value)
    elif value is not None:
        writer.note(f"{key} is no text; it is left out.")


def _flag(writer: Writer, task: Task, key: str, value: Any) -> None:
    if isinstance(value, bool):
        task.out[key] = value


def _examples(writer: Writer, task: Task, key: str, value: Any) -> None:
    writer.copy(task.out, key, value if isinstance(value, list) else [value])


def _together(writer: Writer, task: Task, key: str, value: Any) -> None:
    """Which field needs which others; a field may have another name here."""
    if not isinstance(value, dict):
        return
    needs: dict[str, Any] = {}
    task.out[key] = needs
    for name, others in value.items():
        if isinstance(name, str) and isinstance(others, list):
            names = dict.fromkeys(other for other in others if isinstance(other, str))
            needs[writer.name(name, task)] = [writer.name(other, task) for other in names]
        elif isinstance(name, str) and isinstance(others, dict) and key == "dependencies":
            needs[writer.name(name, task)] = writer.child(others, task)


def _ref(writer: Writer, task: Task, key: str, value: Any) -> None:
    ref = writer.reference(task, value)
    if ref is not None:
        task.out[key] = ref


def _drop(writer: Writer, task: Task, key: str, value: Any) -> None:
    """Names of drafts and documents, which only some servers can read, and nothing depends on here."""


_NOT_PLAIN = re.compile(r"[\x00-\x1f]|\\[A-Za-z0-9]|\(\?|[*+?}][+?]|\{\d*,?\d{4,}|\\\$$")


def plain_pattern(pattern: str) -> bool:
    """Can any server make a grammar of it, whatever its engine?

    It has to be anchored (ggml-org/llama.cpp#17574), without lookarounds, back references and classes by letter, which
    Rust's and llama.cpp's engines don't know, and without control characters (zed-industries/zed#64386).
    """
    if len(pattern) > _LONGEST_PATTERN or not pattern.startswith("^") or not pattern.endswith("$"):
        return False
    return _NOT_PLAIN.search(pattern) is None and is_pattern(pattern)


def is_pattern(pattern: str) -> bool:
    """Is it a regular expression to a checker in Python? Other engines know more, and say so less."""
    if len(pattern) > _LONGEST_CHECKED:
        return False
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _each(write: Callable[[Writer, Task, str, Any], Told], *keys: str) -> dict[str, Any]:
    return dict.fromkeys(keys, write)


KEYWORDS: Mapping[str, Callable[[Writer, Task, str, Any], Told]] = MappingProxyType(
    {
        **_each(_type, "type"),
        **_each(_properties, "properties"),
        **_each(_map, "$defs", "definitions", "patternProperties", "dependentSchemas"),
        **_each(_list, "anyOf", "oneOf", "allOf"),
        **_each(_one, "if", "then", "else", "contains", "propertyNames", "contentSchema"),
        **_each(_extra, "additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
        **_each(_not, "not"),
        **_each(_items, "items"),
        **_each(_prefix, "prefixItems"),
        **_each(_enum, "enum"),
        **_each(_const, "const"),
        **_each(_required, "required"),
        **_each(_count, "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        **_each(_count, "minContains", "maxContains"),
        **_each(_number, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        **_each(_multiple, "multipleOf"),
        **_each(_pattern, "pattern"),
        **_each(_text, "description", "title", "format", "contentEncoding", "contentMediaType"),
        **_each(_flag, "uniqueItems", "deprecated", "readOnly", "writeOnly"),
        **_each(_examples, "examples"),
        **_each(_together, "dependentRequired", "dependencies"),
        **_each(_ref, "$ref"),
        **_each(_drop, "$schema", "$id", "$anchor", "$comment", "$vocabulary", "additionalItems"),
        **_each(_drop, "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"),
    }
)
"""Any other keyword is taken over as it is."""
