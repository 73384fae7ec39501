"""The diff on the card of a question: taken apart, painted, capped."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.diff_box import MOST, DiffView
from conch_desktop.desktop.diff_lines import DiffLine, read_diff
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.theme import look
from conch_desktop.tools.guard import Question
from tests.desktop.at_work import at_work, said, until
from tests.servers import call, say

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.mark.parametrize(
    ("preview", "title", "added", "removed", "lines"),
    [
        (
            "notes.md, line 3:\n ## Boats\n-09:10\n+07:40\n+18:10\n ",
            "notes.md",
            2,
            1,
            [(" ", 3), ("-", 4), ("+", 4), ("+", 5), (" ", 6)],
        ),
        ("new file a.md:\n+one\n+two", "new file a.md", 2, 0, [("+", 1), ("+", 2)]),
        ("a.md stays as it is in every line.", "a.md stays as it is in every line.", 0, 0, []),
        (
            "a.md, line 10:\n x\n-y\n@@ -20,3 +19,3 @@\n z\n+w",
            "a.md",
            1,
            1,
            [(" ", 10), ("-", 11), ("@", 0), (" ", 28), ("+", 29)],
        ),
        ("a.md, line 1:\n+x\n[The change goes on: 90,000 characters in all.]", "a.md", 1, 0, [("+", 1), ("", 0)]),
    ],
)
def test_a_diff_is_taken_apart(
    preview: str, title: str, added: int, removed: int, lines: list[tuple[str, int]]
) -> None:
    diff = read_diff(preview)
    assert (diff.title, diff.added, diff.removed) == (title, added, removed)
    assert [(line.sign, line.number) for line in diff.lines] == lines


@given(st.text(max_size=300))
def test_any_text_is_taken_apart_with_nothing_lost(text: str) -> None:
    diff = read_diff(text)
    assert len(diff.lines) == (text.count("\n") if text.partition("\n")[2] else 0)
    assert all(isinstance(line, DiffLine) for line in diff.lines)


def test_a_long_diff_is_capped_and_scrolls(qtbot: QtBot) -> None:
    view = DiffView("a.md, line 1:\n" + "\n".join(f"+line {number}" for number in range(5000)))
    qtbot.addWidget(view)
    view.resize(600, 400)
    view.show()
    qtbot.waitExposed(view)
    assert view.box.high() == look.px(MOST)
    assert view.box.verticalScrollBar().maximum() > 4000 * 15


def test_added_and_removed_lines_are_told_apart_by_sign_and_ground(qtbot: QtBot) -> None:
    view = DiffView("a.md, line 1:\n-old\n+new\n same")
    qtbot.addWidget(view)
    view.resize(600, 200)
    view.show()
    qtbot.waitExposed(view)
    image = view.box.viewport().grab().toImage()
    scale = image.devicePixelRatio()
    right = view.box.viewport().width() - 40
    grounds = []
    for row in range(3):
        spot = QPoint(int(right * scale), int((look.px(6) + look.px(20) * (row + 0.5)) * scale))
        grounds.append(image.pixelColor(spot).name())
    assert grounds == [look.colour(token).name() for token in ("errS", "addS", "code")]


def test_the_card_shows_the_change_first_and_what_will_run_when_it_is_wanted(qtbot: QtBot) -> None:
    question = Question(
        "1", "write_file", "files", "Let m change a.md?", {"path": "a.md"}, "{}", preview="a.md, line 1:\n+new"
    )
    card = QuestionCard(question, "files")
    qtbot.addWidget(card)
    card.resize(600, card.fit(600))
    card.show()
    qtbot.waitExposed(card)
    assert card.diff is not None
    assert card.diff.isVisible()
    low = card.fit(600)
    assert not card.ran.isVisible()
    card.ran_button.click()
    assert card.ran.isVisible()
    assert card.fit(600) > low


def test_a_file_is_changed_after_its_diff_was_seen_and_taken_back_from_the_chat(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        notes = tmp_path / "notes"
        notes.mkdir()
        file = notes / "skerry.md"
        file.write_text("## Boats\n09:10 from Quay 2\n")
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await program.hands.grant(str(notes))
            arguments = f'{{"path": "{file.as_posix()}", "old": "09:10", "new": "07:40"}}'
            server.then(call("edit_file", arguments), say("It is changed."))
            window.composer.set_text("Change the boat.")
            window.composer.sent.emit("Change the boat.")
            await until(lambda: isinstance(window.view.question_card(), QuestionCard))
            card = window.view.question_card()
            assert isinstance(card, QuestionCard)
            assert card.diff is not None
            assert [line.sign for line in card.diff.box.diff.lines] == [" ", "-", "+"]
            assert "09:10" in file.read_text()
            card.buttons["once"].click()
            await until(lambda: said(desk) == "It is changed." and not desk.chats.session.running)  # type: ignore[union-attr]
            assert "07:40" in file.read_text()
            line = next(one for row in window.view._live.values() for one in row.lines())
            await until(lambda: line.undo is not None and line.undo.isVisible())
            assert line.undo is not None
            line.undo.click()
            await until(lambda: "09:10" in file.read_text())
            await until(lambda: not line.undo.isVisible())  # type: ignore[union-attr]
            session = desk.chats.session
            assert session is not None
            record = session.messages[-1].calls[0]
            assert record.why == "you took it back"

    run(scenario())
