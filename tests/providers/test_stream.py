"""Chunks of an answer are read: text, thinking, usage and the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.events import Finish, Usage
from conch_desktop.providers.stream import Answer, Halves, ThinkSplitter
from tests.providers.feeding import Joined, join
from tests.servers import call_piece, chunk


def read(*chunks: dict[str, Any], tools: tuple[str, ...] = ("find",)) -> Joined:
    answer = Answer(tools)
    events = [event for each in chunks for event in answer.take(each)]
    return join([*events, *answer.end()])


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


@pytest.mark.parametrize(
    ("deltas", "text", "reasoning"),
    [
        ([{"reasoning_content": "Hm"}, {"content": "Yes"}], "Yes", "Hm"),
        ([{"reasoning": "Hm", "reasoning_content": "Hm", "content": ""}, {"content": "Yes"}], "Yes", "Hm"),
        ([{"reasoning": "Hm", "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}]}], "", "Hm"),
        ([{"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm"}]}], "", "Hm"),
        ([{"thinking": "Hm"}, {"content": "Yes"}], "Yes", "Hm"),
        ([{"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}], "", "Hm"),
        ([{"content": [{"type": "text", "text": "Ye"}, {"type": "text", "text": "s"}]}], "Yes", ""),
        ([{"content": "Hm", "extra_content": {"google": {"thought": True}}}, {"content": "Yes"}], "Yes", "Hm"),
        ([{"content": "<think>Hm</think>\n\nYes"}], "Yes", "Hm"),
        ([{"content": "Write <think>x</think>"}], "Write <think>x</think>", ""),
        ([{"content": None, "refusal": "I won't."}], "I won't.", ""),
        ([{"content": 5, "reasoning": {"x": 1}, "tool_calls": None}], "", ""),
    ],
)  # fmt: skip
def test_thinking_is_told_from_text_and_counted_once(deltas: list[dict[str, Any]], text: str, reasoning: str) -> None:
    answer = read(*(delta(**each) for each in deltas))
    assert (answer.text, answer.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("eos", "stop"), ("", "stop")],
)
def test_the_finish_reason_is_in_our_words(reason: str, finish: str) -> None:
    assert read(chunk("Yes"), chunk(finish=reason)).finish == finish


def test_calls_mean_tool_calls_whatever_the_server_says() -> None:
    called = chunk(calls=[call_piece("find", '{"q":1}', call_id="c")])
    for reason in ("stop", "tool_calls", "function_call", "length"):
        assert read(called, chunk(finish=reason)).finish == "tool_calls"
    assert read(chunk(calls=[call_piece("find", '{"q":', call_id="c")]), chunk(finish="length")).end == Finish("length")


def test_a_finish_reason_on_every_chunk_does_not_end_the_answer() -> None:
    assert read(chunk("a", finish="stop"), chunk("b", finish="stop")).text == "ab"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2}, Usage(3, 2)),
        (
            {
                "prompt_tokens": 3,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            Usage(3, 2, 1, 4),
        ),
        ({"prompt_tokens": 3, "completion_tokens": 2, "prompt_cache_hit_tokens": 1}, Usage(3, 2, 1)),
        ({"prompt_tokens": "3", "completion_tokens": None, "prompt_tokens_details": None}, None),
        ({}, None),
    ],
)
def test_usage_is_counted_as_the_provider_does(usage: dict[str, Any], expected: Usage | None) -> None:
    assert read(chunk("Yes"), {"choices": [], "usage": usage}).usage == expected


def test_the_last_usage_counts_and_is_told_once() -> None:
    answer = read(*(chunk("a", usage={"prompt_tokens": 8, "completion_tokens": number}) for number in (1, 2, 3)))
    assert [event for event in answer.events if isinstance(event, Usage)] == [Usage(8, 3)]
    assert read({"choices": [], "x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}}).usage == Usage(1, 2)


@pytest.mark.parametrize("choices", [None, [], "x", [None], {"delta": {}}, [{"index": 1, "delta": {"content": "no"}}]])
def test_chunks_without_an_answer_are_passed_over(choices: Any) -> None:
    assert read({"choices": choices}, chunk("Hi")).text == "Hi"


def test_a_message_stands_for_a_delta_and_does_not_repeat_what_was_said() -> None:
    message = {"role": "assistant", "content": "Hello"}
    whole = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert read(whole).text == "Hello"
    assert read(chunk("Hel"), chunk("lo"), whole).text == "Hello"


def test_encrypted_thinking_travels_with_the_first_call() -> None:
    details = [{"type": "reasoning.encrypted", "data": "zz"}]
    answer = read(delta(reasoning_details=details), chunk(calls=[call_piece("find", "{}", call_id="c")]))
    assert json.loads(answer.calls[0].extra) == {"reasoning_details": details}


# thinking in tags ----------------------------------------------------------------------------------------------------


def parted(text: str, sizes: list[int]) -> tuple[str, str]:
    splitter, said, thought = ThinkSplitter(), "", ""
    pieces, start = [], 0
    for size in sizes:
        pieces.append(text[start : start + size])
        start += size
    for part in [*(splitter.feed(piece) for piece in [*pieces, text[start:]]), splitter.close()]:
        said, thought = said + part[0], thought + part[1]
    return said, thought


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("<think>\nHm.\n</think>\n\nNoon.", "Noon.", "\nHm.\n"),
        ("  \n<think>Hm</think>Noon.", "Noon.", "Hm"),
        ("<think></think>Noon.", "Noon.", ""),
        ("<think>never closed </thin", "", "never closed </thin"),
        ("<thing> is text", "<thing> is text", ""),
        ("<thin", "<thin", ""),
        ("  indented", "  indented", ""),
        ("Say <think>x</think>.", "Say <think>x</think>.", ""),
        ("<think>a</think>b<think>c</think>", "b<think>c</think>", "a"),
        ("<think>a </ b < c</think>d", "d", "a </ b < c"),
        ("", "", ""),
    ],
)
def test_thinking_in_tags_is_parted_only_at_the_start(text: str, said: str, thought: str) -> None:
    assert parted(text, []) == (said, thought)
    assert parted(text, [1] * len(text)) == (said, thought)


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think>", " ", "\n", "a", "b<"]), max_size=12),
    st.lists(st.integers(0, 4), max_size=30),
)
def test_cuts_do_not_change_what_is_thinking(parts: list[str], sizes: list[int]) -> None:
    text = "".join(parts)
    assert parted(text, sizes) == parted(text, [])


def test_text_that_can_be_no_tag_is_not_held_back() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("H") == ("H", "")
    assert splitter.feed("<th") == ("<th", "")


# halves of characters ------------------------------------------------------------------------------------------------


@given(st.text(), st.lists(st.integers(0, 5), max_size=20))
def test_characters_cut_in_half_are_joined(text: str, sizes: list[int]) -> None:
    units = [chr(int.from_bytes(pair)) for pair in _pairs(text)]
    halves, out, start = Halves(), "", 0
    for size in [*sizes, len(units)]:
        out += halves.feed("".join(units[start : start + size]))
        start += size
    assert out + halves.close() == text


def _pairs(text: str) -> list[bytes]:
    data = text.encode("utf-16-be")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def test_half_a_character_is_replaced() -> None:
    halves = Halves()
    assert halves.feed("a\ud83d") == "a"
    assert halves.feed("b") == "\ufffdb"
    assert halves.feed("\ud83d") == ""
    assert halves.close() == "\ufffd"
