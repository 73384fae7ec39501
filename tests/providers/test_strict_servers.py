"""Every kind of chat goes through every wire to servers that refuse what the real ones do."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conch_desktop.domain.messages import SentCall, SentMessage, SentResult
from conch_desktop.domain.models import Model, Provider
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.engine.offer import make_offer
from conch_desktop.engine.way import Way
from conch_desktop.providers.openai_request import build
from conch_desktop.providers.registry import make_wire
from conch_desktop.providers.wire import Request
from tests.anthropic_stream import messages_sse, start, stop, text
from tests.providers.feeding import answer_of, tool
from tests.servers import ScriptedServer, json_reply, say
from tests.strict import ANTHROPIC, MISTRAL, OPENAI, Rule, Strict, broken
from tests.strict_gemini import GEMINI, GEMINI_3, answered
from tests.strict_ollama import OLLAMA, lines

Change = Callable[[dict[str, Any]], Any]

# Each rule is broken once ---------------------------------------------------------------------------------------------

GOOD_OPENAI: dict[str, Any] = {
    "model": "demo",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "When?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "abcdefgh1", "type": "function", "function": {"name": "find", "arguments": '{"q": "tea"}'}},
                {"id": "abcdefgh2", "type": "function", "function": {"name": "now", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "abcdefgh1", "name": "find", "content": "two"},
        {"role": "tool", "tool_call_id": "abcdefgh2", "name": "now", "content": "07:40"},
        {"role": "assistant", "content": "At eight."},
        {"role": "user", "content": "Thanks."},
    ],
    "stream": True,
    "tools": [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}],
}


def _call(body: dict[str, Any]) -> dict[str, Any]:
    return body["messages"][2]["tool_calls"][0]  # type: ignore[no-any-return]


def _renamed(body: dict[str, Any], identity: str) -> None:
    _call(body)["id"] = body["messages"][3]["tool_call_id"] = identity


BREAKS_OPENAI: dict[str, Change] = {
    "the system prompt": lambda body: body["messages"].append({"role": "system", "content": "Late."}),
    "each call has one": lambda body: body["messages"].pop(4),
    "arguments are": lambda body: _call(body)["function"].update(arguments=""),
    "a message has content": lambda body: body["messages"][5].update(content=None),
    "pictures are": lambda body: body["messages"][1].update(
        content=[{"type": "image_url", "image_url": {"url": "data:image/tiff;base64,AAAA"}}]
    ),
    "a name is": lambda body: _call(body)["function"].update(name="docs.find"),
    "an id of a call has 40": lambda body: _renamed(body, "x" * 41),
    "tools are left out": lambda body: body.update(tools=[]),
    "a schema's root": lambda body: body["tools"][0]["function"].update(parameters={"type": "object", "oneOf": []}),
    "a message has only": lambda body: body["messages"][2].update(reasoning_content="Hm"),
    "a call has only": lambda body: _call(body).update(extra_content={}),
    "a choice of tool": lambda body: (body.pop("tools"), body.update(tool_choice="none")),
}

BREAKS_MISTRAL: dict[str, Change] = {
    **{says: change for says, change in BREAKS_OPENAI.items() if "40" not in says},
    "an id of a call has nine": lambda body: _renamed(body, "call_1"),
    "no user after": lambda body: body["messages"].pop(5),
    "the last word": lambda body: body["messages"].pop(),
    "no field": lambda body: body.update(stream_options={}),
}

GOOD_ANTHROPIC: dict[str, Any] = {
    "model": "demo",
    "max_tokens": 4096,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "When?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "mH"},
                {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "two"}]},
    ],
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "tools": [{"name": "find", "input_schema": {"type": "object"}}],
}


def _content(body: dict[str, Any], place: int) -> list[dict[str, Any]]:
    return body["messages"][place]["content"]  # type: ignore[no-any-return]


BREAKS_ANTHROPIC: dict[str, Change] = {
    "max_tokens": lambda body: body.pop("max_tokens"),
    "the person's side": lambda body: body["messages"].insert(0, body["messages"][0]),
    "each call has a": lambda body: body["messages"].pop(),
    "results come": lambda body: _content(body, 2).insert(0, {"type": "text", "text": "So"}),
    "no text and": lambda body: _content(body, 0).append({"type": "text", "text": " "}),
    "a name is": lambda body: _content(body, 1)[1].update(name="docs.find"),
    "an id is": lambda body: (
        _content(body, 1)[1].update(id="functions.find:0"),
        _content(body, 2)[0].update(tool_use_id="functions.find:0"),
    ),
    "what a call": lambda body: _content(body, 1)[1].update(input="{}"),
    "a chat with calls": lambda body: body.pop("tools"),
    "a schema's root": lambda body: body["tools"][0].update(input_schema={"type": "object", "anyOf": []}),
    "a picture is": lambda body: _content(body, 0).append(
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "data:image/png;base64,AA=="}}
    ),
    "an answer does not end": lambda body: _content(body, 1).append(_content(body, 1)[0]),
    "thinking is signed": lambda body: _content(body, 1)[0].update(thinking="Hm!"),
    "four marks": lambda body: _content(body, 1)[0].update(cache_control={"type": "ephemeral"}),
    "thinking excludes": lambda body: body.update(temperature=0.5),
    "thinking can't begin": lambda body: _content(body, 1).pop(0),
    "the last word": lambda body: body["messages"].append(
        {"role": "assistant", "content": [{"type": "text", "text": "x"}]}
    ),
    "white space": lambda body: _content(body, 1).append({"type": "text", "text": "So "}),
}

TABLES: dict[str, tuple[tuple[Rule, ...], dict[str, Any], dict[str, Change]]] = {
    "openai": (OPENAI, GOOD_OPENAI, BREAKS_OPENAI),
    "mistral": (MISTRAL, GOOD_OPENAI, BREAKS_MISTRAL),
    "anthropic": (ANTHROPIC, GOOD_ANTHROPIC, BREAKS_ANTHROPIC),
}


@pytest.mark.parametrize("api", TABLES)
def test_each_rule_is_kept_by_a_good_request_and_broken_by_one_change(api: str) -> None:
    rules, good, breaks = TABLES[api]
    assert broken(rules, good) == []
    for rule in rules:
        (change,) = [change for says, change in breaks.items() if rule.says.startswith(says)]
        body = copy.deepcopy(good)
        change(body)
        assert rule.says in broken(rules, body)


# Every kind of chat ---------------------------------------------------------------------------------------------------

FIND, NOW = make_offer((tool("find", q={"type": "string"}), tool("now")), "permissive", Way("native")).tools
ASKED = SentMessage("user", "When is the tide?")
SO = SentMessage("user", "And now?")
PIER = PictureContent(b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png")


def step(*calls: SentCall, words: str = "", replay: str = "", error: bool = False) -> tuple[SentMessage, SentMessage]:
    """A step of an answer and the results of its calls, the last one first."""
    results = [SentResult(call.id, call.name, f"{call.name} says so", is_error=error) for call in reversed(calls)]
    return SentMessage("assistant", words, calls, replay=replay), SentMessage("results", results=tuple(results))


CHATS: dict[str, tuple[SentMessage, ...]] = {
    "one question": (ASKED,),
    "calls in parallel, results in another order": (
        ASKED,
        *step(SentCall("toolu_1", "find", {"q": "tée"}), SentCall("toolu_2", "now", {})),
    ),
    "ids of every provider": (
        ASKED,
        *step(SentCall("functions.find:0", "find", {}), SentCall("x" * 64, "now", {}), SentCall("ab.c/d", "now", {})),
        *step(SentCall("chatcmpl-tool-0123456789abcdef0123456789abcdef", "find", {})),
        SentMessage("assistant", "Soon."),
        SO,
    ),
    "another provider's signatures": (
        ASKED,
        *step(SentCall("c1", "find", {}, '{"thoughtSignature": "Zz9"}'), words="Let me see."),
        SentMessage("assistant", "Soon."),
        SO,
    ),
    "stopped after the results": (ASKED, *step(SentCall("c1", "find", {})), SO),
    "stopped before a word": (ASKED, SO),
    "pictures of the person": (
        replace(ASKED, pictures=(PIER, PIER)),
        SentMessage("assistant", "A pier."),
        SentMessage("user", pictures=(PIER,)),
    ),
    "a picture after a stopped answer": (SentMessage("user", pictures=(PIER,)), replace(SO, pictures=(PIER,))),
    "pictures of an answer and of the person after it": (
        ASKED,
        SentMessage("assistant", "", (SentCall("c1", "find", {}),)),
        SentMessage("results", results=(SentResult("c1", "find", "A pier.", pictures=(PIER,)),)),
        replace(SO, pictures=(PIER,)),
    ),
    "two answers in a row": (
        ASKED,
        SentMessage("assistant", "The early boat "),
        SentMessage("assistant", " is calm. "),
        SO,
    ),
    "words with white space around": (ASKED, SentMessage("assistant", "  Soon. \n"), SO),
    "a failed call, without a word of why": (
        ASKED,
        SentMessage("assistant", "", (SentCall("c1", "find", {}),)),
        SentMessage("results", results=(SentResult("c1", "find", "", is_error=True),)),
    ),
    "several steps": (
        ASKED,
        *step(SentCall("c1", "find", {"q": "a"})),
        *step(SentCall("c2", "find", {"q": "b"}), words="Once more."),
        *step(SentCall("c3", "now", {}), error=True),
    ),
    "an answer that is only thinking": (
        ASKED,
        SentMessage("assistant", "", replay='{"blocks": [{"type": "thinking", "thinking": "Hm", "signature": "mH"}]}'),
        SO,
    ),
    "thinking between words and calls": (
        ASKED,
        *step(
            SentCall("toolu_1", "find", {"q": "tide"}),
            words="Let me see.",
            replay=json.dumps(
                {
                    "blocks": [
                        {"type": "thinking", "thinking": "Hm", "signature": "mH"},
                        {"type": "text", "text": "Let me see."},
                        {"type": "redacted_thinking", "data": "Zz9"},
                        {"type": "tool_use", "id": "toolu_1"},
                    ]
                }
            ),
        ),
    ),
}


def requests(chat: str, model: Model) -> list[Request]:
    """The chat in the ways it can be sent."""
    plain = Request(model, "Be brief.", CHATS[chat], tools=(FIND, NOW))
    return [
        plain,
        replace(plain, system="", tool_choice="none"),
        replace(plain, tool_choice="find", effort="high", temperature=1.4, max_tokens=1024),
        replace(plain, effort="high", temperature=0.2),
        replace(plain, effort="low", max_tokens=4096),
    ]


@pytest.mark.parametrize("chat", CHATS)
async def test_openai_takes_every_chat(chat: str) -> None:
    async with ScriptedServer() as server:
        wire = make_wire(Provider("pier", "openai", "Pier", server.url), None)
        every = requests(chat, Model("pier", "demo"))
        strict = Strict(OPENAI, [say("Soon.") for _ in every])
        server.route("POST /v1/chat/completions", strict)
        for request in every:
            assert (await answer_of(wire, request)).text == "Soon.", strict.refused
        await wire.aclose()


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("name", ["claude-sonnet-4-5-20250929", "claude-opus-5"])
async def test_anthropic_takes_every_chat(chat: str, name: str) -> None:
    async with ScriptedServer() as server:
        wire = make_wire(Provider("pier", "anthropic", "Pier", server.url), None)
        every = [*requests(chat, Model("pier", name)), replace(requests(chat, Model("pier", name))[0], tools=())]
        strict = Strict(ANTHROPIC, [messages_sse(start(), text(0, "Soon."), stop()) for _ in every])
        server.route("POST /v1/messages", strict)
        for request in every:
            assert (await answer_of(wire, request)).text == "Soon.", strict.refused
        await wire.aclose()


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize(("name", "rules"), [("gemini-3-flash", GEMINI_3), ("gemini-2.5-pro", GEMINI)])
async def test_gemini_takes_every_chat(chat: str, name: str, rules: tuple[Rule, ...]) -> None:
    async with ScriptedServer() as server:
        wire = make_wire(Provider("pier", "gemini-native", "Pier", server.url), "AIza-pier")
        every = gemini_s(requests(chat, Model("pier", name)))
        strict = Strict(rules, [answered({"text": "Soon."}) for _ in every])
        server.route(f"POST /v1beta/models/{name}:streamGenerateContent?alt=sse", strict)
        for request in every:
            assert (await answer_of(wire, request)).text == "Soon.", strict.refused
        await wire.aclose()


def gemini_s(every: list[Request]) -> list[Request]:
    """Requests whose tools are in Gemini's dialect: one that takes nothing has no parameters."""
    tools = make_offer((FIND, NOW), "gemini", Way("native")).tools
    return [replace(request, tools=tools) for request in every]


@pytest.mark.parametrize("chat", CHATS)
async def test_ollama_takes_every_chat(chat: str) -> None:
    async with ScriptedServer() as server:
        server.route("POST /api/show", json_reply({"capabilities": ["completion", "tools"]}))
        server.route("GET /api/ps", json_reply({"models": []}))
        wire = make_wire(Provider("pier", "ollama", "Pier", server.url), None)
        every = requests(chat, Model("pier", "plain"))
        strict = Strict(OLLAMA, [lines({"content": "Soon."}) for _ in every])
        server.route("POST /api/chat", strict)
        for request in every:
            assert (await answer_of(wire, request)).text == "Soon.", strict.refused
        await wire.aclose()


@pytest.mark.parametrize("chat", CHATS)
def test_mistral_takes_every_chat(chat: str) -> None:
    for request in (Request(Model("p", "m"), "Be brief.", CHATS[chat], tools=(FIND, NOW)),):
        assert broken(MISTRAL, build(request, host="api.mistral.ai", grammar=False, llama=False)) == []
