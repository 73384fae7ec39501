"""What providers say of their models is found for each in its own way, from scripted lists and catalogues."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model
from conch_desktop.providers import asking
from conch_desktop.providers.openai import OpenAIWire
from conch_desktop.providers.wire import Request
from tests.providers.feeding import answer_of, wire
from tests.servers import HANG, Reply, ScriptedServer, call_piece, chunk, hang_up, json_reply, say, sse

KEY = "sk-pier-1234567890"


@dataclass
class Pier:
    """A wire to a scripted server, and the clock it reads."""

    server: ScriptedServer
    kind: str
    path: str = "/v1"
    key: str | None = KEY
    now: float = 0.0
    made: list[OpenAIWire] = field(default_factory=list)

    @property
    def wire(self) -> OpenAIWire:
        if not self.made:
            url = self.server.url + self.path
            self.made.append(wire(url, kind=self.kind, key=self.key, clock=lambda: self.now))
        return self.made[0]

    def asked(self, path: str) -> int:
        return len(self.server.of(path))


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as made:
        yield made


def model(name: str, **more: Any) -> Model:
    return Model("pier", name, **more)


# OpenRouter ----------------------------------------------------------------------------------------------------------


def entry(name: str, *parameters: str) -> dict[str, Any]:
    return {"id": name, "canonical_slug": name, "context_length": 9000, "supported_parameters": ["seed", *parameters]}


def catalogue(*names: str, count: int = 0) -> Reply:
    """A list of so many models that take tools, and then those named, which don't."""
    many = [entry(f"pier/model-{number}", "tools") for number in range(count)]
    return json_reply({"data": [*many, *(entry(name) for name in names)]})


@pytest.fixture
async def router(server: ScriptedServer) -> AsyncIterator[Pier]:
    pier = Pier(server, "openrouter", "/api/v1")
    yield pier
    await pier.wire.aclose()


USER, ALL = "/api/v1/models/user", "/api/v1/models"


async def test_a_model_far_down_a_list_of_400_is_known(router: Pier) -> None:
    router.server.route(f"GET {USER}", catalogue("pier/last", count=399))
    assert len(await router.wire.list_models()) == 400
    assert await router.wire.tools_for(model("pier/last")) is False
    assert await router.wire.tools_for(model("pier/model-398")) is True
    assert await router.wire.window_for(model("pier/last")) == 9000
    assert router.asked(ALL) == 0
    assert router.server.of(USER)[0].headers["authorization"] == f"Bearer {KEY}"


async def test_the_public_list_stands_in_for_the_account_s_but_not_for_a_wrong_key(router: Pier) -> None:
    router.server.route(f"GET {USER}", json_reply({"error": {"message": "not here"}}, 404))
    router.server.route(f"GET {ALL}", catalogue("pier/a"))
    assert [each.name for each in await router.wire.list_models()] == ["pier/a"]
    router.server.route(f"GET {USER}", json_reply({"error": {"message": "User not found.", "code": 401}}, 401))
    with pytest.raises(ProviderError) as raised:
        await router.wire.list_models()
    assert raised.value.kind == "auth"
    assert router.asked(ALL) == 1


async def test_without_a_key_the_public_list_is_read(server: ScriptedServer) -> None:
    pier = Pier(server, "openrouter", "/api/v1", key=None)
    server.route(f"GET {ALL}", catalogue("pier/a"))
    assert [each.name for each in await pier.wire.list_models()] == ["pier/a"]
    assert pier.asked(USER) == 0
    await pier.wire.aclose()


async def test_a_model_the_list_does_not_have_is_looked_up_in_public_and_without_the_key(router: Pier) -> None:
    router.server.route(f"GET {USER}", catalogue("pier/a"))
    router.server.route(f"GET {ALL}", catalogue("pier/b"))
    await router.wire.list_models()
    assert await router.wire.tools_for(model("pier/b")) is False
    assert await router.wire.tools_for(model("pier/a")) is False  # what the account's list said is still known
    (request,) = router.server.of(ALL)
    assert "authorization" not in request.headers
    assert KEY not in repr(request)


async def test_who_answered_is_asked_for_again_by_its_tag(router: Pier) -> None:
    rows = [
        {"provider_name": "Google AI Studio", "tag": "google-ai-studio"},
        {"provider_name": "DeepInfra", "tag": "deepinfra/turbo"},
        {"provider_name": "DeepInfra", "tag": "deepinfra/bf16"},
        {"provider_name": 5, "tag": "five"},
        "no row",
    ]
    router.server.route("GET /api/v1/models/pier/a/endpoints", json_reply({"data": {"endpoints": rows}}))
    turn: tuple[SentMessage, ...] = (SentMessage("user", "When?"),)
    signed = {"choices": [{"delta": {"reasoning_details": [{"type": "reasoning.encrypted", "data": "z"}]}}]}
    for name, order in (
        ("Google AI Studio", {"order": ["google-ai-studio"]}),
        ("DeepInfra", {"order": ["deepinfra"]}),
        ("Nobody", None),
    ):
        router.server.then(
            sse({"provider": name, **signed}, chunk(calls=[call_piece("find", "{}")], finish="tool_calls"))
        )
        replay = json.dumps((await answer_of(router.wire, Request(model("pier/a:nitro"), "", turn[:1]))).replay)
        called = SentMessage("assistant", "", calls=(SentCall("c", "find", {}),), replay=replay)
        turn = (turn[0], called, SentMessage("results", results=(SentResult("c", "find", "2"),)))
        for messages, sent in ((turn, order), ((*turn, SentMessage("user", "And now?")), None)):
            router.server.then(say("At two."))
            await answer_of(router.wire, Request(model("pier/a:nitro"), "", messages))
            assert router.server.requests[-1].json.get("provider") == sent
            assert "upstream" not in json.dumps(router.server.requests[-1].json)
    assert router.asked("/api/v1/models/pier/a/endpoints") == 1


async def test_a_list_of_servers_that_fails_costs_nothing(router: Pier) -> None:
    replay = json.dumps({"reasoning_details": [], "upstream": "Google"})
    called = SentMessage("assistant", "", calls=(SentCall("c", "find", {}),), replay=replay)
    turn = (SentMessage("user", "When?"), called, SentMessage("results", results=(SentResult("c", "find", "2"),)))
    router.server.route("GET /api/v1/models/pier/a/endpoints", json_reply({"error": "down"}, 503))
    router.server.then(say("At two."))
    assert (await answer_of(router.wire, Request(model("pier/a"), "", turn))).text == "At two."
    assert "provider" not in router.server.requests[-1].json


async def test_20_callers_at_once_make_one_request(router: Pier) -> None:
    router.server.route(f"GET {ALL}", catalogue("pier/last", count=400))
    answers = await asyncio.gather(*(router.wire.tools_for(model("pier/last")) for _ in range(20)))
    assert answers == [False] * 20
    assert len(router.server.requests) == 1


async def test_a_list_that_failed_means_unknown_and_is_tried_again_after_5_minutes(router: Pier) -> None:
    router.server.route(f"GET {ALL}", json_reply({"error": "down"}, 503))
    for _ in range(3):
        assert await router.wire.tools_for(model("pier/a")) is None
        assert await router.wire.tools_for(model("pier/a", tools=True)) is True  # what the picker's list said
        assert await router.wire.fingerprint(model("pier/a")) == ""
    assert router.asked(ALL) == 1
    router.server.route(f"GET {ALL}", catalogue("pier/a"))
    router.now = 299.0
    assert await router.wire.tools_for(model("pier/a")) is None
    router.now = 300.0
    assert await router.wire.tools_for(model("pier/a")) is False
    assert router.asked(ALL) == 2


async def test_a_stale_list_is_read_anew_and_stands_when_that_fails(router: Pier) -> None:
    router.server.route(f"GET {ALL}", catalogue("pier/a"))
    assert await router.wire.tools_for(model("pier/a")) is False
    router.now = 1799.0
    assert await router.wire.tools_for(model("pier/a")) is False
    assert router.asked(ALL) == 1
    router.now = 1800.0
    router.server.route(f"GET {ALL}", hang_up())
    assert await router.wire.tools_for(model("pier/a")) is False
    router.server.route(f"GET {ALL}", json_reply({"data": [entry("pier/a", "tools")]}))
    assert await router.wire.tools_for(model("pier/a")) is False
    router.now = 2100.0
    assert await router.wire.tools_for(model("pier/a")) is True


async def test_an_unknown_model_is_not_looked_up_for_every_turn(router: Pier) -> None:
    router.server.route(f"GET {ALL}", catalogue("pier/a"))
    assert [await router.wire.tools_for(model("pier/new")) for _ in range(3)] == [None] * 3
    assert router.asked(ALL) == 1


@pytest.mark.parametrize("name", ["pier/a:nitro", "pier/a:online"])
async def test_a_route_to_a_model_is_that_model(router: Pier, name: str) -> None:
    router.server.route(f"GET {ALL}", catalogue("pier/a"))
    assert await router.wire.tools_for(model(name)) is False
    assert await router.wire.fingerprint(model(name)) == await router.wire.fingerprint(model("pier/a")) != ""
    assert await router.wire.tools_for(model("pier/a:free")) is None


async def test_a_turn_does_not_wait_for_a_slow_catalogue(router: Pier, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAIT", 0.1)
    router.server.route(f"GET {ALL}", Reply(body=(HANG,), framing="chunked"))
    begun = time.monotonic()
    assert await router.wire.tools_for(model("pier/a")) is None
    assert time.monotonic() - begun < 1.0
    await router.wire.aclose()
    await router.server.until(lambda: router.server.requests[0].left)


# Gemini --------------------------------------------------------------------------------------------------------------

ROWS = {
    "models": [
        {
            "name": "models/tide-pro",
            "version": "2.5",
            "displayName": "Tide Pro",
            "inputTokenLimit": 1048576,
            "outputTokenLimit": 65536,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/tide-vectors", "inputTokenLimit": 2048, "supportedGenerationMethods": ["embedContent"]},
        {"name": 5},
        "rubbish",
    ]
}
NATIVE = "/v1beta/models?pageSize=1000"


@pytest.fixture
async def gemini(server: ScriptedServer) -> AsyncIterator[Pier]:
    pier = Pier(server, "gemini", "/v1beta/openai")
    listed = [{"id": "models/tide-pro"}, {"id": "models/tide-vectors"}, {"id": "models/tide-new"}]
    server.route("GET /v1beta/openai/models", json_reply({"object": "list", "data": listed}))
    yield pier
    await pier.wire.aclose()


async def test_google_s_own_list_tells_windows_and_what_only_embeds(gemini: Pier) -> None:
    gemini.server.route(f"GET {NATIVE}", json_reply(ROWS))
    assert [(each.name, each.label, each.window) for each in await gemini.wire.list_models()] == [
        ("models/tide-pro", "Tide Pro", 1048576),
        ("models/tide-new", "tide-new", None),
    ]
    for name in ("models/tide-pro", "tide-pro"):
        assert await gemini.wire.window_for(model(name)) == 1048576
        assert await gemini.wire.tools_for(model(name)) is None
        assert await gemini.wire.fingerprint(model(name)) != ""
    assert await gemini.wire.window_for(model("tide-new")) is None
    (request,) = gemini.server.of(NATIVE)
    assert request.headers["x-goog-api-key"] == KEY
    assert "authorization" not in request.headers


@pytest.mark.parametrize("reply", [json_reply({}, 403), json_reply({"models": []}), json_reply([1]), hang_up()])
async def test_without_it_the_endpoint_s_list_is_enough(gemini: Pier, reply: Reply) -> None:
    gemini.server.route(f"GET {NATIVE}", reply)
    assert len(await gemini.wire.list_models()) == 3
    assert await gemini.wire.window_for(model("tide-pro", window=7)) == 7
    assert await gemini.wire.fingerprint(model("tide-pro")) == ""
    assert gemini.asked(NATIVE) == 1


async def test_a_gateway_in_front_of_gemini_is_not_asked_for_google_s_list(server: ScriptedServer) -> None:
    pier = Pier(server, "gemini", "/gateway")
    server.route("GET /gateway/models", json_reply({"data": [{"id": "tide-pro"}]}))
    assert await pier.wire.window_for(model("tide-pro")) is None
    assert [each.name for each in await pier.wire.list_models()] == ["tide-pro"]
    assert [request.path for request in server.requests] == ["/gateway/models"]
    await pier.wire.aclose()


# Ollama behind its OpenAI door ---------------------------------------------------------------------------------------

SHOWN = {
    "capabilities": ["completion", "tools"],
    "model_info": {"general.architecture": "tide", "tide.context_length": 40960, "tide.block_count": 2},
    "parameters": 'stop "<end>"\ntemperature 0.7',
    "template": "{{ .Prompt }}",
}


def ollama_says(server: ScriptedServer, shown: Any = None, *, running: int = 0, digest: str = "abc") -> None:
    server.route("POST /api/show", shown if isinstance(shown, Reply) else json_reply({**SHOWN, **(shown or {})}))
    loaded = [{"name": "tide:latest", "context_length": running}] if running else []
    server.route("GET /api/ps", json_reply({"models": loaded}))
    server.route("GET /api/tags", json_reply({"models": [{"name": "tide:latest", "digest": digest}]}))
    server.route("GET /v1/models", json_reply({"data": [{"id": "tide:latest", "owned_by": "library"}]}))


@pytest.fixture
async def ollama(server: ScriptedServer) -> AsyncIterator[Pier]:
    pier = Pier(server, "openai", key=None)
    yield pier
    await pier.wire.aclose()


async def test_ollama_is_asked_what_a_model_can_do(ollama: Pier) -> None:
    ollama_says(ollama.server)
    tide = model("tide")
    answers = await asyncio.gather(*(ollama.wire.tools_for(tide) for _ in range(20)))
    assert answers == [True] * 20
    (request,) = ollama.server.of("/api/show")
    assert request.json == {"model": "tide"}
    assert not await ollama.wire.takes_grammar(tide)
    assert ollama.asked("/v1/models") == 1


@pytest.mark.parametrize(
    ("shown", "tools"),
    [
        ({"capabilities": ["completion"]}, False),
        ({"capabilities": None, "template": "{{ range .Tools }}"}, True),
        ({"capabilities": [], "template": "{{ .Prompt }}"}, False),
        ({"capabilities": None, "template": None}, None),
        (json_reply({"error": "model 'tide' not found"}, 404), None),
        (json_reply({}, 500), None),
        (hang_up(), None),
    ],
)
async def test_its_capabilities_tell_whether_it_takes_tools(ollama: Pier, shown: Any, tools: bool | None) -> None:
    ollama_says(ollama.server, shown)
    assert await ollama.wire.tools_for(model("tide")) is tools


@pytest.mark.parametrize(
    ("shown", "running", "window"),
    [
        ({}, 0, 4096),  # what the model could take is not what it gets
        ({}, 16384, 16384),
        ({"parameters": "num_ctx                        8192\nstop x"}, 0, 8192),
        ({"parameters": "num_ctx 8192"}, 2048, 2048),
        ({"model_info": {"tide.context_length": 2048}}, 0, 2048),
        ({"model_info": {}}, 0, None),
        ({"remote_model": "tide:480b", "remote_host": "https://pier.example"}, 0, 40960),
    ],
)
async def test_the_window_is_the_one_that_is_served(
    ollama: Pier, shown: dict[str, Any], running: int, window: int | None
) -> None:
    ollama_says(ollama.server, shown, running=running)
    assert await ollama.wire.window_for(model("tide")) == window


async def test_the_digest_tells_that_a_model_was_pulled_anew(ollama: Pier) -> None:
    ollama_says(ollama.server)
    first = await ollama.wire.fingerprint(model("tide"))
    assert first == await ollama.wire.fingerprint(model("tide:latest")) != ""
    assert await ollama.wire.fingerprint(model("other")) == ""
    ollama_says(ollama.server, digest="def")
    assert await ollama.wire.fingerprint(model("tide")) == first
    ollama.now = 60.0
    assert await ollama.wire.fingerprint(model("tide")) not in ("", first)


async def test_a_model_that_was_loaded_meanwhile_has_its_real_window(ollama: Pier) -> None:
    ollama_says(ollama.server)
    assert await ollama.wire.window_for(model("tide")) == 4096
    ollama_says(ollama.server, running=32768)
    ollama.now = 5.0
    assert await ollama.wire.window_for(model("tide")) == 32768
    assert ollama.asked("/api/show") == 1


# other servers -------------------------------------------------------------------------------------------------------


async def test_a_llama_server_s_fingerprint_is_its_file_and_build(server: ScriptedServer) -> None:
    pier = Pier(server, "openai", key=None)
    listed = {"id": "demo", "owned_by": "llamacpp", "created": 1, "meta": {"size": 5, "n_params": 6}}
    server.route("GET /v1/models", json_reply({"data": [listed]}))
    server.route("GET /props", json_reply({"model_path": "a.gguf", "build_info": "b1"}))
    first = await pier.wire.fingerprint(model("demo"))
    server.route("GET /props", json_reply({"model_path": "b.gguf", "build_info": "b1"}))
    pier.now = 60.0
    assert await pier.wire.fingerprint(model("demo")) not in ("", first)
    await pier.wire.aclose()


async def test_another_server_of_one_s_own_tells_by_its_list(server: ScriptedServer) -> None:
    pier = Pier(server, "openai", key=None)
    server.route("GET /v1/models", json_reply({"data": [{"id": "demo", "root": "/m/tide", "max_model_len": 77}]}))
    assert await pier.wire.window_for(model("demo")) == 77
    assert await pier.wire.fingerprint(model("demo")) != ""
    assert await pier.wire.fingerprint(model("other")) == ""
    assert len(server.requests) == 1
    await pier.wire.aclose()


async def test_openai_s_list_is_asked_only_where_there_is_no_other_way() -> None:
    import httpx

    asked: list[str] = []

    async def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, json={"data": [{"id": "demo", "created": 5, "owned_by": "openai"}]})

    openai = wire("https://api.openai.com/v1", key=KEY, transport=httpx.MockTransport(answer))
    assert await openai.tools_for(model("demo")) is None
    assert await openai.window_for(model("demo")) is None
    assert asked == []
    assert await openai.fingerprint(model("demo")) != ""
    assert asked == ["/v1/models"]
    await openai.aclose()


async def test_a_server_that_hangs_costs_a_turn_two_seconds_in_all(server: ScriptedServer) -> None:
    server.route("GET /v1/models", Reply(body=(HANG,), framing="chunked"))
    silent = wire(server.url)
    begun = time.monotonic()
    assert await silent.tools_for(model("demo")) is None
    assert await silent.window_for(model("demo")) is None
    assert await silent.takes_grammar(model("demo")) is False
    assert await silent.fingerprint(model("demo")) == ""
    assert time.monotonic() - begun < 2.6
    await silent.aclose()
