"""Refusals are told apart, put into sentences, and never show a key."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.events import Refusal
from conch_desktop.providers.refusal_bodies import unfold
from conch_desktop.providers.refusals import (
    RULES,
    broken_off,
    classify,
    from_transport,
    is_fault,
    mask,
    shown,
)
from tests.providers.feeding import recorded

URL = "http://127.0.0.1:8081/v1/chat/completions"


def told(status: int, body: Any, during: str = "before_first_token", **more: Any) -> Refusal:
    text = body if isinstance(body, str) else json.dumps(body)
    given: dict[str, Any] = {"headers": {}, "provider": "Pier", "url": URL, **more}
    return classify(status=status, body=text, during=during, **given)


REAL = {
    "key_missing": "auth",
    "too_long": "context_length",
    "no_jinja_tools": "tools",
    "no_jinja_tool_choice": "tools",
    "schema_ref_broken": "schema",
    "schema_bad_type": "schema",
    "picture_to_text_model": "bad_request",
    "grammar_with_tools": "bad_request",
    "dasllama_tools": "tools",
    "dasllama_bad_model": "not_found",
    "dasllama_too_long": "context_length",
}


@pytest.mark.parametrize(("name", "kind"), REAL.items())
def test_real_refusals_are_told_apart(name: str, kind: str) -> None:
    status, headers, body = recorded(name)
    assert told(status, body.decode(), headers=headers).kind == kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {"message": "Unauthorized"}, "auth"),
        (403, "<html>blocked</html>", "auth"),
        (400, {"error": {"message": "API key not valid. Pass a valid API key."}}, "auth"),
        (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota."}}, "quota"),
        (402, "", "quota"),
        (429, {"error": "Rate limit reached"}, "rate"),
        (400, {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 4}}, "context_length"),
        (400, {"error": {"message": "This model's maximum context length is 8 tokens."}}, "context_length"),
        (404, {"error": {"message": "The model `x` does not exist."}}, "not_found"),
        (503, {"error": {"message": "Loading model"}}, "overloaded"),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded"),
        (400, {"error": {"message": "flagged as violating our usage policy"}}, "content_policy"),
        (500, {"error parsing tool call": "raw='{'"}, "generation"),
        (400, [{"error": {"message": "Invalid schema for function 'x'"}}], "schema"),
        (400, {"error": {"message": "x", "metadata": {"raw": '{"error": "it does not support tools"}'}}}, "tools"),
        (422, {"detail": [{"msg": "Extra inputs are not permitted"}]}, "bad_request"),
        (502, "<html>502</html>", "network"),
        (502, "", "network"),
        (500, "", "overloaded"),
        (0, "", "network"),
        (418, "short and stout", "bad_request"),
    ],
)
def test_plain_cases_are_told_apart(status: int, body: Any, kind: str) -> None:
    assert told(status, body).kind == kind


def test_schema_words_win_over_tools_words_and_a_request_without_tools_gets_neither() -> None:
    body = {"error": "tools[0].function.parameters: 'anyOf' is not supported; the model does not support tools"}
    assert told(400, body).kind == "schema"
    assert told(400, body, tools_sent=False).kind == "bad_request"


def test_the_model_s_own_words_are_not_searched() -> None:
    body = {"error": {"code": "tool_use_failed", "message": "Failed", "failed_generation": "invalid schema for tool"}}
    assert told(400, body).kind == "generation"
    assert "invalid schema" not in unfold(json.dumps(body)).text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "Too  many\nboats."}}, "Too many boats."),
        ({"error": "Too many boats."}, "Too many boats."),
        ([{"error": {"message": "Too many boats."}}], "Too many boats."),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": "Too many boats."}}}, "Too many boats."),
        ({"error": {"message": 'Proxy: {"error": {"message": "Too many boats."}}'}}, "Too many boats."),
        ({"errors": [{"message": "Too many boats.", "code": 7}]}, "Too many boats."),
        ({"error parsing tool call": "raw"}, "error parsing tool call: raw"),
        ("Too many boats.", "Too many boats."),
        ('{"error": {"message": "Too many bo', '{"error": {"message": "Too many bo'),
        ({"a": 1}, ""),
        ("", ""),
    ],
)
def test_the_provider_s_words_are_found(body: Any, words: str) -> None:
    assert told(400, body).words == words


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry-after": "12"}, "", 12.0),
        ({"Retry-After-Ms": "2648", "retry-after": "3"}, "", 2.648),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, "", 30.0),
        ({"retry-after": "soon"}, "", None),
        ({}, {"error": {"details": [{"retryDelay": "36s"}]}}, 36.0),
        ({}, {"error": {"message": "Try again in 4.77s."}}, 4.77),
        ({}, {"error": "slow down"}, None),
    ],
)
def test_the_wait_is_found(headers: dict[str, str], body: Any, seconds: float | None) -> None:
    assert told(429, body, headers=headers).retry_after == seconds


@pytest.mark.parametrize(
    ("status", "body", "more", "what", "advice"),
    [
        (404, "", {"during": "models", "url": "http://127.0.0.1:8081/wrong/models"},
         "GET http://127.0.0.1:8081/wrong/models answered 404.", "The address usually ends in /v1."),
        (404, {"error": "no route"}, {}, f"POST {URL} answered 404.", "Check the address."),
        (404, {"error": {"message": "The model `tide` does not exist."}}, {},
         "Pier does not have this model. Status 404. It said: “The model `tide` does not exist.”",
         "Choose another model."),
        (401, "", {}, "Pier refused the key. Status 401.", "Enter another key in the settings, under Providers."),
        (429, "", {"headers": {"retry-after": "12"}}, "Pier asks to wait 12 s.", "Try again after that."),
        (429, "", {"headers": {"retry-after": "40311"}}, "Pier asks to wait 11 h.", "Choose another model until then."),
        (400, recorded("too_long")[2].decode(), {},
         "The chat is too long for this model: 3,231 tokens, and its window is 1,024.",
         "Start a new chat, or choose a model with a larger window."),
        (402, {"error": "Insufficient balance"}, {},
         "There is no credit left at Pier. Status 402. It said: “Insufficient balance”",
         "Add credit there, or choose another model."),
    ],
)  # fmt: skip
def test_a_refusal_is_a_sentence_with_what_to_do(
    status: int, body: Any, more: dict[str, Any], what: str, advice: str
) -> None:
    refusal = told(status, body, **more)
    assert (refusal.what, refusal.advice) == (what, advice)


def test_every_kind_has_a_rule_and_no_sentence_has_a_hole() -> None:
    kinds = {rule.kind for rule in RULES}
    assert len(kinds) == 12
    for rule in RULES:
        refusal = told(rule.statuses[0] if rule.statuses else 400, "<html>" if rule.page else "plain words")
        assert refusal.what.endswith((".", "”"))
        assert refusal.advice.endswith(".")
        assert "{" not in refusal.what + refusal.advice


# no answer at all ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "characters", "what"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), 0, f"Nothing answers at {URL}."),
        (httpx.ConnectError("[Errno -2] Name or service not known"), 0, f"The name in {URL} was not found."),
        (httpx.ConnectError("certificate verify failed"), 0, f"The certificate of {URL} was not accepted."),
        (httpx.ConnectTimeout(""), 0, f"{URL} did not answer in time."),
        (httpx.ReadTimeout(""), 0, "Pier did not answer in time."),
        (httpx.ReadTimeout(""), 95, "Pier fell silent after 95 characters."),
        (httpx.RemoteProtocolError("peer closed"), 95, "The connection to Pier broke off after 95 characters."),
        (httpx.ReadError(""), 1, "The connection to Pier broke off after 1 character."),
        (httpx.ReadError(""), 1234, "The connection to Pier broke off after 1,234 characters."),
        (httpx.ReadError(""), 0, "The connection to Pier broke off before an answer came."),
        (httpx.ProxyError("403 Forbidden"), 0, f"The proxy did not let the request to {URL} through."),
        (httpx.LocalProtocolError("Illegal header value"), 0, f"{URL} can't be asked."),
        (httpx.DecodingError(""), 0, "The answer from Pier could not be unpacked."),
    ],
)
def test_a_failed_connection_is_a_sentence(error: httpx.HTTPError, characters: int, what: str) -> None:
    refusal = from_transport(error, provider="Pier", url=URL, characters=characters)
    assert (refusal.kind, refusal.what, refusal.status) == ("network", what, 0)
    assert refusal.advice.endswith(".")


def test_a_call_that_was_broken_off_did_not_run() -> None:
    assert broken_off(provider="Pier", characters=0, calling=True).what.endswith("in the middle of a call.")
    assert "did not run" in broken_off(provider="Pier", characters=9, calling=True).advice


# faults in a stream --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"choices": []}, False),
        ({"choices": [{"delta": {}}], "error": None}, False),
        ({"choices": None, "usage": {}}, False),
        ({"id": "x", "usage": {}}, False),
        ({"choices": [], "error": {"message": "x"}}, True),
        ({"choices": [{"error": {"message": "x"}}]}, True),
        ({"error": "x"}, True),
        ({"object": "error", "message": "x"}, True),
        ({"message": "x"}, True),
        ({"detail": "x"}, True),
        ({"error parsing tool call": "x"}, True),
        ({"choices": None, "base_resp": {"status_code": 1004}}, True),
        ({"choices": [], "base_resp": {"status_code": 0}}, False),
        ({"success": False}, True),
    ],
)
def test_an_error_in_a_stream_is_known(value: dict[str, Any], fault: bool) -> None:
    assert is_fault(value) is fault


# keys ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "key", "masked"),
    [
        ("The key abc123xyz is wrong.", "abc123xyz", "The key … is wrong."),
        ("Incorrect API key: sk-proj-abcdefgh12345678.", None, "Incorrect API key: sk-…"),
        ("Authorization: Bearer abcdefgh12345678", None, "Authorization: Bearer …"),
        ("The ask-me-anything-you-like model is gone.", None, "The ask-me-anything-you-like model is gone."),
        ("No key here.", "", "No key here."),
    ],
)
def test_keys_are_masked(text: str, key: str | None, masked: str) -> None:
    assert mask(text, key) == masked


def test_an_address_is_shown_without_secrets() -> None:
    assert shown("https://me:pass@pier.example:8/v1/models?key=abc#x") == "https://pier.example:8/v1/models"
    assert shown("http://[broken") == "the address"


# rubbish -------------------------------------------------------------------------------------------------------------


@given(st.text(max_size=300), st.integers(0, 599), st.booleans())
def test_no_body_is_too_much(body: str, status: int, tools_sent: bool) -> None:
    refusal = told(status, body, tools_sent=tools_sent)
    assert refusal.what
    assert tools_sent or refusal.kind not in ("tools", "schema")


@pytest.mark.parametrize("body", ["{" * 100_000, "[" * 100_000, '{"a":' * 50_000, "tools[0]" * 25_000, '"{' * 50_000])
def test_a_hostile_body_takes_no_time(body: str) -> None:
    assert told(400, body).kind
