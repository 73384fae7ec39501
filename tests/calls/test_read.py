"""Reading a call: strict JSON, the strict schema, and words a model can act on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conch_desktop.calls.read import LONGEST, read_call
from conch_desktop.calls.signature import signature
from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer


async def no_run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("")


BERTH = Tool(
    "find_berth",
    "Finds a berth.",
    {
        "type": "object",
        "properties": {
            "harbour": {"type": "string"},
            "length_m": {"type": "number"},
            "side": {"type": "string", "enum": ["port", "starboard"]},
            "crew": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        },
        "required": ["harbour", "length_m"],
        "additionalProperties": False,
    },
    "read",
    no_run,
)


def test_valid_json_means_exactly_what_it_says() -> None:
    read = read_call('{"harbour": "North\\t", "length_m": 123456789012345678901234567890}', BERTH)
    assert read.ok
    assert read.args == {"harbour": "North\t", "length_m": 123456789012345678901234567890}
    assert (read.mends, read.dropped, read.notes) == ((), (), ())


def test_arguments_that_do_not_fit_come_back_with_every_fault_and_the_signature() -> None:
    read = read_call('{"length_m":"ten","side":"left"}', BERTH)
    assert not read.ok
    assert read.args is None
    assert read.error.splitlines() == [
        "The arguments for find_berth don’t fit. Fix these and call it again:",
        "- harbour: required (text), but it was missing.",
        '- length_m: expected a number, got the text "ten".',
        '- side: expected one of "port", "starboard", got the text "left".',
        'It takes: {harbour: string, length_m: number, side?: "port"|"starboard", crew?: {name?: string}[]}',
    ]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("[1, 2]", "expected an object, got a list of 2"),
        ('"text"', 'expected an object, got the text "text"'),
        ('{"harbour": "N", "length_m": 3', "at character 30"),
        ('{"harbour": "N", "length_m": NaN}', "NaN is no JSON number"),
        ("{" * 100_000, "at character 1"),
        ("[" * 100_000, "nested too deeply"),
        ('{"harbour": "N", "length_m": 3, "colour": "red"}', "colour: there is no such field."),
        ('{"harbour": "N", "length_m": 3, "crew": [{"name": 4}]}', "crew[0].name: expected text, got the number 4."),
        ("", "harbour: required (text)"),
    ],
)
def test_what_cannot_run_says_why(raw: str, said: str) -> None:
    read = read_call(raw, BERTH)
    assert not read.ok
    assert said in read.error
    assert "It takes: {harbour: string" in read.error


def test_a_text_past_the_limit_is_not_read() -> None:
    read = read_call('{"harbour": "' + "x" * LONGEST + '"}', BERTH)
    assert not read.ok
    assert "at most 1,000,000 are read" in read.error


def test_a_cut_call_is_told_that_it_was_cut() -> None:
    read = read_call('{"harbour": "Nor', BERTH, finish="length")
    assert not read.ok
    assert "cut off" in read.error


def test_an_object_a_provider_has_read_already_is_taken() -> None:
    assert read_call({"harbour": "N", "length_m": 3}, BERTH).ok


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ({"type": "object", "properties": {}}, "{}"),
        ({"type": "object"}, "{}"),
        ({"properties": {"a": {"type": ["integer", "null"]}}}, "{a?: integer}"),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}, "{a?: string|number}"),
        ({"properties": {"a": {"const": 3}}, "required": ["a"]}, "{a: 3}"),
        ({"properties": {"a": {"items": {"type": "string"}, "type": "array"}}}, "{a?: string[]}"),
    ],
)
def test_the_signature_is_one_line(schema: Mapping[str, Json], line: str) -> None:
    assert signature(schema) == line
