"""What a model is told of a call that could not be read, with a call written as it should be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool
from conch_desktop.words.formats import CALL_CLOSE, CALL_OPEN
from conch_desktop.words.names import Names

_LEVELS = 3
_NAMES_SHOWN = 40


def block(name: str, arguments: Mapping[str, Json]) -> str:
    """One call as models are asked to write it."""
    body = json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)
    return f"{CALL_OPEN}\n{body}\n{CALL_CLOSE}"


def example(tools: Sequence[Tool]) -> str:
    """A whole call of one of `tools`, with what it needs: of the first that needs something."""
    if not tools:
        return block("tool", {"field": "value"})
    tool = next((tool for tool in tools if tool.parameters.get("required")), tools[0])
    return example_of(tool)


def example_of(tool: Tool) -> str:
    """A whole call of `tool` with everything it needs."""
    value = _sample({"type": "object", **tool.parameters}, 0)
    return block(tool.name, value if isinstance(value, dict) else {})


def how(names: Names, name: str = "") -> str:
    """How to write a call, with one of the tool named `name` or else of one that is on offer."""
    tool = names.tools.get(name)
    known = [known for known in names.tools.values() if known is not None]
    if tool is not None:
        shown = example_of(tool)
    elif known or not names.tools:
        shown = example(known)
    else:
        shown = block(name if name in names.tools else next(iter(names.tools)), {})
    return f"Write it exactly like this, with one JSON object inside:\n{shown}"


def unreadable(names: Names, why: str = "") -> str:
    """Nothing in the block is a call."""
    return f"The call could not be read{f': {why}' if why else ''}. {how(names)}"


def broken(names: Names, name: str, why: str) -> str:
    """The tool is known and what stands after it is not to be read."""
    return f"The call of {name} could not be read: {why}. {how(names, name)}"


def nameless(names: Names) -> str:
    """No tool is named, and none is guessed."""
    return f"The call names no tool. {how(names)}"


def unknown(names: Names, said: str) -> str:
    """There is no such tool."""
    some = sorted(names.tools)[:_NAMES_SHOWN]
    listed = ", ".join(some) + (", …" if len(names.tools) > len(some) else "") if some else "none"
    return f"There is no tool {said[:80]}. The tools are: {listed}. {how(names)}"


def cut_off(names: Names, name: str = "") -> str:
    """The answer ended in the middle of the call."""
    which = f"The call of {name}" if name else "The call"
    return f"{which} was cut off before it was whole, so nothing ran. Send less in one call. {how(names, name)}"


def after_own_answer(name: str) -> str:
    """The call rests on an answer the model made up."""
    return (
        f"The call of {name} was not run: it came after a tool's answer that you wrote yourself. Only the program "
        "writes answers. Wait for the real answers, then call again if it is still needed."
    )


def _sample(schema: object, level: int) -> Json:
    """A value that fits `schema`, as plain as possible."""
    if not isinstance(schema, Mapping):
        return "…"
    if "const" in schema:
        return schema["const"]
    options = schema.get("enum")
    if isinstance(options, Sequence) and not isinstance(options, str) and options:
        return options[0]
    for union in ("anyOf", "oneOf"):
        branches = schema.get(union)
        if isinstance(branches, Sequence) and branches and level < _LEVELS:
            return _sample(next((b for b in branches if _kind(b) != "null"), branches[0]), level + 1)
    return _of_kind(_kind(schema), schema, level)


def _kind(schema: object) -> str:
    kind: Any = schema.get("type") if isinstance(schema, Mapping) else None
    if isinstance(kind, Sequence) and not isinstance(kind, str):
        kind = next((one for one in kind if one != "null"), None)
    if kind is None and isinstance(schema, Mapping) and "properties" in schema:
        return "object"
    return kind if isinstance(kind, str) else "string"


def _of_kind(kind: str, schema: Mapping[str, Any], level: int) -> Json:
    match kind:
        case "object":
            fields = schema.get("properties")
            required = schema.get("required")
            if not isinstance(fields, Mapping) or not isinstance(required, Sequence) or level >= _LEVELS:
                return {}
            return {name: _sample(fields.get(name), level + 1) for name in required if isinstance(name, str)}
        case "array":
            return [_sample(schema.get("items"), level + 1)] if level < _LEVELS else []
        case "integer" | "number":
            least = schema.get("minimum")
            return least if isinstance(least, int | float) and least > 1 else 1
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return "…"
