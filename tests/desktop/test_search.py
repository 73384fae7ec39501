"""The search in all chats: its rows, its page, and the way to a place and back."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from conch_desktop.desktop.place_rows import PlaceRow, place_rows, summary
from conch_desktop.domain.messages import Chat, Message, Role, TextPart
from conch_desktop.engine.assembly import Program
from conch_desktop.store.chats import Found
from tests.desktop.at_work import at_work, until

Run = Callable[[Coroutine[Any, Any, Any]], Any]
NOW = datetime(2026, 6, 14, 15, 0).timestamp()  # noqa: DTZ001 - local days are meant
TODAY, YESTERDAY = Chat("a", "Harbour notes", updated=NOW - 3600), Chat("b", "Fares", updated=NOW - 86_400)
OLD = Chat("c", "", updated=datetime(2025, 9, 12).timestamp())  # noqa: DTZ001
FOUND = [
    Found(YESTERDAY, "", "Fares"),
    Found(YESTERDAY, "m1", "the **Old Bridge** stop", "user"),
    Found(OLD, "m2", "Old Bridge again", "assistant", "Mistral"),
    Found(TODAY, "m3", "## Old Bridge", "assistant", "Gemini"),
]


def test_places_stand_in_groups_with_the_newest_chat_first() -> None:
    rows = place_rows(FOUND, NOW)
    assert rows[0] == PlaceRow("a", "Harbour notes", beside="Today, 14:00", tail="1 place")
    assert rows[1] == PlaceRow("a", "Old Bridge", "m3", "Gemini")
    assert [(row.text, row.beside) for row in rows if not row.message] == [
        ("Harbour notes", "Today, 14:00"),
        ("Fares", "Yesterday"),
        ("New chat", "12 September 2025"),
    ]
    assert summary(rows) == "3 places in 3 chats"


@pytest.mark.parametrize(("kind", "messages"), [("user", ["m1"]), ("assistant", ["m3", "m2"])])
def test_places_can_be_those_of_the_person_or_of_models(kind: Any, messages: list[str]) -> None:
    rows = place_rows(FOUND, NOW, kind)
    assert [row.message for row in rows if row.message] == messages


def test_a_chat_found_by_its_title_alone_says_so() -> None:
    (row,) = place_rows([Found(TODAY, "", "Harbour notes")], NOW)
    assert row.tail == "in its title"
    assert summary([row]) == "1 chat"


async def fill(program: Program, model: str) -> None:
    for number in range(3):
        chat = await program.chats.create(model=model, title=f"Chat {number}")
        for at in range(40):
            word = " under the old bridge" if (number, at) == (1, 7) else ""
            who: Role = "assistant" if at % 2 else "user"
            message = Message(f"{number}-{at}", who, (TextPart(f"Words number {at}{word}.\n\n" * 3),), float(at + 1))
            await program.chats.put(chat.id, message)


def test_a_place_is_found_opened_and_left_by_keys_alone(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            await fill(program, model)
            await desk.chats.refresh()
            await desk.chats.open(desk.chats.chats[0].id)
            before = desk.chats.chat
            window.search_chats()
            field = window.sidebar.search.field
            QTest.keyClicks(field, "old bridge")
            await until(lambda: desk.search.page is not None and window.pages.currentWidget() is desk.search.page)
            page = desk.search.page
            assert page is not None
            assert not window.activity.isVisible()
            assert [row.message for row in page.rows.rows if row.message] == ["1-7"]
            QTest.keyClick(field, Qt.Key.Key_Return)
            await until(lambda: window.pages.currentWidget() is window.page)
            opened = next(chat for chat in desk.chats.chats if chat.title == "Chat 1")
            assert desk.chats.chat == opened.id != before
            await until(lambda: any(row.message.id == "1-7" for row in window.view.rows))
            field.setFocus()
            QTest.keyClick(field, Qt.Key.Key_Down)  # Back to the places.
            assert window.pages.currentWidget() is page
            window.escape()
            assert window.pages.currentWidget() is window.page
            assert field.text() == ""

    run(scenario())


def test_words_that_occur_nowhere_leave_the_chat_in_view(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            await fill(program, model)
            await desk.chats.refresh()
            window.search_chats()
            QTest.keyClicks(window.sidebar.search.field, "bridge")
            await until(lambda: desk.search.page is not None and window.pages.currentWidget() is desk.search.page)
            QTest.keyClicks(window.sidebar.search.field, "zzz")
            await until(lambda: window.pages.currentWidget() is window.page)

    run(scenario())
