"""Known to be offline: it is said above the chat, the composer keeps the message, and it goes when it can."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from conch_desktop.desktop.desk import Desk
from conch_desktop.engine.assembly import Program
from tests.desktop.at_work import at_work, said, until
from tests.servers import CUT, chunk, say, sse

Run = Callable[[Coroutine[Any, Any, Any]], Any]


class Line:
    """The line to the provider, up or down."""

    def __init__(self, program: Program) -> None:
        self.up = False
        self.looks = 0
        program.can_reach = self._reach  # type: ignore[method-assign, assignment]

    async def _reach(self, provider: str) -> bool:
        self.looks += 1
        return self.up


async def break_off(desk: Desk, server: Any, composer: Any) -> None:
    """An answer that breaks off after a few words."""
    server.then(sse(chunk("Two boats"), CUT, done=False))
    composer.set_text("When?")
    composer.writing.enter.emit()

    def broken() -> bool:
        messages = desk.chats.session.messages if desk.chats.session is not None else []
        return bool(messages and messages[-1].failure) and not composer.send.running

    await until(broken)


def test_a_message_waits_in_the_composer_and_goes_by_itself(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            line = Line(program)
            await break_off(desk, server, window.composer)
            await until(window.header.offline.isVisible)
            assert "Pier can’t be reached" in window.header.offline.toolTip()
            server.then(say("At nine."))
            window.composer.set_text("And on Sundays?")
            window.composer.writing.enter.emit()
            assert window.composer.text() == "And on Sundays?"
            assert "sent when Pier can be reached" in window.composer._note.text()
            line.up = True
            desk.offline.look(desk.chats.model_id.partition("/")[0])
            await until(lambda: said(desk) == "At nine.")
            assert not window.header.offline.isVisible()
            assert window.composer.text() == ""

    run(scenario())


def test_who_goes_on_writing_sends_by_hand(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            line = Line(program)
            await break_off(desk, server, window.composer)
            await until(window.header.offline.isVisible)
            asked = len(server.of("/v1/chat/completions"))
            window.composer.set_text("And on Sundays")
            window.composer.writing.enter.emit()
            window.composer.set_text("And on Sundays, and")
            line.up = True
            desk.offline.look(desk.chats.model_id.partition("/")[0])
            await until(lambda: not window.header.offline.isVisible())
            assert window.composer.text() == "And on Sundays, and"
            assert len(server.of("/v1/chat/completions")) == asked

    run(scenario())


def test_an_answer_that_breaks_off_at_a_provider_that_is_there_is_not_offline(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            line = Line(program)
            line.up = True
            await break_off(desk, server, window.composer)
            await until(lambda: line.looks)
            assert not window.header.offline.isVisible()

    run(scenario())
