"""Chunks of an answer are read: text, thinking, usage and the end."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.domain.events import Finish, Usage
from conch_desktop.providers.stream import Answer
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
        ([{"reasoning_text": "Hm"}, {"reasoning_opaque": "x"}, {"content": "Yes"}], "Yes", "Hm"),
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
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("eos", "stop"),
        ("", "stop"),
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
    ],
)
def test_the_finish_reason_is_in_our_words(reason: str, finish: str) -> None:
    assert read(chunk("Yes"), chunk(finish=reason)).finish == finish


def test_calls_mean_tool_calls_whatever_the_server_says() -> None:
    called = chunk(calls=[call_piece("find", '{"q":1}', call_id="c")])
    for reason in ("stop", "tool_calls", "function_call", "length"):
        assert read(called, chunk(finish=reason)).finish == "tool_calls"
    for reason in ("length", "MAX_TOKENS"):
        cut = read(chunk(calls=[call_piece("find", '{"q":', call_id="c")]), chunk(finish=reason))
        assert cut.end == Finish("length")


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
        ({"prompt_tokens": 3, "completion_tokens": 2, "cached_tokens": 1}, Usage(3, 2, 1)),
        ({"prompt_tokens": "3", "completion_tokens": None, "prompt_tokens_details": None}, None),
        ({}, None),
    ],
)
def test_usage_is_counted_as_the_provider_does(usage: dict[str, Any], expected: Usage | None) -> None:
    assert read(chunk("Yes"), {"choices": [], "usage": usage}).usage == expected


@pytest.mark.parametrize(
    ("cost", "expected"), [(0.25, 0.25), (0, 0.0), (None, None), ("0.25", None), (-1, None), (True, None)]
)
def test_a_cost_is_taken_from_a_server_that_tells_it_in_dollars(cost: Any, expected: float | None) -> None:
    counted = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "cost": cost}}
    router = Answer(in_dollars=True)
    router.take(counted)
    assert router.usage == Usage(3, 2, cost=expected)
    assert read(chunk("Yes"), counted).usage == Usage(3, 2)  # whatever another server counts in


def test_the_last_usage_counts_and_is_told_once() -> None:
    answer = read(*(chunk("a", usage={"prompt_tokens": 8, "completion_tokens": number}) for number in (1, 2, 3)))
    assert [event for event in answer.events if isinstance(event, Usage)] == [Usage(8, 3)]
    assert read({"choices": [], "x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}}).usage == Usage(1, 2)


def test_usage_may_stand_in_the_choice() -> None:
    last = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": {"prompt_tokens": 1, "completion_tokens": 2}}
    assert read(chunk("Yes"), {"choices": [last]}).usage == Usage(1, 2)


@pytest.mark.parametrize("choices", [None, [], "x", [None], {"delta": {}}, [{"index": 1, "delta": {"content": "no"}}]])
def test_chunks_without_an_answer_are_passed_over(choices: Any) -> None:
    assert read({"choices": choices}, chunk("Hi")).text == "Hi"


def test_a_message_stands_for_a_delta_and_does_not_repeat_what_was_said() -> None:
    message = {"role": "assistant", "content": "Hello"}
    whole = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert read(whole).text == "Hello"
    assert read(chunk("Hel"), chunk("lo"), whole).text == "Hello"


def test_encrypted_thinking_and_thinking_in_a_field_of_its_own_go_back_with_the_answer() -> None:
    details = [{"type": "reasoning.encrypted", "data": "zz"}]
    answer = read(delta(reasoning_details=details), chunk(calls=[call_piece("find", "{}", call_id="c")]))
    assert (answer.replay, answer.calls[0].extra) == ({"reasoning_details": details}, "")
    thought = [delta(reasoning_content="H"), delta(reasoning_content="m", content="Yes")]
    assert read(*thought).replay == {"reasoning_content": "Hm"}
    assert read(delta(reasoning="Hm"), delta(content="Yes")).replay == {}


def test_an_answer_that_was_cut_has_nothing_to_go_back() -> None:
    answer = read(delta(reasoning_details=[{"type": "reasoning.text", "text": "Hm"}]), chunk(finish="length"))
    assert (answer.finish, answer.replay) == ("length", {})
