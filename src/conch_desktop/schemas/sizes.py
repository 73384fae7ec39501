"""Keeping a converted schema within what can be sent: its descriptions are shortened, evenly, until it fits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

LARGEST = 400_000
"""Characters of one schema, as JSON."""


def fitted(schema: dict[str, Any]) -> bool | None:
    """Shortens descriptions in place where they are too much. True when it did; None when that was not enough."""
    described = [node for node in _nodes(schema) if isinstance(node.get("description"), str)]
    texts = [node["description"] for node in described]
    shortened = False
    for node in described:
        node["description"] = ""
    room = LARGEST - _size(schema)
    if sum(map(len, texts)) > room:  # so that no more is looked at than can be kept
        longest = _even(sorted(map(len, texts)), max(room, 0))
        texts = [text if len(text) <= longest else f"{text[: max(longest - 1, 0)]}…" for text in texts]
        shortened = True
    sizes = [_size(text) - 2 for text in texts]
    fits = sum(sizes) <= room
    longest = _even(sorted(sizes), room)
    for node, text, size in zip(described, texts, sizes, strict=True):
        node["description"] = text if fits or size <= longest else _cut(text, longest)
    return None if room < 0 else shortened or not fits


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


def _cut(text: str, longest: int) -> str:
    """The beginning of a text, within `longest` characters of JSON, in which one letter can take up to six."""
    cut = text[: max(longest - 1, 0)]
    while cut and (size := _size(cut) - 2) > longest - 1:
        cut = cut[: len(cut) * (longest - 1) // size]
    return f"{cut}…" if cut else ""


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
