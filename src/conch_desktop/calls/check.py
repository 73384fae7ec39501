"""The check of a call's arguments: own tools by the full strict schema, an integration's for plain mistakes only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from conch_desktop.calls import plain, refs, wording
from conch_desktop.calls.places import Step, path_text
from conch_desktop.calls.shapes import SameSchema, Shape, shape_of
from conch_desktop.calls.signature import signature
from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import BUILTIN, Tool

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

FAULTS_SHOWN = 12
_MOST = 1_000
_OTHER = 160
_LAST = 1_000_000

Fault = tuple[tuple[Step, ...], str]
"""Where, and the line that says it."""


def faults(tool: Tool, args: Mapping[str, Json]) -> list[str]:
    """Every fault of `args` at once, a line each; empty when they fit."""
    if tool.source != BUILTIN:
        return list(islice(plain.faults(tool.parameters, args), _MOST))
    try:
        errors = list(islice(_validator(SameSchema(tool.parameters)).iter_errors(args), _MOST))
    except _broken():  # the schema itself: it is used as far as it makes sense
        return list(islice(plain.faults(tool.parameters, args), _MOST))
    if not errors:
        return []
    shape = shape_of(tool.parameters)
    listed = {tuple(error.absolute_path) for error in errors if error.validator in ("enum", "const")}
    told = [
        e for e in errors if e.validator != "type" or tuple(e.absolute_path) not in listed
    ]  # the options say it all
    found = sorted((fault for error in told for fault in _faults(error)), key=lambda fault: _rank(shape, fault[0]))
    return list(dict.fromkeys(line for _, line in found))


def refusal(tool: Tool, lines: Sequence[str], notes: Sequence[str] = ()) -> str:
    """The text a model is sent for arguments that don't fit."""
    shown = [f"- {line}" for line in lines[:FAULTS_SHOWN]]
    if len(lines) > FAULTS_SHOWN:
        shown.append(f"- …and {len(lines) - FAULTS_SHOWN} more.")
    shown += [f"- {note}" for note in notes]
    what = "this" if len(lines) == 1 else "these"
    head = f"The arguments for {tool.name} don’t fit. Fix {what} and call it again:"
    return "\n".join([head, *shown, takes(tool)])


def takes(tool: Tool) -> str:
    """The last line of every error: what the tool takes."""
    return f"It takes: {signature(tool.parameters)}"


@lru_cache(maxsize=256)
def _validator(key: SameSchema) -> Validator:
    # Imported here because it takes 40 ms, and nothing needs it before the first call.
    from conch_desktop.calls.validator import strict_validator

    return strict_validator(key.schema)


def _broken() -> tuple[type[Exception], ...]:
    from conch_desktop.calls.validator import BROKEN_SCHEMA

    return BROKEN_SCHEMA


def _rank(shape: Shape, steps: Sequence[Step]) -> list[int]:
    """Where a fault comes in the order of the schema."""
    ranks = []
    here: Shape | None = shape
    for step in steps:
        if isinstance(step, int):
            ranks.append(step)
            here = here.items if here else None
        else:
            names = list(here.fields) if here else []
            ranks.append(names.index(step) if step in names else _LAST)
            here = here.fields.get(step) if here else None
    return ranks


# --- one error of the validator, in words ---


def _faults(error: ValidationError) -> Iterator[Fault]:
    steps = tuple(error.absolute_path)
    wanted: Any = error.validator_value
    value: Any = error.instance
    match error.validator:
        case "required":
            yield from _missing(error, steps)
        case "type":
            yield steps, wording.expected(path_text(steps), _kinds(wanted, value), value)
        case "enum":
            yield steps, wording.expected(path_text(steps), wording.options(wanted), value)
        case "const":
            yield steps, wording.expected(path_text(steps), wording.options([wanted]), value)
        case "anyOf" | "oneOf":
            yield from _union(error, steps)
        case "additionalProperties" | "unevaluatedProperties" if isinstance(value, Mapping):
            for name in [name for name in value if not _described(error.schema, name)]:
                yield (*steps, name), f"{path_text((*steps, name))}: there is no such field."
        case "pattern" | "format" if isinstance(error.schema, Mapping) and error.schema.get("format") == refs.FORMAT:
            yield steps, wording.expected(path_text(steps), "a bare ref from the page text, like e12", value)
        case str(keyword) if keyword in _BOUNDS:
            yield steps, wording.expected(path_text(steps), _BOUNDS[keyword].format(wanted), value)
        case _:
            said = error.message if len(error.message) <= _OTHER else error.message[:_OTHER] + "…"
            yield steps, f"{path_text(steps) or wording.ROOT}: {said}."


_BOUNDS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minProperties": "at least {} fields",
    "maxProperties": "at most {} fields",
    "uniqueItems": "each item only once",
    "pattern": "text that fits the pattern {}",
    "format": "the format {}",
}


def _missing(error: ValidationError, steps: tuple[Step, ...]) -> Iterator[Fault]:
    value: Any = error.instance
    wanted: Any = error.validator_value
    properties = _properties(error.schema)
    for name in wanted:
        if name not in value:
            yield (*steps, name), wording.missing(path_text((*steps, name)), plain.described(properties.get(name)))


def _union(error: ValidationError, steps: tuple[Step, ...]) -> Iterator[Fault]:
    """What is wrong by the one branch that can be meant; else what all the branches would take."""
    context: Any = error.context or ()
    branches: dict[Any, list[ValidationError]] = {}
    for inner in context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    meant = [found for found in branches.values() if not any(_is_of_another_kind(inner) for inner in found)]
    if len(meant) == 1:
        for inner in meant[0]:
            yield from _faults(inner)
        return
    schemas: Any = error.validator_value
    if not meant and context:
        wanted = " or ".join(dict.fromkeys(plain.described(schema) for schema in schemas))
        yield steps, wording.expected(path_text(steps), wanted, error.instance)
        return
    what = "fits none of the shapes it may have" if context else "fits more than one of the shapes it may have"
    yield steps, f"{path_text(steps) or wording.ROOT}: {wording.quoted(error.instance)} {what}."


def _is_of_another_kind(error: ValidationError) -> bool:
    return not error.relative_path and error.validator in ("type", "enum", "const")


def _properties(schema: Any) -> Mapping[str, Any]:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return properties if isinstance(properties, Mapping) else {}


def _described(schema: Any, name: str) -> bool:
    """Whether a schema says what the field `name` is, by its name or a pattern for it."""
    patterns: Any = schema.get("patternProperties") if isinstance(schema, Mapping) else None
    named = isinstance(patterns, Mapping) and any(re.search(pattern, name) for pattern in patterns)
    return named or name in _properties(schema)


def _kinds(wanted: Any, value: Json) -> str:
    """A whole number is only asked for by that name when a number came."""
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if isinstance(value, str):
        names = ["number" if name == "integer" else name for name in names]
    return wording.kinds(names)
