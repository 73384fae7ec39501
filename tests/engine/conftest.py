"""A whole program without a window, talking to a scripted server on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import Message
from conch_desktop.domain.models import Provider
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.session import QuestionAsked, Session, SessionEvent
from conch_desktop.tools.guard import Answer
from conch_desktop.tools.toolbox import Toolbox
from tests.servers import Recorded, ScriptedServer, json_reply


@dataclass
class Talk:
    """A chat with a scripted server, and everything that happened in it."""

    server: ScriptedServer
    program: Program
    session: Session
    events: list[SessionEvent] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def hear(self, event: SessionEvent) -> None:
        """Keeps the event, and answers a question when there is an answer left."""
        self.events.append(event)
        if isinstance(event, QuestionAsked) and self.answers:
            asyncio.get_running_loop().call_soon(self.session.answer, event.question.id, self.answers.pop(0))

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def last(self) -> Message:
        """The newest message."""
        return self.session.messages[-1]

    def shows(self, text: str) -> bool:
        """Whether the newest message is an answer with these words."""
        return bool(self.session.messages) and self.last.role == "assistant" and self.last.text == text

    @property
    def chats(self) -> list[Recorded]:
        """The chat requests the server got."""
        return self.server.of("/v1/chat/completions")

    async def stored(self) -> Message:
        """The newest message as the store has it."""
        return (await self.program.chats.messages(self.session.chat_id))[-1]


@pytest.fixture
async def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Talk]:
    monkeypatch.setattr("conch_desktop.engine.retries.OWN_WAITS", ())  # only where a server names a time
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "demo"}, {"id": "other"}]}))
        server.route("GET /props", json_reply({"error": "not found"}, 404))
        program = await Program.open(tmp_path / "profile")
        program.use(Provider("pier", "openai", "Pier", server.url, "PIER_KEY"))
        await program.secrets.keep("pier", "sk-pier-7Q2M-0000-LOCAL")
        chat = await program.chats.create(model="pier/demo")
        session = program.session(chat.id)
        await session.load()
        made = Talk(server, program, session)
        session.listen(made.hear)
        try:
            yield made
        finally:
            await program.aclose()


def give(talk: Talk, *tools: Tool) -> None:
    """Adds tools to the program's."""
    talk.program.toolbox = Toolbox([*talk.program.toolbox.tools, *tools])


def slow_tool(started: asyncio.Event, ended: list[str]) -> Tool:
    """A tool that runs until it is cancelled."""

    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        return answer("never")

    return Tool("dredge", "Takes its time.", {"type": "object", "properties": {}}, "read", run, group="harbour")


def failing_tool() -> Tool:
    """A tool that throws."""

    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        raise RuntimeError("the crane is stuck")

    return Tool("crane", "Lifts.", {"type": "object", "properties": {}}, "read", run, group="harbour")
