"""A tool's arguments in one line."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conch_desktop.calls.signature import LONGEST, signature
from conch_desktop.domain.calls import Json

LINES: list[tuple[Mapping[str, Json], str]] = [
    ({"type": "object", "properties": {}}, "{}"),
    ({"type": "object"}, "{}"),
    ({}, "{}"),
    ({"properties": {"a": {"type": ["integer", "null"]}}}, "{a?: integer}"),
    ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}, "{a?: string|number}"),
    ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, "{a?: string}"),
    ({"properties": {"a": {"const": 3}}, "required": ["a"]}, "{a: 3}"),
    ({"properties": {"a": {"enum": ["x", "y", None]}}}, '{a?: "x"|"y"}'),
    ({"properties": {"a": {"type": "string", "enum": [str(n) for n in range(13)]}}}, "{a?: string}"),
    ({"properties": {"a": {"items": {"type": "string"}, "type": "array"}}}, "{a?: string[]}"),
    ({"properties": {"a": {"items": {"enum": ["x", "y"]}, "type": "array"}}}, '{a?: ("x"|"y")[]}'),
    ({"properties": {"a": {"type": "array"}}}, "{a?: any[]}"),
    ({"properties": {"a": {}}}, "{a?: any}"),
    ({"properties": {"a b": {"type": "string"}}}, '{"a b"?: string}'),
    ({"properties": {"a": {"$ref": "#/$defs/S"}}, "$defs": {"S": {"enum": ["x"]}}}, '{a?: "x"}'),
    ({"properties": {"a": {"allOf": [{"type": "boolean"}]}}}, "{a?: boolean}"),
    (
        {"properties": {"a": {"properties": {"b": {"properties": {"c": {"properties": {"d": {}}}}}}}}},
        "{a?: {b?: {c?: object}}}",
    ),
    ({"$ref": "#/$defs/N", "$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}}}}, "{n?: {n?: {n?: object}}}"),
]


@pytest.mark.parametrize(("schema", "line"), LINES)
def test_the_signature_is_one_line(schema: Mapping[str, Json], line: str) -> None:
    assert signature(schema) == line


def test_a_long_signature_is_cut() -> None:
    line = signature({"properties": {f"field_{number}": {"type": "string"} for number in range(100)}})
    assert len(line) == LONGEST
    assert line.endswith("…")
