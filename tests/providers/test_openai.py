"""The OpenAI wire over the network: answers, every fault a server can have, and what is asked beforehand."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.events import CallDelta, ReasoningDelta, Replay, TextDelta, Usage
from conch_desktop.domain.models import Model
from tests.providers.feeding import MODEL, answer_of, ask, feed, recorded, tool, wire
from tests.servers import (
    CUT,
    HANG,
    RESET,
    Reply,
    ScriptedServer,
    Wait,
    call,
    call_piece,
    chunk,
    event,
    hang_up,
    json_reply,
    say,
    sse,
    text_reply,
)

DONE_CHUNK = chunk(finish="stop")


# whole answers ------------------------------------------------------------------------------------------------------


async def test_words_thinking_usage_and_the_end_arrive_as_they_come() -> None:
    async with ScriptedServer() as server:
        gate = asyncio.Event()
        usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
        server.then(sse(chunk(reasoning="Hm"), chunk("Yes"), gate, chunk("."), DONE_CHUNK, usage))
        pier = wire(server.url)
        async with contextlib.aclosing(pier.stream(ask())) as events:
            assert await anext(events) == ReasoningDelta("Hm")
            assert await anext(events) == TextDelta("Yes")
            gate.set()
            assert await anext(events) == TextDelta(".")
            assert await anext(events) == Replay('{"reasoning_content": "Hm"}')
            assert await anext(events) == Usage(9, 2)
            assert (await anext(events)).reason == "stop"  # type: ignore[union-attr]
        await pier.aclose()
        sent = server.requests[0]
        assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
        assert sent.json["messages"] == [{"role": "user", "content": "Hello"}]
        assert sent.json["stream"] is True
        assert "authorization" not in sent.headers


async def test_a_call_arrives_in_pieces_and_is_whole_at_the_end() -> None:
    async with ScriptedServer() as server:
        server.then(call("find_note", '{"query": "tea"}', call_id="c7"))
        pier = wire(server.url, key=" key-of-a-person \n")
        answer = await answer_of(pier, ask(tools=(tool("find_note", query={"type": "string"}),)))
        await pier.aclose()
        assert [(made.id, made.name, made.arguments) for made in answer.calls] == [
            ("c7", "find_note", '{"query": "tea"}')
        ]
        assert answer.finish == "tool_calls"
        assert "".join(each.arguments for each in answer.events if isinstance(each, CallDelta)) == '{"query": "tea"}'
        assert server.requests[0].headers["authorization"] == "Bearer key-of-a-person"


async def test_two_requests_run_side_by_side() -> None:
    async with ScriptedServer() as server:
        gates = [asyncio.Event(), asyncio.Event()]

        def reply(request: Any) -> Reply:
            word = request.json["messages"][0]["content"]
            return sse(chunk(f"{word} "), gates[int(word)], chunk("done"), DONE_CHUNK)

        server.route("POST /v1/chat/completions", reply)
        pier = wire(server.url)
        answers = [asyncio.ensure_future(answer_of(pier, ask(str(number)))) for number in range(2)]
        await server.until(lambda: len(server.requests) == 2)
        gates[1].set()
        assert (await answers[1]).text == "1 done"
        assert not answers[0].done()
        gates[0].set()
        assert (await answers[0]).text == "0 done"
        await pier.aclose()


async def test_leaving_in_the_middle_closes_the_connection() -> None:
    async with ScriptedServer() as server:
        server.then(sse(chunk("one"), HANG), say("next"))
        pier = wire(server.url)
        async with contextlib.aclosing(pier.stream(ask())) as events:
            assert await anext(events) == TextDelta("one")
        await server.until(lambda: server.requests[0].left, 1)
        assert (await answer_of(pier)).text == "next"
        await pier.aclose()


async def test_cancelling_the_task_closes_the_connection_too() -> None:
    async with ScriptedServer() as server:
        server.then(sse(chunk("one"), HANG))
        pier = wire(server.url)
        task = asyncio.ensure_future(answer_of(pier))
        await server.until(lambda: bool(server.requests))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.until(lambda: server.requests[0].left, 1)
        await pier.aclose()


async def test_what_comes_after_the_end_is_still_read() -> None:
    async with ScriptedServer() as server:
        late = sse(chunk("a", finish="stop"), event("[DONE]"), chunk("b", usage={"prompt_tokens": 1}), done=False)
        server.then(late)
        pier = wire(server.url)
        answer = await answer_of(pier)
        assert (answer.text, answer.usage) == ("ab", Usage(1))
        await pier.aclose()


async def test_a_server_that_is_done_but_never_closes_is_not_waited_for() -> None:
    async with ScriptedServer() as server:
        server.then(sse(chunk("a"), DONE_CHUNK, event("[DONE]"), HANG, done=False))
        pier = wire(server.url)
        began = time.monotonic()
        answer = await answer_of(pier)
        assert (answer.text, answer.finish) == ("a", "stop")
        assert time.monotonic() - began < 5
        await pier.aclose()


# faults -------------------------------------------------------------------------------------------------------------

POST = "POST {url}/v1/chat/completions"

FAULTS: dict[str, tuple[Reply, str, str, str]] = {
    "500 with words": (
        json_reply({"error": {"message": "The sluice is stuck."}}, 500),
        "overloaded",
        "Pier is in trouble of its own. Status 500. It said: “The sluice is stuck.”",
        "Try again in a moment.",
    ),
    "a refused key": (
        json_reply({"error": {"message": "Incorrect API key provided: key-of-a-person."}}, 401),
        "auth",
        "Pier refused the key. Status 401.",
        "Enter another key in the settings, under Providers.",
    ),
    "404": (
        text_reply("404 page not found", 404, "text/plain"),
        "not_found",
        f"{POST} answered 404.",
        "Check the address.",
    ),
    "HTML": (
        text_reply("<!DOCTYPE html><html><body>Sign in</body></html>"),
        "network",
        f"{POST} was answered by a web page, not by a model.",
        "Check the address; a proxy or a sign-in page may stand in between.",
    ),
    "HTML with 502": (
        text_reply("<html><h1>502 Bad Gateway</h1></html>", 502),
        "network",
        f"{POST} was answered by a web page with status 502, not by a model.",
        "Check the address; a proxy or a sign-in page may stand in between.",
    ),
    "an empty body": (
        Reply(200, {"content-type": "text/event-stream"}),
        "network",
        "An answer came, but nothing in it from Pier.",
        "Try again. If it stays so, check the address.",
    ),
    "an empty stream": (
        sse(done=False),
        "network",
        "An answer came, but nothing in it from Pier.",
        "Try again. If it stays so, check the address.",
    ),
    "another program": (
        json_reply({"status": "ok"}),
        "network",
        f"{POST} was not answered as a model answers.",
        "Check the address; a proxy or a sign-in page may stand in between.",
    ),
    "plain words": (
        text_reply("no healthy upstream", 200, "text/plain"),
        "network",
        f"{POST} was not answered as a model answers. It said: “no healthy upstream”",
        "Check the address; a proxy or a sign-in page may stand in between.",
    ),
    "half an event": (
        sse(chunk("Ninety"), b'data: {"choices": [{"delta": {"content": "-fi', CUT),
        "network",
        "The connection to Pier broke off after 6 characters.",
        "What had arrived is kept.",
    ),
    "half an event and an orderly end": (
        sse(chunk("Ninety"), b'data: {"choices": [{"delta": {"content": "-fi', done=False),
        "network",
        "The connection to Pier broke off after 6 characters.",
        "What had arrived is kept.",
    ),
    "a drop in the middle": (
        sse(chunk("x" * 95), RESET),
        "network",
        "The connection to Pier broke off after 95 characters.",
        "What had arrived is kept.",
    ),
    "a drop in the middle of a call": (
        sse(chunk(calls=[call_piece("find", '{"q": "te', call_id="c")]), CUT),
        "network",
        "The connection to Pier broke off in the middle of a call.",
        "The call that had begun did not run.",
    ),
    "a drop before the first byte": (
        hang_up(),
        "network",
        "The connection to Pier broke off before an answer came.",
        "Try again.",
    ),
    "silence before the first byte": (
        Reply(body=(HANG,), framing="raw"),
        "network",
        "Pier did not answer in time.",
        "Try again. A large model may still be loading.",
    ),
    "silence in the middle": (
        sse(chunk("Once"), HANG),
        "network",
        "Pier fell silent after 4 characters.",
        "What had arrived is kept.",
    ),
    "an error in the stream": (
        sse(chunk("I will look"), {"error": {"code": 502, "message": "Provider disconnected"}, "choices": []}),
        "overloaded",
        "Pier is in trouble of its own. Status 502. It said: “Provider disconnected”",
        "Try again in a moment.",
    ),
    "an error that is an event of its own": (
        sse(b'event: error\ndata: {"message": "Rate limit reached", "code": 429}\n\n', done=False),
        "rate",
        "Pier takes no more requests at the moment. Status 429.",
        "Try again in a minute.",
    ),
    "an error line": (
        sse(b'error: {"code": 500, "message": "The slot is gone."}\n\n', done=False),
        "overloaded",
        "Pier is in trouble of its own. Status 500. It said: “The slot is gone.”",
        "Try again in a moment.",
    ),
    "an error line that is no JSON": (
        sse(b"event: error\ndata: out of luck\n\n", done=False),
        "overloaded",
        "Pier is in trouble of its own. It said: “out of luck”",
        "Try again in a moment.",
    ),
    "an error with status 200": (
        json_reply({"error": "orca does not support tools"}),
        "tools",
        "This model takes no tools natively. It said: “orca does not support tools”",
        "It can get them in words.",
    ),
    "an error in a list": (
        json_reply([{"error": {"code": 429, "message": "Resource exhausted."}}], 429, {"retry-after": "12"}),
        "rate",
        "Pier asks to wait 12 s.",
        "Try again after that.",
    ),
    "a finish that is a fault": (
        sse(chunk("So"), chunk(finish="error")),
        "overloaded",
        "Pier is in trouble of its own. It said: “The answer ended with an error.”",
        "Try again in a moment.",
    ),
    "a move": (
        Reply(301, {"location": "https://pier.example/v1/chat/completions"}),
        "not_found",
        f"{POST} answered 301: the address is now https://pier.example/v1/chat/completions.",
        "Enter that address.",
    ),
    "a body that can't be unpacked": (
        Reply(200, {"content-type": "text/event-stream", "content-encoding": "gzip"}, (b"data: no gzip\n\n",)),
        "network",
        "The answer from Pier could not be unpacked.",
        "Try again.",
    ),
}


@pytest.mark.parametrize(("reply", "kind", "what", "advice"), FAULTS.values(), ids=FAULTS.keys())
async def test_every_fault_is_a_sentence(reply: Reply, kind: str, what: str, advice: str) -> None:
    async with ScriptedServer() as server:
        server.then(reply, say("all is well"))
        pier = wire(server.url, key="key-of-a-person", read_timeout=0.3)
        answer = await answer_of(pier, ask(tools=(tool("find"),)))
        assert answer.refusal.kind == kind
        assert answer.refusal.what == what.format(url=server.url)
        assert answer.refusal.advice == advice
        assert "key-of-a-person" not in repr(answer)
        assert not answer.calls
        assert len(server.requests) == 1
        assert (await answer_of(pier)).text == "all is well"  # the wire is as good as before
        await pier.aclose()


async def test_what_had_arrived_before_a_fault_is_kept() -> None:
    async with ScriptedServer() as server:
        usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}
        server.then(sse(chunk("<think>Hm</think>So far <"), usage, CUT))
        pier = wire(server.url)
        answer = await answer_of(pier)
        assert (answer.text, answer.reasoning, answer.usage) == ("So far <", "Hm", Usage(5, 1))
        await pier.aclose()


async def test_a_connection_that_breaks_after_the_end_is_no_fault() -> None:
    async with ScriptedServer() as server:
        server.then(sse(chunk("Whole."), DONE_CHUNK, RESET, done=False))
        pier = wire(server.url)
        answer = await answer_of(pier)
        assert (answer.text, answer.finish) == ("Whole.", "stop")
        await pier.aclose()


async def test_nobody_at_the_address() -> None:
    async with ScriptedServer() as server:
        gone = server.url
    pier = wire(gone)
    refusal = (await answer_of(pier)).refusal
    assert (refusal.kind, refusal.what) == ("network", f"Nothing answers at {gone}/v1/chat/completions.")
    with pytest.raises(ProviderError) as raised:
        await pier.list_models()
    assert raised.value.what == f"Nothing answers at {gone}/v1/models."
    await pier.aclose()


@pytest.mark.parametrize(
    ("url", "what"), [("http://pier.invalid/v1", "The name in"), ("http://[::1]:1/v1", "Nothing answers")]
)
async def test_an_address_that_leads_nowhere(url: str, what: str) -> None:
    pier = wire(url, connect_timeout=5)
    assert (await answer_of(pier)).refusal.what.startswith(what)
    await pier.aclose()


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines", "\x00"])
async def test_a_key_no_header_can_hold_is_told(key: str) -> None:
    pier = wire("http://127.0.0.1:1/v1", key=key)
    refusal = (await answer_of(pier)).refusal
    assert (refusal.kind, refusal.what) == ("auth", "The key holds characters that no key has.")
    await pier.aclose()


# one retry ----------------------------------------------------------------------------------------------------------


async def test_a_kept_connection_that_died_is_replaced_once() -> None:
    async with ScriptedServer() as server:
        server.then(say("one"), hang_up(), say("two"))
        pier = wire(server.url)
        assert (await answer_of(pier)).text == "one"
        assert (await answer_of(pier)).text == "two"
        assert [request.connection for request in server.requests] == [0, 0, 1]
        assert server.requests[1].body == server.requests[2].body
        await pier.aclose()


async def test_a_fresh_connection_that_dies_is_not_tried_again() -> None:
    async with ScriptedServer() as server:
        server.then(hang_up(), say("two"))
        pier = wire(server.url)
        assert (await answer_of(pier)).finish == "error"
        assert len(server.requests) == 1
        await pier.aclose()


async def test_a_kept_connection_is_not_replaced_twice_and_not_after_the_first_byte() -> None:
    async with ScriptedServer() as server:
        server.then(say("one"), hang_up(), hang_up(), say("two"), sse(chunk("half"), CUT))
        pier = wire(server.url)
        assert (await answer_of(pier)).text == "one"
        assert (await answer_of(pier)).refusal.what == "The connection to Pier broke off before an answer came."
        assert len(server.requests) == 3
        assert (await answer_of(pier)).text == "two"
        assert (await answer_of(pier)).refusal.what == "The connection to Pier broke off after 4 characters."
        assert len(server.requests) == 5
        await pier.aclose()


# bodies that are no stream ------------------------------------------------------------------------------------------


async def test_one_whole_completion_in_the_place_of_a_stream_is_an_answer() -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}]
    message = {"role": "assistant", "content": "Looking.", "reasoning_content": "Hm", "tool_calls": calls}
    whole = {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 4},
    }
    answer = await feed([json.dumps(whole, indent=1).encode()], headers={"content-type": "application/json"})
    assert (answer.text, answer.reasoning, answer.usage) == ("Looking.", "Hm", Usage(4))
    assert [made.arguments for made in answer.calls] == ['{"q": 1}']


async def test_a_whole_completion_that_is_cut_is_broken_off() -> None:
    answer = await feed([b'{"choices": [{"message": {"content": "Half'], headers={}, cut=True)
    assert answer.refusal.kind == "network"


async def test_chunks_one_a_line_without_data_are_read() -> None:
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in (chunk("a"), chunk("b"), DONE_CHUNK))
    assert (await feed([lines], headers={})).text == "ab"


# real answers -------------------------------------------------------------------------------------------------------

WEATHER = ("get_weather", "save_note")
STREAMS = ["chat", "call", "call_cut_by_length", "three_calls_last_cut", "call_as_fenced_text", "dasllama_chat"]


async def test_real_streams_are_read() -> None:
    async def read(name: str) -> Any:
        status, headers, body = recorded(name)
        return await feed([body], status=status, headers=headers, tools=WEATHER)

    said = await read("chat")
    assert (said.finish, said.usage) == ("length", Usage(37, 16, 36))
    assert said.text.startswith("The majestic and majestic Blue Morpho")
    called = await read("call")
    assert [(made.name, made.arguments) for made in called.calls] == [("get_weather", '{"city": "Riga"}')]
    assert called.usage == Usage(374, 32, 373)
    cut = await read("call_cut_by_length")
    assert (cut.finish, cut.calls) == ("length", ())
    three = await read("three_calls_last_cut")
    assert [made.arguments for made in three.calls] == ['{"city": "x"}'] * 2
    assert (await read("call_as_fenced_text")).text.startswith("```json\n")
    plain = await read("plain_json_empty")
    assert (plain.text, plain.finish) == ("", "stop")


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(STREAMS), st.lists(st.integers(1, 400), max_size=40), st.booleans())
async def test_any_cut_of_the_bytes_gives_the_same_answer(name: str, sizes: list[int], marked: bool) -> None:
    status, headers, body = recorded(name)
    whole = await feed([body], status=status, headers=headers, tools=WEATHER)
    body = b"\xef\xbb\xbf" + body if marked else body
    chunks, start = [], 0
    for size in sizes:
        chunks.append(body[start : start + size])
        start += size
    chunks.append(body[start:])
    assert (await feed(chunks, status=status, headers=headers, tools=WEATHER)).told() == whole.told()


async def test_every_single_byte_can_be_a_read_of_its_own() -> None:
    text = "Größe: 東京 🙂\u2028"
    body = b"\xef\xbb\xbf" + event(chunk(text)) + event(chunk(finish="stop")).rstrip()
    answer = await feed([bytes([byte]) for byte in body])
    assert (answer.text, answer.finish) == (text, "stop")


@given(st.binary(max_size=300), st.booleans(), st.sampled_from([200, 200, 204, 302, 400, 500]))
async def test_rubbish_ends_in_one_sentence(body: bytes, cut: bool, status: int) -> None:
    answer = await feed([body], status=status, cut=cut)
    assert answer.end is not None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "message",
                    "content",
                    "tool_calls",
                    "usage",
                    "error",
                    "index",
                    "finish_reason",
                    "type",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(st.lists(json_values, max_size=5), st.booleans())
async def test_json_that_nobody_meant_ends_in_one_sentence(chunks: list[Any], plain: bool) -> None:
    body = json.dumps(chunks).encode() if plain else b"".join(event(json.dumps(each)) for each in chunks)
    answer = await feed([body])
    assert answer.end is not None


# the list of models -------------------------------------------------------------------------------------------------


async def test_models_are_listed_and_the_key_is_sent() -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "a"}, {"id": "b"}, {"id": "a"}, {}]}))
        pier = wire(server.url, key="k" * 20)
        assert [model.id for model in await pier.list_models()] == ["pier/a", "pier/b"]
        assert server.requests[0].headers["authorization"] == f"Bearer {'k' * 20}"
        await pier.aclose()


@pytest.mark.parametrize(
    ("reply", "kind", "what"),
    [
        (json_reply({"error": "no"}, 404), "not_found", "GET {url}/wrong/models answered 404."),
        (
            json_reply({"error": {"message": "model not found"}}, 404),
            "not_found",
            "GET {url}/wrong/models answered 404.",
        ),
        (json_reply({}, 401), "auth", "Pier refused the key. Status 401."),
        (text_reply("<html></html>"), "network", "GET {url}/wrong/models was answered by a web page, not by a model."),
        (json_reply({"hello": 1}), "network", "GET {url}/wrong/models was not answered as a model answers."),
        (text_reply("", 200, "application/json"), "network", "An answer came, but nothing in it from Pier."),
        (hang_up(), "network", "The connection to Pier broke off before an answer came."),
        (Reply(body=(HANG,), framing="raw"), "network", "Pier did not answer in time."),
    ],
)
async def test_a_list_that_does_not_come_is_an_error_for_people(reply: Reply, kind: str, what: str) -> None:
    async with ScriptedServer() as server:
        server.route("GET /wrong/models", reply)
        pier = wire(f"{server.url}/wrong", read_timeout=0.3)
        with pytest.raises(ProviderError) as raised:
            await pier.list_models()
        assert (raised.value.kind, raised.value.what) == (kind, what.format(url=server.url))
        if kind == "not_found":
            assert raised.value.advice == "The address usually ends in /v1."
        await pier.aclose()


# what a llama.cpp server is asked -----------------------------------------------------------------------------------


def llama(server: ScriptedServer, *, tools: bool = False, props: Reply | None = None) -> None:
    _, headers, body = recorded("models")
    server.route("GET /v1/models", Reply(200, headers, (body,)))
    value = {"chat_template_caps": {"supports_tools": tools}, "default_generation_settings": {"n_ctx": 1024}}
    server.route("GET /props", props or json_reply(value, headers={"server": "llama.cpp"}))


async def test_a_llama_server_is_asked_once_what_its_model_can_do() -> None:
    async with ScriptedServer() as server:
        llama(server)
        pier = wire(server.url)
        facts = await asyncio.gather(pier.tools_for(MODEL), pier.window_for(MODEL), pier.takes_grammar(MODEL))
        assert list(facts) == [False, 1024, True]
        assert await pier.tools_for(MODEL) is False
        assert [request.path for request in server.requests] == ["/v1/models", "/props"]
        await pier.aclose()


async def test_the_real_props_are_read() -> None:
    async with ScriptedServer() as server:
        status, headers, body = recorded("props")
        llama(server, props=Reply(status, headers, (body,)))
        pier = wire(server.url)
        assert (await pier.tools_for(MODEL), await pier.window_for(MODEL)) == (False, 1024)
        await pier.aclose()


@pytest.mark.parametrize("props", [json_reply({}, 401), json_reply({}, 503), text_reply("<html>", 500), hang_up()])
async def test_props_that_do_not_come_mean_unknown_and_are_asked_for_again(props: Reply) -> None:
    async with ScriptedServer() as server:
        llama(server, props=props)
        now = [0.0]
        pier = wire(server.url, clock=lambda: now[0])
        assert await pier.tools_for(MODEL) is None
        assert await pier.window_for(Model("pier", "demo", window=77)) == 77
        llama(server, tools=True)
        assert await pier.tools_for(MODEL) is None  # it is left alone for a moment
        now[0] += 3.0
        assert await pier.tools_for(MODEL) is True
        await pier.aclose()


async def test_a_server_that_has_no_props_is_not_asked_for_ever() -> None:
    async with ScriptedServer() as server:
        llama(server, props=json_reply({}, 404))
        pier = wire(server.url)
        assert [await pier.tools_for(MODEL) for _ in range(3)] == [None] * 3
        assert len(server.of("/props")) == 1
        await pier.aclose()


async def test_a_server_without_a_list_is_asked_once_and_a_silent_one_is_left_alone_for_a_while() -> None:
    async with ScriptedServer() as server:
        pier = wire(server.url)
        assert [await pier.tools_for(MODEL) for _ in range(3)] == [None] * 3
        assert len(server.requests) == 1
        await pier.aclose()
        silent = wire(server.url, read_timeout=0.2)
        server.route("GET /v1/models", Reply(body=(HANG,), framing="raw"))
        assert [await silent.tools_for(MODEL) for _ in range(3)] == [None] * 3
        assert len(server.requests) == 2
        await silent.aclose()


async def test_other_servers_are_not_asked_for_props() -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "demo"}]}))
        pier = wire(server.url)
        known = Model("pier", "demo", window=4096, tools=True)
        assert await pier.tools_for(known) is True
        assert await pier.window_for(known) == 4096
        assert not await pier.takes_grammar(known)
        assert await pier.tools_for(MODEL) is None
        assert [request.path for request in server.requests] == ["/v1/models"]
        await pier.aclose()


async def test_the_header_of_an_answer_tells_a_llama_server_too() -> None:
    async with ScriptedServer() as server:
        server.then(sse(chunk("a"), DONE_CHUNK, headers={"server": "llama.cpp"}))
        server.route("GET /api/v1/models", json_reply({"data": []}))
        pier = wire(f"{server.url}/api/v1", kind="openrouter")
        assert await pier.takes_grammar(MODEL) is False
        await answer_of(pier)
        assert await pier.takes_grammar(MODEL) is True
        assert server.of("/api/v1/models") == []
        await pier.aclose()


@pytest.mark.parametrize(("is_llama", "sent"), [(True, {"grammar"}), (False, {"tools"})])
async def test_a_grammar_is_only_sent_where_it_is_taken_and_then_without_tools(is_llama: bool, sent: set[str]) -> None:
    async with ScriptedServer() as server:
        if is_llama:
            llama(server)
        else:
            server.route("GET /v1/models", json_reply({"data": []}))
        server.then(say("ok"))
        pier = wire(server.url)
        await answer_of(pier, ask(grammar='root ::= "a"', tools=(tool("find"),)))
        assert server.requests[-1].json.keys() & {"grammar", "tools"} == sent
        await pier.aclose()


async def test_a_server_with_several_models_is_asked_for_each() -> None:
    async with ScriptedServer() as server:
        llama(server)
        listed = [{"id": "demo", "owned_by": "llamacpp"}, {"id": "other", "owned_by": "llamacpp"}]
        server.route("GET /v1/models", json_reply({"data": listed}))
        yes = {"chat_template_caps": {"supports_tools": True}}
        server.route("GET /props?model=other", json_reply(yes))
        server.route("GET /props?model=demo", json_reply({"chat_template_caps": {"supports_tools": False}}))
        pier = wire(server.url)
        assert (await pier.tools_for(Model("pier", "other")), await pier.tools_for(MODEL)) == (True, False)
        await pier.aclose()


# the proxy ----------------------------------------------------------------------------------------------------------


async def test_the_environment_s_proxy_is_not_used_on_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptedServer() as server, ScriptedServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("NO_PROXY", "")
        server.then(say("direct"))
        proxy.then(json_reply({"error": {"message": "by the proxy"}}, 418))
        pier = wire(server.url)
        assert (await answer_of(pier)).text == "direct"
        await pier.aclose()
        far = wire("http://pier.invalid/v1")
        assert (await answer_of(far)).refusal.words == "by the proxy"
        await far.aclose()


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "socks://127.0.0.1:1"])
async def test_a_proxy_nobody_speaks_is_told(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    far = wire("https://pier.invalid/v1")
    what = "The proxy in the environment can't be used: it has to be an HTTP proxy."
    assert (await answer_of(far)).refusal.what == what
    with pytest.raises(ProviderError, match="can't be used"):
        await far.list_models()


async def test_a_transport_can_be_handed_in() -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=event(chunk("handed in")) + event("[DONE]"))

    pier = wire("https://pier.example/v1", transport=httpx.MockTransport(answer))
    assert (await answer_of(pier)).text == "handed in"
    await pier.aclose()


async def test_a_slow_answer_is_waited_for() -> None:
    async with ScriptedServer() as server:
        server.then(sse(Wait(0.2), chunk("a"), Wait(0.2), chunk("b"), DONE_CHUNK))
        pier = wire(server.url, read_timeout=2)
        assert (await answer_of(pier)).text == "ab"
        await pier.aclose()
