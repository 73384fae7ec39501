"""What a schema says about a value, with references and `allOf` followed."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.calls.shapes import kind_of, shape_of


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("x", "string"),
        (1, "integer"),
        (4.0, "integer"),
        (1.5, "number"),
        (True, "boolean"),
        (None, "null"),
        ([], "array"),
    ],
)
def test_the_kind_of_a_value(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"type": "string", "nullable": True}, {"string", "null"}),
        ({"type": "nonsense"}, None),
        ({}, None),
        ({"enum": [1, "a", None]}, {"integer", "string", "null"}),
        ({"anyOf": [{"type": "string"}, {"const": 1}]}, {"string", "integer"}),
        ({"anyOf": [{"type": "string"}, {}]}, None),
        ({"properties": {"a": {}}}, {"object"}),
        ({"items": {"type": "string"}}, {"array"}),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": "number"}]}, {"integer"}),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "boolean"}}}, {"boolean"}),
    ],
)
def test_the_kinds_a_schema_allows(schema: dict[str, Any], kinds: set[str] | None) -> None:
    assert shape_of(schema).kinds == (None if kinds is None else frozenset(kinds))


@pytest.mark.parametrize(
    ("schema", "closed"),
    [
        ({"properties": {"a": {}}}, True),
        ({"properties": {}}, True),
        ({"type": "object"}, False),
        ({"additionalProperties": False}, True),
        ({"properties": {"a": {}}, "additionalProperties": True}, False),
        ({"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, False),
        ({"properties": {"a": {}}, "unevaluatedProperties": {}}, False),
        ({"properties": {"a": {}}, "patternProperties": {"x": {}}}, False),
        ({"properties": {"a": {}}, "anyOf": [{"additionalProperties": True}, {}]}, False),
        ({"patternProperties": {"x": {}}, "additionalProperties": False}, False),
        ({"unevaluatedProperties": False}, True),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, True),
    ],
)
def test_an_object_is_closed_unless_its_schema_opens_it(schema: dict[str, Any], closed: bool) -> None:
    assert shape_of(schema).closed is closed


def test_the_same_schema_is_looked_at_once() -> None:
    schema = {"type": "object"}
    assert shape_of(schema) is shape_of(schema)
    assert shape_of(schema) is not shape_of({"type": "object"})
