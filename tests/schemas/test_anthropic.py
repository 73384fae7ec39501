"""Anthropic's dialect: draft 2020-12 with one object at the root, and otherwise as it came."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.schemas.anthropic import to_anthropic
from tests.schemas.providers import faults
from tests.schemas.schemas import TEXT, WHOLE, fields

TREE = fields(name=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/T"}})

AS_THEY_CAME: dict[str, Any] = {
    "references and recursion": {**fields(t={"$ref": "#/$defs/T", "description": "X"}), "$defs": {"T": TREE}},
    "the old place of definitions": {**fields(t={"$ref": "#/definitions/T"}), "definitions": {"T": WHOLE}},
    "choices below the root": fields(a={"anyOf": [TEXT, {"oneOf": [WHOLE, {"type": "null"}]}], "default": None}),
    "lists of types, options and constants": fields(
        a={"type": ["string", "null"]}, b={"enum": [1, "x", None]}, c={"const": 5}
    ),
    "bounds, formats and patterns": fields(
        a={"type": "string", "format": "uri", "pattern": "x", "maxLength": 9_000},
        b={"type": "integer", "exclusiveMinimum": 0, "multipleOf": 5},
    ),
    "tuples": fields(a={"type": "array", "prefixItems": [TEXT, WHOLE], "items": False}),
    "lists without items": fields(a={"type": "array"}),
    "open and closed objects": {**fields(a={"additionalProperties": TEXT}), "additionalProperties": False},
    "conditions": {
        **fields(a=TEXT),
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
        "dependentRequired": {"a": ["b"]},
    },
    "a field named like a keyword": {
        **fields(type=TEXT, properties=fields(items=TEXT), required=TEXT),
        "required": ["type"],
    },
    "a dotted name": fields(**{"a.b": TEXT}),
    "names below the root": fields(a=fields(**{"$and": TEXT, "a b": TEXT})),
    "keywords it doesn't know": fields(a={"type": "string", "x-order": 1, "optional": True}),
}


@pytest.mark.parametrize("what", AS_THEY_CAME)
def test_what_is_sound_goes_as_it_came(what: str) -> None:
    written = to_anthropic(AS_THEY_CAME[what])
    assert written.schema == AS_THEY_CAME[what]
    assert not written.names
    assert not written.notes
    assert not faults(written.schema, "anthropic")


MENDED: dict[str, tuple[Any, Any]] = {
    "draft 4's exclusive bound": (
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False},
        {"type": "integer", "exclusiveMinimum": 0, "maximum": 9},
    ),
    "a type that is none": ({"type": "any", "description": "X"}, {"description": "X"}),
    "a type twice": ({"type": ["string", "string"]}, TEXT),
    "a tuple of the old drafts": (
        {"type": "array", "items": [TEXT, WHOLE], "additionalItems": False},
        {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False},
    ),
    "draft 3's required": (
        {"type": "string", "required": True, "description": "Name"},
        {"type": "string", "description": "Name. Required."},
    ),
    "required names twice, or no names": (
        {**fields(a=TEXT), "required": ["a", "a", 5]},
        {**fields(a=TEXT), "required": ["a"]},
    ),
    "true and text where a schema belongs": (fields(a=True, b="string", c=7), fields(a={}, b=TEXT, c={})),
    "fields that are no object": ({"type": "object", "properties": ["x"]}, {"type": "object"}),
    "no options and no branches": ({"enum": [], "anyOf": [], "allOf": "x"}, {}),
    "a reference to nowhere": ({"$ref": "#/$defs/gone", "description": "X"}, {"description": "X"}),
    "a reference elsewhere": ({"$ref": "https://x.example/y.json"}, {}),
    "a reference to itself": ({"$ref": "#/properties/x"}, {}),
    "counts and texts of the wrong kind": (
        {"type": "string", "maxLength": "9", "minLength": -1, "description": 5, "title": None, "uniqueItems": "yes"},
        TEXT,
    ),
    "numbers that JSON lacks": (
        {"type": "number", "maximum": float("inf"), "minimum": float("nan"), "default": float("nan"), "multipleOf": 0},
        {"type": "number"},
    ),
    "a pattern that is none": ({"type": "string", "pattern": "("}, {"type": "string", "description": "Pattern: ("}),
    "bounds beyond 32 bits, for Bedrock": (
        {"type": "integer", "minimum": -9007199254740991, "maximum": 3_000_000_000},
        {"type": "integer", "description": "At most 3000000000."},
    ),
    "an example that is no list": ({"type": "string", "examples": "x"}, {"type": "string", "examples": ["x"]}),
}


CONDITIONS: dict[str, tuple[Any, Any]] = {
    "one that could only be mended goes": ({"not": {"type": "string", "pattern": "("}}, {}),
    "and what follows from it": ({"if": {"const": "\ud83d"}, "then": {"type": "string"}}, {}),
    "a choice of exactly one is a choice of any": (
        {"oneOf": [{"type": "string", "pattern": "("}, WHOLE]},
        {"anyOf": [{"type": "string", "description": "Pattern: ("}, WHOLE]},
    ),
    "a sound one stays": (
        {"not": {"enum": ["x"]}, "oneOf": [TEXT, WHOLE]},
        {"not": {"enum": ["x"]}, "oneOf": [TEXT, WHOLE]},
    ),
}


@pytest.mark.parametrize("what", CONDITIONS)
def test_mending_inside_a_condition_never_makes_the_whole_narrower(what: str) -> None:
    before, after = CONDITIONS[what]
    written = to_anthropic(fields(x=before))
    assert written.schema == fields(x=after)
    assert not faults(written.schema, "anthropic")


@pytest.mark.parametrize("what", MENDED)
def test_what_a_validator_refuses_is_mended(what: str) -> None:
    before, after = MENDED[what]
    written = to_anthropic(fields(x=before))
    assert written.schema == fields(x=after)
    assert not faults(written.schema, "anthropic")


ROOTS: dict[str, tuple[Any, Any]] = {
    "nothing": ({}, fields()),
    "only a draft": ({"$schema": "x"}, fields()),
    "without a type": ({"properties": {"a": TEXT}}, fields(a=TEXT)),
    "a choice": (
        {
            "oneOf": [
                {**fields(a=TEXT, k={"const": "1"}), "required": ["k", "a"]},
                {**fields(k={"const": "2"}), "required": ["k"]},
            ]
        },
        {
            "type": "object",
            "properties": {"a": TEXT, "k": {"type": "string", "enum": ["1", "2"]}},
            "description": 'Fields by k: "1": a.',
            "required": ["k"],
        },
    ),
    "a choice of what to give": (
        {**fields(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}], "additionalProperties": False},
        {**fields(a=TEXT, b=TEXT), "description": "Needs a or b.", "additionalProperties": False},
    ),
    "a field of two kinds": ({"anyOf": [fields(a=TEXT), fields(a=WHOLE)]}, fields(a={"anyOf": [TEXT, WHOLE]})),
    "parts": (
        {"allOf": [fields(a=TEXT), {**fields(b=WHOLE), "required": ["b"]}], "$defs": {"u": TEXT}},
        {**fields(a=TEXT, b=WHOLE), "required": ["b"], "$defs": {"u": TEXT}},
    ),
    "a reference": (
        {"$ref": "#/$defs/A", "$defs": {"A": fields(a=TEXT)}},
        {**fields(a=TEXT), "$defs": {"A": fields(a=TEXT)}},
    ),
}


@pytest.mark.parametrize("what", ROOTS)
def test_the_root_becomes_one_object(what: str) -> None:
    before, after = ROOTS[what]
    written = to_anthropic(before)
    assert written.schema == after
    assert not faults(written.schema, "anthropic")


def test_a_reference_to_another_place_leads_to_a_definition() -> None:
    rows = {"type": "array", "items": fields(more={"$ref": "#/properties/rows"})}
    written = to_anthropic(fields(rows=rows, last={"$ref": "#/properties/rows/items"}))
    moved = {"type": "array", "items": fields(more={"$ref": "#/$defs/rows"})}
    assert written.schema == {
        **fields(rows=moved, last={"$ref": "#/$defs/items"}),
        "$defs": {"rows": moved, "items": fields(more={"$ref": "#/$defs/rows"})},
    }
    assert not faults(written.schema, "anthropic")


def test_a_moved_definition_takes_no_name_that_is_there() -> None:
    schema = {**fields(a=WHOLE, b={"$ref": "#/properties/a"}, c={"$ref": "#"}), "$defs": {"a": TEXT}}
    written = to_anthropic(schema).schema
    assert written["properties"]["b"] == {"$ref": "#/$defs/a_2"}
    assert written["properties"]["c"] == {"$ref": "#/$defs/part"}
    assert written["$defs"]["a"] == TEXT
    assert written["$defs"]["a_2"] == WHOLE
    assert written["$defs"]["part"]["properties"]["c"] == {"$ref": "#/$defs/part"}


def test_names_of_the_root_that_are_refused_are_renamed() -> None:
    schema = {
        **fields(**{"$filter": TEXT, "fields[]": TEXT, "名前": TEXT, "x" * 65: TEXT}),
        "required": ["$filter"],
        "dependentRequired": {"$filter": ["名前"]},
    }
    written = to_anthropic(schema)
    assert list(written.names.values()) == ["$filter", "fields[]", "名前", "x" * 65]
    assert list(written.names) == list(written.schema["properties"])
    by_original = {original: sent for sent, original in written.names.items()}
    assert written.schema["required"] == [by_original["$filter"]]
    assert written.schema["dependentRequired"] == {by_original["$filter"]: [by_original["名前"]]}
    assert not faults(written.schema, "anthropic")
