"""From what a model sent to one call: frames, texts within texts, pieces that were run together."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.calls.read import read_call
from conch_desktop.domain.tools import Tool
from tests.calls.tools import CREW, HOOK, NOTE, NOTHING, STATE, TEXT, TRY, closed, tool

NAMED = tool("add_member", closed({"name": TEXT, "action": TEXT}, "name"))
EITHER = tool("do", {"oneOf": [closed({"say": TEXT}, "say"), closed({"add": TEXT}, "add")]}, "harbour")
ONE, TWO = '{"text": "a"}', '{"text": "b"}'

TAKEN: list[tuple[Tool, str, dict[str, Any]]] = [
    (NOTE, '{"arguments": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"name": "keep_note", "arguments": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"name": "keep_note", "arguments": "{\\"text\\": \\"a\\"}"}', {"text": "a"}),
    (NOTE, '{"name": "functions.keep_note", "parameters": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"tool": "keep_note", "input": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"type": "tool_use", "id": "t1", "name": "keep_note", "input": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"type": "function", "function": {"name": "keep_note", "arguments": {"text": "a"}}}', {"text": "a"}),
    (NOTE, '{"tool_calls": [{"function": {"name": "keep_note", "arguments": {"text": "a"}}}]}', {"text": "a"}),
    (NOTE, '{"keep_note": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"function_call": {"name": "keep_note", "arguments": "{\\"text\\": \\"a\\"}"}}', {"text": "a"}),
    (NOTE, '{"functionCall": {"name": "keep_note", "args": {"text": "a"}}}', {"text": "a"}),
    (NOTE, '{"tool_call": {"id": "c1", "name": "keep_note", "arguments": {"text": "a"}}}', {"text": "a"}),
    (NOTE, '{"jsonrpc": "2.0", "id": 1, "method": "keep_note", "params": {"text": "a"}}', {"text": "a"}),
    (NOTE, '<think>not {"text": "b"}, text: no</think>{"text": "a"}', {"text": "a"}),
    (NOTE, '<think>shall I call drop_note?</think>{"text": "a"}', {"text": "a"}),
    (NOTE, '{"properties": {"text": "a"}}', {"text": "a"}),
    (NOTE, '{"kwargs": {"text": "a", "pinned": "true"}}', {"text": "a", "pinned": True}),
    (NOTE, '{"arguments": {"arguments": {"text": "a"}}}', {"text": "a"}),
    (NOTE, '[{"text": "a"}]', {"text": "a"}),
    (NOTE, '"{\\"text\\": \\"a\\"}"', {"text": "a"}),
    (NOTE, '"\\"{\\\\\\"text\\\\\\": \\\\\\"a\\\\\\"}\\""', {"text": "a"}),
    (NOTE, "\"{'text': 'a',}\"", {"text": "a"}),
    (NOTE, '{\\"text\\": \\"a\\"}', {"text": "a"}),
    (NOTE, 'keep_note({"text": "a"})', {"text": "a"}),
    (NOTE, '<function=keep_note>{"text": "a"}</function>', {"text": "a"}),
    (NOTE, 'Action: keep_note\nAction Input: {"text": "a"}', {"text": "a"}),
    (NOTE, 'keep_note{"text": "a"}', {"text": "a"}),
    (NOTE, 'to=functions.keep_note {"text": "a"}', {"text": "a"}),
    (NOTE, 'json{"text": "a"}', {"text": "a"}),
    (NOTE, 'Here is the text: {"text": "a"}', {"text": "a"}),
    (EITHER, '{"arguments": {"say": "x"}}', {"say": "x"}),
    (STATE, '{"arguments": {}}', {}),
    (STATE, '{"arguments": null}', {}),
    (STATE, '{"params": {"part": "x"}}', {"part": "x"}),
    (HOOK, '{"url": "u", "arguments": {"a": 1}}', {"url": "u", "arguments": {"a": 1}}),
    (NAMED, '{"name": "add_member", "arguments": {"name": "Bo"}}', {"name": "Bo"}),
    (NAMED, '{"name": "Bo", "action": "x"}', {"name": "Bo", "action": "x"}),
    (tool("fleet__keep_note", NOTE.parameters), '{"name": "keep_note", "arguments": {"text": "a"}}', {"text": "a"}),
]


@pytest.mark.parametrize(("known", "raw", "args"), TAKEN)
def test_a_frame_the_tool_does_not_take_is_taken_off(known: Tool, raw: str, args: dict[str, Any]) -> None:
    read = read_call(raw, known)
    assert read.args == args, read.error
    assert (read.dropped, read.notes) == ((), ())


REFUSED: list[tuple[Tool, str, str]] = [
    (NOTE, '{"name": "drop_note", "arguments": {"text": "a"}}', "they name another tool, drop_note"),
    (NOTE, '{"function": {"name": "drop_note", "arguments": {"text": "a"}}}', "they name another tool, drop_note"),
    (NOTE, 'drop_note({"text": "a"})', "program code (drop_note(…)), which is never run"),
    (NOTE, 'print({"text": "a"})', "program code"),
    (NOTE, '<function=drop_note>{"text": "a"}</function>', "they name another tool, drop_note"),
    (NOTE, 'drop_note{"text": "a"}', "they name another tool, drop_note"),
    (NOTE, 'to=drop_note {"text": "a"}', "they name another tool, drop_note"),
    (NOTE, 'Tool: drop_note\n{"text": "a"}', "they name another tool, drop_note"),
    (NOTE, '{"functionCall": {"name": "drop_note", "args": {"text": "a"}}}', "they name another tool, drop_note"),
    (STATE, '{"jsonrpc": "2.0", "method": "reboot", "params": {}}', "they name another tool, reboot"),
    (EITHER, '{"frame": {"say": "x"}}', "they stand within frame, which"),
    (STATE, '{"reboot": {"part": "x"}}', "they stand within reboot, which"),
    (NOTE, '<think>or {"text": "b"}', "the thinking before it has no end"),
    (NOTE, 'text: {"text": "a"}', "the field text seems to stand outside the object"),
    (NOTE, '{"text": "a"} pinned: true', "the field pinned seems to stand outside the object"),
    (NAMED, '{"name": "Bo", "arguments": {"action": "x"}}', "they name another tool, Bo"),
    (STATE, '{"arguments": "so it is"}', 'arguments: expected an object, got the text "so it is".'),
    (STATE, '{"arguments": [1]}', "arguments: expected an object, got a list of 1."),
    (STATE, '{"params": "{broken"}', "broken stands without quotes"),
    (HOOK, '{"arguments": {"url": "u"}}', "url: required (text), but it was missing."),
    (NOTE, '[{"text": "a"}, {"text": "b"}]', "expected an object, got a list of 2"),
    (NOTE, '[["text"]]', "expected an object, got a list of 1"),
    (tool("a__keep", closed({})), '{"name": "b__keep", "arguments": {}}', "they name another tool, b__keep"),
]


@pytest.mark.parametrize(("known", "raw", "said"), REFUSED)
def test_what_is_no_call_of_this_tool_is_refused(known: Tool, raw: str, said: str) -> None:
    read = read_call(raw, known)
    assert not read.ok
    assert said in read.error


def test_what_stands_beside_a_frame_is_left_out_by_name() -> None:
    read = read_call('{"arguments": {"part": "x"}, "reason": "y"}', STATE)
    assert (read.args, read.dropped) == ({"part": "x"}, ("reason",))
    read = read_call('{"arguments": {"part": "x"}, "deep": true}', STATE)
    assert (read.args, read.dropped) == ({"deep": True}, ("arguments",))
    read = read_call('{"data": {"part": "x", "other": 1}}', STATE)
    assert (read.args, read.dropped) == ({}, ("data",))
    read = read_call('{"input": "cpu"}', STATE)
    assert (read.args, read.dropped) == ({}, ("input",))


JOINED: list[tuple[Tool, str, dict[str, Any]]] = [
    (NOTE, ONE + ONE + ONE, {"text": "a"}),
    (NOTE, f"{ONE}\n{ONE}", {"text": "a"}),
    (NOTE, ONE + '{"labels": ["x"]}' + '{"pinned": true}', {"text": "a", "labels": ["x"], "pinned": True}),
    (NOTE, ONE + '{"text": "a", "pinned": true}', {"text": "a", "pinned": True}),
    (NOTE, "{}" + ONE, {"text": "a"}),
    (NOTE, ONE + "{}", {"text": "a"}),
    (NOTE, '{"arguments": {"text": "a"}}{"arguments": {"pinned": true}}', {"text": "a", "pinned": True}),
    (NOTHING, "{}{}", {}),
    (NOTE, f"<tool_call>{ONE}</tool_call><tool_call>{ONE}</tool_call>", {"text": "a"}),
]


@pytest.mark.parametrize(("known", "raw", "args"), JOINED)
def test_pieces_that_agree_are_one_call_and_nothing_is_said(known: Tool, raw: str, args: dict[str, Any]) -> None:
    read = read_call(raw, known)
    assert read.args == args
    assert read.notes == ()


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        (ONE + TWO, 2),
        (f"{ONE}, {TWO}", 2),
        (f"<tool_call>{ONE}</tool_call>\n<tool_call>{TWO}</tool_call>", 2),
        ("{}" + ONE + TWO, 3),
        (ONE + '{"pinned": true}{"pinned": false}', 3),
        (ONE + '{"name": "drop_note", "arguments": {"text": "a"}}', 2),
        (ONE + "{'text':", 2),
        (ONE + "[1]", 2),
        ('{"tool_calls": [{"arguments": {"text": "a"}}, {"arguments": {"text": "b"}}]}', 2),
    ],
)
def test_of_different_calls_the_first_counts_and_the_model_is_told(raw: str, count: int) -> None:
    read = read_call(raw, NOTE)
    assert read.args == {"text": "a"}
    assert read.notes == (f"Only the first of {count} calls that came at once was used; call keep_note once for each.",)


def test_a_first_call_of_another_tool_is_not_passed_over() -> None:
    assert not read_call('{"name": "drop_note", "arguments": {}}' + ONE, NOTE).ok


def test_mends_in_a_later_piece_have_their_places() -> None:
    raw = '{"trip": "t"}{"cabin": {"deck": "3"}}'
    read = read_call(raw, CREW)
    assert read.args == {"trip": "t", "cabin": {"deck": 3}}
    assert [(m.what, m.path, raw[slice(*(m.span or (0, 0)))]) for m in read.mends] == [
        ("joined", "", '{"cabin": {"deck": "3"}}'),
        ("number", "cabin.deck", '"3"'),
    ]


def test_what_is_open_is_left_alone() -> None:
    raw = '{"app": "a", "input": {"arguments": {"n": "1"}, "tool": "x", "null": null, "list": "[1]"}}'
    read = read_call(raw, TRY)
    assert read.args == {"app": "a", "input": {"arguments": {"n": "1"}, "tool": "x", "null": None, "list": "[1]"}}
    assert read.mends == ()


@pytest.mark.parametrize("layers", [5, 12])
def test_texts_within_texts_are_opened_to_a_limit(layers: int) -> None:
    import json

    raw = ONE
    for _ in range(layers):
        raw = json.dumps(raw)
    read = read_call(raw, NOTE)
    assert not read.ok
    assert "expected an object, got the text" in read.error
