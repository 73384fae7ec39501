"""`check refusals` and `check streams` on data: what a person pastes from a report is read as the program reads it."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from conch_desktop.providers.checking import refusal, stream


def test_a_refusal_is_told_with_its_wait_its_tool_and_its_lesson() -> None:
    body = json.dumps({"error": {"message": "Invalid schema for function 'mow': items are missing. Try again in 3s."}})
    case = {"provider": "pier", "status": 400, "body": body}
    assert refusal(case) == {"kind": "schema", "retry_after": 3.0, "names_tool": "mow"}
    assert refusal({**case, "tools": ["rake", "plough"]}) == {"kind": "schema", "retry_after": 3.0}
    assert refusal({**case, "tools_sent": False}) == {"kind": "bad_request", "retry_after": 3.0}
    body = json.dumps({"error": {"message": "This model's maximum context length is 8192 tokens."}})
    assert refusal({"status": 400, "headers": {"Retry-After": "7"}, "body": body}) == {
        "kind": "context_length",
        "retry_after": 7.0,
        "teaches": {"lesson": "window", "value": "8192"},
    }
    place = {"status": 400, "body": '{"error": "tools[4].function.parameters: no schema"}'}
    assert refusal(place)["names_tool"] == "4"


@pytest.mark.parametrize(
    "case", [{}, {"status": None, "body": None, "headers": None}, {"status": 0, "body": "ReadError"}]
)
def test_a_case_may_be_bare(case: dict[str, Any]) -> None:
    assert refusal(case) == {"kind": "network", "retry_after": None}


def line(*deltas: Any, finish: str | None = None, **more: Any) -> str:
    """Chunks of a stream as they arrive."""
    choices = [{"index": 0, "delta": delta, "finish_reason": finish} for delta in deltas]
    return f"data: {json.dumps({'choices': choices, **more}, ensure_ascii=False)}\n\n"


CALL = {"index": 0, "id": "c1", "function": {"name": "mow", "arguments": '{"a": 1}'}, "extra_content": {"google": 5}}
STREAM = [
    line({"reasoning_content": "Hm."}),
    line({"content": "Täglich."}),
    line({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}], "tool_calls": [CALL]}),
    line({}, finish="tool_calls", usage={"prompt_tokens": 3, "completion_tokens": 4}),
    "data: [DONE]\n\n",
]


def test_a_stream_is_put_together() -> None:
    assert stream({"wire": "openai", "tools": ["mow"], "chunks": STREAM, "end": "eof"}) == {
        "text": "Täglich.",
        "reasoning": "Hm.",
        "calls": [{"id": "c1", "name": "mow", "arguments": '{"a": 1}', "extra_content": {"google": 5}}],
        "provider_calls": [],
        "replay": {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}], "reasoning_content": "Hm."},
        "finish": "tool_calls",
        "usage": {"input_tokens": 3, "output_tokens": 4},
        "error": None,
    }


def test_chunks_may_be_bytes_cut_anywhere_or_packed() -> None:
    whole = "".join(STREAM).encode()
    given = {"wire": "openai", "tools": [{"name": "mow", "schema": {}}], "chunk_encoding": "latin-1"}
    bytewise = [whole[place : place + 1].decode("latin-1") for place in range(len(whole))]
    packed = {"content-type": "text/event-stream", "Content-Encoding": "gzip"}
    wanted = stream({"tools": ["mow"], "chunks": STREAM})
    assert stream({**given, "chunks": bytewise}) == wanted
    assert stream({**given, "chunks": [gzip.compress(whole).decode("latin-1")], "headers": packed}) == wanted


@pytest.mark.parametrize(
    ("case", "error", "text"),
    [
        ({"chunks": STREAM[:3], "end": "abort"}, "network", "Täglich."),
        ({"chunks": STREAM[:2], "end": "eof"}, "network", "Täglich."),
        ({"chunks": ['{"error": {"message": "Rate limit reached"}}'], "status": 429}, "rate", ""),
        ({"chunks": ['{"error": "this model does not support tools"}'], "tools": []}, "tools", ""),
        ({"chunks": ["<html>"], "headers": {"content-type": "text/html"}}, "network", ""),
    ],
)
def test_an_end_that_is_none_runs_nothing(case: dict[str, Any], error: str, text: str) -> None:
    told = stream({"wire": "openai", "tools": ["mow"], **case})
    assert (told["error"], told["finish"], told["calls"], told["text"]) == (error, "error", [], text)


def test_what_the_provider_ran_itself_is_told_apart() -> None:
    entry = {"type": "tool_call", "name": "WebSearch", "input": {"q": "eels"}, "result": [{"text": "fish"}]}
    logs = [{"role": "assistant", "content": [entry, {"type": "text", "text": "Fish."}]}]
    chunks = [f"data: {json.dumps({'type': 'history_delta', 'stages': [{'id': 's', 'logs': logs}]})}\n\n"]
    told = stream({"wire": "conol", "tools": ["mow"], "chunks": chunks})
    assert told["provider_calls"] == [{"name": "WebSearch", "arguments": '{"q": "eels"}', "result": "fish"}]
    assert (told["text"], told["calls"], told["finish"], told["error"]) == ("Fish.", [], "stop", None)


def test_a_pause_of_the_provider_s_own_is_a_plain_end() -> None:
    values = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Hm"}},
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ]
    told = stream({"wire": "anthropic", "chunks": [f"data: {json.dumps(value)}\n\n" for value in values]})
    assert (told["text"], told["finish"], told["error"]) == ("Hm", "stop", None)


def test_calls_under_one_id_are_told_under_two() -> None:
    parts = [{"functionCall": {"id": "1", "name": "mow", "args": {"n": number}}} for number in (1, 2)]
    chunk = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    told = stream({"wire": "gemini", "tools": ["mow"], "chunks": [f"data: {json.dumps(chunk)}\n\n"]})
    assert len({call["id"] for call in told["calls"]}) == 2


def test_a_wire_that_is_not_there_yet_says_so() -> None:
    assert stream({"wire": "telex", "chunks": ["x"]}) == {"error": "unsupported"}
