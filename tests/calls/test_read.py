"""Reading a call end to end: mended, normalised, checked, and words a model can act on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conch_desktop.calls.read import LONGEST, read_call
from conch_desktop.domain.calls import Json, ReadCall
from conch_desktop.domain.tools import Tool
from tests.calls.tools import CREW, FIND_BERTH, NOTE, NOTHING, PLAN_ROUTE, STATE, closed, tool


def pieces(raw: str, read: ReadCall) -> list[tuple[str, str, str]]:
    """Every mend as (what, path, the piece of the raw text)."""
    return [(mend.what, mend.path, raw[slice(*mend.span)] if mend.span else "?") for mend in read.mends]


def test_valid_json_means_exactly_what_it_says() -> None:
    read = read_call('{"harbour": "North\\t", "length_m": 123456789012345678901234567890}', FIND_BERTH)
    assert read.ok
    assert read.args == {"harbour": "North\t", "length_m": 123456789012345678901234567890}
    assert (read.mends, read.dropped, read.notes) == ((), (), ())


def test_almost_json_is_mended_and_every_mend_has_its_place() -> None:
    raw = (
        "{from: 'Quay 4', to: 'Mill Lane', legs: \"3\", mode: 'Ferry', "
        'via: "Old Bridge", fast: "true", colour: \'blue\',}'
    )
    read = read_call(raw, PLAN_ROUTE)
    assert read.args == {
        "from": "Quay 4",
        "to": "Mill Lane",
        "legs": 3,
        "mode": "ferry",
        "via": ["Old Bridge"],
        "fast": True,
    }
    made = pieces(raw, read)
    assert [made.count((what, "", piece)) for what, piece in [("bare_key", "from"), ("single_quotes", "'blue'")]] == [
        1,
        1,
    ]
    assert made[-1] == ("trailing_comma", "", ",")
    assert [each for each in made if each[1]] == [
        ("number", "legs", '"3"'),
        ("option_case", "mode", "'Ferry'"),
        ("list_of_one", "via", '"Old Bridge"'),
        ("boolean", "fast", '"true"'),
    ]
    assert read.dropped == ("colour",)
    assert read.notes == ("This field was left out: colour (there is no such field).",)


def test_arguments_that_do_not_fit_come_back_with_every_fault_and_the_signature() -> None:
    read = read_call('{"length_m":"ten","side":"left"}', FIND_BERTH)
    assert not read.ok
    assert read.args is None
    assert read.error.splitlines() == [
        "The arguments for find_berth don’t fit. Fix these and call it again:",
        "- harbour: required (text), but it was missing.",
        '- length_m: expected a number, got the text "ten".',
        '- side: expected one of "port", "starboard", got the text "left".',
        'It takes: {harbour: string, length_m: number, side?: "port"|"starboard"}',
    ]


def test_one_fault_is_told_as_one_and_a_field_that_came_near_is_named() -> None:
    read = read_call('{"Text": "x"}', NOTE)
    assert read.error.splitlines() == [
        "The arguments for keep_note don’t fit. Fix this and call it again:",
        "- text: required (text), but it was missing.",
        "- This field was left out: Text (there is no such field; the nearest is text).",
        "It takes: {text: string, labels?: string[], pinned?: boolean}",
    ]


UNREADABLE: list[tuple[Any, str]] = [
    ("[1, 2]", "(the arguments): expected an object, got a list of 2."),
    ('"text"', '(the arguments): expected an object, got the text "text".'),
    ("42", "(the arguments): expected an object, got the number 42."),
    ([], "(the arguments): expected an object, got a list of 0."),
    (True, "(the arguments): expected an object, got true."),
    ('{"harbour": "N", "length_m": NaN}', "at length_m, NaN is no JSON number"),
    ('{"harbour": "N", "length_m": 1e999}', "at length_m, the number is larger than one can be"),
    ({"harbour": "N", "length_m": float("inf")}, "at length_m, the number is not finite"),
    ({"harbour": "\ud83d", "length_m": 1}, "at harbour, the text holds half a character"),
    ({1: 2}, "a name is no text"),
    ({"harbour": b"N"}, "at harbour, the value is no JSON"),
    ("{" * 100_000, "nested deeper than 64 levels"),
    ("[" * 100_000, "nested deeper than 64 levels"),
    ('{"harbour": "a "b" c"}', 'near `{"harbour": "a "b" c"}`'),
    ("find me a berth", "there is no JSON object in it"),
    ("", "harbour: required (text)"),
    (None, "harbour: required (text)"),
    ("\ud83d", "there is no JSON object in it (near `?`)"),
]


@pytest.mark.parametrize(("raw", "said"), UNREADABLE)
def test_what_cannot_run_says_why_and_what_the_tool_takes(raw: Json, said: str) -> None:
    read = read_call(raw, FIND_BERTH)
    assert not read.ok
    assert "find_berth" in read.error
    assert said in read.error
    assert read.error.splitlines()[-1].startswith("It takes: {harbour: string")
    read.error.encode()


def test_a_text_past_the_limit_is_not_read() -> None:
    read = read_call('{"harbour": "' + "x" * LONGEST + '"}', FIND_BERTH)
    assert not read.ok
    assert "at most 1,000,000 are read" in read.error


@pytest.mark.parametrize("finish", ["length", "cut", "content_filter", "error"])
@pytest.mark.parametrize(
    "raw", ['{"text": "Nor', '{"text": "North"', "{'text': 'x'", '{"text": "x"}{"labels": ["a"', "", '{"text": "a "b"}']
)
def test_a_cut_call_never_runs_and_is_told_that_it_was_cut(raw: str, finish: str) -> None:
    read = read_call(raw, NOTE, finish=finish)
    assert not read.ok
    assert "were cut off before they were whole, so nothing ran" in read.error
    assert "Send less in one call." in read.error


@pytest.mark.parametrize("raw", ['{"text": "x"}', "{text: 'x',}", '{"text": "x"} I wi', '```json\n{"text": "x"}'])
def test_a_call_that_was_whole_before_the_cut_runs(raw: str) -> None:
    assert read_call(raw, NOTE, finish="length").args == {"text": "x"}


@pytest.mark.parametrize("raw", [None, "", "  \n", "null", "None", '""', "{}", {}])
def test_no_arguments_are_none(raw: Json) -> None:
    assert read_call(raw, NOTHING) == ReadCall(True, {}, mends=read_call(raw, NOTHING).mends)
    assert read_call(raw, STATE).args == {}


def test_an_object_a_provider_has_read_already_is_taken() -> None:
    read = read_call({"text": "N", "labels": "a", "x": 1}, NOTE)
    assert read.args == {"text": "N", "labels": ["a"]}
    assert [(mend.what, mend.path, mend.span) for mend in read.mends] == [("list_of_one", "labels", None)]
    assert read.dropped == ("x",)


def test_spans_of_text_within_text_point_to_the_outer_text() -> None:
    raw = r"""{"arguments": "{'trip': 't', 'crew': {'name': 'Ada', 'vip': True}, 'cabin': '{\"deck\": \"3\"}'}"}"""
    read = read_call(raw, CREW)
    assert read.args == {"trip": "t", "crew": [{"name": "Ada"}], "cabin": {"deck": 3}}
    assert read.dropped == ("crew[0].vip",)
    made = pieces(raw, read)
    assert ("envelope", "", '{"arguments": ') in made
    assert ("python_word", "", "True") in made
    assert ("single_quotes", "", "'Ada'") in made
    assert ("list_of_one", "crew", "{'name': 'Ada', 'vip': True}") in made
    assert ("json_text", "cabin", r"""'{\"deck\": \"3\"}'""") in made
    assert ("number", "cabin.deck", r"\"3\"") in made


@pytest.mark.parametrize("word", ["smile 🍵 \\u00e9", "a\\nb", "\\ud83c\\udf75"])
def test_places_after_escapes_are_right(word: str) -> None:
    raw = json.dumps(f'{{"text": "{word}", "pinned": "true",}}')
    read = read_call(raw, NOTE)
    assert read.ok
    assert ("boolean", "pinned", '\\"true\\"') in pieces(raw, read)
    assert ("trailing_comma", "", ",") in pieces(raw, read)


def test_reading_mended_arguments_again_mends_nothing() -> None:
    raw = "{text: 'x', labels: 'a', pinned: \"true\", other: 1,}"
    first = read_call(raw, NOTE)
    again = read_call(json.dumps(first.args), NOTE)
    assert (again.args, again.mends, again.dropped, again.notes) == (first.args, (), (), ())


def test_many_fields_that_were_left_out_are_named_up_to_a_dozen() -> None:
    read = read_call(json.dumps({"text": "x", **{f"k{n}": n for n in range(20)}}), NOTE)
    assert len(read.dropped) == 20
    assert read.notes[0].startswith("These fields were left out: k0 (there is no such field), ")
    assert read.notes[0].endswith("and 8 more.")


@pytest.mark.parametrize("name", ["a\nb", "x] [y", "limit ", "ü" * 300])
def test_a_name_that_was_left_out_cannot_change_the_note(name: str) -> None:
    read = read_call(json.dumps({"text": "x", name: 1}), NOTE)
    assert read.dropped == (name,)
    assert "\n" not in read.notes[0]
    assert len(read.notes[0]) < 200


BROKEN: list[Any] = [
    {"type": "object", "properties": {"n": {"type": "integr"}}},
    {"type": "object", "properties": {"n": {"$ref": "#/nowhere"}}},
    {"type": "object", "properties": {"n": {"$ref": "https://example.invalid/s.json"}}},
    {"type": "object", "properties": {"n": {"pattern": "("}}},
    {"type": "object", "properties": {"n": {"minimum": "three"}}},
    {"type": "object", "properties": {"n": 5}},
    {"type": "object", "properties": {"n": {"anyOf": "x"}}},
    {"type": "object", "properties": {"n": {"enum": "x"}}},
    {"type": "object", "properties": {"n": {"items": 3, "required": 7}}},
    {"type": "object", "properties": ["n"], "required": "n"},
    {"type": 7},
    {"$ref": "#"},
    {"type": "object", "properties": {"n": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}},
    {"properties": {"n": {"not": {"$ref": "#/$defs/A"}}}, "$defs": {"A": {"not": {"$ref": "#/$defs/A"}}}},
    {"properties": {"n": {"$dynamicRef": "#a"}}, "$defs": {"A": {"$dynamicAnchor": "a", "$dynamicRef": "#a"}}},
    {"allOf": [{"$ref": "#"}]},
    {},
]


@pytest.mark.parametrize("schema", BROKEN)
@pytest.mark.parametrize("source", ["builtin", "harbour-office"])
def test_a_broken_schema_is_used_as_far_as_it_makes_sense(schema: Any, source: str) -> None:
    odd: Tool = tool("odd", schema, source)
    for raw in ('{"n": "x"}', "{n: [1], 'm': {'k': null},}", '{"n": 3}', "nothing", ""):
        read = read_call(raw, odd)
        assert read.ok or "odd" in read.error


def test_a_tool_whose_arguments_are_no_object_is_told() -> None:
    read = read_call('{"a": 1}', tool("odd", {"type": "string"}))
    assert not read.ok
    assert "(the arguments): expected text, got an object." in read.error


def test_a_reference_at_the_root_and_between_schemas_is_followed() -> None:
    schema = {
        "$ref": "#/$defs/Call",
        "$defs": {
            "Call": {
                "type": "object",
                "properties": {"size": {"$ref": "#/$defs/Size"}, "next": {"$ref": "#/$defs/Call"}},
            },
            "Size": {"allOf": [{"enum": ["Small", "Large"]}]},
        },
    }
    read = read_call('{"size": "LARGE", "next": {"size": "small", "x": 1, "next": "{}"}}', tool("t", schema))
    assert read.args == {"size": "Large", "next": {"size": "Small", "next": {}}}
    assert read.dropped == ("next.x",)


@pytest.mark.parametrize("raw", ['{"%s": [1], "n": {}}', '{"%s": 1', '{"%s": {"a": "b "c""}}'])
def test_an_error_stays_short_whatever_was_sent(raw: str) -> None:
    read = read_call(raw % ("x" * 500_000), tool("t", {"type": "object", "additionalProperties": {"type": "integer"}}))
    assert len(read.error) < 1000


def test_an_error_shows_twelve_faults_and_counts_the_rest() -> None:
    fields = {f"f{n}": {"type": "integer"} for n in range(20)}
    read = read_call(json.dumps(dict.fromkeys(fields, "x")), tool("t", closed(fields)))
    lines = read.error.splitlines()
    assert len(lines) == 15
    assert lines[13] == "- …and 8 more."
