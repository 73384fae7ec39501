"""The grammar of a tool's arguments. That a real server takes it is tested with the model on this computer."""

from __future__ import annotations

import re

import pytest

from conch_desktop.schemas.grammar import DEPTH_LIMIT, Grammar, literal


def expression(schema: object) -> str:
    return Grammar().value(schema)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": "boolean"}, "boolean"),
        ({"const": 'a"b'}, r'"\"a\\\"b\""'),
        ({"enum": ["port", "starboard"]}, r'("\"port\"" | "\"starboard\"")'),
        ({"enum": [1, None]}, '("1" | "null")'),
        ({"type": ["string", "null"], "maxLength": 3}, r'("\"" char{0,3} "\"" | null)'),
        ({"type": "string", "minLength": 1, "maxLength": 9}, r'"\"" char{1,9} "\""'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "(integer | null)"),
        ({}, "any"),
        (True, "any"),
        ({"$ref": "#/$defs/who"}, "any"),
        ({"type": "object"}, '"{}"'),
    ],
)
def test_a_schema_becomes_this_expression(schema: object, expected: str) -> None:
    assert expression(schema) == expected


def test_required_fields_come_first_and_optional_ones_may_be_left_out() -> None:
    grammar = Grammar()
    root = grammar.value(
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}},
            "required": ["b"],
        }
    )
    pattern = as_pattern(grammar.text(root))
    for fits in ['{"b": 1}', '{"b": 1, "a": 2}', '{"b": 1, "c": 2}', '{"b": 1, "a": 2, "c": 3}']:
        assert pattern.fullmatch(fits), fits
    for not_so in ["{}", '{"a": 1}', '{"b": 1, "c": 2, "a": 3}', '{"b": 1, }', '{"b": "1"}']:
        assert not pattern.fullmatch(not_so), not_so


def test_an_object_of_optional_fields_has_no_comma_at_its_start() -> None:
    grammar = Grammar()
    number = {"type": "integer"}
    root = grammar.value({"type": "object", "properties": {"a": number, "b": number, "c": number}})
    pattern = as_pattern(grammar.text(root))
    for fits in ["{}", '{"a": 1}', '{"b": 1}', '{"b": 1, "c": 2}', '{"a": 1, "c": 2}']:
        assert pattern.fullmatch(fits), fits
    assert not pattern.fullmatch('{, "b": 1}')


def test_a_list_keeps_its_bounds() -> None:
    grammar = Grammar()
    root = grammar.value({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3})
    pattern = as_pattern(grammar.text(root))
    assert pattern.fullmatch("[1]")
    assert pattern.fullmatch("[1, 2, 3]")
    assert not pattern.fullmatch("[]")
    assert not pattern.fullmatch("[1, 2, 3, 4]")


def test_a_schema_without_end_is_bounded() -> None:
    schema: dict[str, object] = {"type": "object"}
    schema["properties"] = {"again": schema}
    grammar = Grammar()
    assert len(grammar.text(grammar.value(schema)).splitlines()) < DEPTH_LIMIT * 3 + 20


def test_a_literal_is_quoted() -> None:
    assert literal('say "hi"\n\\') == r'"say \"hi\"\n\\"'


def as_pattern(grammar: str) -> re.Pattern[str]:
    """A grammar without recursion as a regular expression, to ask it what it takes."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    return re.compile(_pattern("root", rules))


def _pattern(name: str, rules: dict[str, str]) -> str:
    if name.startswith("any"):
        return "(?!)"
    out = ""
    token = re.compile(r'"((?:[^"\\]|\\.)*)"|([A-Za-z][\w-]*)|(\[(?:[^\]\\]|\\.)*\]|\{[\d,]+\}|[()|?])|\s+')
    for found in token.finditer(rules[name]):
        text, rule, sign = found.groups()
        if text is not None:
            out += re.escape(text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\"))
        elif rule is not None:
            out += f"(?:{_pattern(rule, rules)})"
        elif sign is not None:
            out += "(?:" if sign == "(" else sign
    return out
