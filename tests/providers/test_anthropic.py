"""The wire of the Messages API against a scripted server: what it sends, what it reads, and what it says of faults."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.anthropic import AnthropicWire
from conch_desktop.providers.registry import KINDS
from tests.anthropic_stream import messages_sse, named, start, stop, text, thinking, tool_use
from tests.providers.feeding import Arriving, Joined, answer_of, ask, join
from tests.servers import CUT, Recorded, Reply, ScriptedServer, hang_up, json_reply

KEY = "sk-ant-pier-0000-1111"


def wire(url: str, **more: Any) -> AnthropicWire:
    return AnthropicWire(provider=Provider("pier", "anthropic", "Pier", url), kind=KINDS["anthropic"], key=KEY, **more)


async def feed(chunks: list[bytes], *, cut: bool = False) -> Joined:
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Arriving(chunks, cut=cut))
    return join([event async for event in wire("http://127.0.0.1:1").read(response, tools=["find"])])


WHOLE = b"".join(
    named(event)
    for event in (
        start(input_tokens=3),
        *thinking(0, "Tällä", "mH"),
        *text(1, "Let me ", "see. 🙂"),
        *tool_use(2, "find", "", '{"q": "té', 'e"}'),
        *stop("tool_use"),
    )
)


@given(st.lists(st.integers(0, len(WHOLE)), max_size=12))
@settings(deadline=None, max_examples=40)
async def test_cuts_do_not_change_what_is_read(places: list[int]) -> None:
    marks = [0, *sorted(places), len(WHOLE)]
    pieces = [WHOLE[begin:end] for begin, end in pairwise(marks)]
    answer = await feed(pieces)
    assert answer.told() == (await feed([WHOLE])).told()
    assert (answer.text, answer.reasoning, answer.calls[0].arguments) == ("Let me see. 🙂", "Tällä", '{"q": "tée"}')


@given(st.integers(0, len(WHOLE) - len(named(stop()[1])) - 1))
@settings(deadline=None, max_examples=60)
async def test_a_connection_that_breaks_runs_nothing_and_keeps_the_words(place: int) -> None:
    answer = await feed([WHOLE[:place]], cut=True)
    told = WHOLE[:place].rfind(b'"stop_reason": "tool_use"') > 0 and WHOLE[:place].endswith(b"\n\n")
    assert answer.calls == () or told
    assert "Let me see. 🙂".startswith(answer.text)


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("", "/v1/messages"),
        ("/v1", "/v1/messages"),
        ("/v1/messages", "/v1/messages"),
        ("/anthropic", "/anthropic/v1/messages"),
        ("/anthropic/v1/", "/anthropic/v1/messages"),
    ],
)
async def test_the_address_may_be_written_loosely(path: str, asked: str) -> None:
    async with ScriptedServer() as server:
        server.then(messages_sse(start(), text(0, "So."), stop()))
        pier = wire(server.url + path)
        assert (await answer_of(pier)).text == "So."
        await pier.aclose()
        (request,) = server.requests
        assert (request.path, request.headers["x-api-key"]) == (asked, KEY)
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert request.headers["authorization"] == f"Bearer {KEY}"  # a gateway may look there


async def test_anthropic_itself_gets_the_key_in_its_own_header_alone() -> None:
    seen: list[httpx.Request] = []

    async def answered(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(401, json={"type": "error", "error": {"type": "authentication_error", "message": KEY}})

    anthropic = wire("", transport=httpx.MockTransport(answered))
    answer = await answer_of(anthropic)
    await anthropic.aclose()
    assert str(seen[0].url) == "https://api.anthropic.com/v1/messages"
    assert (seen[0].headers["x-api-key"], "authorization" in seen[0].headers) == (KEY, False)
    assert answer.refusal.kind == "auth"
    assert KEY not in repr(answer.refusal)


def fault(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (json_reply(fault("overloaded_error", "Overloaded"), 529), "overloaded", ""),
        (json_reply(fault("rate_limit_error", "slow down"), 429, {"retry-after": "7"}), "rate", ""),
        (json_reply(fault("invalid_request_error", "prompt is too long: 2 tokens > 1 maximum")), "context_length", ""),
        (messages_sse(named(fault("overloaded_error", "Overloaded"))), "overloaded", ""),
        (messages_sse(start(), text(0, "So"), named(fault("api_error", "Internal server error"))), "overloaded", "So"),
        (messages_sse(start(), text(0, "So"), CUT), "network", "So"),
        (messages_sse(start(), text(0, "So")), "network", "So"),
        (json_reply({"error": {"message": "no such path"}}, 404), "not_found", ""),
        (Reply(200, {"content-type": "text/html"}, ("<html>Sign in</html>",)), "network", ""),
        (hang_up(), "network", ""),
    ],
)
async def test_a_fault_is_what_it_is_wherever_it_comes(reply: Reply, kind: str, words: str) -> None:
    async with ScriptedServer() as server:
        server.then(reply)
        pier = wire(server.url)
        answer = await answer_of(pier)
        await pier.aclose()
    assert (answer.refusal.kind, answer.text, answer.calls) == (kind, words, ())
    assert answer.refusal.retry_after == (7.0 if kind == "rate" else None)


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": name.title(), "created_at": "2026-06-01T00:00:00Z", **more}


CAPABLE = {
    "max_input_tokens": 1_000_000,
    "max_tokens": 128_000,
    "capabilities": {
        "image_input": {"supported": True},
        "effort": {"supported": True, "low": {"supported": True}, "max": {"supported": False}},
        "thinking": {"supported": True, "types": {"adaptive": {"supported": True}, "enabled": {"supported": False}}},
    },
}


async def test_the_list_is_read_page_by_page_and_what_it_says_shapes_the_request() -> None:
    pages = {
        "/v1/models?limit=1000": {"data": [entry("opus", **CAPABLE)], "has_more": True, "last_id": "opus"},
        "/v1/models?limit=1000&after_id=opus": {"data": [entry("haiku")], "has_more": False, "last_id": "haiku"},
    }
    async with ScriptedServer() as server:
        for path, page in pages.items():
            server.route(f"GET {path}", json_reply(page))
        server.then(messages_sse(start(), text(0, "So."), stop()))
        pier = wire(server.url)
        models = await pier.list_models()
        assert models == [
            Model("pier", "opus", "Opus", 1_000_000, pictures=True),
            Model("pier", "haiku", "Haiku"),
        ]
        assert await pier.window_for(models[0]) == 1_000_000
        assert await pier.tools_for(models[0]) is None
        assert await pier.fingerprint(models[0]) != await pier.fingerprint(models[1])
        request = ask(effort="max")
        await answer_of(pier, type(request)(models[0], "", request.messages, effort="max"))
        await pier.aclose()
        sent = server.requests[-1].json
    assert (sent["max_tokens"], sent["output_config"]) == (32_000, {"effort": "low"})


async def test_a_list_that_never_ends_and_one_that_is_none_are_told() -> None:
    def endless(request: Recorded) -> Reply:
        return json_reply({"data": [entry("opus")], "has_more": True, "last_id": "opus"})

    async with ScriptedServer() as server:
        server.route("GET /v1/models?limit=1000", endless)
        server.route("GET /v1/models?limit=1000&after_id=opus", endless)
        pier = wire(server.url)
        assert [model.name for model in await pier.list_models()] == ["opus"]
        server.route("GET /v1/models?limit=1000", json_reply({"models": 5}))
        with pytest.raises(ProviderError):
            await pier.list_models()
        await pier.aclose()


async def test_a_copy_of_the_api_without_a_list_teaches_nothing() -> None:
    async with ScriptedServer() as server:
        pier = wire(server.url)
        assert await pier.fingerprint(Model("pier", "any")) == ""
        assert await pier.takes_grammar(Model("pier", "any")) is False
        await pier.aclose()
