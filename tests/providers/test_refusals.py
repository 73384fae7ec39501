"""Refusals are told apart, put into sentences, and never show a key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.events import Refusal
from conch_desktop.providers.refusal_bodies import unfold, wait_in
from conch_desktop.providers.refusal_rules import RULES
from conch_desktop.providers.refusals import (
    broken_off,
    classify,
    from_transport,
    is_fault,
    mask,
    shown,
)
from tests.providers.feeding import DATA, recorded

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


# the table ----------------------------------------------------------------------------------------------------------

TABLE = [json.loads(line) for line in (DATA / "refusals.jsonl").read_text("utf-8").splitlines()]
"""Bodies in the shapes and words of real servers, with values of our own; `also` are kinds that are fair too."""


def of_row(row: dict[str, Any], **more: Any) -> Refusal:
    given: dict[str, Any] = {key: row[key] for key in ("during", "headers", "tools_sent") if key in row}
    return told(row["status"], row["body"], **(given | more))


def test_the_table_is_long() -> None:
    assert len(TABLE) >= 700


@pytest.mark.parametrize("kind", sorted({row["kind"] for row in TABLE}))
def test_every_body_of_the_table_is_told_apart(kind: str) -> None:
    wrong = []
    for row in TABLE:
        refusal = of_row(row)
        right = refusal.kind in [row["kind"], *row.get("also", ())]
        right = right and refusal.teaches == (tuple(row["teaches"]) if "teaches" in row else None)
        if "retry_after" in row:
            right = right and refusal.retry_after == pytest.approx(row["retry_after"], abs=1)
        if "names_tool" in row:
            right = right and refusal.names_tool == row["names_tool"]
        if row["kind"] == kind and not right:
            wrong.append((row, refusal))
    assert wrong == []


def test_nothing_is_wrong_in_the_worst_way_whatever_the_status_or_quotes() -> None:
    for row in TABLE:
        if "tools" in [row["kind"], *row.get("also", ())]:
            continue
        for status in (200, 400, 404, 422, 500):
            for body in (row["body"], row["body"].replace("'", "’")):
                assert of_row({**row, "status": status, "body": body}).kind != "tools", row["id"]


@pytest.mark.parametrize(
    "quoted",
    [
        {"detail": [{"loc": ["body", "model"], "msg": "Field required", "input": {"x": "it does not support tools"}}]},
        [{"loc": ("body", "messages", 2, "content"), "msg": "Input should be text", "input": "no tool support"}],
        {"error": {"message": "Invalid request", "request": {"messages": ["tide does not support tools"]}}},
    ],
)
def test_what_was_sent_is_not_searched_either_when_python_wrote_it(quoted: Any) -> None:
    for status in (400, 422):
        for message in (repr(quoted), f"Error code: {status} - {quoted!r}"):
            assert told(status, {"error": {"message": message}}).kind == "bad_request"


@pytest.mark.parametrize(
    "text",
    [
        "{'error'}",
        "{'error': open('x')}",
        "[{'error': 1}, 5]",
        "{'error': '\\d'}",
        "{'" * 1000,
        "{'error': " + "(" * 900,
    ],
)
def test_what_only_looks_like_python_harms_nothing(text: str) -> None:
    assert told(400, {"error": {"message": f"{text} does not support tools"}}).kind == "tools"


def test_near_misses_do_not_cost_a_model_its_tools() -> None:
    """What speaks of tools and of not, and still is a fault of the request, of a call, or of the account."""
    messages = (DATA / "near_misses.txt").read_text("utf-8").splitlines()
    assert len(messages) > 80
    for message in messages:
        for status in (400, 404, 500):
            assert told(status, {"error": {"message": message}}).kind not in ("tools", "schema"), message


def test_a_body_means_the_same_in_the_wrappings_of_a_router() -> None:
    fair = ("tools", "schema", "generation", "bad_request")
    rows = [row for row in TABLE if row["kind"] in fair and row["status"] in (400, 422) and row["body"].startswith("{")]
    assert len(rows) > 300
    for row in rows:
        inner = row["body"]
        wrapped = (
            {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": inner}}},
            [{"error": {"code": 400, "message": inner}}],
            {
                "error": {
                    "message": f"litellm.BadRequestError: Pier - {inner}\nReceived Model Group=tide",
                    "code": "400",
                }
            },
            {"code": 400, "reason": "FAILED", "message": "upstream", "metadata": {"reason": inner}},
        )
        for body in wrapped:
            kind = of_row({**row, "status": 400, "body": json.dumps(body)}).kind
            assert kind in [row["kind"], *row.get("also", ())], (row["id"], body)


def test_every_rule_decides_a_body_of_the_table() -> None:
    deciding: set[int] = set()
    for row in TABLE:
        words = unfold(row["body"], row.get("headers"))
        status = row["status"]
        if status < 400:
            status = int(next((words.numbers[key] for key in ("code", "status_code") if key in words.numbers), status))
        deciding.add(next((place for place, rule in enumerate(RULES) if rule.fits(status, words)), -1))
    assert [RULES[place].words for place in range(len(RULES)) if place not in deciding] == []


def test_every_rule_names_its_source() -> None:
    assert [rule for rule in RULES if rule.words and not rule.source] == []


# which tool ---------------------------------------------------------------------------------------------------------

OFFERED = ("mow", "rake", "water_lawn", "files.read")


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("Invalid schema for function 'rake': In context=(), array schema missing items.", "rake"),
        ("tools[2].function.parameters.properties.x: schema is invalid", "water_lawn"),
        ("tools.3.custom.input_schema: JSON schema is invalid", "files.read"),
        (
            "GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].items: missing field",
            "rake",
        ),
        ("Unknown name at 'tools[2].function_declarations[0].parameters'", "water_lawn"),
        ("Unable to submit request because `mow` functionDeclaration `parameters.x` schema has no type", "mow"),
        ("The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be object", "mow"),
        ("Tool 1 function has invalid 'parameters' schema", "rake"),
        ("the JSON schema of “files.read” is not supported", "files.read"),
        ("Invalid schema for function 'another': missing items", ""),
        ("tools[9].function.parameters: schema is invalid", ""),
        ("'mow' and 'rake' have an invalid JSON schema", ""),
        ("tools.function.parameters is not a valid moonshot flavored json schema", ""),
    ],
)
def test_the_tool_a_refused_schema_is_of_is_found(message: str, tool: str) -> None:
    refusal = told(400, {"error": {"message": message}}, tools=OFFERED)
    assert (refusal.kind, refusal.names_tool) == ("schema", tool)


def test_the_only_tool_is_the_one() -> None:
    body = {"error": {"message": "JSON schema error at #/properties/who: cannot resolve $ref #/$defs/Missing"}}
    assert told(400, body, tools=["mow"]).names_tool == "mow"
    assert told(400, body, tools=OFFERED).names_tool == ""
    assert told(400, body).names_tool == ""


def test_only_a_refused_schema_names_a_tool() -> None:
    body = {"error": {"message": "Invalid 'tools[1].function.name': string too long."}}
    assert told(400, body, tools=OFFERED).names_tool == ""


# what is quoted from the request -------------------------------------------------------------------------------------

ECHO = {"type": "function", "function": {"name": "x", "description": "tools are not supported", "parameters": {"a": 1}}}


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Bad things."}, "request": {"tools": [ECHO]}},
        {"detail": [{"loc": ["body", "seed"], "msg": "Input should be a number", "input": [ECHO]}]},
        {"detail": "Bad things.", "body": {"model": "m", "messages": [{"role": "user", "content": "no tool support"}]}},
        {"error": {"message": f"Bad things: {json.dumps([ECHO])}"}},
        {"error": {"message": f"Bad things: {ECHO}"}},
        {"error": {"message": "Bad things.", "tool": {"name": "x", "input_schema": {"anyOf": ["not supported"]}}}},
    ],
)
def test_what_a_server_quotes_of_the_request_is_not_read(body: Any) -> None:
    assert told(400, body).kind == "bad_request"


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
        ({}, {"error": {"message": "Please try again in 1h2m3.5s."}}, 3723.5),
        ({}, {"error": {"message": "Please wait 2 minutes, then go on."}}, 120.0),
        ({}, {"error": {"message": "slow down", "retry_after_ms": 1500}}, 1.5),
        ({}, {"error": {"message": "5 tries left. Try again."}}, None),
        ({"retry-after": "inf"}, "", None),
        ({"retry-after": "-3"}, "", None),
        ({}, {"error": "slow down"}, None),
    ],
)
def test_the_wait_is_found(headers: dict[str, str], body: Any, seconds: float | None) -> None:
    assert told(429, body, headers=headers).retry_after == seconds


def test_a_moment_needs_a_clock() -> None:
    body = json.dumps({"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1767312000000"}}, "code": 429}})
    assert wait_in({}, unfold(body)) is None
    assert wait_in({}, unfold(body), now=1_767_311_940.0) == 60.0
    assert wait_in({}, unfold(body), now=1_767_312_001.0) is None
    assert wait_in({}, unfold(body), now=1.0) is None
    date = {"retry-after": "Fri, 02 Jan 2026 00:00:30 GMT"}
    assert wait_in(date, unfold("")) is None
    assert wait_in(date, unfold(""), now=1_767_312_000.0) == 30.0


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
        refusal = told(rule.statuses[-1] if rule.statuses else 400, "<html>" if rule.page else "plain words")
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


WORDS = st.sampled_from(
    (
        *("tools", "tool", "tool_choice", "not", "is", "does", "support", "supported.", "schema", "function", "'x'"),
        *("parameters[0]", "messages[1]", "\\n", "{", "}", "[", "]", '"', "model", "limit", "429", "tokens", "exceed"),
        *("maximum", "unsupported", "json", "image_url", "tools[0].function.parameters", "requires", "wait", "3s"),
    )
)
KEYS = st.sampled_from(
    ("error", "message", "code", "detail", "loc", "msg", "input", "metadata", "retry_after", "n_ctx")
)
FIELDS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.lists(WORDS, max_size=12).map(" ".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.text(max_size=300) | FIELDS.map(json.dumps), st.integers(0, 599), st.booleans())
def test_no_body_is_too_much(body: str, status: int, tools_sent: bool) -> None:
    refusal = told(status, body, tools_sent=tools_sent, tools=OFFERED)
    assert refusal.what
    assert refusal.names_tool in ("", *OFFERED)
    assert tools_sent or refusal.kind not in ("tools", "schema")
    assert refusal.retry_after is None or refusal.retry_after >= 0


@given(st.binary(max_size=300), st.integers(0, 599))
def test_any_bytes_are_a_refusal(body: bytes, status: int) -> None:
    assert told(status, body.decode("utf-8", "replace")).what


BUSY = (
    *("tools ", "tool_", "tools[0]", "not support ", "schema ", "functions: ", "a,", "'", "exceed ", "input ", "no "),
    *("is not ", "model ", "unsupported parameter ", "supported values ", "1h2m", "wait ", "\n", "max context: "),
)


def hostile() -> Iterator[str]:
    """Bodies of the largest size that is read, made to keep a reader busy."""
    yield from ("{" * 200_000, "[" * 200_000, '{"a":' * 40_000, '"{' * 100_000, "<" * 200_000, "\\" * 200_000)
    for word in BUSY:
        yield word * (200_000 // len(word))
        yield json.dumps({"error": {"message": word * (190_000 // len(word))}})
    yield json.dumps({"error": [{"message": f"{{tools {number}"} for number in range(6_000)]})
    yield json.dumps({"a": "[" * 50_000, "b": "{" * 50_000})


@pytest.mark.parametrize("body", list(hostile()), ids=lambda body: body[:24])
def test_a_hostile_body_takes_no_time(body: str) -> None:
    begun = time.process_time()
    assert told(400, body, tools=OFFERED).kind
    assert time.process_time() - begun < 1.0
