"""What is set for a chat, what it took and its limit, in the real window."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.message_parts import Actions
from conch_desktop.desktop.options_card import OptionsCard
from conch_desktop.desktop.usage_words import price_words, usage_words
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import Message, UsageCount
from conch_desktop.domain.options import AS_USUAL, ChatOptions
from conch_desktop.engine.assembly import Program
from conch_desktop.store.settings import DAY_LIMIT
from tests.desktop.at_work import at_work, until
from tests.desktop.conftest import Run
from tests.servers import ScriptedServer, chunk, json_reply, sse

PRICED = {"data": [{"id": "m", "pricing": {"prompt": "0.001", "completion": "0.001"}}]}


def answer(words: str) -> Any:
    """An answer of a dollar, by that list."""
    return sse(chunk(words), chunk(finish="stop"), chunk(usage={"prompt_tokens": 600, "completion_tokens": 400}))


async def opened(window: Window) -> OptionsCard:
    """The card, opened with the button of the head."""
    QTest.mouseClick(window.header.options_button, Qt.MouseButton.LeftButton)
    await until(lambda: any(isinstance(one, OptionsCard) and one.isVisible() for one in window.popups))
    return next(one for one in window.popups if isinstance(one, OptionsCard))


def seen(window: Window, kind: type[QWidget]) -> list[Any]:
    """The widgets of a kind that are seen in the chat."""
    return [one for one in window.view.findChildren(kind) if one.isVisible()]


async def say(window: Window, program: Program, server: ScriptedServer, text: str) -> None:
    """Sends a message and waits for the end of the answer, which may come before anybody looks."""
    window.composer.setFocus()
    QTest.keyClicks(window.composer.writing, text)
    asked = len(await _messages(program))
    QTest.keyClick(window.composer.writing, Qt.Key.Key_Return)
    while len(await _messages(program)) < asked + 2:
        await asyncio.sleep(0.01)
    await until(lambda: not window.composer.send.running)


async def _messages(program: Program) -> list[Message]:
    """The messages of all chats, as they are kept."""
    return [one for chat in await program.chats.listing() for one in await program.chats.messages(chat.id)]


def test_what_is_set_in_a_new_chat_is_kept_sent_and_shown_again(run: Run[Any], tmp_path: Path) -> None:
    async def work() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            card = await opened(window)
            assert card.system.hasFocus()
            QTest.keyClicks(card.system, "Answer in Italian.")
            card.temperature.setText("0,25")
            card.length.setText("321")
            card.effort.setCurrentIndex(card.effort.findData("high"))
            card.chat_limit.setText("2.5")
            card.day_limit.setText("4")
            QTest.keyClick(card.day_limit, Qt.Key.Key_Return)
            assert not card.isVisible()
            await until(lambda: bool(desk.chats.chat) and program.settings.get(DAY_LIMIT) == 4.0)
            kept = await program.options.of(desk.chats.chat)
            assert kept == ChatOptions("Answer in Italian.", 0.25, 321, "high", 2.5)
            server.then(answer("Si."))
            await say(window, program, server, "Late?")
            sent = server.of("/v1/chat/completions")[0].json
            assert (sent["temperature"], sent["max_tokens"], sent["reasoning_effort"]) == (0.25, 321, "high")
            await until(lambda: "1,000 tokens" in window.header.options_button.toolTip())
            assert "temperature 0.25" in window.header.options_button.toolTip()
            card = await opened(window)
            assert (card.temperature.text(), card.length.text(), card.chat_limit.text()) == ("0.25", "321", "2.5")
            assert card._spent.text() == "So far: 1,000 tokens."
            assert "No price is known" in card._unknown.text()
            card.system.clear()
            for box in (card.temperature, card.length, card.chat_limit):
                box.clear()
            card.effort.setCurrentIndex(0)
            window.escape()
            await until(lambda: not card.isVisible())
            chat = desk.chats.chat
            desk.chats.begin_new()
            for _ in range(500):  # each look at the store takes a moment
                if await program.options.of(chat) == AS_USUAL:
                    break
            assert await program.options.of(chat) == AS_USUAL

    run(work())


@pytest.mark.parametrize(
    ("box", "wrong", "right"),
    [
        ("temperature", ["3", "-1", "warm", "nan"], ["0", "2", "0.5", " 1 "]),
        ("length", ["0", "1.5", "-3", "many"], ["1", "4,096"]),
        ("chat_limit", ["-1", "inf", "$"], ["$0.50", "12", "0"]),
    ],
)
def test_a_number_that_cannot_be_is_marked_and_not_kept(
    qtbot: Any, window: Window, box: str, wrong: list[str], right: list[str]
) -> None:
    card = OptionsCard(window)
    card.open_below(window.header.rect(), AS_USUAL, 0.0)
    field = getattr(card, box)
    for text in (*wrong, *right):
        field.setText(text)
        told: list[object] = []
        card.changed.connect(lambda *options, told=told: told.append(options))
        card._tell()
        good = text in right or text == "$"
        assert bool(told) is good, text
        assert bool(field.property("wrong")) is not good, text


def test_an_answer_says_quietly_what_it_took_and_a_limit_pauses_with_go_on(run: Run[Any], tmp_path: Path) -> None:
    async def work() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            server.route("GET /v1/models", json_reply(PRICED))
            await desk.models.read(refresh=True)
            server.then(answer("07:40."), answer("18:10."))
            await say(window, program, server, "When does it leave?")
            await until(lambda: [one.cost.text() for one in seen(window, Actions)] == ["1,000 tokens, about $1.00"])
            card = await opened(window)
            assert card._unknown.text() == ""
            card.chat_limit.setText("1")
            card.close_popup()
            chat = desk.chats.chat
            for _ in range(500):  # each look at the store takes a moment
                if (await program.options.of(chat)).spend_limit == 1.0:
                    break
            await say(window, program, server, "And back?")
            assert len(server.of("/v1/chat/completions")) == 1

            def go_on() -> list[Button]:
                return [one for one in seen(window, Button) if one.text() == "Go on"]

            await until(go_on)
            QTest.mouseClick(go_on()[0], Qt.MouseButton.LeftButton)
            await until(lambda: len(server.of("/v1/chat/completions")) == 2)
            await until(lambda: not window.composer.send.running)
            assert desk.chats.session is not None
            assert desk.chats.session.messages[-1].text == "18:10."

    run(work())


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        (None, ""),
        (UsageCount(), ""),
        (UsageCount(10, 5), "15 tokens"),
        (UsageCount(10, 5, turn_in=1000, turn_out=500, cost=0.0), "1,500 tokens, free"),
        (UsageCount(turn_in=1, cost=0.00001), "1 token, under $0.0001"),
    ],
)
def test_what_was_taken_is_said_in_words(usage: UsageCount | None, words: str) -> None:
    assert usage_words(usage) == words


@pytest.mark.parametrize(
    ("price_in", "price_out", "words"),
    [(None, 1.0, ""), (0.0, 0.0, "free"), (0.3, 2.5, "0.30 / 2.50"), (0.0, 1.0, "0.00 / 1.00")],
)
def test_a_price_is_said_in_words(price_in: float | None, price_out: float | None, words: str) -> None:
    assert price_words(price_in, price_out) == words
