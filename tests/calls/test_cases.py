"""Arguments as models really send them: a table of each kind of fault, read in process and through `check args`."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from conch_desktop import check
from conch_desktop.calls.cases import read_case
from conch_desktop.domain.tools import BUILTIN, Tool
from tests.calls.tools import (
    CREW,
    FIND_BERTH,
    HOOK,
    NOTE,
    NOTHING,
    PLAN_ROUTE,
    PRESS,
    STATE,
    SUM,
    TASK,
    TRY,
    TUNE,
)

Row = tuple[str, Tool, Any, Any]

RUN: list[Row] = [
    # kind, tool, raw, (arguments, dropped paths) or arguments
    (
        "plain",
        PLAN_ROUTE,
        '{"from": "A", "to": "B", "legs": 2, "fast": false}',
        {"from": "A", "to": "B", "legs": 2, "fast": False},
    ),
    ("plain.text_with_structure", NOTE, '{"text": "a}{b [1,] {x:1,} // no"}', {"text": "a}{b [1,] {x:1,} // no"}),
    ("plain.fence_in_text", NOTE, '{"text": "Run:\\n```json\\n{}\\n```"}', {"text": "Run:\n```json\n{}\n```"}),
    ("wrap.fence", NOTE, '```JSON\n{"text": "x",}\n```', {"text": "x"}),
    ("wrap.envelope", NOTE, '{"arguments": {"text": "x"}}', {"text": "x"}),
    ("wrap.json_string", NOTE, '"{\\"text\\": \\"x \\\\\\"y\\\\\\"\\"}"', {"text": 'x "y"'}),
    ("wrap.thinking", NOTE, '<think>A note.</think>{"text": "x"}', {"text": "x"}),
    ("wrap.tags", NOTE, '<tool_call>\n{"name": "keep_note", "arguments": {"text": "x"}}\n</tool_call>', {"text": "x"}),
    ("wrap.over_escaped", NOTE, '{\\"text\\": \\"x\\", \\"pinned\\": true}', {"text": "x", "pinned": True}),
    ("wrap.words", NOTE, 'Sure:\n{"text": "x"}\nDone.', {"text": "x"}),
    (
        "wrap.field_of_the_tool",
        HOOK,
        '{"url": "u", "arguments": {"a": ["1"]}}',
        {"url": "u", "arguments": {"a": ["1"]}},
    ),
    ("empty", NOTHING, "", {}),
    ("empty.null", STATE, None, {}),
    ("empty.none", STATE, "None", {}),
    ("dup.identical", NOTE, '{"text": "x"}{"text": "x"}', {"text": "x"}),
    ("dup.pieces", CREW, '{"trip": "t"}{"cabin": {"deck": 2}}', {"trip": "t", "cabin": {"deck": 2}}),
    ("dup.same_key", NOTE, '{"text": "x", "text": "x"}', {"text": "x"}),
    ("dup.cut_second", NOTE, '{"text": "x"}{"text":', {"text": "x"}),
    (
        "cut.brackets",
        CREW,
        '{"trip": "t", "crew": [{"name": "A"}, {"name": "B"',
        {"trip": "t", "crew": [{"name": "A"}, {"name": "B"}]},
    ),
    ("cut.text", NOTE, '{"text": "x", "labels": ["a", "b', {"text": "x", "labels": ["a", "b"]}),
    ("syntax.single_quotes", NOTE, "{'text': 'say \"hi\"'}", {"text": 'say "hi"'}),
    ("syntax.escaped_apostrophe", NOTE, r"{'text': 'Ola\'s'}", {"text": "Ola's"}),
    ("syntax.bare_keys", CREW, '{trip: "t", cabin: {deck: 1}}', {"trip": "t", "cabin": {"deck": 1}}),
    ("syntax.python", TASK, "{'id': 'T', 'due': None}", {"id": "T", "due": None}),
    ("syntax.comments", NOTE, '{"text": "a // b", /* c */ "pinned": true // d\n}', {"text": "a // b", "pinned": True}),
    ("syntax.missing_comma", SUM, '{"numbers": [1 2.5 3]}', {"numbers": [1, 2.5, 3]}),
    ("syntax.extra_comma", NOTE, '{,"text": "x"}', {"text": "x"}),
    ("syntax.mismatched", NOTE, '{"text": "x", "labels": ["a"}', {"text": "x", "labels": ["a"]}),
    ("syntax.stray_closer", NOTE, '{"text": "x"}}', {"text": "x"}),
    ("syntax.odd_spaces", NOTE, '\ufeff{"text":\u00a0"x"}\u200b', {"text": "x"}),
    ("syntax.smart_quotes", NOTE, "{“text”: “x”}", {"text": "x"}),
    ("string.control", NOTE, '{"text": "a\r\nb\tc"}', {"text": "a\r\nb\tc"}),
    ("string.regex", NOTE, r'{"text": "\d+\w"}', {"text": r"\d+\w"}),
    ("string.valid_slip", NOTE, r'{"text": "C:\temp"}', {"text": "C:\temp"}),
    ("string.surrogates", NOTE, r'{"text": "\ud83c\udf75"}', {"text": "🍵"}),
    ("number.text", FIND_BERTH, '{"harbour": "N", "length_m": "12.5"}', {"harbour": "N", "length_m": 12.5}),
    ("number.exact", STATE, '{"since": "9007199254740993"}', {"since": 9007199254740993}),
    ("number.whole", STATE, '{"since": 96230.0}', {"since": 96230}),
    ("boolean.text", STATE, '{"deep": "true"}', {"deep": True}),
    ("null.allowed", TASK, '{"id": "a", "due": null, "hours": "null"}', {"id": "a", "due": None, "hours": None}),
    ("null.optional", STATE, '{"deep": null, "part": null}', ({}, ["deep", "part"])),
    ("list.text", SUM, '{"numbers": "[1, 2]"}', {"numbers": [1, 2]}),
    ("list.one", SUM, '{"numbers": "8"}', {"numbers": [8]}),
    ("list.commas", NOTE, '{"text": "x", "labels": "a, b"}', {"text": "x", "labels": ["a, b"]}),
    ("object.text", CREW, '{"trip": "t", "cabin": "{\\"deck\\": \\"2\\"}"}', {"trip": "t", "cabin": {"deck": 2}}),
    ("enum.case", PLAN_ROUTE, '{"from": "A", "to": "B", "mode": "TRAM"}', {"from": "A", "to": "B", "mode": "tram"}),
    ("enum.only_one", TUNE, '{"size": "m"}', {"size": "M"}),
    ("union.fits", TUNE, '{"station": "104"}', {"station": "104"}),
    ("field.unknown", NOTE, '{"text": "x", "sortBy": 1}', ({"text": "x"}, ["sortBy"])),
    (
        "field.nested",
        CREW,
        '{"trip": "t", "crew": [{"name": "A", "x": 1}]}',
        ({"trip": "t", "crew": [{"name": "A"}]}, ["crew[0].x"]),
    ),
    ("field.open", TRY, '{"app": "a", "input": {"n": "3"}, "x": 1}', ({"app": "a", "input": {"n": "3"}}, ["x"])),
    ("ref.framed", PRESS, '{"ref": "[ref=e12]", "button": "Right"}', {"ref": "e12", "button": "right"}),
    ("check.left_to_the_server", CREW, '{"trip": "t", "day": "not a day"}', {"trip": "t", "day": "not a day"}),
]

NOT_RUN: list[Row] = [
    # kind, tool, raw, what the error must say
    ("wrap.other_tool", NOTE, '{"name": "drop_note", "arguments": {"text": "x"}}', ["drop_note", "keep_note"]),
    ("wrap.two_objects", NOTE, 'Use {"text": "a"} or {"text": "b"}', ["keep_note", "text"]),
    ("empty.but_required", NOTE, "null", ["text", "missing"]),
    ("dup.conflict", NOTE, '{"text": "a", "text": "b"}', ["text", "twice"]),
    ("cut.swallowed", NOTE, '{"text": "Oslo}', ["text", "closing quote"]),
    ("cut.mid_value", STATE, '{"deep": tr', ["deep"]),
    ("cut.after_colon", STATE, '{"deep":', ["deep"]),
    ("syntax.apostrophe", NOTE, "{'text': 'the dogs' bowls'}", ["text"]),
    ("syntax.bare_value", NOTE, '{"text": *.tsx}', ["text", "*.tsx"]),
    ("syntax.expression", SUM, '{"numbers": [2*3]}', ["numbers", "2*3"]),
    ("syntax.missing_value", NOTE, '{"text": , "pinned": true}', ["text", "missing"]),
    ("syntax.list_hole", SUM, '{"numbers": [1,,2]}', ["numbers"]),
    ("syntax.backticks", NOTE, '{"text": `x`}', ["text", "backticks"]),
    ("syntax.separator", NOTE, '{"text" = "x"}', ["text", "colon"]),
    ("syntax.not_a_number", FIND_BERTH, '{"harbour": "N", "length_m": .5}', ["length_m", ".5"]),
    ("string.bare_quotes", NOTE, '{"text": "a "b" c"}', ["text", "quote"]),
    ("string.mixed_escapes", NOTE, r'{"text": "C:\Users\new"}', ["text", "\\\\"]),
    ("string.half_a_pair", NOTE, r'{"text": "\ud83d x"}', ["text"]),
    ("number.words", STATE, '{"since": "10 minutes"}', ["since", "10 minutes", "number"]),
    ("number.fraction", STATE, '{"since": 3.7}', ["since", "3.7", "whole number"]),
    ("number.long", STATE, '{"since": ' + "7" * 5000 + "}", ["since", "4,300 digits"]),
    ("number.for_text", NOTE, '{"text": 42}', ["text", "42"]),
    ("boolean.words", STATE, '{"deep": "yes"}', ["deep", "yes", "true or false"]),
    ("null.required", NOTE, '{"text": null}', ["text", "null"]),
    ("list.broken", SUM, '{"numbers": "[1, 2"}', ["numbers", "[1, 2"]),
    ("list.items", SUM, '{"numbers": [1, "two"]}', ["numbers[1]", "two"]),
    ("list.for_one", NOTE, '{"text": ["x"]}', ["text", "list"]),
    ("enum.none", PLAN_ROUTE, '{"from": "A", "to": "B", "mode": "bus"}', ["mode", "bus", "walk", "ferry"]),
    ("enum.two", TUNE, '{"size": "x"}', ["size", '"S", "s", "M"']),
    ("field.synonym", NOTE, '{"content": "x"}', ["text", "missing", "content"]),
    ("field.camel", FIND_BERTH, '{"harbour": "N", "lengthM": 3}', ["length_m", "lengthM", "nearest"]),
    ("field.several", FIND_BERTH, '{"length_m": "ten", "side": "left"}', ["harbour", "ten", "starboard"]),
    ("ref.not_bare", PRESS, '{"ref": "button [ref=e12]"}', ["ref", "e12"]),
    ("type.no_object", NOTE, "[17]", ["object", "text"]),
    ("check.plain_mistake", CREW, '{"crew": [{"berth": "x"}]}', ["trip", "crew[0].name", "crew[0].berth"]),
]


def line(row: Row, **more: Any) -> dict[str, Any]:
    """The case as a line of `check args`."""
    kind, known, raw, _ = row
    source = "builtin" if known.source == BUILTIN else "integration"
    return {"id": kind, "tool": {"name": known.name, "schema": known.parameters}, "source": source, "raw": raw, **more}


@pytest.mark.parametrize("row", RUN, ids=[row[0] for row in RUN])
def test_a_call_with_one_reading_runs(row: Row) -> None:
    args, dropped = row[3] if isinstance(row[3], tuple) else (row[3], [])
    told = read_case(line(row))
    assert told["ok"], told["error"]
    assert json.dumps(told["args"], sort_keys=True) == json.dumps(args, sort_keys=True)
    assert told["dropped"] == dropped


@pytest.mark.parametrize("row", NOT_RUN, ids=[row[0] for row in NOT_RUN])
def test_a_call_with_two_readings_or_none_does_not_run_and_the_error_can_be_acted_on(row: Row) -> None:
    told = read_case(line(row))
    assert not told["ok"]
    assert [words for words in row[3] if words not in told["error"]] == []
    assert row[1].name in told["error"]


def test_check_args_answers_every_case_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [*RUN, *NOT_RUN]
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(line(row)) + "\n" for row in rows)))
    assert check.main(["args"]) == 0
    answers = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    assert [(each["id"], each["ok"]) for each in answers] == [(row[0], row in RUN) for row in rows]
    assert all(set(each) == {"id", "ok", "args", "dropped", "mends", "notes"} for each in answers if each["ok"])


def test_a_case_may_leave_out_what_is_plain() -> None:
    assert read_case({"tool": {"name": "t"}, "raw": "{a: 1}"})["args"] == {"a": 1}
    assert read_case({"tool": "t", "schema": NOTE.parameters, "raw": {"text": "x"}})["args"] == {"text": "x"}
    assert read_case({})["args"] == {}
    cut = read_case({**line(RUN[0]), "raw": '{"from": "A"', "finish": "length"})
    assert "cut off" in cut["error"]


def test_a_mend_is_told_with_its_path_and_place() -> None:
    told = read_case({"tool": {"name": "t", "schema": STATE.parameters}, "raw": '{"since": "5",}'})
    assert told["mends"] == [
        {"what": "number", "path": "since", "span": [10, 13]},
        {"what": "trailing_comma", "span": [13, 14]},
    ]
    told = read_case({"tool": {"name": "t", "schema": STATE.parameters}, "raw": {"since": "5"}})
    assert told["mends"] == [{"what": "number", "path": "since"}]
