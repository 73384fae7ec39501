"""S25: no mouse, and no eyes. And what is left of S24 beside `test_composer.py`.

Here: the whole journey with keys alone, from adding a provider to quitting, the focus seen at each step; the walk
through what assistive programs are told; the order of Tab; F1; the palette that finds every action of the journey.
Elsewhere: an answer, a waiting call and an error are each read aloud once, Enter while composing in the picker, the
rename box and the message editor (`test_scenarios.py`); a list of 1,000 messages (`test_chat_view.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QWidget

from conch_desktop.desktop.palette import CommandPalette, palette_rows
from conch_desktop.desktop.picker import ModelPicker
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.window import Window
from tests.desktop.at_work import at_work, said
from tests.desktop.hands import press, settle, soon, with_keys, write
from tests.servers import call, json_reply, say

Run = Callable[[Coroutine[Any, Any, Any]], Any]
CHAT = "/v1/chat/completions"

ACTIONS = {
    "add a provider": "Add a provider",
    "choose a model": "Choose a model",
    "write": "Write a message",
    "send": "Send the message",
    "open the newest tool row": "Open the newest call",
    "copy ran": "Copy Ran of the newest call",
    "approve a call": "Go to the question",
    "deny a call": "Go to the question",
    "rename chat": "Rename this chat",
    "find another chat": "Search all chats",
    "export chat": "Save this chat as Markdown…",
    "quit": "Quit",
}


# The focus is seen --------------------------------------------------------------------------------------------------


def around(window: Window, widget: QWidget) -> QRect:
    """Where a control and the ring around it are, in the window."""
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()).adjusted(-6, -6, 6, 6)
    return place.intersected(window.rect())


def differ(one: QImage, other: QImage) -> bool:
    return one.size() != other.size() or one != other


async def tab_to(window: Window, name: str, key: str = "Tab") -> QWidget:
    """Presses Tab until a control of that name has the keys; each control on the way must show that it has them."""
    on_the_way = []
    for _ in range(80):
        if with_keys(window).accessibleName() == name:
            return with_keys(window)
        before = window.grab().toImage()
        press(window, key)
        await settle()
        now = with_keys(window)
        on_the_way.append(now.accessibleName())
        area = around(window, now)
        assert differ(before.copy(area), window.grab().toImage().copy(area)), f"no focus is seen on {now}"
    raise AssertionError(f"{name} is not reached with Tab: {on_the_way}")


async def do(window: Window, words: str) -> None:
    """Opens the palette, types, and takes what it finds first."""
    press(window, "Ctrl+K")
    await settle()
    write(window, words)
    press(window, "Enter")
    await settle()


# The journey --------------------------------------------------------------------------------------------------------


def test_everything_is_done_with_keys_alone(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "profile", provider="") as (window, program, desk, server, _):
            window.activateWindow()
            server.route("GET /v1/models", json_reply({"data": [{"id": "small"}, {"id": "large"}]}))
            await settle()
            await add_a_provider(window, server.url)
            await soon(lambda: window.findChild(ModelPicker) and window.findChild(ModelPicker).isVisible(), "the models of the new provider are shown")
            press(window, "Escape")
            press(window, "Ctrl+M")
            write(window, "large")
            press(window, "Enter")
            await soon(lambda: desk.chats.model_id.endswith("large"), "the model is chosen")

            ran = '{"content":"The person likes tea"}'
            server.then(call("remember", ran), say("Noted."))
            await tab_to(window, "Message")
            write(window, "Remember that I like tea")
            press(window, "Enter")
            await answer(window, "o")
            await soon(lambda: said(desk) == "Noted." and not window.composer.send.running, "the call ran")
            server.then(call("remember", '{"content":"The person likes beer"}'), say("Not kept."))
            write(window, "And beer")
            press(window, "Enter")
            await answer(window, "d", *"that is wrong")
            await soon(lambda: said(desk) == "Not kept." and not window.composer.send.running, "the call was denied")
            assert "that is wrong" in server.of(CHAT)[-1].json["messages"][-1]["content"]
            assert [one.content for one in await program.memories.all()] == ["The person likes tea"]

            await open_the_newest_row(window)
            await do(window, "rename chat")
            write(window, "Of tea")
            press(window, "Enter")
            await soon(lambda: [one.title for one in desk.chats.chats] == ["Of tea"], "the chat has another name")

            press(window, "Ctrl+N")
            server.then(say("Hello."))
            write(window, "hello")
            press(window, "Enter")
            await soon(lambda: said(desk) == "Hello." and not window.composer.send.running, "another chat")
            press(window, "Ctrl+Shift+F")
            write(window, "of tea")
            await soon(lambda: [one.title for one in desk.chats.chats if one.title in rows(window)] == ["Of tea"])
            press(window, "Enter")
            await soon(lambda: window.windowTitle().startswith("Of tea"), "the other chat is open")

            await export(window, tmp_path / "tea.md")
            window.allow_close = False
            closed: list[bool] = []
            window.closing.connect(lambda: closed.append(True))
            press(window, "Ctrl+Q")
            assert closed == [True]
            window.allow_close = True

    run(scenario())


def rows(window: Window) -> list[str]:
    """The titles in the sidebar."""
    return [row.title for row in window.sidebar.list.rows.rows]


async def add_a_provider(window: Window, url: str) -> None:
    await do(window, "add a provider")
    kind = await tab_to(window, "Kind")
    assert isinstance(kind, QComboBox)
    press(window, "Home")
    for _ in range(kind.count()):
        if kind.currentText() == "A server of your own":
            break
        press(window, "Down")
    assert kind.currentText() == "A server of your own"
    await tab_to(window, "Address")
    write(window, f"{url}/v1")
    await tab_to(window, "Name")
    press(window, "Ctrl+a")
    write(window, "Pier")
    await tab_to(window, "Add")
    press(window, "Enter")


async def answer(window: Window, letter: str, *reason: str) -> None:
    """Goes to the question that waits and answers it; with a reason, a no."""

    def asked() -> list[QuestionCard]:
        return [one for one in window.view.findChildren(QuestionCard) if one.isVisible() and one.isEnabled()]

    await soon(asked, "the call waits")
    (card,) = asked()
    before = window.grab().toImage()
    press(window, "Ctrl+Shift+J")
    await settle()
    assert card.isAncestorOf(with_keys(window))
    area = around(window, with_keys(window))
    assert differ(before.copy(area), window.grab().toImage().copy(area))
    press(window, letter)
    if reason:
        write(window, "".join(reason))
        press(window, "Enter")
    await soon(lambda: not asked(), "the question is answered")
    await soon(lambda: with_keys(window) is window.composer.writing, "the keys are back in the composer")


async def open_the_newest_row(window: Window) -> None:
    """Opens the newest row and the one before it, and copies what ran there."""
    await do(window, "newest tool row")
    assert window.activity.isAncestorOf(with_keys(window))
    press(window, "Down")  # The newest turn is on top.
    await settle()
    if not window.activity.card(newest_done(window)).is_open:  # type: ignore[union-attr]
        press(window, "Enter")
    await settle()
    await tab_to(window, "Copy Ran")
    QGuiApplication.clipboard().clear()
    press(window, "Enter")
    assert QGuiApplication.clipboard().text() == '{\n  "content": "The person likes tea"\n}'
    QGuiApplication.clipboard().clear()
    await do(window, "copy ran")
    assert QGuiApplication.clipboard().text().startswith('{\n  "content": ')


def newest_done(window: Window) -> str:
    entries = [one for one in window.view.entries if hasattr(one, "calls")]
    return next(call.id for one in reversed(entries) for call in one.calls if call.state == "done")


async def export(window: Window, path: Path) -> None:
    await do(window, "export file")
    await soon(lambda: isinstance(QApplication.activeModalWidget(), QFileDialog), "the dialog asks where")
    press(window, "Ctrl+a")
    write(window, str(path))
    press(window, "Enter")
    await soon(path.exists, "the file is there")
    assert path.read_text("utf-8").startswith("# Of tea\n\n**You**\n\nRemember that I like tea\n")
    await soon(lambda: QApplication.activeModalWidget() is None, "the dialog is gone")
    window.activateWindow()  # As the desktop does it; there is none here.
    await settle()
