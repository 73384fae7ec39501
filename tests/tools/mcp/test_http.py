"""Servers at an address: streamable HTTP, what goes wrong with it, and signing in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Definition
from conch_desktop.tools.mcp.commands import Paths
from conch_desktop.tools.mcp.server import Server, Workshop
from tests.servers import Recorded, Reply, ScriptedServer, event, json_reply, text_reply
from tests.tools.mcp.conftest import MemoryKeys, until

TOKEN = "token-of-test-1"


def mcp(request: Recorded) -> Reply:
    """A small server in the answers of JSON, without a session."""
    message = request.json
    if "id" not in message:
        return Reply(202)
    if message["method"] == "initialize":
        about = {"name": "pier", "version": "1"}
        version = message["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": "echo", "inputSchema": {"$schema": "no type here"}}]}
    else:
        said = message["params"]["arguments"].get("text", "") + request.headers.get("x-room", "")
        result = {"content": [{"type": "text", "text": said}]}
    return json_reply({"jsonrpc": "2.0", "id": message["id"], "result": result})


@pytest.fixture
async def http() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as server:
        server.route("POST /mcp", mcp)
        yield server


Make = Callable[[Definition], Server]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    servers: list[Server] = []
    keys = MemoryKeys()

    def made(definition: Definition) -> Server:
        servers.append(Server(definition, {}, Workshop(Paths(), keys), account="sign-in", told=lambda: None))
        return servers[-1]

    yield made
    await asyncio.gather(*(server.stop() for server in servers))


def at(http: ScriptedServer, **headers: str) -> Definition:
    return Definition("pier", "http", url=f"{http.url}/mcp", headers=headers, start_limit=20, call_limit=20)


async def started(server: Server) -> Server:
    server.start()
    await asyncio.wait_for(server.settled(), 30)
    return server


async def test_a_server_at_an_address_is_used_with_its_headers_and_its_list_is_mended(
    http: ScriptedServer, make: Make
) -> None:
    server = await started(make(at(http, **{"X-Room": "7"})))
    assert server.state == "running", server.why
    assert server.listing.tools[0].schema["type"] == "object"
    assert (await server.call("echo", {"text": "room "})).text == "room 7"


async def test_an_answer_as_a_stream_of_events(http: ScriptedServer, make: Make) -> None:
    server = await started(make(at(http)))

    def streamed(request: Recorded) -> Reply:
        progress = {"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": request.json["id"], "progress": 1}}  # fmt: skip
        answer = {"jsonrpc": "2.0", "id": request.json["id"], "result": {"content": [{"type": "text", "text": "hi"}]}}
        return Reply(200, {"content-type": "text/event-stream"}, (event(progress), event(answer)), "chunked")

    http.route("POST /mcp", streamed)
    heard: list[str] = []
    assert (await server.call("echo", {}, heard.append)).text == "hi"
    await until(lambda: heard == ["1"])


FAULTS = [
    ("refused", Reply(500), "HTTP 500"),
    ("not allowed", Reply(403), "HTTP 403"),
    ("no MCP", text_reply("<html>Welcome</html>"), "text/html"),
    ("broken", Reply(200, {"content-type": "application/json"}, ("{",)), "JSON"),
    ("too long", Reply(200, {"content-type": "application/json"}, ('"' + "x" * 999_999,) * 20, "chunked"), "16 MB"),
]


@pytest.mark.parametrize(("fault", "reply", "words"), FAULTS, ids=[fault for fault, *_ in FAULTS])
async def test_a_fault_at_the_start_is_a_state_with_words(
    http: ScriptedServer, make: Make, fault: str, reply: Reply, words: str
) -> None:
    http.route("POST /mcp", reply)
    server = await started(make(at(http)))
    assert server.state == "failed"
    assert words in server.why


@pytest.mark.parametrize(("fault", "reply", "words"), FAULTS, ids=[fault for fault, *_ in FAULTS])
async def test_a_fault_in_a_call_is_an_answer_and_the_next_call_works(
    http: ScriptedServer, make: Make, fault: str, reply: Reply, words: str
) -> None:
    server = await started(make(at(http)))
    http.route("POST /mcp", reply)
    with pytest.raises(IntegrationError):
        await server.call("echo", {"text": "a"})
    http.route("POST /mcp", mcp)
    assert (await server.call("echo", {"text": "b"})).text == "b"


async def test_nothing_at_an_address_is_told_and_a_later_call_tries_again(make: Make) -> None:
    async with ScriptedServer() as http:
        http.route("POST /mcp", mcp)
        definition = at(http)
        server = await started(make(definition))
    with pytest.raises(IntegrationError):
        await server.call("echo", {})
    gone = await started(make(replace(definition, url="http://127.0.0.1:9/mcp")))
    assert gone.state == "failed"
    assert "Nothing answers" in gone.why


# Signing in -----------------------------------------------------------------------------------------------------------


def guarded(http: ScriptedServer, *, good: str = TOKEN) -> None:
    """Makes the server ask for a sign-in, with all that OAuth wants beside it."""

    def asks(request: Recorded) -> Reply:
        if request.headers.get("authorization") == f"Bearer {good}":
            return mcp(request)
        where = f'Bearer resource_metadata="{http.url}/.well-known/oauth-protected-resource"'
        return Reply(401, {"www-authenticate": where})

    http.route("POST /mcp", asks)
    http.route("GET /.well-known/oauth-protected-resource",
               json_reply({"resource": f"{http.url}/mcp", "authorization_servers": [http.url]}))  # fmt: skip
    http.route("GET /.well-known/oauth-authorization-server", json_reply({
        "issuer": http.url,
        "authorization_endpoint": f"{http.url}/authorize",
        "token_endpoint": f"{http.url}/token",
        "registration_endpoint": f"{http.url}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    }))  # fmt: skip
    http.route("POST /register", lambda request: json_reply({**request.json, "client_id": "conch"}, 201))
    http.route("POST /token", json_reply({"access_token": TOKEN, "token_type": "Bearer", "refresh_token": "again"}))


async def test_a_server_that_wants_a_sign_in_says_so_and_opens_nothing(http: ScriptedServer, make: Make) -> None:
    guarded(http)
    server = await started(make(at(http)))
    assert (server.state, server.wants_sign_in, server.why) == (
        "failed",
        True,
        "It asks you to sign in. (it answered with HTTP 401)",
    )
    assert not http.of("/register")


async def test_signing_in_goes_by_the_browser_and_holds_from_then_on(http: ScriptedServer, make: Make) -> None:
    guarded(http)
    opened: list[str] = []

    async def browser(address: str) -> None:
        opened.append(address)
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        back = f"{asked['redirect_uri']}?code=c0de&state={asked['state']}"
        page = await asyncio.to_thread(lambda: urlopen(back, timeout=10).read())
        assert b"close this page" in page

    server = make(at(http))
    server.start(browser)
    await asyncio.wait_for(server.settled(), 30)
    assert server.state == "running", server.why
    assert len(opened) == 1
    assert urlsplit(opened[0]).path == "/authorize"
    assert (await server.call("echo", {"text": "in"})).text == "in"
    await server.stop()
    again = await started(make(at(http)))  # with the tokens that were kept, and no browser
    assert again.state == "running", again.why
    assert len(opened) == 1


async def test_a_sign_in_that_is_refused_is_words(http: ScriptedServer, make: Make) -> None:
    guarded(http)

    async def browser(address: str) -> None:
        back = parse_qs(urlsplit(address).query)["redirect_uri"][0]
        await asyncio.to_thread(lambda: urlopen(f"{back}?error=access_denied", timeout=10).read())

    server = make(at(http))
    server.start(browser)
    await asyncio.wait_for(server.settled(), 30)
    assert server.state == "failed"
    assert "access_denied" in server.why


async def test_a_header_of_ones_own_needs_no_sign_in(http: ScriptedServer, make: Make) -> None:
    guarded(http, good="mine")
    server = await started(make(at(http, Authorization="Bearer mine")))
    assert server.state == "running", server.why
    wrong = await started(make(at(http, Authorization="Bearer other")))
    assert wrong.state == "failed"
