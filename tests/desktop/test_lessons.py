"""What models taught: the sentences, the badge, the card, the settings' page, and all of it with the program behind."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.lesson_words import Standing, detail, sentence, since, standing
from conch_desktop.desktop.lessons_card import LessonLine, LessonsCard
from conch_desktop.desktop.model_detail import ModelDetail
from conch_desktop.desktop.picker_rows import Entry
from conch_desktop.desktop.taught_models import TaughtModel, TaughtModels
from conch_desktop.domain.lessons import Lesson
from conch_desktop.engine.way import Way, taught
from tests.desktop.at_work import at_work, until
from tests.servers import HANG, Reply, json_reply, say

Run = Callable[[Coroutine[Any, Any, Any]], Any]
DAY = 86_400.0
NOW = 1_780_000_000.0  # 28 May 2026


def lesson(kind: str, value: str = "", *, learnt: float = 0.0, held: int = 0, expires: float | None = None) -> Lesson:
    return Lesson("p", "http://x/v1", "m", kind, value, learnt=learnt, held=held, expires=expires)


# Words --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("words", "tools", "Takes no tools natively, so it gets them in words."),
        ("words", "schema", "The provider refuses the tools’ schemas, so it gets them in words."),
        ("strict", "*", "Takes schemas only in the strict form."),
        ("strict", '["remember", "recall"]', "Takes remember and recall only in the strict form."),
        ("aside", '["find"]', "Does not take find: the provider refuses the schema."),
        ("effort", "low", "Thinks at the level low."),
        ("effort", "none", "Takes no thinking level."),
        ("no_system_role", "", "Takes no system prompt; it goes with the first message."),
        ("blind", "", "Sees no pictures."),
        ("window", "8192", "Its window holds 8,192 tokens."),
        ("checked", '["words", 3]', "Made 3 of 3 calls right in words."),
        ("checked", "broken", "Was checked."),
        ("strict", "broken", "Takes some tools only in the strict form."),
        ("new_kind", "x", "New kind: x."),
    ],
)
def test_a_lesson_is_said_in_a_sentence(kind: str, value: str, words: str) -> None:
    assert sentence(lesson(kind, value)) == words


def test_the_sentences_are_those_of_the_engine() -> None:
    before = Way("native")
    for after in (
        Way("strict"),
        Way("native", simple=frozenset({"find"})),
        Way("native", aside=frozenset({"find"})),
        Way("native", effort="low"),
        Way("native", system_role=False),
        Way("native", pictures=False),
        Way("native", window=8192),
    ):
        for draft in taught(before, after, by="schema"):
            assert sentence(lesson(draft.kind, draft.value)) == draft.text


@pytest.mark.parametrize(
    ("one", "short", "long"),
    [
        (lesson("words", learnt=NOW), "learnt just now", "Learnt just now."),
        (lesson("words", learnt=NOW - 2 * DAY, held=1), "learnt 26 May, held once", "Learnt 26 May. Held once."),
        (
            lesson("words", learnt=NOW - 2 * DAY, held=1041, expires=NOW + 10 * DAY),
            "learnt 26 May, held 1,041 times",
            "Learnt 26 May. Held 1,041 times. Tried natively again after 7 June.",
        ),
        (lesson("checked", learnt=NOW - 300 * DAY), "checked 1 August 2025", "Checked 1 August 2025."),
    ],
)
def test_a_lesson_tells_since_when_and_how_often_it_held(one: Lesson, short: str, long: str) -> None:
    assert since(one, NOW) == short
    assert detail(one, NOW) == long


# The badge ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lessons", "seen", "choice", "badge"),
    [
        ([], "", "automatic", Standing("untried")),
        ([], "native", "automatic", Standing("native")),
        ([lesson("words", "tools")], "native", "automatic", Standing("words")),
        ([lesson("strict", "*")], "", "automatic", Standing("strict")),
        ([lesson("strict", '["find"]')], "", "automatic", Standing("strict")),
        ([lesson("checked", '["words", 3]')], "native", "automatic", Standing("words", True)),
        ([lesson("checked", '["native", 2]')], "", "automatic", Standing("native", True)),
        ([lesson("checked", '["native", 0]')], "", "automatic", Standing("untried")),
        ([lesson("window", "8192")], "", "automatic", Standing("untried")),
        ([lesson("words", "tools")], "", "native", Standing("native")),
        ([lesson("checked", '["words", 3]')], "", "words", Standing("words", True)),
        ([lesson("checked", '["native", 3]')], "", "none", Standing("none")),
    ],
)
def test_the_badge_follows_from_choice_then_lessons_then_what_was_seen(
    lessons: list[Lesson], seen: str, choice: str, badge: Standing
) -> None:
    assert standing(lessons, seen=seen, choice=choice) == badge


# Widgets ------------------------------------------------------------------------------------------------------------


def test_each_lesson_on_the_card_can_be_forgotten(qtbot: QtBot) -> None:
    card = LessonsCard()
    qtbot.addWidget(card)
    lines = [LessonLine("words", "Takes no tools.", "learnt just now"), LessonLine("window", "Its window.", "")]
    assert card.show_lessons(lines)
    assert not card.show_lessons(list(lines))
    heard: list[str] = []
    card.forgotten.connect(heard.append)
    card.buttons["window"].click()
    assert heard == ["window"]
    assert card.fit(356) > 60


def test_the_settings_show_what_each_model_taught(qtbot: QtBot) -> None:
    table = TaughtModels(Button("Forget all lessons…"))
    qtbot.addWidget(table)
    lines = (LessonLine("words", "Takes no tools.", "Learnt 3 June.", "does not support tools"),)
    models = [
        TaughtModel("p/a", "A", "Pier", "words", True, "3 of 3 calls, 3 June", lines),
        TaughtModel("p/b", "B", "Pier", "untried", False, "not checked"),
    ]
    table.show_models(models)
    assert not table.lessons
    table.rows["p/a"].click()
    heard: list[tuple[str, ...]] = []
    table.forgotten.connect(lambda *told: heard.append(told))
    table.checked.connect(lambda *told: heard.append(told))
    table.all_forgotten.connect(lambda: heard.append(("all",)))
    buttons = {one.accessibleName(): one for one in table.lessons["p/a"].findChildren(type(table.yes))}
    buttons["Forget: Takes no tools."].click()
    buttons["Check this model: A"].click()
    table.yes.click()
    assert heard == [("p/a", "words"), ("p/a",), ("all",)]


def test_the_detail_offers_the_persons_own_choice_and_the_check(qtbot: QtBot) -> None:
    detail_pane = ModelDetail()
    qtbot.addWidget(detail_pane)
    heard: list[tuple[str, ...]] = []
    detail_pane.choice_made.connect(lambda *told: heard.append(("choice", *told)))
    detail_pane.check_wanted.connect(lambda: heard.append(("check",)))
    entry = Entry("p/a", "a", "A", "Pier", "p", "words", checked=True, choice="words", taught=2, checking=True)
    detail_pane.show_entry(entry, favourite=False)
    assert detail_pane.choices["words"].isChecked()
    assert detail_pane.check.text() == "Stop the check"
    detail_pane.choices["none"].click()
    detail_pane.check.click()
    assert heard == [("choice", "none"), ("check",)]


# With the program behind --------------------------------------------------------------------------------------------


def refusal() -> Reply:
    return json_reply({"error": {"message": "registry/m does not support tools", "type": "api_error"}}, status=400)


def test_a_lesson_is_shown_and_forgotten(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, model):
            server.then(refusal(), say("In words then."))
            window.composer.set_text("Hello")
            window.composer.writing.enter.emit()
            await until(lambda: desk.lessons.of(model) and not window.composer.send.running)
            assert window.activity.lessons[0].text.startswith("Takes no tools natively")
            assert desk.lessons.standing(model) == Standing("words")
            window.activity.forgotten.emit("words")
            await until(lambda: not desk.lessons.of(model))
            assert not window.activity.lessons
            assert await program.lessons_of(model) == []

    run(scenario())


def test_the_persons_own_choice_stands_above_all(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (_, program, desk, _, model):
            await desk.models.choose_mode(model, "none")
            assert desk.lessons.standing(model) == Standing("none")
            assert program.own_choice(model) == "none"
            await desk.models.choose_mode(model, "automatic")
            assert desk.lessons.standing(model) == Standing()

    run(scenario())


def test_a_check_says_what_it_found(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, model):
            server.then(*[say("No idea.") for _ in range(12)])
            window.check_asked.emit()
            assert desk.lessons.checking == model
            await until(lambda: not desk.lessons.checking)
            assert desk.lessons.told[model] == "Made none of 3 calls right, natively or in words."

    run(scenario())


def test_a_check_can_be_stopped(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (_, program, desk, server, model):
            server.then(
                Reply(body=[": wait\n\n", HANG], framing="chunked", headers={"content-type": "text/event-stream"})
            )
            desk.lessons.check(model)
            await until(lambda: any("chat" in one.path for one in server.requests))
            desk.lessons.check(model)
            await until(lambda: not desk.lessons.checking)
            assert desk.lessons.told[model] == "The check was stopped."
            assert await program.lessons_of(model) == []

    run(scenario())
