"""Normalising by the tool's own schema: what changes, what is left alone, what is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conch_desktop.calls.normalise import number_of
from conch_desktop.calls.read import read_call
from conch_desktop.domain.tools import BUILTIN
from tests.calls.tools import FLAG, NUMBER, TEXT, WHOLE, closed, tool

LIST = {"type": "array", "items": TEXT}
WHOLES = {"type": "array", "items": WHOLE}
MAYBE = {"anyOf": [WHOLE, {"type": "null"}]}
MIXED = {"enum": [1, 2, "auto"]}
PERSON = closed({"name": TEXT, "age": WHOLE}, "name")
SHAPES = {
    "oneOf": [
        closed({"kind": {"const": "circle"}, "r": NUMBER}, "kind", "r"),
        closed({"kind": {"const": "square"}, "side": NUMBER}, "kind", "side"),
    ]
}
EITHER = {
    "anyOf": [
        {"type": "object", "properties": {"a": WHOLE}, "required": ["a"]},
        {"type": "object", "properties": {"b": TEXT}, "required": ["b"]},
    ]
}
REFS = {"type": "array", "items": {"type": "string", "format": "browser-ref"}}

CHANGED: list[tuple[dict[str, Any], Any, Any, list[str]]] = [
    # schema of the field, sent, received, mends
    (WHOLE, "3", 3, ["number"]),
    (WHOLE, "-17", -17, ["number"]),
    (WHOLE, "4.0", 4, ["number"]),
    (WHOLE, "1e3", 1000, ["number"]),
    (WHOLE, "9007199254740993", 9007199254740993, ["number"]),
    (WHOLE, "9007199254740993.0", 9007199254740993, ["number"]),
    (NUMBER, "12.5", 12.5, ["number"]),
    (FLAG, "true", True, ["boolean"]),
    (FLAG, "false", False, ["boolean"]),
    (MAYBE, "3", 3, ["number"]),
    (MAYBE, "null", None, ["null"]),
    ({"type": ["number", "null"]}, "2.5", 2.5, ["number"]),
    (LIST, "Old Bridge", ["Old Bridge"], ["list_of_one"]),
    (LIST, "red, green", ["red, green"], ["list_of_one"]),
    (LIST, '["a", "b"]', ["a", "b"], ["json_text"]),
    (LIST, "['a', 'b',]", ["a", "b"], ["json_text"] + ["single_quotes"] * 2 + ["trailing_comma"]),
    (WHOLES, 7, [7], ["list_of_one"]),
    (WHOLES, "8", [8], ["number", "list_of_one"]),
    (WHOLES, ["1", 2, "3"], [1, 2, 3], ["number", "number"]),
    (WHOLES, "[1, 2]", [1, 2], ["json_text"]),
    ({"type": "array", "items": PERSON}, {"name": "Ada"}, [{"name": "Ada"}], ["list_of_one"]),
    ({"type": "array", "items": PERSON}, '{"name": "Ada"}', [{"name": "Ada"}], ["json_text", "list_of_one"]),
    (PERSON, '{"name": "Ada", "age": "7"}', {"name": "Ada", "age": 7}, ["json_text", "number"]),
    ({"enum": ["newest", "oldest"]}, "Newest", "newest", ["option_case"]),
    ({"const": "Go"}, "GO", "Go", ["option_case"]),
    ({"anyOf": [{"const": "red"}, {"const": "blue"}]}, "RED", "red", ["option_case"]),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, "B", ["b"], ["option_case", "list_of_one"]),
    (MIXED, "2", 2, ["number"]),
    (MIXED, "AUTO", "auto", ["option_case"]),
    ({"enum": [True, False, "some"]}, "true", True, ["boolean"]),
    ({"anyOf": [{"enum": ["auto"]}, WHOLE]}, "7", 7, ["number"]),
    ({"anyOf": [WHOLES, WHOLE]}, "3", 3, ["number"]),
    ({"anyOf": [LIST, WHOLE]}, "x", ["x"], ["list_of_one"]),
    (SHAPES, {"kind": "Circle", "r": "2"}, {"kind": "circle", "r": 2}, ["option_case", "number"]),
    (EITHER, {"a": "3"}, {"a": 3}, ["number"]),
    (REFS, "[ref=e1]", ["e1"], ["ref", "list_of_one"]),
    (REFS, ["ref=e1", "e2"], ["e1", "e2"], ["ref"]),
    ({"anyOf": [{"type": "string", "format": "browser-ref"}, {"type": "null"}]}, "[e1]", "e1", ["ref"]),
    ({"type": "object", "additionalProperties": WHOLE}, {"a": "1"}, {"a": 1}, ["number"]),
    ({"allOf": [{"type": "object", "properties": {"a": WHOLE}}]}, {"a": "1"}, {"a": 1}, ["number"]),
    ({"type": "array", "prefixItems": [TEXT, WHOLE]}, ["1", "2", "3"], ["1", 2, "3"], ["number"]),
    ({"type": "array", "items": [{"enum": ["N"]}, FLAG]}, '["n"]', ["N"], ["json_text", "option_case"]),
    (WHOLE, 4.0, 4, []),
    (WHOLE, 1e300, 10**300, []),
]


@pytest.mark.parametrize(("schema", "sent", "received", "mends"), CHANGED)
def test_a_value_becomes_the_one_thing_it_can_mean(
    schema: dict[str, Any], sent: Any, received: Any, mends: list[str]
) -> None:
    read = read_call(json.dumps({"v": sent}), tool("t", closed({"v": schema})))
    assert read.ok, read.error
    assert json.dumps(read.args) == json.dumps({"v": received})
    assert sorted(mend.what for mend in read.mends) == sorted(mends)
    assert all(mend.span for mend in read.mends)


KEPT: list[tuple[dict[str, Any], Any]] = [
    (TEXT, "  two  "),
    (TEXT, "[1, 2]"),
    (TEXT, '{"a": 1}'),
    (TEXT, "true"),
    (TEXT, "null"),
    (TEXT, "007"),
    (TEXT, "cafe\u0301 ﬁn Ⅷ &amp;"),
    ({"type": ["string", "integer"]}, "104"),
    ({"anyOf": [WHOLE, TEXT]}, "104"),
    ({"anyOf": [LIST, TEXT]}, "[1]"),
    ({"anyOf": [{"enum": ["auto"]}, TEXT]}, "AUTO"),
    ({"enum": ["S", "s", "M"]}, "s"),
    ({"enum": ["1", 1]}, "1"),
    ({}, {"n": "1", "x": None}),
    ({"type": "object"}, {"n": "1", "x": None}),
    ({"type": "object", "additionalProperties": True}, {"n": "1", "__proto__": {"x": 1}}),
    ({"type": "object", "patternProperties": {"^x": WHOLE}}, {"xa": 1, "y": "2"}),
    ({"type": "object", "patternProperties": {"^x": WHOLE}, "additionalProperties": False}, {"xa": 1}),
    ({"$ref": "#/nowhere"}, "3"),
    ({"type": "array"}, ["1", None]),
    ({"type": ["integer", "null"]}, None),
    ({"type": "string", "nullable": True}, None),
    ({"enum": ["a", None]}, None),
]


@pytest.mark.parametrize(("schema", "value"), KEPT)
def test_what_may_stay_stays_character_for_character(schema: dict[str, Any], value: Any) -> None:
    read = read_call(json.dumps({"v": value}), tool("t", closed({"v": schema})))
    assert read.ok, read.error
    assert read.args == {"v": value}
    assert (read.mends, read.dropped) == ((), ())


NOT_GUESSED: list[tuple[dict[str, Any], Any]] = [
    *(
        (WHOLE, text)
        for text in (" 3", "3 ", "+3", "03", "3.5", "1_000", "1,000", "３", "0x1F", "5.", ".5", "1e", "ten")
    ),
    *(
        (WHOLE, text)
        for text in ("", "10 minutes", "50%", "$5", "NaN", "Infinity", "1e400", "null", "true", "9" * 4301)
    ),
    *((WHOLE, value) for value in (True, 3.7, [3], {"v": 3})),
    *((NUMBER, text) for text in ("1e309", "-Infinity", "1/2", "1.000,50")),
    *((FLAG, value) for value in ("True", "TRUE", " true", "yes", "on", "1", 1, 0, "null", [True])),
    *((TEXT, value) for value in (42, 3.1, True, {"a": 1}, ["a"])),
    (WHOLES, "1,2,3"),
    (WHOLES, "[1, 2"),
    (WHOLES, "[1, 2] or so"),
    (WHOLES, None),
    (LIST, "[draft] call the baker"),
    (LIST, '["a", "b'),
    (LIST, [["a"], "b"]),
    (LIST, 5),
    (PERSON, "Ada"),
    (PERSON, "name=Ada"),
    ({"enum": ["newest", "oldest"]}, "latest"),
    ({"enum": ["newest", "oldest"]}, " newest"),
    ({"enum": ["Yes", "YES"]}, "yes"),
    ({"enum": ["1", "2"]}, 1),
    (MIXED, "3"),
    ({"anyOf": [LIST, WHOLE]}, "3"),
    ({"type": ["array", "integer"], "items": TEXT}, "3"),
    (SHAPES, {"kind": "triangle"}),
    (REFS, "[e1, e2]"),
    ({"type": "array", "items": WHOLES}, [1, 2]),
    ({"type": "array", "items": LIST}, "x"),
]


@pytest.mark.parametrize(("schema", "value"), NOT_GUESSED)
def test_what_could_be_something_else_is_refused(schema: dict[str, Any], value: Any) -> None:
    read = read_call(json.dumps({"v": value}), tool("t", closed({"v": schema}, "v")))
    assert not read.ok
    assert "- v" in read.error


DROPPED: list[tuple[dict[str, Any], Any, Any, tuple[str, ...]]] = [
    (PERSON, {"name": "A", "x": 1, "__proto__": 2}, {"name": "A"}, ("v.x", "v.__proto__")),
    (PERSON, {"name": "A", "age": None}, {"name": "A"}, ("v.age",)),
    (
        {"type": "array", "items": PERSON},
        [{"name": "A"}, {"name": "B", "r": 1}],
        [{"name": "A"}, {"name": "B"}],
        ("v[1].r",),
    ),
    ({"type": "array", "items": PERSON}, {"name": "A", "r": 1}, [{"name": "A"}], ("v[0].r",)),
    ({"type": "object", "properties": {}}, {"a": 1}, {}, ("v.a",)),
    ({"type": "object", "additionalProperties": False}, {"a": 1}, {}, ("v.a",)),
    ({"type": "object", "properties": {"a": TEXT}}, {"a": "x", "b": 1}, {"a": "x"}, ("v.b",)),
    (SHAPES, {"kind": "circle", "r": 2, "side": 3}, {"kind": "circle", "r": 2}, ("v.side",)),
    (EITHER, {"b": "x", "z": 1}, {"b": "x"}, ("v.z",)),
    (EITHER, {"a": 1, "b": "x", "z": 1}, {"a": 1, "b": "x"}, ("v.z",)),
    (
        {"allOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}]},
        {"a": "x", "b": "y", "c": 1},
        {"a": "x", "b": "y"},
        ("v.c",),
    ),
    (PERSON, '{"name": "A", "x": 1}', {"name": "A"}, ("v.x",)),
]


@pytest.mark.parametrize("source", ["builtin", "harbour-office"])
@pytest.mark.parametrize(("schema", "sent", "received", "paths"), DROPPED)
def test_a_field_the_schema_does_not_know_is_left_out_by_path(
    schema: dict[str, Any], sent: Any, received: Any, paths: tuple[str, ...], source: str
) -> None:
    read = read_call(json.dumps({"v": sent}), tool("t", {"type": "object", "properties": {"v": schema}}, source))
    assert read.ok, read.error
    assert (read.args, read.dropped) == ({"v": received}, paths)
    assert all(path in read.notes[0] for path in paths)


@pytest.mark.parametrize(
    ("schema", "sent", "dropped"),
    [
        ({"properties": {"a": TEXT}, "required": ["id"]}, {"a": "x", "id": 7}, ()),
        ({"properties": {"k": TEXT}, "then": {"properties": {"more": WHOLE}}}, {"k": "x", "more": 1, "z": 2}, ("z",)),
        (
            {"properties": {"a": TEXT}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": "x", "b": 1, "c": 2},
            ("c",),
        ),
        ({"properties": {"a": TEXT}, "dependentSchemas": {"a": {"properties": {"b": WHOLE}}}}, {"a": "x", "b": 1}, ()),
    ],
)
def test_a_field_the_schema_only_mentions_is_kept(schema: dict[str, Any], sent: Any, dropped: tuple[str, ...]) -> None:
    read = read_call(json.dumps(sent), tool("t", {"type": "object", **schema}, "harbour-office"))
    assert read.ok
    assert read.dropped == dropped


def test_a_schema_that_contains_itself_is_followed_as_deep_as_the_value() -> None:
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/Node"}},
        "$defs": {
            "Node": {
                "anyOf": [
                    {"type": "integer"},
                    {"type": "object", "properties": {"l": {"$ref": "#/$defs/Node"}, "r": {"$ref": "#/$defs/Node"}}},
                ]
            }
        },
    }
    value: Any = "1"
    for _ in range(30):
        value = {"l": value, "x": 0}
    read = read_call(json.dumps({"tree": value}), tool("t", schema))
    assert read.ok
    assert len(read.dropped) == 30


@pytest.mark.parametrize(
    ("written", "received"),
    [
        ("1e23", 10**23),
        ("-123456789012345678.9e1", -1234567890123456789),
        ("12345678901234567890.00", 12345678901234567890),
        ("1.5e1", 15),
        ("-0.0e9", 0),
        ("3.0000000000000000000001", None),
        ("9007199254740993.5", None),
        ("1e-400", None),
        ("-1e-99999999999999999999", None),
    ],
)
@pytest.mark.parametrize("source", [BUILTIN, "harbour"])
def test_a_whole_number_is_the_one_that_was_written_and_no_fraction_becomes_one(
    written: str, received: Any, source: str
) -> None:
    raw = f'{{"n": {written}, "list": [{written}]}}'
    read = read_call(raw, tool("count", closed({"n": WHOLE, "list": WHOLES}, "n"), source))
    if received is None:
        assert f"- n: expected a whole number, got the number {written}." in read.error
        assert "- list[0]: expected a whole number" in read.error
    else:
        assert json.dumps(read.args) == json.dumps({"n": received, "list": [received]})


@pytest.mark.parametrize("written", ["1e23", "9007199254740993.5", "1e-400", "6.02e23"])
def test_where_any_number_may_stand_it_is_the_float_it_seems_to_be(written: str) -> None:
    read = read_call(f'{{"n": {written}, "more": [{written}]}}', tool("weigh", closed({"n": NUMBER, "more": {}})))
    assert json.dumps(read.args) == json.dumps({"n": float(written), "more": [float(written)]})


@pytest.mark.parametrize(
    ("text", "whole", "number"),
    [
        ("3", True, 3),
        ("3.0", True, 3),
        ("3.0", False, 3.0),
        ("1e23", True, 10**23),
        ("-0", True, 0),
        ("1e-2", True, None),
    ],
)
def test_a_number_is_read_by_the_grammar_of_json(text: str, whole: bool, number: Any) -> None:
    assert number_of(text, whole=whole) == number
