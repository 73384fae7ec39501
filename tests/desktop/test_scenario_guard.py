"""The guard's question, a no, Stop and circles, at the window by keys and pointer, with real servers over stdio.

What else is proved of them elsewhere:
- that the card stands where the call happens, and is read aloud: `test_desk`, `test_scenarios`;
- which answer allows what, in every combination with text from outside: `tests/tools/test_guard`;
- that the same call written in other ways is the same: `tests/engine/test_hands`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conch_desktop.desktop.call_line import CallLine
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.message_parts import Stopped
from conch_desktop.desktop.trouble import TroubleBlock
from conch_desktop.desktop.window import Window
from conch_desktop.store.settings import STEP_LIMIT
from tests.desktop.at_harbour import (
    CHAT,
    ECHO,
    NOTE,
    App,
    asked,
    button,
    calls,
    card_of,
    click,
    keys,
    quiet,
    seen,
    soon,
    start,
    view_of,
    write,
)
from tests.desktop.at_work import at_work
from tests.servers import HANG, Reply, ScriptedServer, call, call_piece, chunk, say, sse
from tests.strict import OPENAI, broken

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def lines(window: Window) -> list[str]:
    """The lines of calls in the chat, as they are read aloud."""
    return [one.accessibleName() for one in window.view.findChildren(CallLine) if one.isVisible()]


# What will run is what was asked for --------------------------------------------------------------------------------


def test_the_card_names_what_runs_and_no_key_by_accident_allows_it(run: Run, tmp_path: Path) -> None:
    harbour, weather = App(tmp_path, "harbour").offer(NOTE), App(tmp_path, "weather").offer(NOTE)

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour, weather)
            server.then(call("harbour_delete_note", '{"id": "12", }'), say("Gone."))
            write(window, "Delete note 12")
            card = await asked(window)
            words = seen(card)
            assert "delete_note" in words
            assert "from harbour." in words
            assert "2 mended" in words
            assert "".join(card.ran.content.split()) == '{"id":12}'
            assert [one.text().replace("&", "") for one in card.buttons.values()] == [
                "Allow once",
                "Always allow in this chat",
                "Always allow",
                "Deny…",
            ]
            window.composer.set_text("and then?")
            assert window.focusWidget() is window.composer.writing
            assert not any(one.isDefault() or one.autoDefault() for one in card.buttons.values())
            for name in ("Enter", "Alt+O", "Alt+A", "o", "a", "Enter"):
                keys(window, name)
            assert card_of(window) is card
            assert (harbour.ran, weather.ran) == ([], [])
            while window.composer.waiting.buttons:  # what was written waits for the answer; it is taken back
                click(window.composer.waiting.buttons[0])
            window.composer.set_text("")
            # With the focus on it, its letters answer, as they are underlined.
            keys(window, "Ctrl+Shift+J", "Alt+O")
            await quiet(window, desk, "Gone.")
            assert harbour.ran == [("delete_note", {"id": 12})]
            assert weather.ran == []

    run(scenario())


@pytest.mark.parametrize("letter", ["o", "c", "a", "Alt+O", "Alt+C", "Alt+A"])
def test_each_letter_answers_once_the_card_has_the_focus(run: Run, tmp_path: Path, letter: str) -> None:
    harbour = App(tmp_path, "harbour").offer(NOTE)

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            server.then(call("delete_note", '{"id": 1}'), say("Gone."))
            write(window, "Delete it")
            await asked(window)
            keys(window, "Ctrl+Shift+J", letter)
            await quiet(window, desk, "Gone.")
            lasting = (len(program.hands.allowed_in_chats()), len(await program.hands.allowed()))
            assert lasting == {"o": (0, 0), "c": (1, 0), "a": (0, 1)}[letter[-1].lower()]

    run(scenario())


def test_always_is_for_this_tool_of_this_server_as_it_was_and_says_what_changed(run: Run, tmp_path: Path) -> None:
    harbour, weather = App(tmp_path, "harbour").offer(NOTE), App(tmp_path, "weather").offer(NOTE)
    wider = {"type": "object", "properties": {"id": {"type": "integer"}, "all": {"type": "boolean"}}}
    call_it = call("harbour_delete_note", '{"id": 12}')

    async def first() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour, weather)
            server.then(call_it, call("weather_delete_note", '{"id": 12}'), say("Gone."))
            write(window, "Delete note 12")
            card = await asked(window)
            click(card.buttons["always"])
            card = await asked(window, card)  # that of the other server
            assert "from weather." in seen(card)
            keys(window, "Ctrl+Shift+J", "d", "Enter")
            await quiet(window, desk, "Gone.")
            assert (len(harbour.ran), len(weather.ran)) == (1, 0)

    async def again() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, model):
            await asyncio.wait_for(program.integrations.settled(), 30)
            await desk.models.choose(model)
            server.then(call_it, say("Gone again."))
            write(window, "Delete it again")
            await quiet(window, desk, "Gone again.")  # without a card
            assert len(harbour.ran) == 2
            one = view_of(program, "harbour").id

            async def changed(what: str, answer: str) -> None:
                server.then(call_it, say(f"{what}: over."))
                write(window, "Delete it once more")
                assert f"You always allowed it, but {what} changed since" in seen(await asked(window))
                keys(window, "Ctrl+Shift+J", answer)
                await quiet(window, desk, f"{what}: over.")

            harbour.offer({**NOTE, "description": "Deletes every note."})
            await program.integrations.restart(one)
            await asyncio.wait_for(program.integrations.settled(), 30)
            await changed("its description", "a")
            harbour.offer({**NOTE, "description": "Deletes every note.", "inputSchema": wider})
            await program.integrations.restart(one)
            await asyncio.wait_for(program.integrations.settled(), 30)
            await changed("its fields", "a")
            await program.integrations.change(one, harbour.definition("--other"))
            await asyncio.wait_for(program.integrations.settled(), 30)
            await changed("the command or address of its server", "o")

    run(first())
    run(again())


def test_what_was_allowed_in_this_chat_runs_ten_times_and_asks_when_it_changes(run: Run, tmp_path: Path) -> None:
    harbour = App(tmp_path, "harbour").offer(NOTE)

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            server.then(call("delete_note", '{"id": 0}'), say("Gone 0."))
            write(window, "Delete 0")
            click((await asked(window)).buttons["chat"])
            await quiet(window, desk, "Gone 0.")
            cards: list[str] = []
            program.session(desk.chats.chat).listen(
                lambda event: cards.append("asked") if type(event).__name__ == "QuestionAsked" else None
            )
            for number in range(1, 11):
                server.then(call("delete_note", f'{{"id": {number}}}'), say(f"Gone {number}."))
                write(window, f"Delete {number}")
                await quiet(window, desk, f"Gone {number}.")
            assert cards == []
            assert [args["id"] for _, args in harbour.ran] == list(range(11))
            harbour.offer({**NOTE, "description": "Deletes every note."})
            await program.integrations.restart(view_of(program, "harbour").id)
            await asyncio.wait_for(program.integrations.settled(), 30)
            server.then(call("delete_note", '{"id": 11}'), say("Kept."))
            write(window, "Delete 11")
            card = await asked(window)
            assert "You allowed it in this chat, but its description changed since" in seen(card)
            keys(window, "Ctrl+Shift+J", "Alt+D", "Enter")
            await quiet(window, desk, "Kept.")
            assert len(harbour.ran) == 11
            server.then(call("delete_note", '{"id": 12}'), say("Kept too."))
            keys(window, "Ctrl+N")
            write(window, "Delete 12")
            await asked(window)  # another chat
            keys(window, "Escape")
            await quiet(window, desk)

    run(scenario())


def test_a_no_with_its_reason_reaches_the_model_and_the_same_call_asks_again(run: Run, tmp_path: Path) -> None:
    harbour = App(tmp_path, "harbour").offer(NOTE)

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            server.then(call("delete_note", '{"id": 12}'), call("delete_note", '{"id": 12}', call_id="b"), say("Kept."))
            write(window, "Delete note 12")
            card = await asked(window)
            click(card.buttons["deny"])
            for letter in "keep note 12":
                keys(window, letter if letter != " " else " ")
            assert card.reason.text() == "keep note 12"
            keys(window, "Enter")
            card = await asked(window, card)  # neither refused nor allowed in silence
            assert harbour.ran == []
            keys(window, "Ctrl+Shift+J", "d", "Enter")
            await quiet(window, desk, "Kept.")
            assert harbour.ran == []
            assert [one.state for one in calls(desk)] == ["denied", "denied"]
            assert all("denied by you" in line for line in lines(window)), lines(window)
            assert len(lines(window)) == 2
            told = server.of(CHAT)[1].json["messages"][-1]
            assert told["tool_call_id"] == "call_1"
            assert told["content"].startswith("The person refused this call, and it did not run.")
            assert told["content"].endswith("keep note 12")
            session = desk.chats.session
            assert session is not None
            assert len([one for one in session.messages if one.role == "assistant"]) == 1  # all in one turn

    run(scenario())


# Stop ---------------------------------------------------------------------------------------------------------------

_BEGUN = (chunk("Well. "), chunk(calls=[call_piece("delete_note", "", call_id="a")]))
_TWO = sse(
    chunk("Two of them. "),
    chunk(calls=[call_piece("dredge", "{}", call_id="a")]),
    chunk(calls=[call_piece("delete_note", '{"id": 2}', index=1, call_id="b")]),
    chunk(finish="tool_calls"),
)

MOMENTS: dict[str, tuple[Reply, str, list[str]]] = {
    "first word": (sse(HANG, done=False), "", []),
    "words": (sse(chunk("Half an answer"), HANG, done=False), "Half an answer", []),
    "arguments": (
        sse(*_BEGUN, chunk(calls=[call_piece(arguments='{"id"')]), HANG, done=False),
        "Well.",
        ["stopped"],
    ),
    "tool": (_TWO, "Two of them.", ["stopped", "stopped"]),
    "question": (call("delete_note", '{"id": 12}'), "", ["stopped"]),
}


async def _reached(
    moment: str, window: Window, desk: Desk, dredger: App, server: ScriptedServer, before: int = 0
) -> None:
    """Waits until the turn is at this moment; `before`: so many calls the server got earlier."""
    await soon(lambda: server.of(CHAT) and window.composer.send.running, "the request")
    ready: dict[str, Callable[[], object]] = {
        "words": lambda: desk.chats.session and desk.chats.session.messages[-1].text,
        "arguments": lambda: calls(desk),
        "tool": lambda: len(dredger.ran) > before and lines(window) and "running" in lines(window)[0],
        "question": lambda: card_of(window),
    }
    await soon(ready.get(moment, lambda: True), moment)


async def _stopped(window: Window, desk: Desk, states: list[str]) -> float:
    """Presses Escape and waits for all a person sees of it; the seconds it took."""
    began = time.monotonic()
    keys(window, "Escape")

    def over() -> bool:
        said = lines(window)
        return (
            not window.composer.send.running
            and window.focusWidget() is window.composer.writing
            and [one.state for one in calls(desk)][-len(states) :] == states
            and all(", stopped" in line for line in said[len(said) - len(states) :])
            and card_of(window) is None
        )

    await soon(over, "all is stopped")
    return time.monotonic() - began


@pytest.mark.parametrize("moment", MOMENTS)
def test_stop_means_stop_and_reaches_the_server(run: Run, tmp_path: Path, moment: str) -> None:
    harbour = App(tmp_path, "harbour").offer({**ECHO, "name": "dredge", "waits": True}, NOTE)
    reply, words, states = MOMENTS[moment]

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            dredge = next(tool for tool in program.everything().tools if tool.name == "dredge")
            await program.hands.guard.take("always", dredge, chat="")
            server.then(reply)
            write(window, "Do it")
            await _reached(moment, window, desk, harbour, server)
            await _stopped(window, desk, states)
            session = desk.chats.session
            assert session is not None
            assert session.messages[-1].text.strip() == words
            assert session.messages[-1].state == "stopped"
            if moment == "tool":
                await soon(lambda: harbour.got("notifications/cancelled"), "the server hears of it")
                (asked_for,) = harbour.got("tools/call")
                (cancelled,) = harbour.got("notifications/cancelled")
                assert cancelled["params"]["requestId"] == asked_for["id"]
            assert [name for name, _ in harbour.ran] == (["dredge"] if moment == "tool" else [])
            server.then(say("You stopped me."))
            write(window, "what happened?")
            await quiet(window, desk, "You stopped me.")
            assert broken(OPENAI, server.of(CHAT)[-1].json) == []

    run(scenario())


@pytest.mark.long
@pytest.mark.figures
@pytest.mark.parametrize("moment", MOMENTS)
def test_stop_is_seen_and_heard_within_300_ms(run: Run, tmp_path: Path, moment: str) -> None:
    """The 95th percentile of 20 tries, on the wall's clock, the server's notice included."""
    harbour = App(tmp_path, "harbour").offer({**ECHO, "name": "dredge", "waits": True}, NOTE)
    reply, _, states = MOMENTS[moment]
    took: list[float] = []

    def cancels(before: int) -> bool:
        return len(harbour.got("notifications/cancelled")) > before

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            dredge = next(tool for tool in program.everything().tools if tool.name == "dredge")
            await program.hands.guard.take("always", dredge, chat="")
            for number in range(21):
                heard = partial(cancels, number)
                server.requests.clear()
                keys(window, "Ctrl+N")
                server.then(reply)
                write(window, "Do it")
                await _reached(moment, window, desk, harbour, server, before=number)
                pressed = time.monotonic()
                seconds = await _stopped(window, desk, states)
                if moment == "tool":
                    await soon(heard, "the server hears of it")
                    seconds = max(seconds, harbour.got("notifications/cancelled")[-1]["at"] - pressed)
                took.append(seconds)
        print(f"stop, {moment}: {sorted(took[1:])[18] * 1000:.0f} ms")  # noqa: T201 - the figure

    run(scenario())
    assert sorted(took[1:])[18] < 0.3


# Circles ------------------------------------------------------------------------------------------------------------


def block(window: Window) -> TroubleBlock | None:
    """What a paused turn says."""
    found = [one for one in window.view.findChildren(TroubleBlock) if one.isVisible()]
    return found[-1] if found else None


def test_the_same_call_for_ever_is_told_and_then_pauses_with_two_ways_on(run: Run, tmp_path: Path) -> None:
    harbour = App(tmp_path, "harbour").offer(ECHO)

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            server.then(*(call("echo", "{}", call_id=f"c{number}") for number in range(5)))
            write(window, "Round and round")
            click((await asked(window)).buttons["chat"])
            await soon(lambda: block(window) and not window.composer.send.running, "the pause")
            assert len(harbour.ran) == 5
            told = [request.json["messages"][-1]["content"] for request in server.of(CHAT)[1:]]
            assert ["same call was made" in text for text in told] == [False, False, True, True]
            assert "This same call was made 3 times" in told[2]
            shown = block(window)
            assert shown is not None
            assert "echo: the same call 5 times" in seen(shown)
            assert [name for _, name in shown.trouble.actions] == ["Go on", "Stop here"]
            # The composer is usable: a person can write, and go on.
            window.composer.set_text("something else")
            assert window.composer.send.isEnabled()
            window.composer.set_text("")
            server.then(*(call("echo", "{}", call_id=f"d{number}") for number in range(5)))
            click(button(shown, "Go on"))
            await soon(lambda: len(harbour.ran) == 10 and not window.composer.send.running, "the next pause")
            await soon(lambda: block(window), "the next pause")
            shown = block(window)
            assert shown is not None
            click(button(shown, "Stop here"))
            await soon(lambda: block(window) is None, "the pause is over")
            assert window.focusWidget() is window.composer.writing
            assert [one for one in window.view.findChildren(Stopped) if one.isVisible()]
            stored = (await program.chats.messages(desk.chats.chat))[-1]
            assert stored.state == "stopped"
            server.then(say("Something else, then."))
            write(window, "Leave it")
            await quiet(window, desk, "Something else, then.")
            assert broken(OPENAI, server.of(CHAT)[-1].json) == []
            assert len(harbour.ran) == 10

    run(scenario())


@pytest.mark.parametrize(("limit", "most"), [(None, 25), (3, 3)])
def test_calls_that_all_differ_stop_at_the_turns_limit(run: Run, tmp_path: Path, limit: int | None, most: int) -> None:
    fields = {"type": "object", "properties": {"text": {"type": "string"}}}
    harbour = App(tmp_path, "harbour").offer({**ECHO, "inputSchema": fields})

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            if limit is not None:
                await program.settings.set(STEP_LIMIT, limit)
            server.then(*(call("echo", f'{{"text": "{number}"}}') for number in range(most)), say("Not asked."))
            write(window, "On and on")
            click((await asked(window)).buttons["chat"])
            await soon(lambda: block(window) and not window.composer.send.running, "the pause")
            shown = block(window)
            assert shown is not None
            assert f"{most} steps in one turn" in seen(shown)
            assert len(harbour.ran) == len(server.of(CHAT)) == most
            click(button(shown, "Go on"))
            await quiet(window, desk, "Not asked.")

    run(scenario())


def test_a_call_that_was_cut_off_never_runs_is_told_and_counts(run: Run, tmp_path: Path) -> None:
    fields = {"type": "object", "properties": {"text": {"type": "string"}}}
    harbour = App(tmp_path, "harbour").offer({**ECHO, "inputSchema": fields})
    pieces = call_piece("echo", '{"text": "half of wh', call_id="c")
    cut = sse(chunk(calls=[pieces]), chunk(finish="length"))

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            server.then(*[replace(cut)] * 5)
            write(window, "Say it")
            await soon(lambda: block(window) and not window.composer.send.running, "the pause")
            assert harbour.ran == []
            assert [one.state for one in calls(desk)] == ["not_run"] * 5
            told = [request.json["messages"][-1]["content"] for request in server.of(CHAT)[1:]]
            assert all("cut off" in text for text in told), told
            shown = block(window)
            assert shown is not None
            assert "echo: the same call 5 times" in seen(shown)

    run(scenario())
