"""The command palette: actions by name, chats by title, the shortcuts, and nothing that can't be found."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.call_card import CallCard
from conch_desktop.desktop.palette import NOTHING, Action, CommandPalette, bold_parts, palette_rows
from conch_desktop.desktop.window import Window
from tests.desktop.at_work import at_work, until
from tests.servers import call, say

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def actions(done: list[str]) -> list[Action]:
    def does(name: str) -> Callable[[], object]:
        return lambda: done.append(name)

    return [
        Action("Choose a model", "search", does("choose"), "Ctrl+M"),
        Action("Check this model", "done", does("check"), "Ctrl+Shift+T", "demo"),
        Action("Quit", "close", does("quit"), "Ctrl+Q", also="exit"),
        Action("Models: what was checked and learnt", "lesson", does("models"), group="Go to"),
        Action("Departure checklist", "chat", does("chat"), "", "Today", group="Chats"),
    ]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("check", ["Check this model", "Models: what was checked and learnt", "Departure checklist"]),
        ("model CHECK", ["Check this model", "Models: what was checked and learnt"]),
        ("model", ["Choose a model", "Check this model", "Models: what was checked and learnt"]),
        ("exit", ["Quit"]),
        ("nothing", []),
        ("", ["Choose a model", "Check this model", "Quit", "Models: what was checked and learnt"]),
    ],
)
def test_actions_are_found_by_their_words(words: str, found: list[str]) -> None:
    assert [row.text for row in palette_rows(actions([]), words) if row.action is not None] == found


def test_the_list_of_shortcuts_holds_what_has_one() -> None:
    rows = palette_rows(actions([]), "", keys_only=True)
    assert [row.text for row in rows] == ["Actions", "Choose a model", "Check this model", "Quit"]


@pytest.mark.parametrize(
    ("text", "words", "bold"),
    [("Departure checklist", "check", ["check"]), ("Check this", "this che", ["Che", "this"]), ("Quit", "", [])],
)
def test_typed_words_are_bold(text: str, words: str, bold: list[str]) -> None:
    parts = bold_parts(text, words)
    assert "".join(part for part, _ in parts) == text
    assert [part for part, is_bold in parts if is_bold] == bold


def test_the_keys_choose_and_the_focus_is_back_before_it_is_done(qtbot: QtBot, window: Window) -> None:
    palette = CommandPalette(window)
    done: list[str] = []
    palette.open_with(actions(done))
    qtbot.keyClicks(palette.search, "model")
    qtbot.keyClick(palette.search, Qt.Key.Key_Down)
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert done == ["check"]
    assert not palette.isVisible()
    assert window.focusWidget() is window.composer.writing


def test_every_shortcut_and_every_deed_of_a_day_without_a_mouse_is_found_by_name(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            server.then(call("recall", "{}"), say("Done."))
            window.composer.set_text("Look it up")
            window.composer.writing.enter.emit()
            await until(lambda: desk.chats.session and any(one.text == "Done." for one in desk.chats.session.messages))
            await until(lambda: any(one.title for one in desk.chats.chats))
            window.palette_asked.emit()
            palette = desk.palette.palette
            assert palette is not None
            assert palette.isVisible()
            names: dict[str, str] = {}
            for words in (
                "add provider", "choose model", "newest call", "approve", "deny", "rename", "search all chats", "quit",
                "check this model", "new chat", "look it up",
            ):  # fmt: skip
                palette.search.setText(words)
                rows = [row for row in palette.rows.rows if row.action is not None]
                assert rows, words
                names[words] = rows[0].text
            assert names["look it up"] == "Look it up"
            window.escape()
            assert not palette.isVisible()
            window.shortcuts_asked.emit()
            listed = {row.action.keys for row in palette.rows.rows if row.action is not None}
            known = {shortcut.key().toString() for shortcut in window.findChildren(QShortcut)}
            own = {"Ctrl+K", "Ctrl+=", "Ctrl+D", "Esc"}
            assert {keys for keys in known if keys} - listed - own == set()
            window.escape()
            desk.palette.open()
            await until(lambda: window.activity.findChildren(CallCard))
            palette.search.setText("newest call")
            palette.search.entered.emit()
            card = window.activity.card(program.session(desk.chats.chat).messages[-1].calls[0].id)
            assert card is not None
            assert card.is_open

    run(scenario())


def test_words_that_nothing_has_say_so(qtbot: QtBot, window: Window) -> None:
    done: list[str] = []
    palette = CommandPalette(window)
    palette.open_with(actions(done))
    qtbot.keyClicks(palette.search, "no such thing")
    assert [row.text for row in palette.rows.rows] == [NOTHING]
    qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert done == []
    assert palette.isVisible()
