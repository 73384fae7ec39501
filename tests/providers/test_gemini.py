"""Gemini's own API over the network: against a strict server, and each rule of it broken once."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.gemini import GeminiWire
from conch_desktop.providers.registry import KINDS
from conch_desktop.providers.wire import Request
from tests.providers.feeding import Joined, answer_of, tool
from tests.servers import HANG, Reply, ScriptedServer, json_reply, sse
from tests.strict import broken
from tests.strict_gemini import GEMINI_3, answered, strict_gemini

KEY = "AIzaPier-0000"
MODEL = Model("pier", "gemini-3-flash")
PLACE = "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse"
LIST = "/v1beta/models?pageSize=1000"
TOOLS = (tool("find", q={"type": "string"}), tool("now"))


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as made:
        yield made


@pytest.fixture
async def wire(server: ScriptedServer) -> AsyncIterator[GeminiWire]:
    made = GeminiWire(
        provider=Provider("pier", "gemini-native", "Pier", server.url), kind=KINDS["gemini-native"], key=KEY
    )
    yield made
    await made.aclose()


def step(told: Joined) -> tuple[SentMessage, SentMessage]:
    """An answer as it goes back, and the results of its calls."""
    calls = tuple(SentCall(c.id, c.name, json.loads(c.arguments or "{}"), c.extra) for c in told.calls)
    sent = SentMessage("assistant", told.text, calls, replay=json.dumps(told.replay) if told.replay else "")
    return sent, SentMessage("results", results=tuple(SentResult(call.id, call.name, "two") for call in calls))


FIND = {"functionCall": {"name": "find", "args": {"q": "tea"}, "id": "g1"}, "thoughtSignature": "U2lnMQ=="}
NOW = {"functionCall": {"name": "now"}}


async def talked(server: ScriptedServer, wire: GeminiWire) -> Joined:
    """A turn of two steps, in a chat that began with another provider."""
    server.route(
        f"POST {PLACE}",
        strict_gemini(
            answered({"text": "I look.", "thoughtSignature": "U2lnMg=="}, FIND, NOW),
            answered({"text": "At "}, {"text": "07:40."}),
        ),
    )
    old = SentCall("call_of_another", "find", {}, "")
    chat = [
        SentMessage("user", "Before?"),
        SentMessage("assistant", "", (old,)),
        SentMessage("results", results=(SentResult("call_of_another", "find", "none"),)),
        SentMessage("user", "When?"),
    ]
    first = await answer_of(wire, Request(MODEL, "Be brief.", tuple(chat), TOOLS, tool_choice="find", effort="low"))
    chat += step(first)
    return await answer_of(wire, Request(MODEL, "Be brief.", tuple(chat), TOOLS, max_tokens=500, temperature=0.0))


async def test_a_turn_with_calls_goes_through_a_strict_server(server: ScriptedServer, wire: GeminiWire) -> None:
    told = await talked(server, wire)
    assert (told.text, told.finish) == ("At 07:40.", "stop")
    assert all(request.headers["x-goog-api-key"] == KEY for request in server.requests)
    assert not any("authorization" in request.headers for request in server.requests)
    _, second = server.of(PLACE)
    model = second.json["contents"][3]["parts"]
    assert model[0] == {"text": "I look.", "thoughtSignature": "U2lnMg=="}
    assert model[1] == FIND
    assert KEY not in second.path
    assert KEY not in str(second.json)


def last_call(body: Any) -> Any:
    return body["contents"][3]["parts"][1]


def swapped(body: Any) -> None:
    body["contents"][4]["parts"].reverse()


def without_parameters(body: Any) -> None:
    body["tools"][0]["functionDeclarations"][1]["parameters"] = {"type": "object", "properties": {}}


def system_as_message(body: Any) -> None:
    body["contents"].insert(0, {"role": "system", "parts": body.pop("system_instruction")["parts"]})


BREAKS: dict[str, Callable[[Any], Any]] = {
    "fields nobody knows are refused": lambda body: body.update(stream=True),
    "the system prompt is no message": system_as_message,
    "turns alternate and the user begins": lambda body: body["contents"].pop(0),
    "no turn is empty": lambda body: body["contents"].append({"role": "model", "parts": []}),
    "every call has its response in the next turn, in the calls' order": swapped,
    "responses come before words": lambda body: body["contents"][4]["parts"].insert(0, {"text": "Here:"}),
    "a picture is base64 of a kind it takes, and the user's": lambda body: body["contents"][1]["parts"].append(
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    ),
    "a response is an object": lambda body: body["contents"][4]["parts"][0]["functionResponse"].update(response="two"),
    "a response names its function": lambda body: [
        body["contents"][2]["parts"][0]["functionResponse"].update(name=""),
        body["contents"][1]["parts"][0]["functionCall"].update(name=""),
    ],
    "arguments are an object": lambda body: last_call(body)["functionCall"].update(args='{"q": "tea"}'),
    "ids pair calls and responses": lambda body: last_call(body)["functionCall"].pop("id"),
    "a tool's name is one": lambda body: body["tools"][0]["functionDeclarations"][0].update(name="9 find"),
    "a list of tools is not empty": lambda body: body.update(tools=[], toolConfig={}),
    "a schema is of Gemini's dialect and has properties": without_parameters,
    "a choice names tools that are there": lambda body: body.update(
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["gone"]}}
    ),
    "a level or a budget, not both": lambda body: body["generationConfig"]["thinkingConfig"].update(
        thinkingLevel="low", thinkingBudget=5
    ),
    "a call of the running turn has its signature": lambda body: last_call(body).pop("thoughtSignature"),
}


async def test_each_rule_is_kept_and_can_be_broken(server: ScriptedServer, wire: GeminiWire) -> None:
    await talked(server, wire)
    good = server.of(PLACE)[1].json
    assert broken(GEMINI_3, good) == []
    for rule, spoil in BREAKS.items():
        body = copy.deepcopy(good)
        spoil(body)
        assert rule in broken(GEMINI_3, body)
    assert [rule.says for rule in GEMINI_3] == list(BREAKS)


# the list ------------------------------------------------------------------------------------------------------------


def entry(name: str, *methods: str, **more: Any) -> dict[str, Any]:
    return {"name": f"models/{name}", "supportedGenerationMethods": list(methods or ("generateContent",)), **more}


async def test_the_list_is_read_page_by_page(server: ScriptedServer, wire: GeminiWire) -> None:
    thinker = entry("gemini-9", displayName="Gemini 9", inputTokenLimit=1000, thinking=True)
    server.route(
        f"GET {LIST}", json_reply({"models": [thinker, entry("embed", "embedContent")], "nextPageToken": "a/b"})
    )
    server.route(f"GET {LIST}&pageToken=a%2Fb", json_reply({"models": [entry("gemma-9", inputTokenLimit=7)]}))
    listed = await wire.list_models()
    assert [(each.name, each.label, each.window, each.tools) for each in listed] == [
        ("gemini-9", "Gemini 9", 1000, None),
        ("gemma-9", "gemma-9", 7, None),
    ]
    assert await wire.window_for(Model("pier", "models/gemini-9")) == 1000
    assert await wire.fingerprint(listed[0]) not in ("", await wire.fingerprint(listed[1]))
    assert all(request.headers["x-goog-api-key"] == KEY for request in server.requests)
    assert len(server.requests) == 2


async def test_a_list_that_goes_in_circles_ends(server: ScriptedServer, wire: GeminiWire) -> None:
    page = json_reply({"models": [entry("gemini-9")], "nextPageToken": "a"})
    server.route(f"GET {LIST}", page)
    server.route(f"GET {LIST}&pageToken=a", page)
    assert len(await wire.list_models()) == 1
    assert len(server.requests) == 2


async def test_whether_a_model_thinks_is_known_from_the_list(server: ScriptedServer, wire: GeminiWire) -> None:
    server.route(f"GET {LIST}", json_reply({"models": [entry("gemini-3-flash"), entry("gemini-9", thinking=True)]}))
    server.route(f"POST {PLACE}", strict_gemini(answered({"text": "Low."}), answered({"text": "Low."})))
    ask = Request(MODEL, "", (SentMessage("user", "When?"),))
    await answer_of(wire, ask)
    await wire.list_models()
    await answer_of(wire, ask)
    first, second = server.of(PLACE)
    assert first.json["generationConfig"]["thinkingConfig"] == {"includeThoughts": True}
    assert "generationConfig" not in second.json


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (
            json_reply({"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}}, 400),
            "auth",
        ),
        (json_reply({"data": []}), "network"),
        (Reply(200, {}, ("<html>",)), "network"),
    ],
)
async def test_a_list_that_is_none_is_told(server: ScriptedServer, wire: GeminiWire, reply: Reply, kind: str) -> None:
    server.route(f"GET {LIST}", reply)
    with pytest.raises(ProviderError) as raised:
        await wire.list_models()
    assert raised.value.kind == kind
    assert KEY not in str(raised.value)
    assert await wire.window_for(MODEL) is None


async def test_a_model_of_one_s_own_has_its_own_place(server: ScriptedServer, wire: GeminiWire) -> None:
    place = "/v1beta/tunedModels/tide:streamGenerateContent?alt=sse"
    server.route(f"POST {place}", answered({"text": "Low."}))
    told = await answer_of(wire, Request(Model("pier", "tunedModels/tide"), "", (SentMessage("user", "When?"),)))
    assert told.text == "Low."


async def test_a_connection_that_stays_open_after_the_end_does_not_hold_the_answer(
    server: ScriptedServer, wire: GeminiWire
) -> None:
    last = {"candidates": [{"content": {"parts": [{"text": "Low."}]}, "finishReason": "STOP"}], "usageMetadata": {}}
    server.route(f"POST {PLACE}", sse(last, HANG, done=False))
    told = await answer_of(wire, Request(MODEL, "", (SentMessage("user", "When?"),)))
    assert (told.text, told.finish) == ("Low.", "stop")
