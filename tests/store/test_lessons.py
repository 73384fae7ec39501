"""Lessons: one for each provider, address, model and kind; they hold until they expire."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from conch_desktop.domain.lessons import Lesson
from conch_desktop.store.database import Database
from conch_desktop.store.lessons import Lessons
from tests.store.conftest import StillClock

LESSON = Lesson(
    "pier",
    "http://127.0.0.1/v1",
    "big",
    "mode",
    "strict",
    words="Invalid schema for function",
    fingerprint="f",
    digest="d",
    learnt=10.0,
    expires=20.0,
    held=2,
)
HERE = (LESSON.provider, LESSON.endpoint, LESSON.model)


@pytest.fixture
def lessons(database: Database, clock: StillClock) -> Lessons:
    clock.time = 15.0
    return Lessons(database, clock)


@pytest.mark.parametrize("lesson", [LESSON, Lesson("p", "e", "m", "k", "v"), replace(LESSON, words="half \ud83d \x00")])
async def test_a_lesson_comes_back_as_it_was_learnt(lessons: Lessons, lesson: Lesson) -> None:
    await lessons.learn(lesson)
    assert await lessons.all() == [lesson]
    assert await lessons.of(lesson.provider, lesson.endpoint, lesson.model) == [lesson]


async def test_a_lesson_of_the_same_kind_takes_the_place_of_the_earlier_one(lessons: Lessons) -> None:
    await lessons.learn(LESSON)
    newer = replace(LESSON, value="words", words="again", fingerprint="", digest="", learnt=12.0, expires=None, held=0)
    await lessons.learn(newer)
    assert await lessons.all() == [newer]


@pytest.mark.parametrize("name", ["provider", "endpoint", "model", "kind"])
async def test_lessons_of_others_stand_beside_it(lessons: Lessons, name: str) -> None:
    changed: dict[str, Any] = {name: "other", "learnt": 5.0}
    other = replace(LESSON, **changed)
    await lessons.learn(LESSON)
    await lessons.learn(other)
    assert await lessons.all() == [LESSON, other]
    assert await lessons.of(*HERE) == ([LESSON, other] if name == "kind" else [LESSON])
    await lessons.forget(LESSON)
    assert await lessons.all() == [other]


@pytest.mark.parametrize(("expires", "holds"), [(None, True), (15.1, True), (15.0, False), (3.0, False)])
async def test_a_lesson_holds_until_it_expires(lessons: Lessons, expires: float | None, holds: bool) -> None:
    lesson = replace(LESSON, expires=expires)
    await lessons.learn(lesson)
    assert await lessons.of(*HERE) == ([lesson] if holds else [])
    assert await lessons.all() == [lesson]


async def test_each_time_a_lesson_was_right_is_counted(lessons: Lessons) -> None:
    await lessons.learn(LESSON)
    await lessons.learn(replace(LESSON, kind="window"))
    await lessons.held(LESSON)
    await lessons.held(LESSON)
    assert {lesson.kind: lesson.held for lesson in await lessons.all()} == {"mode": 4, "window": 2}


async def test_a_lesson_that_is_not_there_can_be_forgotten_and_counted(lessons: Lessons) -> None:
    await lessons.held(LESSON)
    await lessons.forget(LESSON)
    assert await lessons.all() == []


def test_every_field_of_a_lesson_differs_from_its_default_above() -> None:
    """Otherwise a field that is not kept would pass unseen."""
    assert all(getattr(LESSON, field.name) != field.default for field in fields(LESSON))
