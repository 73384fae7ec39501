"""Keeping a converted schema within what can be sent: its descriptions are shortened, evenly, until it fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

LARGEST = 400_000
"""Characters of one schema, as JSON."""


def fitted(schema: dict[str, Any]) -> bool | None:
    """Shortens descriptions in place where they are too much. True when it did; None when that was not enough."""
    size = _size(schema)
    if size <= LARGEST:
        return False
    described = [node for node in _nodes(schema) if isinstance(node.get("description"), str)]
    sizes = sorted(_size(node["description"]) for node in described)
    room = LARGEST - (size - sum(sizes))
    if room < 0:
        return None
    longest = _even(sizes, room)
    for node in described:
        text = node["description"]
        if _size(text) > longest:
            node["description"] = _cut(text, longest)
    return True


def _cut(text: str, longest: int) -> str:
    cut = text[: max(longest - 3, 0)]
    while cut and _size(f"{cut}…") > longest:  # a letter can take up to six characters of JSON
        cut = cut[: len(cut) * 2 // 3]
    return f"{cut}…" if cut else ""


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _even(sizes: list[int], room: int) -> int:
    """The size to cut to, so that all together fit; the small ones keep theirs."""
    for place, size in enumerate(sizes):
        share = room // (len(sizes) - place)
        if size > share:
            return share
        room -= size
    return sizes[-1] if sizes else 0


_MAPS = frozenset(("properties", "$defs", "definitions", "patternProperties", "dependentSchemas"))
_VALUES = frozenset(("enum", "default", "examples", "const", "example"))


def _nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every node of the schema."""
    rest: list[Any] = [schema]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            for key, value in node.items():
                if key in _MAPS and isinstance(value, dict):
                    rest.extend(value.values())
                elif key not in _VALUES:
                    rest.append(value)
        elif isinstance(node, list):
            rest.extend(node)
