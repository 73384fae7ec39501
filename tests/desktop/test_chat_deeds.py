"""What can be done with a whole chat, with the tools of the next message, and with the calls that are shown."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.activity import Activity
from conch_desktop.desktop.saving_desk import chat_markdown, file_name
from conch_desktop.desktop.wording import call_marks
from conch_desktop.domain.calls import CallRecord, CallState, Mend
from conch_desktop.domain.messages import Message, ReasoningPart, TextPart
from conch_desktop.store.settings import TOOLS_OFF
from tests.desktop.at_work import at_work, said, until
from tests.servers import say

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def test_a_chat_as_markdown_is_its_words_alone() -> None:
    messages = [
        Message("u", "user", (TextPart("How far?"),)),
        Message("a", "assistant", (ReasoningPart("Hm."), CallRecord("c", "map", "{}"), TextPart("Far.")), author="M"),
        Message("e", "assistant", ()),
    ]
    assert chat_markdown("Ways", messages) == "# Ways\n\n**You**\n\nHow far?\n\n**M**\n\nFar.\n"


@pytest.mark.parametrize(
    ("title", "name"), [("Fares: 2026/27?", "Fares 2026 27.md"), ("", "chat.md"), ("../../etc", "etc.md")]
)
def test_a_file_name_is_one_every_file_system_takes(title: str, name: str) -> None:
    assert file_name(title) == name


def test_a_chat_is_copied_and_saved(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, _, desk, server, _):
            server.then(say("Far."))
            window.composer.set_text("How far?")
            window.composer.writing.enter.emit()
            await until(lambda: said(desk) == "Far.")
            await until(lambda: not window.composer.send.running)
            window.sidebar.copied.emit(desk.chats.chat)
            await until(lambda: "How far?" in QGuiApplication.clipboard().text())
            text = QGuiApplication.clipboard().text()
            path = tmp_path / "saved.md"
            await desk.saving.save(path, text)
            assert path.read_text("utf-8") == text
            await desk.saving.save(tmp_path / "nowhere" / "x.md", text)  # Said, not thrown.

    run(scenario())


def test_the_head_of_a_chat_has_its_menu_and_its_search(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            assert not window.header.more_button.isEnabled()
            server.then(say("Far."))
            window.composer.set_text("How far?")
            window.composer.writing.enter.emit()
            await until(lambda: window.header.more_button.isEnabled() and not window.composer.send.running)
            window.header.more_button.click()
            menu = window.sidebar.findChild(QMenu)
            assert menu is not None
            words = [action.text() for action in menu.actions() if action.text()]
            assert words == ["Rename", "Pin", "Copy as Markdown", "Save as Markdown…", "Export as JSON…", "Delete"]
            menu.actions()[1].trigger()
            await until(lambda: desk.chats.chats[0].pinned)
            menu.close()
            window.header.find_button.click()
            assert window.view.close_find()

    run(scenario())


def test_a_group_of_tools_is_switched_off_and_on(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            many = window.composer.tools_button.text()
            assert many == f"{len(program.offered().tools)} tools"
            menu = desk.tools.menu()
            (memory,) = [action for action in menu.actions() if action.text().startswith("Memory")]
            memory.trigger()
            await until(lambda: program.settings.get(TOOLS_OFF) == ["memory"])
            await until(lambda: window.composer.tools_button.text() != many)
            memory.trigger()
            await until(lambda: program.settings.get(TOOLS_OFF) == [])
            await until(lambda: window.composer.tools_button.text() == many)
            menu.close()

    run(scenario())


@pytest.mark.parametrize(
    ("state", "mends", "marks"),
    [
        ("done", (), ()),
        ("done", (Mend("number", "legs"),), ("mended",)),
        ("not_run", (), ("ended badly",)),
        ("refused", (Mend("fence"),), ("mended", "ended badly")),
        ("stopped", (), ()),
    ],
)
def test_a_call_is_known_by_its_marks(state: CallState, mends: tuple[Mend, ...], marks: tuple[str, ...]) -> None:
    assert call_marks(CallRecord("c", "x", "{}", state=state, mends=mends)) == marks


def test_only_the_calls_that_are_wanted_are_shown(qtbot: QtBot) -> None:
    panel = Activity()
    qtbot.addWidget(panel)
    panel.resize(380, 600)
    calls = (
        CallRecord("fine", "x", "{}", state="done", args={}),
        CallRecord("bad", "y", "{}", state="not_run", sent_back="no"),
    )
    panel.show_messages([Message("a", "assistant", calls, 1.0)], {})
    assert panel.card("fine") is not None
    panel.show_only("ended badly")
    assert panel.card("fine") is None
    assert panel.card("bad") is not None
    panel.show_only("mended")
    assert panel.card("bad") is None
    panel.show_only("")
    assert panel.card("fine") is not None


def test_after_a_message_was_edited_and_sent_again_the_keys_are_in_the_composer(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.then(say("Far."), say("Near."))
            window.composer.set_text("How far?")
            window.composer.writing.enter.emit()
            session = None
            await until(lambda: desk.chats.session is not None and said(desk) == "Far.")
            await until(lambda: not window.composer.send.running)
            session = desk.chats.session
            assert session is not None
            window.header.model.setFocus()
            window.view.edited.emit(session.messages[0].id, "How near?")
            await until(lambda: said(desk) == "Near." and not window.composer.send.running)
            assert window.focusWidget() == window.composer.writing

    run(scenario())
