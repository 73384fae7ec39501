"""Whole turns on Gemini's and Ollama's own APIs, against servers that refuse whatever breaks a rule of theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.events import Refused
from conch_desktop.domain.models import Provider
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.offer import make_offer
from conch_desktop.engine.way import Way
from conch_desktop.providers.openai_request import build
from conch_desktop.providers.wire import Request
from tests.engine.conftest import Talk, give
from tests.providers.feeding import MODEL
from tests.servers import Handler, call, chunk, json_reply, say, sse
from tests.strict import Strict
from tests.strict_gemini import answered, strict_gemini
from tests.strict_ollama import lines, strict_ollama

GEMINI = "POST /v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse"
OLLAMA = "POST /api/chat"


def tool(name: str, **fields: Any) -> Tool:
    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        return answer(f"{name}: {json.dumps(dict(args))}")

    schema = {"type": "object", "properties": fields, "additionalProperties": False}
    return Tool(name, f"About {name}.", schema, "read", run, group="harbour")


TOOLS = (tool("tide", port={"type": ["string", "null"]}), tool("now"))


async def on(talk: Talk, kind: str, model: str) -> Talk:
    """A chat with the same server by another API."""
    talk.program.use(Provider("own", kind, "Own", talk.server.url))
    await talk.program.secrets.keep("own", "AIza-pier-0000-LOCAL")
    listed = {"name": f"models/{model}", "supportedGenerationMethods": ["generateContent"], "thinking": True}
    talk.server.route("GET /v1beta/models?pageSize=1000", json_reply({"models": [listed]}))
    talk.server.route("GET /api/tags", json_reply({"models": [{"name": model, "digest": "d"}]}))
    talk.server.route("GET /api/ps", json_reply({"models": []}))
    shown = {"capabilities": ["completion", "tools"], "model_info": {"tide.context_length": 32_768}}
    talk.server.route("POST /api/show", json_reply(shown))
    give(talk, *TOOLS)
    session = talk.program.session((await talk.program.chats.create(model=f"own/{model}")).id)
    await session.load()
    made = Talk(talk.server, talk.program, session)
    session.listen(made.hear)
    return made


def gemini() -> Strict:
    calls = [
        {"functionCall": {"name": "tide", "args": {"port": "Cork"}, "id": "g1"}, "thoughtSignature": "U2lnMQ=="},
        {"functionCall": {"name": "now"}},
    ]
    return strict_gemini(
        answered({"text": "Hm.", "thought": True}, {"text": "I look.", "thoughtSignature": "U2lnMg=="}, *calls),
        answered({"text": "Low at "}, {"text": "07:40.", "thoughtSignature": "U2lnMQ=="}),
        answered({"text": "You are welcome."}),
    )


def ollama() -> Strict:
    calls = [
        {"function": {"name": "tide", "arguments": {"port": "Cork"}}},
        {"function": {"name": "now", "arguments": {}}},
    ]
    return strict_ollama(
        lines({"thinking": "Hm."}, {"content": "I look."}, {"tool_calls": calls}),
        lines({"content": "Low at "}, {"content": "07:40."}),
        lines({"content": "You are welcome."}),
    )


@pytest.mark.parametrize(
    ("kind", "model", "place", "server"),
    [("gemini-native", "gemini-3-flash", GEMINI, gemini()), ("ollama", "plain", OLLAMA, ollama())],
)
async def test_a_turn_with_parallel_calls_and_one_after_it(
    talk: Talk, kind: str, model: str, place: str, server: Handler
) -> None:
    own = await on(talk, kind, model)
    own.server.route(place, server)
    await own.session.send("When is low tide?")
    assert own.of(Refused) == []
    assert own.last.text == "I look.\n\nLow at 07:40."
    assert own.last.mode == "native"
    assert [(each.name, each.state, each.args) for each in own.last.calls] == [
        ("tide", "done", {"port": "Cork"}),
        ("now", "done", {}),
    ]
    await own.session.send("Thanks")
    assert own.of(Refused) == []
    assert own.last.text == "You are welcome."
    assert await own.stored() == own.last


async def test_signatures_go_back_where_they_came_from_also_in_the_next_turn(talk: Talk) -> None:
    own = await on(talk, "gemini-native", "gemini-3-flash")
    own.server.route(GEMINI, gemini())
    await own.session.send("When is low tide?")
    await own.session.send("Thanks")
    *_, last = own.server.of(GEMINI.removeprefix("POST "))
    said = [part for turn in last.json["contents"] if turn["role"] == "model" for part in turn["parts"]]
    assert [part.get("thoughtSignature") for part in said] == ["U2lnMg==", "U2lnMQ==", None, None, "U2lnMQ=="]
    assert [part.get("text") for part in said] == ["I look.", None, None, "Low at ", "07:40."]


@pytest.mark.parametrize(
    ("kind", "model", "place", "server"),
    [
        ("gemini-native", "gemini-3-flash", GEMINI, strict_gemini(answered({"text": "Yes."}))),
        ("ollama", "plain", OLLAMA, strict_ollama(lines({"content": "Yes."}))),
    ],
)
async def test_a_chat_that_another_provider_began_goes_on(
    talk: Talk, kind: str, model: str, place: str, server: Handler
) -> None:
    own = await on(talk, kind, model)
    own.server.route(place, server)
    chat = own.session.chat_id
    await talk.program.chats.choose_model(chat, "pier/demo")
    began = talk.program.session(chat)
    await began.load()
    talk.server.then(
        call("tide", '{"port": "Cork"}', call_id="functions.tide:0"),
        sse(chunk(reasoning="Hm."), chunk("Low."), chunk(finish="stop")),
    )
    await began.send("When is low tide?")
    await talk.program.chats.choose_model(chat, f"own/{model}")
    await began.load()
    await began.send("Sure?")
    assert own.last.text == "Yes."
    assert "functions.tide:0" not in str(own.server.requests[-1].json)


async def test_a_malformed_call_is_asked_for_once_more(talk: Talk) -> None:
    own = await on(talk, "gemini-native", "gemini-3-flash")
    own.server.route(GEMINI, strict_gemini(answered(finish="MALFORMED_FUNCTION_CALL"), answered({"text": "Low."})))
    await own.session.send("When is low tide?")
    assert own.last.text == "Low."
    assert own.last.mode == "native"
    assert len(own.server.of(GEMINI.removeprefix("POST "))) == 2


# what takes nothing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["native", "strict"])
def test_a_tool_that_takes_nothing_is_sent_to_gemini_without_parameters_by_every_wire(mode: Any) -> None:
    tools = make_offer(TOOLS, "gemini", Way(mode)).tools
    assert [bool(each.parameters) for each in tools] == [True, False]
    sent = build(Request(MODEL, "", (), tools), host="", grammar=False, llama=False)["tools"]
    assert ["parameters" in each["function"] for each in sent] == [True, False]


@pytest.mark.parametrize("family", ["permissive", "anthropic"])
def test_everywhere_else_it_has_an_object(family: Any) -> None:
    tools = make_offer(TOOLS, family, Way("native")).tools
    assert [each.parameters["type"] for each in tools] == ["object", "object"]


async def test_gemini_behind_its_openai_door_gets_none_either(talk: Talk) -> None:
    talk.program.use(Provider("own", "gemini", "Own", talk.server.url))
    talk.server.route("GET /v1beta/openai/models", json_reply({"data": [{"id": "gemini-9"}]}))
    talk.server.route("POST /v1beta/openai/chat/completions", say("Low."))
    give(talk, *TOOLS)
    session = talk.program.session((await talk.program.chats.create(model="own/gemini-9")).id)
    await session.load()
    await session.send("When?")
    (request,) = talk.server.of("/v1beta/openai/chat/completions")
    named = {each["function"]["name"]: each["function"] for each in request.json["tools"]}
    assert "parameters" not in named["now"]
    assert named["tide"]["parameters"]["properties"]["port"] == {"type": "string", "nullable": True}
