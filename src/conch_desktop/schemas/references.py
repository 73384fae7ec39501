"""References within a schema: `$ref` to a place of the same document, followed with limits.

A reference to another document is never fetched, and one that leads nowhere or in a circle says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

FOLLOWED = 32
"""References in a row that are followed before a schema counts as going in a circle."""

Schema = Mapping[str, Any]


def find(root: Schema, reference: object) -> Any:
    """What `reference` names in `root`: a schema, or None when it leads out of the document or nowhere."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    fragment = unquote(reference[1:])
    if not fragment:
        return root
    if not fragment.startswith("/"):
        return _anchored(root, fragment)
    here: Any = root
    for step in fragment[1:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, Mapping) and name in here:
            here = here[name]
        elif isinstance(here, Sequence) and not isinstance(here, str) and _is_index(name) and int(name) < len(here):
            here = here[int(name)]
        else:
            return None
    return here


def followed(root: Schema, node: object) -> list[Schema]:
    """`node` and what its `$ref` leads to, one after the other: all of them hold at once.

    Siblings of a `$ref` count, as Draft 2020-12 has it. A circle ends where it began.
    """
    chain: list[Schema] = []
    while isinstance(node, Mapping) and len(chain) < FOLLOWED and not any(node is link for link in chain):
        chain.append(node)
        if "$ref" not in node:
            break
        node = find(root, node["$ref"])
    return chain


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 10


def _anchored(root: Schema, name: str) -> Any:
    """The schema that carries `$anchor: name`; definitions are where anchors are."""
    for key in ("$defs", "definitions"):
        definitions = root.get(key)
        if isinstance(definitions, Mapping):
            for schema in definitions.values():
                if isinstance(schema, Mapping) and schema.get("$anchor") == name:
                    return schema
    return None
