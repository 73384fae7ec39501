"""The scripted server itself: what other tests lean on must say what it is told."""

from __future__ import annotations

import asyncio
import contextlib
import urllib.request

import httpx
import pytest

from tests.servers import CUT, HANG, RESET, Reply, ScriptedServer, chunk, hang_up, json_reply, say, sse


async def test_replies_come_in_order_and_requests_are_kept() -> None:
    async with ScriptedServer() as server, httpx.AsyncClient(trust_env=False) as client:
        server.route("GET /v1/models", json_reply({"data": []}))
        server.then(say("Hello there"), json_reply({"error": "no"}, 500))
        assert (await client.get(f"{server.url}/v1/models")).json() == {"data": []}
        first = await client.post(f"{server.url}/v1/chat", json={"stream": True})
        assert first.text.count("data: ") == 6
        assert first.text.endswith("data: [DONE]\n\n")
        assert (await client.post(f"{server.url}/v1/chat")).status_code == 500
        assert (await client.get(f"{server.url}/elsewhere")).status_code == 404
        assert [request.method for request in server.requests] == ["GET", "POST", "POST", "GET"]
        assert server.of("/v1/chat")[0].json == {"stream": True}
        assert {request.connection for request in server.requests} == {0}


@pytest.mark.parametrize("end", [CUT, RESET])
async def test_a_connection_ends_in_the_middle(end: object) -> None:
    async with ScriptedServer() as server, httpx.AsyncClient(trust_env=False) as client:
        server.then(sse(chunk("half"), end))
        with pytest.raises(httpx.TransportError):
            await client.get(server.url)


async def test_the_server_hangs_up_without_a_word() -> None:
    async with ScriptedServer() as server, httpx.AsyncClient(trust_env=False) as client:
        server.then(hang_up())
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get(server.url)


async def test_a_client_that_leaves_is_noticed() -> None:
    async with ScriptedServer() as server, httpx.AsyncClient(trust_env=False) as client:
        gate = asyncio.Event()
        server.then(sse(chunk("one"), gate, chunk("two"), HANG))
        async with client.stream("GET", server.url) as response:
            lines = response.aiter_lines()
            assert "one" in await anext(lines)
            gate.set()
            await anext(lines)
            assert "two" in await anext(lines)
            with contextlib.suppress(AttributeError):
                await lines.aclose()  # type: ignore[attr-defined]
        await server.until(lambda: server.requests[0].left)


async def test_raw_bytes_are_sent_as_they_are() -> None:
    async with ScriptedServer() as server, httpx.AsyncClient(trust_env=False) as client:
        server.then(Reply(body=("HTTP/1.1 200 OK\r\n", "Content-Length: 2\r\n\r\nok"), framing="raw"))
        assert (await client.get(server.url)).text == "ok"


def test_it_serves_from_a_thread_too() -> None:
    with ScriptedServer().in_thread() as server:
        server.then(json_reply([1]))
        with urllib.request.urlopen(f"{server.url}/x", timeout=10) as response:
            assert response.read() == b"[1]"
