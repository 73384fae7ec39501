"""The whole program and a real llama.cpp server in its four behaviours: silent, refusing, native, schema-refusing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.events import CallMade, RequestSent, TextAdded
from conch_desktop.domain.events import Refused as RefusalTold
from conch_desktop.domain.messages import Message
from conch_desktop.domain.models import Provider
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.session import SessionEvent
from conch_desktop.schemas.dialects import Converted, Dialect, Refused, convert
from conch_desktop.tools.toolbox import Toolbox
from tests.local_servers import KEY, NATIVE, served

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(240)]

NAME = "smollm2-135m-instruct"
FIELDS: Mapping[str, Json] = {
    "harbour": {"type": "string", "maxLength": 40},
    "number": {"type": "integer"},
    "side": {"type": "string", "enum": ["port", "starboard"]},
}
BROKEN: Mapping[str, Json] = {**FIELDS, "who": {"$ref": "#/$defs/Missing"}}


def berth(ran: list[Mapping[str, Json]], fields: Mapping[str, Json]) -> Tool:
    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        ran.append(args)
        return answer("Booked.")

    schema = {"type": "object", "properties": dict(fields), "required": list(FIELDS), "additionalProperties": False}
    return Tool("book_berth", "Books a berth in a harbour.", schema, "read", run, group="harbour")


class Harbour:
    """The program on one profile, as often started as one likes."""

    def __init__(self, profile: Path, url: str, fields: Mapping[str, Json]) -> None:
        self.profile, self.url, self.fields = profile, url, fields
        self.ran: list[Mapping[str, Json]] = []
        self.events: list[SessionEvent] = []
        self.lessons: list[tuple[str, str]] = []

    async def ask(self, text: str, *, asked: str = "") -> Message:
        """One start of the program and one message. Its first words end it: only the calls matter here."""
        program = await Program.open(self.profile)
        try:
            program.use(Provider("pier", "openai", "Pier", self.url))
            await program.secrets.keep("pier", KEY)
            program.toolbox = Toolbox([berth(self.ran, self.fields)])
            chat = await program.chats.create(model=f"pier/{NAME}")
            session = program.session(chat.id)
            await session.load()
            self.events = []

            def hear(event: SessionEvent) -> None:
                self.events.append(event)
                if isinstance(event, TextAdded) and event.text.strip():
                    session.stop()

            session.listen(hear)
            await session.send(text, asked=asked)
            self.lessons = [(lesson.kind, lesson.value) for lesson in await program.lessons.all()]
            return session.messages[-1]
        finally:
            await program.aclose()

    def modes(self) -> list[str]:
        """The mode of each request of the last start."""
        return [event.mode for event in self.events if isinstance(event, RequestSent)]

    def called(self) -> list[str]:
        """The tools that were called."""
        return [event.name for event in self.events if isinstance(event, CallMade)]


ASKED = "A berth in North harbour, number 7, on the port side."


@pytest.mark.parametrize("options", [(), ("--no-jinja",)], ids=["silent", "refusing"])
async def test_a_server_that_drops_or_refuses_tools_gets_the_call_in_words(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    async with served(*options) as url:
        harbour = Harbour(tmp_path, url, FIELDS)
        for _ in range(2):
            message = await harbour.ask(ASKED, asked="book_berth")
            assert message.failure is None
            assert harbour.called()[0] == "book_berth"
            assert set(harbour.modes()) == {"words"}
        assert len(harbour.ran) >= 2
        assert all(set(args) == set(FIELDS) and args["side"] in {"port", "starboard"} for args in harbour.ran)
        await harbour.ask("Hello")
        assert set(harbour.modes()) == {"words"}
        assert ("words", "provider") in harbour.lessons


async def test_a_server_whose_template_knows_tools_is_given_them_natively(tmp_path: Path) -> None:
    async with served(*NATIVE) as url:
        harbour = Harbour(tmp_path, url, FIELDS)
        await harbour.ask("Please use book_berth for berth 7 in North harbour, port side.")
        assert harbour.modes()[0] == "native"
        assert harbour.called()[0] == "book_berth"
        assert ("words", "provider") not in harbour.lessons


async def test_a_schema_the_server_refuses_is_simplified_once_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_it_came(dialect: Dialect, name: str, schema: Json) -> Converted | Refused:
        """The dialect mends this reference beforehand; here the server has to meet it."""
        return Converted(schema) if dialect == "permissive" else convert(dialect, name, schema)

    monkeypatch.setattr("conch_desktop.engine.offer.convert", as_it_came)
    async with served(*NATIVE) as url:
        harbour = Harbour(tmp_path, url, BROKEN)
        message = await harbour.ask("Please use book_berth for berth 7 in North harbour, port side.")
        assert message.failure is None
        assert harbour.called()[0] == "book_berth"
        assert len([event for event in harbour.events if isinstance(event, RefusalTold)]) == 1
        assert harbour.lessons == [("strict", '["book_berth"]')]
        await harbour.ask("Please use book_berth for berth 8 in South harbour, port side.")
        assert harbour.called()[0] == "book_berth"
        assert not [event for event in harbour.events if isinstance(event, RefusalTold)]
