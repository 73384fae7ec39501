"""Lessons in the database: what models taught, one for each provider, address, model and kind."""

from __future__ import annotations

import sqlite3
from typing import Any

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.lessons import Lesson
from conch_desktop.store.columns import Column, from_column, to_column
from conch_desktop.store.database import Database

_LESSON = "provider, endpoint, model, kind, value, words, fingerprint, digest, learnt, expires, held"
_THIS_ONE = "provider = ? AND endpoint = ? AND model = ? AND kind = ?"


class Lessons:
    """What models taught."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def learn(self, lesson: Lesson) -> None:
        """Keeps a lesson, in place of an earlier one of the same kind."""
        texts = (lesson.value, lesson.words, lesson.fingerprint, lesson.digest)
        await self._execute(
            f"INSERT OR REPLACE INTO lessons ({_LESSON}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *_key(lesson),
            *map(to_column, texts),
            lesson.learnt,
            lesson.expires,
            lesson.held,
        )

    async def of(self, provider: str, endpoint: str, model: str) -> list[Lesson]:
        """What holds now for a model."""
        return await self._select(
            "WHERE provider = ? AND endpoint = ? AND model = ? AND (expires IS NULL OR expires > ?)",
            to_column(provider),
            to_column(endpoint),
            to_column(model),
            self._clock.now(),
        )

    async def all(self) -> list[Lesson]:
        """Every lesson, also those that no longer hold; newest first."""
        return await self._select("")

    async def forget(self, lesson: Lesson) -> None:
        """Removes a lesson."""
        await self._execute(f"DELETE FROM lessons WHERE {_THIS_ONE}", *_key(lesson))

    async def held(self, lesson: Lesson) -> None:
        """Counts a request that the lesson was right for."""
        await self._execute(f"UPDATE lessons SET held = held + 1 WHERE {_THIS_ONE}", *_key(lesson))

    async def _execute(self, statement: str, *values: Column | float | None) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(statement, values)

        await self._database.run(work)

    async def _select(self, where: str, *values: Column | float) -> list[Lesson]:
        def work(connection: sqlite3.Connection) -> list[Lesson]:
            rows = connection.execute(f"SELECT {_LESSON} FROM lessons {where} ORDER BY learnt DESC, kind", values)
            return [_lesson(row) for row in rows]

        return await self._database.run(work)


def _key(lesson: Lesson) -> tuple[Column, ...]:
    return tuple(map(to_column, (lesson.provider, lesson.endpoint, lesson.model, lesson.kind)))


def _lesson(row: tuple[Any, ...]) -> Lesson:
    provider, endpoint, model, kind, value, words, fingerprint, digest = map(from_column, row[:8])
    learnt, expires, held = row[8:]
    return Lesson(
        provider=provider,
        endpoint=endpoint,
        model=model,
        kind=kind,
        value=value,
        words=words,
        fingerprint=fingerprint,
        digest=digest,
        learnt=learnt,
        expires=expires,
        held=held,
    )
