"""One chat, several models: what is stored stays, and every server gets what it takes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.models import Provider
from conch_desktop.engine.requests import GO_ON
from conch_desktop.store.settings import MODEL_MODES
from tests.anthropic_stream import block, messages_sse, start, stop, text, thinking, tool_use
from tests.engine.conftest import Talk, failing_tool, give
from tests.servers import CUT, Reply, ScriptedServer, call, call_piece, chunk, json_reply, say, sse
from tests.strict import ANTHROPIC, OPENAI, Rule, Strict

CALL_FIELDS = next(rule for rule in OPENAI if rule.says.startswith("a call has only"))
OPENAI_SIGNED: tuple[Rule, ...] = tuple(rule for rule in OPENAI if rule is not CALL_FIELDS)
"""The rules of the server that signs its calls in a field of its own."""


@dataclass
class Harbour:
    """A chat, and beside the server it began with one of Anthropic's API and one whose model takes no tools."""

    talk: Talk
    quay: ScriptedServer
    claude: ScriptedServer


@pytest.fixture
async def harbour(talk: Talk) -> AsyncIterator[Harbour]:
    async with ScriptedServer() as quay, ScriptedServer() as claude:
        talk.program.use(Provider("quay", "openai", "Quay", quay.url, ""))
        talk.program.use(Provider("claude", "anthropic", "Anthropic", claude.url, ""))
        for server in (quay, claude):
            server.route("GET /v1/models", json_reply({"data": [{"id": "big"}], "has_more": False}))
            server.route("GET /v1/models?limit=1000", json_reply({"data": [{"id": "big"}], "has_more": False}))
        yield Harbour(talk, quay, claude)


def signed_calls() -> Reply:
    """Two calls at once, with long ids; the first is signed."""
    first = {
        **call_piece("recall", '{"about": "tea"}', call_id="functions.recall:0"),
        "extra_content": {"signature": "Zz9"},
    }
    second = call_piece("recall", '{"about": "tide"}', index=1, call_id="x" * 40)
    return sse(chunk("Let me look."), chunk(calls=[first, second]), chunk(finish="tool_calls"))


async def test_models_change_in_the_middle_of_a_chat(harbour: Harbour) -> None:
    talk = harbour.talk
    await talk.program.settings.set(MODEL_MODES, {"quay/big": "words"})
    pier = Strict(OPENAI_SIGNED, [signed_calls(), say("None."), say("Again.")])
    quay = Strict(
        OPENAI, [say('<tool_call>\n{"name": "recall", "arguments": {"about": "wax"}}\n</tool_call>'), say("No wax.")]
    )
    claude = Strict(
        ANTHROPIC,
        [
            messages_sse(
                start(), thinking(0, "Hm", "mH"), tool_use(1, "recall", '{"about": "rope"}'), stop("tool_use")
            ),
            messages_sse(start(), text(0, "No rope."), stop()),
        ],
    )
    talk.server.route("POST /v1/chat/completions", pier)
    harbour.quay.route("POST /v1/chat/completions", quay)
    harbour.claude.route("POST /v1/messages", claude)

    await talk.session.send("Look for tea and tide.")
    kept = await talk.stored()
    for model, words in (("quay/big", "And wax?"), ("claude/big", "And rope?"), ("pier/demo", "And now?")):
        await talk.session.choose_model(model)
        await talk.session.send(words)

    answers = [message for message in talk.session.messages if message.role == "assistant"]
    assert [(answer.model, answer.mode) for answer in answers] == [
        ("pier/demo", "native"),
        ("quay/big", "words"),
        ("claude/big", "native"),
        ("pier/demo", "native"),
    ]
    assert [answer.failure for answer in answers] == [None] * 4
    assert answers[3].text == "Again."
    assert pier.refused == quay.refused == claude.refused == []
    assert (await talk.program.chats.messages(talk.session.chat_id))[1] == kept
    # In words nothing native is left, and the earlier calls are told.
    in_words = harbour.quay.of("/v1/chat/completions")[0].json
    assert not any("tool_calls" in message or message["role"] == "tool" for message in in_words["messages"])
    assert in_words["messages"][2]["content"].count("<tool_call>") == 2
    # What a server attached goes back to it and to no other.
    last = talk.chats[-1].json["messages"]
    calls = [made for message in last for made in message.get("tool_calls", ())]
    assert [made.get("extra_content") for made in calls] == [{"signature": "Zz9"}, None, None, None]
    sent_elsewhere = [request.body.decode() for server in (harbour.quay, harbour.claude) for request in server.requests]
    assert not any("Zz9" in body for body in sent_elsewhere)
    assert "mH" in harbour.claude.of("/v1/messages")[1].body.decode()
    assert not any("mH" in request.body.decode() for request in talk.server.requests)


async def test_a_tool_that_is_gone_and_was_called_elsewhere_has_a_name_that_is_taken(harbour: Harbour) -> None:
    talk = harbour.talk
    give(talk, failing_tool())
    talk.server.then(call("docs.find", "{}"), say("None."))
    await talk.session.send("Look")
    claude = Strict(ANTHROPIC, [messages_sse(start(), text(0, "So."), stop())])
    harbour.claude.route("POST /v1/messages", claude)
    await talk.session.choose_model("claude/big")
    await talk.session.send("And now?")
    assert (talk.last.text, claude.refused) == ("So.", [])


async def test_another_model_goes_on_with_an_answer_that_broke_off(harbour: Harbour) -> None:
    talk = harbour.talk
    talk.server.then(sse(chunk("The early boat "), CUT, done=False))
    await talk.session.send("Which boat?")
    claude = Strict(ANTHROPIC, [messages_sse(start(), text(0, "is calmer."), stop())])
    harbour.claude.route("POST /v1/messages", claude)
    await talk.session.choose_model("claude/big")
    await talk.session.go_on()
    (request,) = harbour.claude.of("/v1/messages")
    assert request.json["messages"][-1]["content"][0]["text"] == GO_ON
    assert (talk.last.text, claude.refused) == ("The early boat \n\nis calmer.", [])


def searching(reason: str, *more: list[dict[str, Any]]) -> Reply:
    search = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tides"}}
    return messages_sse(start(), text(0, "I look."), block(1, search), *more, stop(reason))


async def test_a_provider_that_pauses_gets_its_words_back_and_its_tools_are_shown(harbour: Harbour) -> None:
    talk = harbour.talk
    found = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"title": "Tides", "url": "u"}]}
    harbour.claude.then(
        searching("pause_turn"),
        messages_sse(start(), block(0, found), text(1, "At eight."), stop()),
        messages_sse(start(), text(0, "Yes."), stop()),
    )
    await talk.session.choose_model("claude/big")
    await talk.session.send("When is the tide?")
    await talk.session.send("Sure?")
    (shown,) = [part for part in talk.session.messages[1].parts if isinstance(part, CallRecord)]
    assert (shown.name, shown.state, shown.args) == ("web_search", "provider", {"query": "tides"})
    paused, after = (request.json["messages"] for request in harbour.claude.of("/v1/messages")[1:])
    assert [each["type"] for each in paused[-1]["content"]] == ["text", "server_tool_use"]
    assert [each["type"] for each in after[1]["content"]] == [
        "text",
        "server_tool_use",
        "web_search_tool_result",
        "text",
    ]
    assert talk.session.messages[1].text == "I look.\n\nAt eight."
    assert json.loads(harbour.claude.requests[-1].body)["messages"][-1]["content"][0]["text"] == "Sure?"
