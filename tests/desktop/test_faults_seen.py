"""What a person sees of apps that misbehave: each call with its state and words, in the chat and in the panel."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from conch_desktop.desktop.call_line import CallLine
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.notice_line import NoticeLine
from conch_desktop.desktop.window import Window
from tests.desktop.at_work import at_work
from tests.desktop.test_scenarios import ask, calls, question
from tests.servers import call, say
from tests.tools.mcp.conftest import hostile, until

Run = Callable[[Coroutine[Any, Any, Any]], Any]
LONG = 30.0
"""Seconds that are waited for what a server does."""

SEEN = (
    ("slow", "failed", "did not answer within 1 s"),
    ("throws", "failed", "the winch is wet"),
    ("fault", "failed", "the crane is stuck"),
    ("huge", "done", "The beginning. xxx"),
    ("binary", "done", "after the bytes"),
    ("noisy", "done", "among noise"),
    ("forged", "done", "2 invisible characters were taken out"),
    ("asks", "done", "refused refused refused"),
    ("die", "failed", "exited with 3"),
)
"""Tools, how the line of their call ends, and what stands in its card. The first gets a short limit, the last one ends
the server."""


async def line_of(window: Window, call_id: str) -> CallLine:
    """The line of a call in the chat, once it is in sight."""

    def found() -> list[CallLine]:
        lines = [one for one in window.view.findChildren(CallLine) if one.isVisible()]
        return [one for one in lines if one.call is not None and one.call.id == call_id]

    await until(lambda: bool(found()), LONG)
    return found()[0]


def card_text(window: Window, call_id: str) -> str:
    """Every word of the open card of a call."""
    window.view.call_pressed.emit(call_id)
    card = window.activity.card(call_id)
    assert card is not None
    boxes = [one.toPlainText() for one in card.findChildren(QWidget) if hasattr(one, "toPlainText")]
    return "\n".join([*boxes, *(one.text() for one in card.findChildren(QLabel))])


async def one_turn(window: Window, desk: Desk, server: Any, tool: str) -> None:
    """A turn in which the model calls the tool and the person allows it once."""
    before = len(calls(desk))
    server.then(call(tool, "{}"), say(f"That was {tool}."))
    await ask(window, f"Call {tool}")
    await until(lambda: question(window) is not None, LONG)
    card = question(window)
    assert card is not None
    assert (card.question.tool, card.question.source) == (tool, "harbour")
    card.buttons["once"].click()
    await until(lambda: len(calls(desk)) > before and not window.composer.send.running, LONG)


def test_each_fault_of_an_app_is_seen_in_the_chat_and_in_the_panel(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            added = await program.integrations.add(replace(hostile("banner"), call_limit=1))
            await program.integrations.settled()
            for tool, state, words in SEEN:
                await one_turn(window, desk, server, tool)
                made = calls(desk)[-1]
                line = await line_of(window, made.id)
                assert line.accessibleName().startswith(f"Call of {tool}, {state}"), line.accessibleName()
                assert words in card_text(window, made.id), tool
                session = desk.chats.session
                assert session is not None
                assert session.messages[-1].text == f"That was {tool}."
                assert question(window) is None, "nothing but the guard asks"
                if tool == "slow":
                    await program.integrations.change(added, hostile("banner"))
                    await program.integrations.settled()
            assert await program.memories.all() == []
            assert await program.permissions.all() == []
            assert len(calls(desk)) == len(SEEN), "nothing ran that was not asked for"
            server.then(say("Without it."))
            await ask(window, "And now?")
            said = "harbour is not running, so its tools "
            await until(lambda: any(said in one.accessibleName() for one in window.view.findChildren(NoticeLine)), LONG)

    run(scenario())
