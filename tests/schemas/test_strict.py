"""The dialect of the retry, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.schemas.strict import to_strict
from tests.schemas.providers import faults
from tests.schemas.schemas import TEXT, WHOLE, fields, nested

RULES: dict[str, tuple[Any, Any]] = {
    "formats and bounds are told, bounds first": (
        {"type": "string", "format": "date-time", "minLength": 2, "default": "x", "description": "When"},
        {"type": "string", "description": 'When. At least 2 characters. Format: date-time. Default: "x".'},
    ),
    "bounds of numbers": (
        {"type": "integer", "minimum": 1, "maximum": 50},
        {"type": "integer", "description": "From 1 to 50."},
    ),
    "bounds of lists": (
        {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 1, "uniqueItems": True},
        {"type": "array", "description": "1 item. No item twice.", "items": TEXT},
    ),
    "an optional field that may be null is left out instead": ({"type": ["string", "null"]}, TEXT),
    "options are text, for Gemini is asked again in this dialect": (
        {"type": "integer", "enum": [1, 2]},
        {"type": "string", "enum": ["1", "2"]},
    ),
    "of a list and a text the list says more": (
        {"anyOf": [TEXT, {"type": "array", "items": TEXT}], "description": "To"},
        {"type": "array", "description": "To. May also be text.", "items": TEXT},
    ),
    "of a text and a number the text can carry both": (
        {"type": ["number", "string"]},
        {"type": "string", "description": "May also be a number."},
    ),
    "of options and a number the options are told": (
        {"anyOf": [{"enum": ["same", "auto"]}, {"type": "number"}]},
        {"type": "string", "description": "Known options: same, auto. May also be a number."},
    ),
    "options beside any text are told": (
        {"anyOf": [{"enum": ["low", "high"]}, TEXT]},
        {"type": "string", "description": "Known options: low, high."},
    ),
    "objects are one object with all their fields": (
        {
            "oneOf": [
                {**fields(kind={"const": "circle"}, r={"type": "number"}), "required": ["kind", "r"]},
                {
                    **fields(kind={"const": "box"}, w={"type": "number"}, h={"type": "number"}),
                    "required": ["kind", "w", "h"],
                },
            ]
        },
        {
            "type": "object",
            "description": 'Fields by kind: "circle": r, "box": w and h.',
            "properties": {
                "kind": {"type": "string", "enum": ["circle", "box"]},
                "r": {"type": "number"},
                "w": {"type": "number"},
                "h": {"type": "number"},
            },
            "required": ["kind"],
        },
    ),
    "lists are one list of all their items": (
        {"anyOf": [{"type": "array", "items": TEXT}, {"type": "array", "items": fields(a=WHOLE)}]},
        {"type": "array", "items": {"type": "object", "description": "May also be text.", "properties": {"a": WHOLE}}},
    ),
    "an empty object stays without properties": ({"type": "object", "properties": {}}, {"type": "object"}),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_field_becomes_this(rule: str) -> None:
    before, after = RULES[rule]
    written = to_strict(fields(x=before))
    assert written.schema == fields(x=after)
    assert not faults(written.schema, "strict")


def test_a_required_field_that_may_be_null_says_so() -> None:
    schema = {**fields(a={"type": ["string", "null"]}, b={"enum": ["x", "y", None]}), "required": ["a", "b"]}
    assert to_strict(schema).schema["properties"] == {
        "a": {"type": "string", "description": "May be null."},
        "b": {"type": "string", "description": "Options: x, y. May be null."},  # as options they would rule null out
    }


def test_a_tool_without_fields_has_a_stand_in_for_gemini_is_asked_in_this_dialect_too() -> None:
    written = to_strict({})
    assert written.takes_nothing
    assert len(written.schema["properties"]) == 1
    assert not faults(written.schema, "gemini")


def test_what_is_nested_deeper_than_six_levels_is_cut() -> None:
    written = to_strict(nested("object", 20))
    node, levels = written.schema, 0
    while "properties" in node:
        node, levels = next(iter(node["properties"].values())), levels + 1
    assert levels == 6
    assert node == {"type": "object"}
    assert any("nested too deep" in note for note in written.notes)
