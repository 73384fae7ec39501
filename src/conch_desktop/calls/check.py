"""The strict check of a call's arguments against the tool's own schema, in words a model can act on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from conch_desktop.calls.signature import OPTIONS_SHOWN, signature
from conch_desktop.domain.tools import Tool

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

FAULTS_SHOWN = 12
_QUOTED = 40

TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def faults(tool: Tool, args: Mapping[str, Any]) -> list[str]:
    """Every fault of `args` at once, a line each; empty when they fit."""
    errors = sorted(_validator(_frozen(tool)).iter_errors(args), key=lambda error: [str(p) for p in error.path])
    return list(dict.fromkeys(line for error in errors for line in _lines(error)))


def refusal(tool: Tool, lines: Sequence[str]) -> str:
    """The text a model is sent for arguments that don't fit."""
    shown = [f"- {line}" for line in lines[:FAULTS_SHOWN]]
    if len(lines) > FAULTS_SHOWN:
        shown.append(f"- …and {len(lines) - FAULTS_SHOWN} more.")
    what = "this" if len(lines) == 1 else "these"
    head = f"The arguments for {tool.name} don’t fit. Fix {what} and call it again:"
    return "\n".join([head, *shown, f"It takes: {signature(tool.parameters)}"])


def quoted(value: object) -> str:
    """A value as an error names it: `the text "ten"`, `the number 7`, `a list of 3`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            text = value if len(value) <= _QUOTED else value[:_QUOTED] + "…"
            return f"the text {json.dumps(text, ensure_ascii=False)}"
        case int() | float():
            return f"the number {json.dumps(value)}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"


def _frozen(tool: Tool) -> str:
    return json.dumps(tool.parameters, sort_keys=True)


@lru_cache(maxsize=256)
def _validator(schema: str) -> Draft202012Validator:
    # Imported here because it takes 40 ms, and nothing needs it before the first call.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(schema))


def _lines(error: ValidationError) -> Iterator[str]:
    path = _path(error.absolute_path)
    where = path or "(the arguments)"
    wanted: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            given: Any = error.instance
            missing = [name for name in wanted if name not in given]
            properties = schema.get("properties", {})
            for name in missing:
                yield f"{_joined(path, name)}: required ({_kind(properties.get(name))}), but it was missing."
        case "type":
            yield f"{where}: expected {_kinds(wanted)}, got {quoted(error.instance)}."
        case "enum":
            yield f"{where}: {_options(wanted)}, got {quoted(error.instance)}."
        case "additionalProperties" if isinstance(error.instance, Mapping):
            unknown = [name for name in error.instance if name not in schema.get("properties", {})]
            for name in unknown:
                yield f"{_joined(path, name)}: there is no such field."
        case "minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum":
            yield f"{where}: expected {_bound(error)}, got {quoted(error.instance)}."
        case _:
            yield f"{where}: {error.message}"


def _path(places: Any) -> str:
    text = ""
    for place in places:
        text = f"{text}[{place}]" if isinstance(place, int) else _joined(text, str(place))
    return text


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _kind(schema: object) -> str:
    if isinstance(schema, Mapping):
        if "enum" in schema:
            return _options(schema["enum"])
        return _kinds(schema.get("type"))
    return "anything"


def _kinds(kinds: object) -> str:
    if isinstance(kinds, str):
        return TYPE_WORDS.get(kinds, kinds)
    if isinstance(kinds, Sequence):
        return " or ".join(TYPE_WORDS.get(kind, str(kind)) for kind in kinds)
    return "anything"


def _options(options: Sequence[object]) -> str:
    shown = ", ".join(json.dumps(option, ensure_ascii=False) for option in options[:OPTIONS_SHOWN])
    more = ", …" if len(options) > OPTIONS_SHOWN else ""
    return f"expected {'one of ' if len(options) > 1 else ''}{shown}{more}"


def _bound(error: ValidationError) -> str:
    value = error.validator_value
    return {
        "minLength": f"at least {value} characters",
        "maxLength": f"at most {value} characters",
        "minItems": f"at least {value} items",
        "maxItems": f"at most {value} items",
        "minimum": f"at least {value}",
        "maximum": f"at most {value}",
    }[str(error.validator)]
