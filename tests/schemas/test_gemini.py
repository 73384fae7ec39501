"""Gemini's dialect, rule by rule: what a field becomes."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.schemas.gemini import to_gemini
from tests.schemas.providers import faults
from tests.schemas.schemas import TEXT, WHOLE, fields

FREE = {"type": "string", "description": "Any value."}

RULES: dict[str, tuple[Any, Any]] = {
    # keywords that are unknown there, and what is told instead
    "additionalProperties, $schema, $id and $comment go": (
        {**fields(a=TEXT), "additionalProperties": False, "$schema": "x", "$id": "y", "$comment": "z"},
        fields(a=TEXT),
    ),
    "a default is told": (
        {"type": "integer", "default": 10, "description": "How many"},
        {"type": "integer", "description": "How many. Default: 10."},
    ),
    "a default of null, or a long one, is not": ({"type": "string", "default": None, "title": "T"}, TEXT),
    "a default of text is quoted": (
        {"type": "string", "default": "en"},
        {"type": "string", "description": 'Default: "en".'},
    ),
    "an example is told": (
        {"type": "string", "examples": ["x", "y"]},
        {"type": "string", "description": 'Example: "x".'},
    ),
    "a sentence that ends gets no second stop": (
        {"type": "string", "format": "uri", "description": "URL to fetch."},
        {"type": "string", "description": "URL to fetch. Format: uri."},
    ),
    "lengths and patterns are told": (
        {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^[a-z]+$"},
        {"type": "string", "description": "1 to 9 characters. Pattern: ^[a-z]+$"},
    ),
    "multiples and encodings are told": (
        {"type": "number", "multipleOf": 0.5},
        {"type": "number", "description": "A multiple of 0.5."},
    ),
    "media are told": (
        {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
        {"type": "string", "description": "Encoding: base64. Media type: image/png."},
    ),
    "what is not allowed is told": (
        {"type": "string", "not": {"enum": ["a", "b"]}},
        {"type": "string", "description": "Not: a, b."},
    ),
    # types
    "null in a list of types is nullable": ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
    "OpenAPI's nullable stays": ({"type": "string", "nullable": True}, {"type": "string", "nullable": True}),
    "only null is text that may be null": (
        {"type": "null"},
        {"type": "string", "description": "Only null.", "nullable": True},
    ),
    "a list of types is a choice of types, each with its own keywords": (
        {"type": ["array", "string", "null"], "items": WHOLE, "maxLength": 5, "description": "X"},
        {
            "anyOf": [
                {"type": "array", "description": "X", "nullable": True, "items": WHOLE},
                {"type": "string", "description": "At most 5 characters."},
            ]
        },
    ),
    "whole numbers and numbers are numbers": ({"type": ["integer", "number"]}, {"type": "number"}),
    "nothing said is text": ({}, FREE),
    "true is anything": (True, FREE),
    "fields make an object, items a list": (
        {"properties": {"a": {"items": WHOLE}}},
        fields(a={"type": "array", "items": WHOLE}),
    ),
    "a map without a type is an object": (
        {"additionalProperties": {"type": "number"}},
        {"type": "object", "description": "Each field: a number."},
    ),
    "types in capitals or by other names": ({"type": "STRING"}, TEXT),
    "any is anything": ({"type": "any", "description": "X"}, {"type": "string", "description": "X. Any value."}),
    "the name of a type where a schema belongs": ("integer", WHOLE),
    # options
    "an option that is the same as text stands once": (
        {"enum": [1, "1", "x"]},
        {"type": "string", "enum": ["1", "x"]},
    ),
    "numbers among the options are told where any text may stand, so that they stay numbers": (
        {"anyOf": [{"enum": [5, 0.5, "auto"]}, {"type": "string"}]},
        {
            "anyOf": [
                {"type": "number", "description": "Options: 5, 0.5."},
                {"type": "string", "enum": ["auto"]},
                {"type": "string"},
            ]
        },
    ),
    "options are text": ({"type": "integer", "enum": [1, 2]}, {"type": "string", "enum": ["1", "2"]}),
    "options of several types are text": (
        {"enum": [1, "auto", True, 1.5, [1], {"b": 1, "a": 2}]},
        {"type": "string", "enum": ["1", "auto", "true", "1.5", "[1]", '{"a": 2, "b": 1}']},
    ),
    "the empty option is told": (
        {"type": "string", "enum": ["", "a"]},
        {"type": "string", "description": 'May be "" (empty).', "enum": ["a"]},
    ),
    "null among the options is nullable": (
        {"enum": ["a", None]},
        {"type": "string", "nullable": True, "enum": ["a"]},
    ),
    "options are named once": ({"enum": ["a", "a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
    "a constant is one option": ({"const": "x"}, {"type": "string", "enum": ["x"]}),
    "a constant number is an option of text": ({"type": "integer", "const": 5}, {"type": "string", "enum": ["5"]}),
    "true alone stays a boolean": ({"const": True}, {"type": "boolean", "description": "Always true."}),
    "both booleans are a boolean": ({"type": "boolean", "enum": [True, False]}, {"type": "boolean"}),
    "no options at all are none": ({"type": "string", "enum": []}, TEXT),
    "options beside a list are told": (
        {"type": "array", "items": TEXT, "enum": ["a", "b"]},
        {"type": "array", "description": "Options: a, b.", "items": TEXT},
    ),
    "a choice of constants is one list of options": (
        {"oneOf": [{"const": "x", "title": "Ex"}, {"const": "y", "description": "Why."}]},
        {"type": "string", "description": "x: Ex, y: Why.", "enum": ["x", "y"]},
    ),
    # formats and bounds
    "date-time stays": ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
    "int64 stays, int32 of a text is told": (
        {"type": "integer", "format": "int64"},
        {"type": "integer", "format": "int64"},
    ),
    "the format enum is told": (
        {"type": "string", "format": "enum"},
        {"type": "string", "description": "Format: enum."},
    ),
    "bounds stay": ({"type": "number", "minimum": 0, "maximum": 1.5}, {"type": "number", "minimum": 0, "maximum": 1.5}),
    "an exclusive bound of whole numbers is the next one": (
        {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10},
        {"type": "integer", "minimum": 1, "maximum": 9},
    ),
    "an exclusive bound of numbers is told": (
        {"type": "number", "exclusiveMinimum": 0},
        {"type": "number", "description": "More than 0.", "minimum": 0},
    ),
    "draft 4's exclusive flag": (
        {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        {"type": "integer", "minimum": 1},
    ),
    "Zod's bounds say nothing": (
        {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991},
        WHOLE,
    ),
    "bounds beyond 32 bits are told": (
        {"type": "integer", "maximum": 4_000_000_000},
        {"type": "integer", "description": "At most 4000000000."},
    ),
    # lists
    "a list without items has text": ({"type": "array"}, {"type": "array", "items": FREE}),
    "bounds of a list stay": (
        {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3},
        {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3},
    ),
    "a tuple of the old drafts": (
        {"type": "array", "items": [TEXT, WHOLE], "additionalItems": False},
        {
            "type": "array",
            "description": "At most 2 items. In order: text, a whole number.",
            "items": {"anyOf": [TEXT, WHOLE]},
        },
    ),
    "a tuple": (
        {"type": "array", "prefixItems": [TEXT, TEXT]},
        {"type": "array", "description": "In order: text, text.", "items": TEXT},
    ),
    # objects
    "an object without fields has no properties": ({"type": "object", "properties": {}}, {"type": "object"}),
    "any fields are told": (
        {"type": "object", "additionalProperties": True},
        {"type": "object", "description": "Any fields."},
    ),
    "other fields are told": (
        {**fields(a=TEXT), "additionalProperties": {"enum": ["x"]}},
        {"type": "object", "description": "Other fields: text (one of x).", "properties": {"a": TEXT}},
    ),
    "required names what is there, and the rest is told": (
        {**fields(a=TEXT), "required": ["a", "a", "b", 5]},
        {"type": "object", "description": "Needs b.", "properties": {"a": TEXT}, "required": ["a"]},
    ),
    "a field named like a keyword is a field": (
        {**fields(type=WHOLE, properties=fields(items=TEXT), required=TEXT, enum=TEXT), "required": ["type", "enum"]},
        {**fields(type=WHOLE, properties=fields(items=TEXT), required=TEXT, enum=TEXT), "required": ["type", "enum"]},
    ),
    "a field that nothing fits goes": (
        {**fields(a=TEXT, b=False), "required": ["a"]},
        {**fields(a=TEXT), "required": ["a"]},
    ),
    # choices
    "one branch beside null is that branch": (
        {"anyOf": [{"type": "string", "description": "Name"}, {"type": "null"}], "description": "Who"},
        {"type": "string", "description": "Who. Name", "nullable": True},
    ),
    "nothing stands beside anyOf": (
        {"anyOf": [TEXT, {"type": "boolean"}, {"type": "null"}], "description": "X", "default": False, "title": "T"},
        {"anyOf": [{"type": "string", "description": "X. Default: false.", "nullable": True}, {"type": "boolean"}]},
    ),
    "what stood beside anyOf is in every branch": (
        {**fields(a=TEXT), "anyOf": [{"properties": {"b": TEXT}, "required": ["b"]}, {"properties": {"c": TEXT}}]},
        {
            "anyOf": [
                {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["b"]},
                fields(a=TEXT, c=TEXT),
            ]
        },
    ),
    "branches that only ask for fields are told": (
        {**fields(a=TEXT, b=TEXT, c=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]},
        {"type": "object", "description": "Needs a or (b and c).", "properties": {"a": TEXT, "b": TEXT, "c": TEXT}},
    ),
    "branches of one simple type are one": (
        {"anyOf": [{"type": "string", "format": "uri"}, {"type": "string", "format": "email"}]},
        {"type": "string", "description": "Format: uri or email."},
    ),
    "oneOf is a choice too": ({"oneOf": [TEXT, WHOLE]}, {"anyOf": [TEXT, WHOLE]}),
    "a choice in a choice is one": (
        {"anyOf": [{"anyOf": [TEXT, WHOLE]}, {"type": "null"}]},
        {"anyOf": [{"type": "string", "nullable": True}, WHOLE]},
    ),
    "branches that are no schemas are passed over": ({"anyOf": [None, 7, TEXT]}, {"type": "string", "nullable": True}),
    "allOf is put together": (
        {"allOf": [fields(a=TEXT), {"properties": {"b": WHOLE}, "required": ["b"]}, {"description": "Both"}]},
        {"type": "object", "description": "Both", "properties": {"a": TEXT, "b": WHOLE}, "required": ["b"]},
    ),
    "allOf keeps the tighter bound, the common options and types": (
        {"allOf": [{"type": ["number", "string"], "minimum": 1}, {"type": "integer", "minimum": 3}]},
        {"type": "integer", "minimum": 3},
    ),
    "fields that only a condition defines are there": (
        {**fields(a=TEXT), "if": {"required": ["a"]}, "then": fields(b=WHOLE), "else": {"properties": {"c": TEXT}}},
        fields(a=TEXT, b=WHOLE, c=TEXT),
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_field_becomes_this(rule: str) -> None:
    before, after = RULES[rule]
    written = to_gemini(fields(x=before))
    assert written.schema == fields(x=after)
    assert not faults(written.schema, "gemini")


def test_a_field_whose_schema_is_null_takes_anything() -> None:
    assert to_gemini(fields(x=None)).schema == fields(x=FREE)


REFERENCES: dict[str, tuple[Any, Any]] = {
    "a reference is what it leads to, with what is said beside it": (
        {
            **fields(who={"$ref": "#/$defs/P", "description": "Who asks"}),
            "$defs": {"P": {**fields(n=TEXT), "description": "P."}},
        },
        fields(who={"type": "object", "description": "Who asks. P.", "properties": {"n": TEXT}}),
    ),
    "with tildes and percents in it": (
        {**fields(x={"$ref": "#/$defs/a~1b%20~0c"}), "$defs": {"a/b ~c": WHOLE}},
        fields(x=WHOLE),
    ),
    "into a branch of another field": (
        fields(a={"anyOf": [TEXT, fields(b=WHOLE)]}, c={"$ref": "#/properties/a/anyOf/1/properties/b"}),
        fields(a={"anyOf": [TEXT, fields(b=WHOLE)]}, c=WHOLE),
    ),
    "by the schema's own address": (
        {
            "$id": "https://x.example/s.json",
            **fields(a={"$ref": "https://x.example/s.json#/$defs/n"}),
            "$defs": {"n": WHOLE},
        },
        fields(a=WHOLE),
    ),
    "by an anchor": (
        {**fields(x={"$ref": "#size"}), "$defs": {"n": {"$anchor": "size", "type": "integer"}}},
        fields(x=WHOLE),
    ),
    "in allOf, as Pydantic 1 did": (
        {
            **fields(a={"allOf": [{"$ref": "#/definitions/C"}], "default": "x"}),
            "definitions": {"C": {"enum": ["x", "y"]}},
        },
        fields(a={"type": "string", "description": 'Default: "x".', "enum": ["x", "y"]}),
    ),
    "past links that only lead on": (
        {
            **fields(x={"$ref": "#/$defs/a"}),
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": WHOLE},
        },
        fields(x=WHOLE),
    ),
    "a tree ends where it begins again": (
        {
            **fields(t={"$ref": "#/$defs/T"}),
            "$defs": {"T": fields(name=TEXT, kids={"type": "array", "items": {"$ref": "#/$defs/T"}})},
        },
        fields(
            t=fields(
                name=TEXT,
                kids={"type": "array", "items": {"type": "object", "description": "Again with name, kids."}},
            )
        ),
    ),
    "a choice of text or an object that contains itself still takes both": (
        {
            **fields(e={"$ref": "#/$defs/E"}),
            "$defs": {"E": {"anyOf": [TEXT, fields(args={"type": "array", "items": {"$ref": "#/$defs/E"}})]}},
        },
        fields(
            e={
                "anyOf": [
                    TEXT,
                    fields(
                        args={
                            "type": "array",
                            "items": {"anyOf": [TEXT, {"type": "object", "description": "Again with args."}]},
                        }
                    ),
                ]
            }
        ),
    ),
    "a choice that contains itself is its other branches": (
        {**fields(c={"$ref": "#/$defs/C"}), "$defs": {"C": {"anyOf": [{"$ref": "#/$defs/C"}, WHOLE]}}},
        fields(c=WHOLE),
    ),
    "to nowhere, elsewhere and itself: anything": (
        fields(
            a={"$ref": "#/$defs/gone", "description": "A"},
            b={"$ref": "other.json"},
            c={"$ref": "#x"},
            d={"$ref": "#/properties/d"},
            e={"$ref": 5},
        ),
        fields(a={"type": "string", "description": "A. Any value."}, b=FREE, c=FREE, d=FREE, e=FREE),
    ),
}


@pytest.mark.parametrize("rule", REFERENCES)
def test_a_reference(rule: str) -> None:
    before, after = REFERENCES[rule]
    written = to_gemini(before)
    assert written.schema == after
    assert not faults(written.schema, "gemini")


ROOTS: dict[str, tuple[Any, Any]] = {
    "without a type": ({"properties": {"a": TEXT}}, fields(a=TEXT)),
    "that may be null": ({"type": ["object", "null"], "properties": {"a": TEXT}}, fields(a=TEXT)),
    "that is a reference": (
        {"$ref": "#/$defs/args", "$defs": {"args": {**fields(a=TEXT), "required": ["a"]}}},
        {**fields(a=TEXT), "required": ["a"]},
    ),
    "of choices: their fields together, required what all require": (
        {
            "oneOf": [
                {**fields(a=TEXT, k=WHOLE), "required": ["a", "k"]},
                {**fields(b=TEXT, k=WHOLE), "required": ["b", "k"]},
            ]
        },
        {
            "type": "object",
            "description": "Needs a or b.",
            "properties": {"a": TEXT, "k": WHOLE, "b": TEXT},
            "required": ["k"],
        },
    ),
    "of choices told apart by a constant": (
        {
            "anyOf": [
                {**fields(k={"const": "a"}, x=TEXT), "required": ["k", "x"]},
                {**fields(k={"const": "b"}), "required": ["k"]},
            ]
        },
        {
            "type": "object",
            "description": 'Fields by k: "a": x.',
            "properties": {"k": {"type": "string", "enum": ["a", "b"]}, "x": TEXT},
            "required": ["k"],
        },
    ),
    "of parts": (
        {"allOf": [fields(a=TEXT), {**fields(b=TEXT), "required": ["b"]}]},
        {**fields(a=TEXT, b=TEXT), "required": ["b"]},
    ),
    "with one type for a field in two branches": (
        {"anyOf": [fields(a=TEXT), fields(a=WHOLE)]},
        fields(a={"anyOf": [TEXT, WHOLE]}),
    ),
}


@pytest.mark.parametrize("rule", ROOTS)
def test_a_root(rule: str) -> None:
    before, after = ROOTS[rule]
    written = to_gemini(before)
    assert written.schema == after
    assert not faults(written.schema, "gemini")
    assert not written.takes_nothing


@pytest.mark.parametrize("root", [{}, True, {"type": "object"}, {"type": "object", "properties": {}}, {"$schema": "x"}])
def test_a_tool_without_fields_takes_nothing_and_has_a_stand_in(root: Any) -> None:
    written = to_gemini(root)
    assert written.takes_nothing
    assert len(written.schema["properties"]) == 1
    assert "required" not in written.schema
    assert not faults(written.schema, "gemini")


def test_fields_whose_names_are_refused_are_renamed_at_every_level() -> None:
    inner = {**fields(**{"$and": TEXT, "_and": TEXT}), "required": ["$and"]}
    written = to_gemini({**fields(**{"$and": inner, "If-Match": TEXT, "数量": WHOLE}), "required": ["$and"]})
    and_, if_match, quantity = written.schema["properties"]
    assert and_ not in ("$and", "_and")  # a field of that name is there
    assert if_match == "If-Match"
    assert written.names == {and_: "$and", quantity: "数量"}
    assert written.schema["required"] == [and_]
    assert written.schema["properties"][and_]["required"] == [and_]
    assert list(written.schema["properties"][and_]["properties"]) == [and_, "_and"]
    assert written.schema["properties"][quantity]["description"] == "Own name: 数量."
    assert not faults(written.schema, "gemini")
