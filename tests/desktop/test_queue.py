"""Messages written while an answer runs: they wait, can be taken back, and are sent when it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.composer import Composer
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import Attached, FilePart
from conch_desktop.engine.assembly import Program
from tests.desktop.at_work import at_work, until
from tests.servers import Reply, chunk, say, sse

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def test_enter_while_an_answer_runs_lets_the_message_wait(qtbot: QtBot) -> None:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show()
    composer.show_state(running=True, ready=True)
    queued: list[str] = []
    sent: list[str] = []
    composer.queued.connect(queued.append)
    composer.sent.connect(sent.append)
    for text in ("  ", "And tomorrow?"):
        composer.set_text(text)
        composer.writing.enter.emit()
    assert (queued, sent) == (["And tomorrow?"], [])


def test_what_waits_is_seen_and_can_be_taken_back(qtbot: QtBot) -> None:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show()
    least = composer.sizeHint().height()
    composer.show_waiting(["One", "Two"])
    assert composer.waiting.isVisible()
    assert composer.sizeHint().height() > least
    numbers: list[int] = []
    composer.taken_back.connect(numbers.append)
    composer.waiting.buttons[1].click()
    assert numbers == [1]
    composer.show_waiting([])
    assert not composer.waiting.isVisible()


def held_back(gate: asyncio.Event, text: str) -> Reply:
    return sse(chunk("Wait"), gate, chunk(text), chunk(finish="stop"))


def write(window: Window, text: str) -> None:
    window.composer.set_text(text)
    window.composer.writing.enter.emit()


def said(program: Program, chat: str) -> list[str]:
    return [message.text for message in program.session(chat).messages if message.role == "user"]


def test_waiting_messages_are_sent_one_after_the_other(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            gate = asyncio.Event()
            server.then(held_back(gate, " is over."), say("Second."), say("Third."))
            write(window, "First")
            await until(lambda: window.composer.send.running)
            for text in ("Not this", "Second?", "Third?"):
                write(window, text)
            assert list(window.composer.waiting.texts) == ["Not this", "Second?", "Third?"]
            assert window.composer.text() == ""
            window.composer.waiting.buttons[0].click()
            assert window.composer.text() == "Not this"
            assert list(window.composer.waiting.texts) == ["Second?", "Third?"]
            gate.set()
            await until(lambda: len(said(program, desk.chats.chat)) == 3 and not window.composer.send.running)
            assert said(program, desk.chats.chat) == ["First", "Second?", "Third?"]
            assert not window.composer.waiting.texts
            assert window.composer.text() == "Not this"

    run(scenario())


@pytest.mark.parametrize("how", ["stopped", "failed", "closed"])
def test_nothing_that_waits_is_lost(run: Run, tmp_path: Path, how: str) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            gate = asyncio.Event()
            broken = Reply(500, body=[gate, "broken"], framing="chunked")
            server.then(broken if how == "failed" else held_back(gate, ""))
            write(window, "First")
            await until(lambda: window.composer.send.running)
            write(window, "And then?")
            chat = desk.chats.chat
            if how == "stopped":
                window.stop_asked.emit()
            elif how == "failed":
                gate.set()
            if how != "closed":
                await until(lambda: window.composer.text() == "And then?")
                assert said(program, chat) == ["First"]
            else:
                await desk.chats.aclose()
                kept = await program.chats.get(chat)
                assert kept is not None
                assert kept.draft == "And then?"
                program.session(chat).stop()

    run(scenario())


def test_what_waits_is_kept_with_the_draft_and_goes_from_there_only_when_it_was_sent(run: Run, tmp_path: Path) -> None:
    """The process may be killed at any moment: nothing ends in order then."""
    note = FilePart("note.txt", "Bring rope")

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            gate, second = asyncio.Event(), asyncio.Event()
            server.then(held_back(gate, " is over."), held_back(second, " too."))
            write(window, "First")
            await until(lambda: window.composer.send.running)
            window.composer.attachments.add([note])
            write(window, "Second?")
            window.composer.set_text("half a thought")
            chat = desk.chats.chat

            async def kept() -> tuple[str, list[Attached]]:
                found = await program.chats.get(chat)
                return (found.draft if found is not None else ""), await program.chats.draft_attached(chat)

            async def becomes(*wanted: object) -> None:
                for _ in range(600):
                    if await kept() == wanted:
                        return
                    await asyncio.sleep(0.01)
                assert await kept() == wanted

            await becomes("Second?\n\nhalf a thought", [note])
            window.new_chat.emit()
            await until(lambda: desk.chats.chat != chat)
            await becomes("Second?\n\nhalf a thought", [note])
            await desk.chats.open(chat)
            assert (window.composer.text(), window.composer.attachments.items) == ("half a thought", ())
            assert list(window.composer.waiting.texts) == ["Second? [note.txt]"]
            gate.set()
            await until(lambda: said(program, chat) == ["First", "Second?"])
            await becomes("half a thought", [])
            second.set()
            await until(lambda: not window.composer.send.running)

    run(scenario())


def test_a_message_that_is_being_sent_is_in_the_draft_until_the_store_has_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            server.then(say("First."))
            write(window, "First")
            await until(lambda: desk.chats.session is not None and desk.chats.session.messages[-1:] != [])
            session = desk.chats.session
            assert session is not None
            await until(lambda: session.messages[-1].text == "First." and not session.running)
            await until(lambda: not window.composer.send.running)
            chat, gate, put = desk.chats.chat, asyncio.Event(), program.chats.put

            async def slow(*args: Any, **more: Any) -> None:
                await gate.wait()
                await put(*args, **more)

            monkeypatch.setattr(program.chats, "put", slow)
            window.composer.set_text("Second")
            await desk.chats._save_draft(chat, "Second")
            window.composer.writing.enter.emit()
            await asyncio.sleep(0)
            found = await program.chats.get(chat)
            assert found is not None
            assert found.draft == "Second"
            gate.set()
            await until(lambda: said(program, chat) == ["First", "Second"])

    run(scenario())
