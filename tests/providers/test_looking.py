"""A server is looked at without a key, at home only, and what answered is said."""

from __future__ import annotations

import pytest

from conch_desktop.providers.looking import find_servers, look_at
from tests.servers import HANG, Reply, ScriptedServer, json_reply, text_reply

LIST = {"data": [{"id": "a", "supported_parameters": ["tools"]}, {"id": "b"}]}


@pytest.mark.parametrize("typed", ["127.0.0.1:{port}", "localhost:{port}/", "http://127.0.0.1:{port}/v1", "{url}/v1/"])
async def test_an_address_typed_loosely_finds_the_server(typed: str) -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply(LIST))
        port = server.url.rpartition(":")[2]
        found = await look_at(typed.format(port=port, url=server.url))
        assert found is not None
        assert found.good
        assert found.url.endswith(f":{port}/v1")
        assert found.words.startswith("2 models, 1 with tools, answered in ")
        assert [(one.path, one.headers.get("authorization")) for one in server.requests] == [("/v1/models", None)]


async def test_a_list_behind_v1_is_found_where_the_path_was_left_out() -> None:
    async with ScriptedServer() as server:
        server.route("GET /pier/v1/models", json_reply(LIST))
        found = await look_at(f"{server.url}/pier")
        assert found is not None
        assert found.good
        assert found.url == f"{server.url}/pier/v1"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (json_reply({}, 401), "asks for a key"),
        (json_reply({}, 500), "answered 500"),
        (text_reply("<html>"), "no list of models"),
        (json_reply({"data": 3}), "no list of models"),
        (Reply(body=("{",), framing="close"), "no list of models"),
        (Reply(body=("{", HANG), framing="chunked"), "did not answer in"),
    ],
)
async def test_what_is_no_list_is_said(reply: Reply, words: str) -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", reply)
        found = await look_at(f"{server.url}/v1", seconds=0.5)
        assert found is not None
        assert not found.good
        assert words in found.words
        assert server.url in found.words


async def test_where_nothing_listens_is_said_and_an_address_on_the_internet_is_left_alone() -> None:
    found = await look_at("http://127.0.0.1:9")
    assert found is not None
    assert "nothing answers" in found.words
    for typed in ("", "https://api.example.org", "8.8.8.8", "http://[", "not an address"):
        assert await look_at(typed) is None


@pytest.mark.parametrize(
    ("value", "company"),
    [
        ({"data": [{"id": "a", "owned_by": "library"}]}, "ollama"),
        ({"data": [{"id": "a", "owned_by": "llamacpp"}]}, "llama.cpp"),
        ({"data": [{"id": "a", "owned_by": "vllm"}]}, "vllm"),
        ({"data": [{"id": "a", "owned_by": "organization_owner"}]}, "lm-studio"),
        ({"data": [{"id": "a", "owned_by": "pier"}]}, "own"),
    ],
)
async def test_servers_on_this_computer_are_found_by_what_they_say(value: object, company: str) -> None:
    async with ScriptedServer() as server, ScriptedServer() as other:
        server.route("GET /v1/models", json_reply(value))
        other.route("GET /v1/models", text_reply("<html>"))
        ports = [int(one.url.rpartition(":")[2]) for one in (server, other)]
        found = await find_servers([*ports, 9])
        assert [(one.company, one.url) for one in found] == [(company, f"{server.url}/v1")]
