"""S25: no mouse, and no eyes. And what is left of S24 beside `test_composer.py`.

Here: the whole journey with keys alone, from adding a provider to quitting, the focus seen at each step; the walk
through what assistive programs are told; the order of Tab; F1; the palette that finds every action of the journey.
Elsewhere: an answer, a waiting call and an error are each read aloud once, Enter while composing in the picker, the
rename box and the message editor (`test_scenarios.py`); a list of 1,000 messages (`test_chat_view.py`).
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QGuiApplication, QImage, QShortcut
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QWidget

from conch_desktop.desktop.palette import CommandPalette
from conch_desktop.desktop.picker import ModelPicker
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import Message
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
            await soon(
                lambda: [one for one in window.findChildren(ModelPicker) if one.isVisible()],
                "the models of the new provider are shown",
            )
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
    read = [one for one in window.view.entries if isinstance(one, Message)]
    return next(made.id for one in reversed(read) for made in one.calls if made.state == "done")


async def export(window: Window, path: Path) -> None:
    await do(window, "save this chat as markdown")
    await soon(lambda: isinstance(QApplication.activeModalWidget(), QFileDialog), "the dialog asks where")
    press(window, "Ctrl+a")
    write(window, str(path))
    press(window, "Enter")
    await soon(path.exists, "the file is there")
    assert path.read_text("utf-8").startswith("# Of tea\n\n**You**\n\nRemember that I like tea\n")
    await soon(lambda: QApplication.activeModalWidget() is None, "the dialog is gone")
    window.activateWindow()  # As the desktop does it; there is none here.
    await settle()


# What assistive programs are told -----------------------------------------------------------------------------------

FILE = re.compile(r"\.(svg|png|py|qss|json)$|/")


def nodes(found: QAccessibleInterface, depth: int = 0) -> Iterator[QAccessibleInterface]:
    """Everything that is seen, as an assistive program walks it."""
    if found.state().invisible:
        return
    yield found
    if depth < 40 and found.role() not in (QAccessible.Role.List, QAccessible.Role.ComboBox):
        for at in range(found.childCount()):
            child: QAccessibleInterface | None = found.child(at)
            if child is not None and child.isValid():
                yield from nodes(child, depth + 1)


def faults(window: Window) -> list[str]:
    """The controls that take the focus and do not say what they are."""
    wrong = []
    for node in nodes(QAccessible.queryAccessibleInterface(window)):
        if not node.state().focusable:
            continue
        name = node.text(QAccessible.Text.Name).strip()
        words = any(unicodedata.category(letter)[0] in "LN" for letter in name)
        shows = type(node.object()).__name__
        if not words or FILE.search(name):
            wrong.append(f"{shows} is called {name!r}")
        if node.role() in (QAccessible.Role.NoRole, QAccessible.Role.Client) and shows != "Window":
            wrong.append(f"{name or shows} has no role")
    return wrong


def test_whatever_takes_the_focus_has_a_name_and_a_role_and_messages_are_a_list(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.then(
                call("remember", '{"content":"tea"}'), say("Noted, see [it](https://a.example):\n\n```py\nx\n```")
            )
            assert not faults(window)
            press(window, "Ctrl+N")
            window.composer.setFocus()
            write(window, "Remember tea")
            press(window, "Enter")
            await soon(lambda: window.view.findChildren(QuestionCard), "the call waits")
            await settle()
            assert not faults(window)
            await answer(window, "o")
            await soon(lambda: not window.composer.send.running, "the end")
            await do(window, "newest tool row")
            assert not faults(window)
            for keys in ("Ctrl+M", "Ctrl+K", "F1", "Ctrl+Shift+O", "Ctrl+F"):
                press(window, keys)
                await settle()
                assert not faults(window), keys
                press(window, "Escape")
            lists = [
                node
                for node in nodes(QAccessible.queryAccessibleInterface(window))
                if node.role() == QAccessible.Role.List and node.text(QAccessible.Text.Name) == "Messages"
            ]
            (messages,) = lists
            told = [messages.child(at).text(QAccessible.Text.Name) for at in range(messages.childCount())]
            assert told[0] == "You: Remember tea"
            assert told[1].startswith("m: Noted, see [it](https://a.example):")
            assert "Calls: remember done" in told[1]
            assert said(desk).startswith("Noted")

    run(scenario())


# Tab ----------------------------------------------------------------------------------------------------------------


async def round_trip(window: Window, key: str) -> list[QWidget]:
    """Every control that Tab comes by, until it is where it began."""
    found = [with_keys(window)]
    for _ in range(120):
        press(window, key)
        if with_keys(window) is found[0]:
            return found
        assert with_keys(window) not in found, f"{with_keys(window)} is a trap"
        found.append(with_keys(window))
    raise AssertionError("Tab never comes round")


def test_tab_goes_round_as_things_lie_on_the_screen(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, _, server, _):
            window.activateWindow()
            server.then(call("remember", '{"content":"tea"}'), say("Noted.\n\n```py\nx = 1\n```"))
            window.composer.setFocus()
            write(window, "Remember tea")
            press(window, "Enter")
            await soon(lambda: window.view.findChildren(QuestionCard), "the call waits")
            await settle()
            there = await round_trip(window, "Tab")
            back = await round_trip(window, "Backtab")
            assert back == [there[0], *reversed(there[1:])]
            names = [one.accessibleName() for one in there]
            assert names[0] == "Message"
            in_order(window, there)
            for name in ("Allow once", "Deny…", "Settings", "New chat", "Messages", "Close Activity", "Send"):
                assert (name in names) != (name == "Send"), name  # Nothing is written: Send is off, Stop is there.
            await answer(window, "o")
            await soon(lambda: not window.composer.send.running, "the end")
            await settle()
            there = await round_trip(window, "Tab")
            in_order(window, there)
            assert "Copy the code" in [one.accessibleName() for one in there]
            press(window, "Ctrl+K")
            palette = window.findChild(CommandPalette)
            assert palette is not None
            for _ in range(6):
                press(window, "Tab")
                assert palette.isAncestorOf(with_keys(window))

    run(scenario())


def in_order(window: Window, stops: list[QWidget]) -> None:
    """Sidebar, head, messages, composer, panel; each from the top."""
    areas: list[QWidget] = [window.composer, window.activity, window.sidebar, window.header, window.view]
    inside = [next(at for at, area in enumerate(areas) if area.isAncestorOf(stop)) for stop in stops]
    assert inside == sorted(inside)
    for area in areas:
        tops = [one.mapTo(window, one.rect().topLeft()) for one in stops if area.isAncestorOf(one)]
        for before, after in itertools.pairwise(tops):
            assert after.y() > before.y() - 12
            assert after.y() > before.y() + 12 or after.x() > before.x() or one_tall(before, after)


def one_tall(before: QPoint, after: QPoint) -> bool:
    return abs(after.y() - before.y()) <= 12 and after.x() <= before.x()


# The palette and F1 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("words", "name"), ACTIONS.items(), ids=ACTIONS)
def test_the_palette_finds_every_action_of_the_journey(run: Run, tmp_path: Path, words: str, name: str) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, _, _):
            window.composer.set_text("x")
            await desk.chats.kept()
            press(window, "Ctrl+K")
            write(window, words)
            palette = window.findChild(CommandPalette)
            assert palette is not None
            assert name in [row.text for row in palette.rows.rows]

    run(scenario())


def test_one_key_shows_every_shortcut(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, _, _, _):
            press(window, "F1")
            palette = window.findChild(CommandPalette)
            assert palette is not None
            assert palette.isVisible()
            shown = {row.action.keys for row in palette.rows.rows if row.action}
            known = {one.key().toString() for one in window.findChildren(QShortcut)} - {"Ctrl+=", "Esc"}
            assert known <= shown

    run(scenario())
