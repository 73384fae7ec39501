"""The plain mistakes in a call of an integration's tool: a field missing, a wrong kind, an option that isn't one.

Only where the schema says so simply; anything else is left to the integration's server, so that a valid call is
never refused here. Its patterns are never run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conch_desktop.calls import wording
from conch_desktop.calls.places import Step, path_text
from conch_desktop.calls.shapes import KINDS, kind_of
from conch_desktop.calls.strict import same
from conch_desktop.domain.calls import Json

_DEEPEST = 24
_LEFT_TO_THE_SERVER = ("anyOf", "oneOf", "allOf", "$ref", "$dynamicRef", "not", "if")

_SCALARS: dict[Any, type] = {"string": str, "integer": int, "boolean": bool}
Steps = tuple[Step, ...]


def faults(schema: Mapping[str, Any], args: Json) -> Iterator[str]:
    """Every plain mistake, a line each, in the schema's order."""
    todo: list[tuple[Any, Json, Steps] | str] = [(schema, args, ())]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        node, value, steps = item
        if not isinstance(node, Mapping) or len(steps) > _DEEPEST or any(key in node for key in _LEFT_TO_THE_SERVER):
            continue
        if line := _misfit(node, value, steps):
            yield line
        else:
            todo += reversed(list(_inside(node, value, steps)))


def _misfit(node: Mapping[str, Any], value: Json, steps: Steps) -> str | None:
    kinds = wanted_kinds(node)
    if value is None and node.get("nullable") is True:
        return None
    if kinds and kind_of(value) not in kinds and not (kind_of(value) == "integer" and "number" in kinds):
        return wording.expected(path_text(steps), wording.kinds(kinds), value)
    options = _options(node)
    if options and not any(same(value, option) for option in options):
        return wording.expected(path_text(steps), wording.options(options), value)
    return None


def wanted_kinds(node: Mapping[str, Any]) -> list[str]:
    """The types a schema names; empty when it names none, or one nobody knows."""
    said = node.get("type")
    kinds = [said] if isinstance(said, str) else list(said) if isinstance(said, Sequence) else []
    return [] if any(not isinstance(kind, str) or kind not in KINDS for kind in kinds) else kinds


def described(node: Any) -> str:
    """What a field wants, for a line that says it is missing."""
    if not isinstance(node, Mapping):
        return "anything"
    if options := _options(node):
        return wording.options(options)
    return wording.kinds(wanted_kinds(node))


def _options(node: Mapping[str, Any]) -> list[Json]:
    said = node.get("enum")
    return [node["const"]] if "const" in node else said if isinstance(said, list) else []


def _inside(node: Mapping[str, Any], value: Json, steps: Steps) -> Iterator[tuple[Any, Json, Steps] | str]:
    if isinstance(value, dict):
        properties, required = node.get("properties"), node.get("required")
        if isinstance(properties, Mapping):
            needed = required if isinstance(required, Sequence) else ()
            for name, inner in properties.items():
                if name in value:
                    if not _is_plainly_right(inner, value[name]):
                        yield inner, value[name], (*steps, name)
                elif name in needed:
                    yield wording.missing(path_text((*steps, name)), described(inner))
    elif isinstance(value, list) and isinstance(node.get("items"), Mapping):
        for index, item in enumerate(value):
            if not _is_plainly_right(node["items"], item):
                yield node["items"], item, (*steps, index)


def _is_plainly_right(node: Any, value: Json) -> bool:
    """Whether one look is enough: most values are a text or a number where just that is wanted."""
    if not isinstance(node, Mapping) or "enum" in node or "const" in node:
        return False
    return type(value) is _SCALARS.get(node.get("type")) if isinstance(node.get("type"), str) else False
