"""Ollama's own API over the network: against a strict server, and each rule of it broken once."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.ollama import IN_THE_CLOUD, OllamaWire
from conch_desktop.providers.registry import KINDS
from conch_desktop.providers.wire import Request
from tests.providers.feeding import Joined, answer_of, tool
from tests.servers import HANG, Reply, ScriptedServer, json_reply
from tests.strict import broken
from tests.strict_ollama import OLLAMA, lines, strict_ollama

PLACE = "/api/chat"
THINKER = Model("pier", "thinker")
TOOLS = (tool("find", q={"type": "string"}), tool("count", n={"type": "integer"}))
ASKED = SentMessage("user", "When?")
BIG = 12345678901234567890

SHOWN = {
    "capabilities": ["completion", "tools", "thinking"],
    "model_info": {"tide.context_length": 40960},
    "parameters": 'stop "<end>"\ntemperature 0.7',
}


class Clock:
    now = 0.0


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as made:
        yield made


@pytest.fixture
async def wire(server: ScriptedServer) -> AsyncIterator[OllamaWire]:
    provider = Provider("pier", "ollama", "Pier", f"{server.url}/v1")
    made = OllamaWire(provider=provider, kind=KINDS["ollama"], key=None, clock=lambda: Clock.now)
    yield made
    await made.aclose()
    Clock.now = 0.0


def says(server: ScriptedServer, shown: Any = None, *, running: int = 0, digest: str = "abc") -> None:
    """What it says of the models "thinker" and "plain"."""

    def show(request: Any) -> Reply:
        able = SHOWN if request.json["model"] == "thinker" else {**SHOWN, "capabilities": ["completion", "tools"]}
        return shown if isinstance(shown, Reply) else json_reply({**able, **(shown or {})})

    server.route("POST /api/show", show)
    loaded = [{"name": "thinker:latest", "context_length": running}] if running else []
    server.route("GET /api/ps", json_reply({"models": loaded}))
    server.route("GET /api/tags", json_reply({"models": [{"name": "thinker:latest", "digest": digest}]}))


def step(told: Joined) -> tuple[SentMessage, SentMessage]:
    calls = tuple(SentCall(c.id, c.name, json.loads(c.arguments), c.extra) for c in told.calls)
    results = tuple(SentResult(call.id, call.name, "two") for call in calls)
    return SentMessage("assistant", told.text, calls), SentMessage("results", results=results)


async def talked(server: ScriptedServer, wire: OllamaWire) -> Joined:
    """A turn of two steps, in a chat that began with another provider."""
    says(server)
    calls = [
        {"function": {"name": "find", "arguments": {"q": "tea"}}},
        {"function": {"name": "count", "arguments": {"n": BIG}}},
    ]
    server.route(f"POST {PLACE}", strict_ollama(lines({"tool_calls": calls}), lines({"content": "At 07:40."})))
    old = SentCall("call_of_another", "find", {}, '{"thought_signature": "x"}')
    chat = [
        SentMessage("user", "Before?"),
        SentMessage("assistant", "", (old,)),
        SentMessage("results", results=(SentResult("call_of_another", "find", "none"),)),
        ASKED,
    ]
    first = await answer_of(wire, Request(THINKER, "Be brief.", tuple(chat), TOOLS, effort="high"))
    chat += step(first)
    return await answer_of(wire, Request(THINKER, "Be brief.", tuple(chat), TOOLS, max_tokens=500, temperature=0.0))


async def test_a_turn_with_calls_goes_through_a_strict_server(server: ScriptedServer, wire: OllamaWire) -> None:
    told = await talked(server, wire)
    assert (told.text, told.finish) == ("At 07:40.", "stop")
    first, second = (request.json for request in server.of(PLACE))
    assert first["think"] is True
    assert second["messages"][-3]["tool_calls"][1]["function"]["arguments"] == {"n": BIG}
    assert second["options"] == {"num_ctx": 16_384, "num_predict": 500, "temperature": 0.0}
    assert "call_of_another" not in str(second)


def called(body: Any) -> Any:
    return body["messages"][-3]["tool_calls"]


def nested_otherwise(body: Any) -> None:
    called(body)[0].update(called(body)[0].pop("function"))


def swapped(body: Any) -> None:
    body["messages"][-2:] = reversed(body["messages"][-2:])


BREAKS: dict[str, Callable[[Any], Any]] = {
    "one system message, and first": lambda body: body["messages"].append({"role": "system", "content": "More."}),
    "content is text": lambda body: body["messages"][1].update(content=[{"type": "text", "text": "Before?"}]),
    "pictures are base64 without a prefix, and the user's": lambda body: body["messages"][1].update(
        images=["data:image/png;base64,AAAA"]
    ),
    "calls are nested in function": nested_otherwise,
    "arguments are an object": lambda body: called(body)[0]["function"].update(arguments='{"q": "tea"}'),
    "a result names its tool": lambda body: body["messages"][-1].pop("tool_name"),
    "results follow their calls, in order": swapped,
    "tools are there or left out, and properties are a map": lambda body: body.update(tools=[]),
    "the window is told": lambda body: body["options"].pop("num_ctx"),
    "limits stand in options": lambda body: body.update(keep_alive="1h"),
    "thinking is only asked of what can": lambda body: body.update(model="plain", think=True),
}


async def test_each_rule_is_kept_and_can_be_broken(server: ScriptedServer, wire: OllamaWire) -> None:
    await talked(server, wire)
    good = server.of(PLACE)[1].json
    assert broken(OLLAMA, good) == []
    for rule, spoil in BREAKS.items():
        body = copy.deepcopy(good)
        spoil(body)
        assert rule in broken(OLLAMA, body)
    assert [rule.says for rule in OLLAMA] == list(BREAKS)


async def test_a_model_that_can_not_think_is_not_asked_to(server: ScriptedServer, wire: OllamaWire) -> None:
    says(server)
    server.route(f"POST {PLACE}", strict_ollama(lines({"content": "Low."})))
    assert (await answer_of(wire, Request(Model("pier", "plain"), "", (ASKED,), effort="high"))).text == "Low."


# the window ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "running", "window"),
    [
        ({}, 0, 16_384),  # what the model could take would fill the memory
        ({}, 4096, 16_384),
        ({}, 32_768, 32_768),  # another loads it anew
        ({"model_info": {"tide.context_length": 2048}}, 0, 2048),
        ({"parameters": "num_ctx                        24576\nstop x"}, 0, 24_576),
        ({"parameters": "num_ctx 24576"}, 4096, 24_576),
        ({"model_info": {}}, 0, 8192),
        ({"remote_model": "tide:480b", "remote_host": "https://pier.example"}, 0, None),
    ],
)
async def test_the_window_that_is_asked_for_is_the_one_a_chat_counts_with(
    server: ScriptedServer, wire: OllamaWire, shown: dict[str, Any], running: int, window: int | None
) -> None:
    says(server, shown, running=running)
    server.route(f"POST {PLACE}", lines({"content": "Low."}))
    assert await wire.window_for(THINKER) == (window or 40960)
    await answer_of(wire, Request(THINKER, "", (ASKED,)))
    assert server.of(PLACE)[0].json.get("options") == (None if window is None else {"num_ctx": window})


async def test_the_window_stays_the_same_whatever_is_said_later(server: ScriptedServer, wire: OllamaWire) -> None:
    says(server)
    server.route(f"POST {PLACE}", lines({"content": "Low."}))
    for running in (0, 16_384, 65_536):
        says(server, running=running)
        Clock.now += 1000.0
        await answer_of(wire, Request(THINKER, "", (ASKED,)))
    assert [request.json["options"]["num_ctx"] for request in server.of(PLACE)] == [16_384] * 3


async def test_a_model_nobody_tells_of_gets_a_window_until_it_is_told(server: ScriptedServer, wire: OllamaWire) -> None:
    says(server, json_reply({}, 500))
    server.route(f"POST {PLACE}", lines({"content": "Low."}))
    await answer_of(wire, Request(THINKER, "", (ASKED,)))
    says(server)
    Clock.now += 1000.0
    await answer_of(wire, Request(THINKER, "", (ASKED,)))
    assert [request.json["options"]["num_ctx"] for request in server.of(PLACE)] == [8192, 16_384]


# the list ------------------------------------------------------------------------------------------------------------


async def test_the_list_tells_what_each_model_can_do(server: ScriptedServer, wire: OllamaWire) -> None:
    models = {
        "tide:latest": {**SHOWN, "capabilities": ["completion", "vision"]},
        "big:480b-cloud": {**SHOWN, "remote_model": "big:480b"},
        "embed:latest": {"capabilities": ["embedding"]},
        "old:7b": {"template": "{{ range .Tools }}", "model_info": {"tide.context_length": 2048}},
    }
    server.route("POST /api/show", lambda request: json_reply(models[request.json["model"]]))
    server.route("GET /api/ps", json_reply({"models": []}))
    server.route("GET /api/tags", json_reply({"models": [{"name": name, "digest": name} for name in models]}))
    assert await wire.list_models() == [
        Model("pier", "tide:latest", "tide", 16_384, tools=False, pictures=True),
        Model("pier", "big:480b-cloud", "big:480b-cloud", 40_960, tools=True, pictures=False, note=IN_THE_CLOUD),
        Model("pier", "old:7b", "old:7b", 2048, tools=True),
    ]
    assert not server.of("/v1/models")


@pytest.mark.parametrize("reply", [json_reply({"data": []}), json_reply({"error": "no"}, 500), Reply(200, {}, ("<",))])
async def test_a_list_that_is_none_is_told(server: ScriptedServer, wire: OllamaWire, reply: Reply) -> None:
    server.route("GET /api/tags", reply)
    with pytest.raises(ProviderError):
        await wire.list_models()


async def test_the_digest_tells_that_a_model_was_pulled_anew(server: ScriptedServer, wire: OllamaWire) -> None:
    says(server)
    first = await wire.fingerprint(THINKER)
    assert first == await wire.fingerprint(Model("pier", "thinker:latest")) != ""
    says(server, digest="def")
    Clock.now += 60.0
    assert await wire.fingerprint(THINKER) not in ("", first)


async def test_tools_are_taken_where_the_model_says_so(server: ScriptedServer, wire: OllamaWire) -> None:
    says(server)
    assert await wire.tools_for(THINKER) is True
    says(server, {"capabilities": ["completion"]})
    assert await wire.tools_for(Model("pier", "other")) is False
    assert not await wire.takes_grammar(THINKER)


async def test_the_line_that_says_done_ends_the_answer_though_the_connection_stays_open(
    server: ScriptedServer, wire: OllamaWire
) -> None:
    says(server)
    whole = lines({"content": "Low."})
    server.route(f"POST {PLACE}", Reply(200, whole.headers, (*whole.body, HANG), "chunked"))
    assert (await answer_of(wire, Request(THINKER, "", (ASKED,)))).text == "Low."
