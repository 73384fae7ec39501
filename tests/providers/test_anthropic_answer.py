"""The events of the Messages API become an answer: words, thinking, calls, what goes back, and the end."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.domain.events import CallDelta, ProviderCall, Usage
from conch_desktop.providers.anthropic_answer import AnthropicAnswer, result_text
from tests.anthropic_stream import block, start, stop, text, thinking, tool_use
from tests.providers.feeding import Joined, join


def read(*parts: list[dict[str, Any]] | dict[str, Any]) -> Joined:
    answer = AnthropicAnswer()
    events = []
    for part in parts:
        for each in part if isinstance(part, list) else [part]:
            events += answer.take(each)
    return join([*events, *answer.end()])


def blocks(answer: Joined) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = answer.replay.get("blocks", [])
    return found


def test_words_thinking_and_calls_come_apart_and_the_blocks_go_back_in_order() -> None:
    answer = read(
        start(input_tokens=25, output_tokens=1),
        thinking(0, "Hm", "mH"),
        text(1, "Let me ", "see."),
        block(2, {"type": "redacted_thinking", "data": "Zz9"}),
        tool_use(3, "find", "", '{"q":', '"tea"}'),
        stop("tool_use", output_tokens=50),
    )
    assert (answer.text, answer.reasoning, answer.finish) == ("Let me see.", "Hm", "tool_calls")
    assert [(call.id, call.name, call.arguments) for call in answer.calls] == [("toolu_1", "find", '{"q":"tea"}')]
    assert blocks(answer) == [
        {"type": "thinking", "thinking": "Hm", "signature": "mH"},
        {"type": "text", "text": "Let me see."},
        {"type": "redacted_thinking", "data": "Zz9"},
        {"type": "tool_use", "id": "toolu_1"},
    ]
    assert answer.usage == Usage(25, 50)
    assert [event for event in answer.events if isinstance(event, CallDelta)][-1] == CallDelta(0, "find", '"tea"}')


def test_an_answer_of_words_and_calls_alone_has_nothing_more_to_go_back() -> None:
    assert blocks(read(start(), text(0, "So."), tool_use(1, "find", "{}"), stop("tool_use"))) == []


def test_thinking_that_is_kept_from_us_goes_back_too() -> None:
    kept = block(
        0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "signature_delta", "signature": "s"}
    )
    assert blocks(read(start(), kept, text(1, "So."), stop()))[0] == {
        "type": "thinking",
        "thinking": "",
        "signature": "s",
    }


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "paused"),
        ("something new", "stop"),
    ],
)
def test_the_stop_reason_is_in_our_words(reason: str, finish: str) -> None:
    assert read(start(), text(0, "So."), stop(reason)).finish == finish


@pytest.mark.parametrize(
    ("content", "pieces", "arguments"),
    [
        ({"input": {}}, [""], ""),
        ({"input": {"q": "tea"}}, [], '{"q": "tea"}'),
        ({"input": {"q": "t"}}, ['{"q":"tea"}'], '{"q":"tea"}'),
        ({"input": '{"q":"tea"}'}, [], '{"q":"tea"}'),
        ({}, ['{"q":', '"tea"'], '{"q":"tea"'),
    ],
)
def test_the_arguments_are_put_together(content: dict[str, Any], pieces: list[str], arguments: str) -> None:
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    answer = read(start(), block(0, {"type": "tool_use", "id": "t", "name": "find", **content}, *deltas), stop())
    assert [call.arguments for call in answer.calls] == [arguments]
    assert answer.signs[0] == ("find", answer.signs[0][1])


def test_half_a_call_at_the_end_of_the_room_does_not_run_and_half_a_thought_does_not_go_back() -> None:
    answer = read(start(), tool_use(0, "find", "{}"), tool_use(1, "find", '{"q', call_id="t2"), stop("max_tokens"))
    assert [call.arguments for call in answer.calls] == ["{}"]
    unsigned = block(1, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "thinking": "So"})
    answer = read(start(), thinking(0, "Hm", "mH"), unsigned, stop("max_tokens"))
    assert [each["thinking"] for each in blocks(answer)] == ["Hm"]


def test_calls_without_an_id_or_with_one_twice_get_their_own() -> None:
    one = {"type": "tool_use", "name": "find", "input": {}}
    answer = read(start(), block(0, one), tool_use(1, "find", call_id="t"), tool_use(2, "find", call_id="t"), stop())
    assert len({call.id for call in answer.calls} - {""}) == 3


def test_one_index_for_all_blocks_and_none_at_all_are_read() -> None:
    answer = read(start(), thinking(0, "Hm", "mH"), text(0, "So."), tool_use(0, "find", "{}"), stop())
    assert (answer.reasoning, answer.text, len(answer.calls)) == ("Hm", "So.", 1)
    bare = [{key: value for key, value in event.items() if key != "index"} for event in text(0, "So", ".")]
    assert read(start(), bare, stop()).text == "So."
    begun_late = {"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta", "text": "So."}}
    assert read(start(), begun_late, stop()).text == "So."


def test_blocks_of_words_are_one_text_and_parted_where_something_stood_between() -> None:
    assert read(start(), text(0, "The tide"), text(1, " turns."), stop()).text == "The tide turns."
    assert read(start(), text(0, "Let me see."), thinking(1, "Hm", "m"), text(2, "At eight."), stop()).text == (
        "Let me see.\n\nAt eight."
    )


def test_a_tool_the_provider_runs_is_shown_with_its_result_and_goes_back_whole() -> None:
    search = block(
        1,
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"query": "tides"}'},
    )
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "srv_1",
        "content": [
            {"type": "web_search_result", "title": "Tides", "url": "https://a.example", "encrypted_content": "E"}
        ],
    }
    cited = block(
        3,
        {"type": "text", "text": ""},
        {"type": "text_delta", "text": "At eight."},
        {"type": "citations_delta", "citation": {"url": "https://a.example"}},
    )
    answer = read(start(), text(0, "I look."), search, block(2, found), cited, stop())
    assert [event for event in answer.events if isinstance(event, ProviderCall)] == [
        ProviderCall("web_search", '{"query": "tides"}', "Tides https://a.example")
    ]
    assert (answer.calls, answer.finish, answer.text) == ((), "stop", "I look.\n\nAt eight.")
    assert blocks(answer)[1] == {
        "type": "server_tool_use",
        "id": "srv_1",
        "name": "web_search",
        "input": {"query": "tides"},
    }
    assert blocks(answer)[2] == found
    assert blocks(answer)[3]["citations"] == [{"url": "https://a.example"}]


def test_a_tool_the_provider_still_runs_when_it_pauses_is_shown_without_a_result() -> None:
    search = block(0, {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tides"}})
    answer = read(start(), search, stop("pause_turn"))
    assert ProviderCall("web_search", '{"query": "tides"}', None) in answer.events
    assert (answer.finish, blocks(answer)[0]["input"]) == ("paused", {"query": "tides"})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"title": "b", "url": "u"}, "c", 5], "a\nb u\nc"),
        ({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}, "max_uses_exceeded"),
        ({"stdout": "7"}, '{"stdout": "7"}'),
        (None, ""),
    ],
)
def test_a_result_is_told_in_words(content: Any, words: str) -> None:
    assert result_text(content) == words


def test_a_whole_answer_in_the_place_of_a_stream_is_read() -> None:
    content = [{"type": "text", "text": "So."}, {"type": "tool_use", "id": "t", "name": "find", "input": {"q": 1}}]
    usage = {"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 2}
    answer = read(
        {"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use", "usage": usage}
    )
    assert (answer.text, answer.calls[0].arguments, answer.usage) == ("So.", '{"q": 1}', Usage(3, 4, 2))


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"type": "ping"},
        {"type": "message_start"},
        {"type": "message_start", "message": {"content": [None, 5], "usage": {"input_tokens": True}}},
        {"type": "content_block_start"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "new", "x": 1}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "new_delta"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": None}},
        {"type": "content_block_stop", "index": 9},
        {"type": "message_delta", "delta": None, "usage": None},
        {"type": "something_new"},
    ],
)
def test_what_is_new_or_broken_is_passed_over(event: dict[str, Any]) -> None:
    assert read(start(), event, text(1, "So."), stop()).text == "So."
