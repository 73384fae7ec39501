"""What is read from the chunks of Gemini's own API: the same whatever the cuts, and whole or not at all."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.events import ProviderCall, RefusalKind, Usage
from tests.providers.feeding import Joined, feed

KIND = "gemini-native"


def chunk(*parts: Any, finish: str = "", **more: Any) -> dict[str, Any]:
    """One chunk as Gemini sends it."""
    candidate: dict[str, Any] = {"index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": list(parts)}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "tide-1", **more}


def called(name: str = "mow", signature: str = "", **fields: Any) -> dict[str, Any]:
    """A part that is a call."""
    part: dict[str, Any] = {"functionCall": {"name": name, **fields}}
    return {**part, "thoughtSignature": signature} if signature else part


def stream(*chunks: Any) -> bytes:
    return b"".join(f"data: {json.dumps(each, ensure_ascii=False)}\r\n\r\n".encode() for each in chunks)


async def read(*chunks: Any, **more: Any) -> Joined:
    return await feed([stream(*chunks)], kind=KIND, **more)


COUNTED = {
    "promptTokenCount": 9,
    "candidatesTokenCount": 4,
    "cachedContentTokenCount": 3,
    "thoughtsTokenCount": 20,
    "totalTokenCount": 33,
}
WHOLE = (
    chunk({"text": "Which hedge?", "thought": True}),
    chunk({"text": "Täg"}),
    chunk({"text": "lich 🌿"}),
    chunk(called(id="f1", args={"n": 12345678901234567890, "a": "ü"}, signature="U2ln")),
    chunk(called("rake")),
    chunk(finish="STOP", usageMetadata=COUNTED),
)


async def test_an_answer_is_put_together() -> None:
    read_ = await read(*WHOLE)
    assert (read_.text, read_.reasoning, read_.finish) == ("Täglich 🌿", "Which hedge?", "tool_calls")
    assert read_.usage == Usage(9, 4, 3, 20)
    mow, rake = read_.calls
    assert (mow.id, mow.name, mow.arguments) == ("f1", "mow", '{"n": 12345678901234567890, "a": "ü"}')
    assert json.loads(mow.extra) == {"id": "f1", "thought_signature": "U2ln"}
    assert (rake.name, rake.arguments, rake.extra) == ("rake", "", "")
    assert rake.id not in ("", "f1")
    assert read_.signs == {0: ("mow", mow.arguments), 1: ("rake", "")}
    assert read_.replay == {}


@given(st.lists(st.integers(1, 2000), max_size=12))
async def test_cuts_change_nothing(places: list[int]) -> None:
    whole = stream(*WHOLE)
    edges = [0, *sorted({place for place in places if place < len(whole)}), len(whole)]
    pieces = [whole[start:end] for start, end in itertools.pairwise(edges)]
    assert (await feed(pieces, kind=KIND)).told() == (await feed([whole], kind=KIND)).told()


async def test_a_list_of_chunks_in_the_place_of_a_stream_is_read_too() -> None:
    body = json.dumps(WHOLE).encode()
    assert (await feed([body], kind=KIND)).told()[:2] == ("Täglich 🌿", "Which hedge?")


@pytest.mark.parametrize("place", range(0, len(stream(*WHOLE)), 37))
async def test_what_is_cut_runs_nothing(place: int) -> None:
    whole = stream(*WHOLE)
    told = await feed([whole[:place]], kind=KIND, cut=True)
    if b"finishReason" in whole[:place] and told.finish != "error":
        return  # the end was told before the cut
    assert told.calls == ()
    assert told.refusal.kind == "network"
    assert "Täglich 🌿".startswith(told.text)


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SOMETHING_NEW", "stop"),
    ],
)
async def test_a_finish_reason_has_a_meaning(finish: str, reason: str) -> None:
    assert (await read(chunk({"text": "Low."}), chunk(finish=finish))).finish == reason


@pytest.mark.parametrize(
    ("finish", "kind"),
    [
        ("MALFORMED_FUNCTION_CALL", "generation"),
        ("UNEXPECTED_TOOL_CALL", "generation"),
        ("TOO_MANY_TOOL_CALLS", "generation"),
        ("MALFORMED_RESPONSE", "generation"),
        ("MISSING_THOUGHT_SIGNATURE", "bad_request"),
        ("OTHER", "overloaded"),
        ("SAFETY", "content_policy"),  # before a word was said
        ("SPII", "content_policy"),
        ("RECITATION", "content_policy"),
    ],
)
async def test_some_finish_reasons_are_faults(finish: str, kind: RefusalKind) -> None:
    told = await read(chunk(finish=finish, usageMetadata=COUNTED))
    assert told.refusal.kind == kind
    assert told.usage is not None
    assert told.refusal.what


async def test_the_words_of_a_malformed_call_do_not_mislead() -> None:
    last = chunk(finish="MALFORMED_FUNCTION_CALL")
    last["candidates"][0]["finishMessage"] = "Malformed function call: print(api.set_schema(tools=not supported))"
    told = await read(chunk({"text": "So:"}, called()), last, tools=["mow"])
    assert (told.text, told.calls, told.refusal.kind) == ("So:", (), "generation")


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "OTHER"])
async def test_a_prompt_that_was_blocked_is_told(reason: str) -> None:
    told = await read({"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 5}})
    assert told.refusal.kind == "content_policy"
    assert told.usage == Usage(5)


async def test_a_call_of_an_answer_that_was_filtered_does_not_run() -> None:
    told = await read(chunk({"text": "So:"}, called()), chunk(finish="SAFETY"))
    assert (told.finish, told.calls) == ("content_filter", ())


async def test_words_after_the_finish_reason_are_read() -> None:
    told = await read(chunk(finish="STOP"), chunk({"text": "Low tide."}), chunk(finish="STOP"))
    assert (told.text, told.finish) == ("Low tide.", "stop")


async def test_a_call_that_is_sent_again_with_its_id_is_one() -> None:
    told = await read(chunk(called(id="a")), chunk(called(id="a"), called(id="b")), chunk(finish="STOP"))
    assert [call.id for call in told.calls] == ["a", "b"]


async def test_two_calls_under_one_id_are_two() -> None:
    told = await read(chunk(called(id="a", args={"x": 1}), called(id="a", args={"x": 2})), chunk(finish="STOP"))
    assert [call.arguments for call in told.calls] == ['{"x": 1}', '{"x": 2}']
    assert len({call.id for call in told.calls}) == 2


async def test_parts_with_a_signature_are_kept_as_they_came() -> None:
    told = await read(
        chunk({"text": "Hm.", "thought": True}),
        chunk({"text": "Low "}),
        chunk({"text": "tide"}),
        chunk({"text": ".", "thoughtSignature": "QQ=="}),
        chunk(called(id="a", signature="Qg==")),
        chunk({"text": "", "thoughtSignature": "Qw=="}, finish="STOP"),
    )
    assert told.text == "Low tide."
    assert told.replay == {
        "parts": [
            {"text": "Low tide"},
            {"text": ".", "thoughtSignature": "QQ=="},
            {"functionCall": {"id": "a"}},
            {"text": "", "thoughtSignature": "Qw=="},
        ]
    }


async def test_code_that_was_run_there_is_shown_and_goes_back() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "print(7)"}}
    result = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "7\n"}}
    told = await read(chunk(code), chunk(result), chunk(code), chunk({"text": "It is 7."}, finish="STOP"))
    shown = [event for event in told.events if isinstance(event, ProviderCall)]
    assert [call.result for call in shown] == ["7\n", None]
    assert json.loads(shown[0].arguments)["code"] == "print(7)"
    assert told.calls == ()
    assert told.replay["parts"] == [code, result, code, {"text": "It is 7."}]


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ([{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}], 400, "auth"),
        ({"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}}, 429, "rate"),
        ({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}, 200, "overloaded"),
        ([{"error": {"code": 404, "message": "models/tide is not found for API version v1beta"}}], 404, "not_found"),
    ],
)
async def test_errors_come_as_objects_and_as_lists(body: Any, status: int, kind: RefusalKind) -> None:
    assert (await feed([json.dumps(body).encode()], status=status, kind=KIND)).refusal.kind == kind


async def test_an_error_in_the_stream_ends_it() -> None:
    error = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    for event in (error, [error]):
        told = await read(chunk({"text": "Low"}), event)
        assert (told.text, told.refusal.kind) == ("Low", "overloaded")


@pytest.mark.parametrize(
    "value",
    [
        {"candidates": None},
        {"candidates": [None, 5]},
        {"candidates": [{"content": None, "index": 0}]},
        {"candidates": [{"content": {"parts": [None, {"text": 5}, {"functionCall": {}}, {"functionCall": 1}]}}]},
        {"candidates": [{"index": 1, "content": {"parts": [{"text": "another answer"}]}}]},
        {"usageMetadata": {"promptTokenCount": "many", "candidatesTokenCount": True}},
        {"promptFeedback": {"blockReason": None, "safetyRatings": []}},
    ],
)
async def test_odd_chunks_mean_nothing(value: Any) -> None:
    told = await read(value, chunk({"text": "Low."}, finish="STOP"))
    assert (told.text, told.finish, told.calls, told.usage) == ("Low.", "stop", (), None)
