"""References within a schema."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.schemas.references import FOLLOWED, find, followed

ROOT: dict[str, Any] = {
    "$defs": {
        "Size": {"enum": ["S"]},
        "a/b~c": {"type": "integer"},
        "Named": {"$anchor": "here", "type": "null"},
        "list": [{"type": "string"}],
        "x y": {"type": "boolean"},
    },
    "properties": {"p": {"type": "number"}},
}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", ROOT),
        ("#/$defs/Size", {"enum": ["S"]}),
        ("#/properties/p", {"type": "number"}),
        ("#/$defs/a~1b~0c", {"type": "integer"}),
        ("#/$defs/x%20y", {"type": "boolean"}),
        ("#/$defs/list/0", {"type": "string"}),
        ("#here", {"$anchor": "here", "type": "null"}),
        ("#/$defs/list/7", None),
        ("#/$defs/list/٣", None),
        ("#/$defs/None", None),
        ("#/$defs/Size/enum/0/x", None),
        ("#nowhere", None),
        ("https://example.invalid/schema.json", None),
        ("other.json#/x", None),
        (5, None),
        (None, None),
    ],
)
def test_a_reference_leads_to_a_place_of_the_same_document_or_nowhere(reference: object, found: Any) -> None:
    assert find(ROOT, reference) == found


def test_what_stands_beside_a_reference_holds_too() -> None:
    node = {"$ref": "#/$defs/Size", "description": "x"}
    assert followed(ROOT, node) == [node, {"enum": ["S"]}]


def test_a_circle_ends_where_it_began() -> None:
    root: dict[str, Any] = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert followed(root, root["$defs"]["A"]) == [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/A"}]
    assert followed({"$ref": "#"}, {"$ref": "#"}) == [{"$ref": "#"}, {"$ref": "#"}]


def test_a_long_chain_is_followed_to_a_limit() -> None:
    root: dict[str, Any] = {"$defs": {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(100)}}
    assert len(followed(root, {"$ref": "#/$defs/d0"})) == FOLLOWED


@pytest.mark.parametrize("node", [None, 5, "x", [1], True])
def test_what_is_no_schema_says_nothing(node: object) -> None:
    assert followed(ROOT, node) == []
