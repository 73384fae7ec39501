"""The check: every fault at once in words, the strict schema for own tools, plain mistakes for an integration's."""

from __future__ import annotations

import time
from typing import Any

import pytest

from conch_desktop.calls.check import faults
from conch_desktop.calls.read import read_call
from tests.calls.tools import FLAG, NUMBER, TEXT, WHOLE, closed, tool

CIRCLE = closed({"kind": {"const": "circle"}, "r": NUMBER}, "kind", "r")
SQUARE = closed({"kind": {"const": "square"}, "side": NUMBER}, "kind", "side")

OWN: list[tuple[dict[str, Any], Any, list[str]]] = [
    (TEXT, 5, ["v: expected text, got the number 5."]),
    (closed({}, patternProperties={"^x-": TEXT}), {"x-a": "1", "y": 2}, ["v.y: there is no such field."]),
    (WHOLE, "ten", ['v: expected a number, got the text "ten".']),
    (WHOLE, 2.5, ["v: expected a whole number, got the number 2.5."]),
    (FLAG, "yes", ['v: expected true or false, got the text "yes".']),
    ({"type": ["string", "null"]}, 5, ["v: expected text or null, got the number 5."]),
    ({"type": "array"}, {"a": 1}, ["v: expected a list, got an object."]),
    ({"type": "object"}, [1, 2], ["v: expected an object, got a list of 2."]),
    (TEXT, "x" * 60, []),
    (WHOLE, "x" * 60, ['v: expected a number, got the text "' + "x" * 40 + '…".']),
    ({"enum": ["a", "b"]}, "c", ['v: expected one of "a", "b", got the text "c".']),
    ({"const": "a"}, "c", ['v: expected "a", got the text "c".']),
    ({"type": "integer", "enum": [1, 2]}, "7", ['v: expected one of 1, 2, got the text "7".']),
    ({"enum": list(range(20))}, None, ["v: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …, got null."]),
    ({"type": "integer", "maximum": 50}, 500, ["v: expected at most 50, got the number 500."]),
    ({"type": "integer", "exclusiveMinimum": 1}, 1, ["v: expected more than 1, got the number 1."]),
    ({"multipleOf": 5}, 7, ["v: expected a multiple of 5, got the number 7."]),
    ({"minLength": 3}, "ab", ['v: expected at least 3 characters, got the text "ab".']),
    ({"maxItems": 1}, [1, 2], ["v: expected at most 1 items, got a list of 2."]),
    ({"uniqueItems": True}, [1, 1], ["v: expected each item only once, got a list of 2."]),
    (
        {"pattern": "^[a-z]{2}$"},
        "norwegian",
        ['v: expected text that fits the pattern ^[a-z]{2}$, got the text "norwegian".'],
    ),
    ({"format": "date"}, "tomorrow", ['v: expected the format date, got the text "tomorrow".']),
    (
        {"format": "browser-ref"},
        "#save",
        ['v: expected a bare ref from the page text, like e12, got the text "#save".'],
    ),
    (
        {"format": "browser-ref", "pattern": "^e[0-9]+$"},
        "a b",
        ['v: expected a bare ref from the page text, like e12, got the text "a b".'],
    ),
    (closed({"a": TEXT}, "a"), {}, ["v.a: required (text), but it was missing."]),
    (closed({"a": {"enum": [1, 2]}}, "a"), {}, ["v.a: required (one of 1, 2), but it was missing."]),
    (
        {"type": "array", "items": closed({"a": TEXT}, "a")},
        [{"a": "x"}, {}],
        ["v[1].a: required (text), but it was missing."],
    ),
    (closed({}), {"x": 1}, ["v.x: there is no such field."]),
    ({"anyOf": [WHOLE, {"type": "null"}]}, "x", ['v: expected a whole number or null, got the text "x".']),
    ({"oneOf": [CIRCLE, SQUARE]}, {"r": 1}, ["v: an object fits none of the shapes it may have."]),
    ({"anyOf": [CIRCLE, {"type": "null"}]}, {"kind": "circle"}, ["v.r: required (a number), but it was missing."]),
    (
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        1,
        ["v: the number 1 fits more than one of the shapes it may have."],
    ),
    ({"not": {"type": "string"}}, "x", ["v: 'x' should not be valid under {'type': 'string'}."]),
    ({"type": "string", "nullable": True}, None, []),
    ({"enum": ["a"], "nullable": True}, None, []),
    (WHOLE, 4.0, []),
]


@pytest.mark.parametrize(("schema", "value", "lines"), OWN)
def test_an_own_tool_is_checked_in_full(schema: dict[str, Any], value: Any, lines: list[str]) -> None:
    assert faults(tool("t", closed({"v": schema}, "v")), {"v": value}) == lines


def test_of_a_reference_in_a_circle_the_rest_is_still_checked() -> None:
    tree = {"anyOf": [{"$ref": "#/$defs/Tree"}, closed({"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}})]}
    grow = tool("grow", {**closed({"size": WHOLE, "tree": {"$ref": "#/$defs/Tree"}}), "$defs": {"Tree": tree}})
    assert read_call('{"size": 3, "tree": {"kids": [{"kids": []}]}}', grow).ok
    assert "- size: expected a number" in read_call('{"size": "x", "tree": {"kids": []}}', grow).error


def test_faults_come_in_the_order_of_the_schema() -> None:
    schema = closed(
        {"c": TEXT, "b": closed({"y": TEXT, "x": WHOLE}, "y"), "a": {"type": "array", "items": WHOLE}}, "a", "c"
    )
    lines = faults(tool("t", schema), {"b": {"x": "1"}, "a": [1, "2", "3"]})
    assert [line.split(":")[0] for line in lines] == ["c", "b.y", "b.x", "a[1]", "a[2]"]


LEFT_TO_THE_SERVER: list[tuple[dict[str, Any], Any]] = [
    ({"type": "string", "pattern": "^[A-Z]{3}$"}, "abc"),
    ({"type": "integer", "minimum": 18}, 3),
    ({"type": "string", "format": "date"}, "tomorrow"),
    ({"type": "string", "maxLength": 2}, "long"),
    ({"oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}, "a long one"),
    ({"anyOf": [WHOLE, FLAG]}, "x"),
    ({"allOf": [WHOLE]}, "x"),
    ({"$ref": "#/x"}, "x"),
    ({"not": WHOLE}, 1),
    ({"type": "array", "items": {"anyOf": [WHOLE]}}, ["x"]),
    ({"type": "array", "uniqueItems": True}, [1, 1]),
    ({"type": "whatever"}, 5),
    ({"type": ["string", "whatever"]}, 5),
    ({"type": "object", "required": ["never described"]}, {}),
    ({"type": "string", "nullable": True}, None),
    ({"type": "integer"}, 4.0),
    ({"type": "number"}, 4),
    ({"enum": []}, 5),
    (True, 5),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("schema", "value"), LEFT_TO_THE_SERVER)
def test_a_call_its_server_may_take_is_never_refused(schema: dict[str, Any], value: Any) -> None:
    assert faults(tool("t", {"type": "object", "properties": {"v": schema}}, "harbour-office"), {"v": value}) == []


PLAIN: list[tuple[dict[str, Any], Any, list[str]]] = [
    (WHOLE, "ten", ['v: expected a whole number, got the text "ten".']),
    (WHOLE, 2.5, ["v: expected a whole number, got the number 2.5."]),
    (NUMBER, True, ["v: expected a number, got true."]),
    (TEXT, None, ["v: expected text, got null."]),
    ({"type": ["string", "null"]}, 5, ["v: expected text or null, got the number 5."]),
    (
        {"type": "string", "enum": ["Low", "High"]},
        "urgent",
        ['v: expected one of "Low", "High", got the text "urgent".'],
    ),
    ({"const": 3}, 4, ["v: expected 3, got the number 4."]),
    (
        {"type": "array", "items": closed({"name": TEXT}, "name")},
        [{}, 3],
        [
            "v[0].name: required (text), but it was missing.",
            "v[1]: expected an object, got the number 3.",
        ],
    ),
]


@pytest.mark.parametrize(("schema", "value", "lines"), PLAIN)
def test_a_plain_mistake_in_an_integrations_call_is_told_before_the_server_is_asked(
    schema: dict[str, Any], value: Any, lines: list[str]
) -> None:
    known = tool(
        "t", {"type": "object", "properties": {"v": schema, "w": TEXT}, "required": ["v", "w"]}, "harbour-office"
    )
    assert faults(known, {"v": value}) == [*lines, "w: required (text), but it was missing."]


def test_a_pattern_of_an_integration_is_never_run() -> None:
    hostile = tool(
        "t", {"type": "object", "properties": {"v": {"type": "string", "pattern": "^(a+)+$"}}}, "harbour-office"
    )
    begun = time.process_time()
    assert faults(hostile, {"v": "a" * 40 + "!"}) == []
    assert time.process_time() - begun < 0.1


def test_a_thousand_faults_are_enough() -> None:
    for source in ("builtin", "harbour-office"):
        known = tool("t", closed({"v": {"type": "array", "items": WHOLE}}), source)
        assert len(faults(known, {"v": ["x"] * 5_000})) == 1_000
