"""The whole program and a scripted conol.ai: one session for a chat, what ran there is shown, what is ours is run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.events import CallMade, CallResult, Notice
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext
from conch_desktop.domain.tools import answer as tool_answer
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.session import Session, SessionEvent
from conch_desktop.tools.toolbox import Toolbox
from tests.providers.conol_feeding import DONE, called, logs, text
from tests.servers import HANG, Recorded, Reply, ScriptedServer, json_reply, sse

TOKEN = "Tk7Q2M0000"


@dataclass
class Pier:
    """A chat with a scripted conol.ai. `answers` are its streams to come."""

    server: ScriptedServer
    program: Program
    session: Session
    answers: list[Reply] = field(default_factory=list)
    ran: list[Mapping[str, Json]] = field(default_factory=list)
    events: list[SessionEvent] = field(default_factory=list)

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def posted(self, path: str) -> list[list[str]]:
        """The messages of all requests to a path."""
        requests: list[Recorded] = [one for one in self.server.of(path) if one.method == "POST"]
        return [[message["content"] for message in one.json["messages"]] for one in requests]


def replies(*events: Any) -> Reply:
    return sse(*events, DONE, HANG, done=False)


@pytest.fixture
async def pier(tmp_path: Path) -> AsyncIterator[Pier]:
    async with ScriptedServer() as server:
        program = await Program.open(tmp_path / "profile")
        provider, _ = await program.add_provider("conol", "Pier", server.url, "")
        await program.secrets.keep(provider.id, TOKEN)
        chat = await program.chats.create(model=f"{provider.id}/demo")
        session = program.session(chat.id)
        await session.load()
        made = Pier(server, program, session)

        async def look(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
            made.ran.append(args)
            return tool_answer("14°, fog")

        schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        program.toolbox = Toolbox([Tool("get_weather", "Tells the weather.", schema, "read", look, group="harbour")])
        server.route("POST /api/sessions", json_reply({"sessionId": "s1", "effectiveModel": "demo"}, 201))
        server.route("POST /api/sessions/s1/messages", json_reply({"ok": True}))
        server.route("GET /api/sessions/s1/messages?logDeltas=1", lambda _: made.answers.pop(0))
        session.listen(made.events.append)
        try:
            yield made
        finally:
            await program.aclose()


async def test_a_chat_with_tools_stays_in_one_session(pier: Pier) -> None:
    search = {"query": "Graz"}
    pier.answers = [
        replies(
            logs(called("WebSearch", search)),
            logs(called("WebSearch", search, result=[{"text": "fog"}])),
            logs(text("I look."), called("get_weather", {"city": "Graz"}), stage="s2"),
            logs(called("get_weather", {"city": "Graz"}), stage="s3"),
        ),
        replies(logs(text("Foggy."), stage="s4"), {"contextUsage": {"usedTokens": 40, "modelId": "small"}}),
        replies(logs(text("Bye."), stage="s5")),
    ]
    await pier.session.send("Weather in Graz?")
    answer = pier.session.messages[-1]
    assert (answer.text, answer.state) == ("I look.\n\nFoggy.", "done")
    assert pier.ran == [{"city": "Graz"}]
    theirs, ours = answer.calls
    assert (theirs.name, theirs.state, theirs.source, theirs.answer) == ("WebSearch", "provider", "provider", "fog")
    assert (ours.name, ours.state, ours.answer) == ("get_weather", "done", "14°, fog")
    assert len(pier.of(CallMade)) == len(pier.of(CallResult)) == 2
    assert [(each.text, each.step) for each in pier.of(Notice)] == [("Pier answers with small, not with demo.", 1)]
    assert answer.usage is not None
    assert answer.usage.input_tokens == 40

    await pier.session.send("Bye")
    assert pier.session.messages[-1].text == "Bye."
    assert len(pier.posted("/api/sessions")) == 1
    assert pier.posted("/api/sessions/s1/messages") == [["[Tool result #call_1]: 14°, fog"], ["Bye"]]


async def test_what_is_kept_of_a_session_goes_with_the_provider_and_with_the_key(pier: Pier) -> None:
    provider = pier.session.model_id.partition("/")[0]

    async def kept() -> str:
        return await pier.program._wire_states.read(pier.session.chat_id, provider, pier.server.url)

    for leave in ("set_key", "remove_provider"):
        pier.answers = [replies(logs(text("Hm.")))]
        await pier.session.send("Hello")
        assert "s1" in await kept()
        await (
            pier.program.set_key(provider, "other") if leave == "set_key" else pier.program.remove_provider(provider)
        )
        assert await kept() == ""
