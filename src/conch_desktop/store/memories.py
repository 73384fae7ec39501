"""Memories in the database: facts a person wants every model to know."""

from __future__ import annotations

import sqlite3
from typing import Any

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.memories import Memory
from conch_desktop.store.columns import from_column, to_column
from conch_desktop.store.database import Database
from conch_desktop.store.search import any_of, index_memory

_MEMORY = "memories.id, content, created, source"
_NEWEST = "ORDER BY created DESC, memories.id DESC"


class Memories:
    """The facts, each kept once."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def add(self, content: str, source: str = "") -> Memory:
        """Keeps a fact. One that is there already, word for word, becomes the newest and is not doubled."""
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> Memory:
            there = connection.execute(
                f"UPDATE memories SET created = ? WHERE content = ? RETURNING {_MEMORY}", (now, to_column(content))
            ).fetchall()
            if there:
                return _memory(there[0])
            added = connection.execute(
                f"INSERT INTO memories (content, created, source) VALUES (?, ?, ?) RETURNING {_MEMORY}",
                (to_column(content), now, to_column(source)),
            ).fetchall()
            index_memory(connection, added[0][0], content)
            return _memory(added[0])

        return await self._database.run(work)

    async def search(self, words: str, limit: int = 10) -> list[Memory]:
        """Facts with any of the words, best first; the newest when there is no word in it."""
        query = any_of(words)
        if not query:
            return await self._select(f"{_NEWEST} LIMIT ?", limit)
        return await self._select(
            "JOIN memory_words ON memory_words.rowid = memories.id WHERE memory_words MATCH ? "
            "ORDER BY rank, created DESC LIMIT ?",
            query,
            limit,
        )

    async def all(self) -> list[Memory]:
        """Every fact, newest first."""
        return await self._select(_NEWEST)

    async def remove(self, memory_id: int) -> Memory | None:
        """Removes a fact and gives it back; None when there is none."""

        def work(connection: sqlite3.Connection) -> Memory | None:
            gone = connection.execute(f"DELETE FROM memories WHERE id = ? RETURNING {_MEMORY}", (memory_id,)).fetchall()
            return _memory(gone[0]) if gone else None

        return await self._database.run(work)

    async def holds(self, content: str) -> bool:
        """Whether the fact is there, word for word."""
        return bool(await self._select("WHERE content = ?", to_column(content)))

    async def put_back(self, memory: Memory) -> None:
        """Keeps a fact that was removed again, as it was."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO memories (id, content, created, source) VALUES (?, ?, ?, ?)",
                (memory.id, to_column(memory.content), memory.created, to_column(memory.source)),
            )
            index_memory(connection, memory.id, memory.content)

        await self._database.run(work)

    async def edit(self, memory_id: int, content: str) -> None:
        """Changes the words of a fact; another with just these words goes."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE memories SET content = ? WHERE id = ?", (to_column(content), memory_id)
            ).rowcount
            if changed:
                connection.execute(
                    "DELETE FROM memories WHERE content = ? AND id <> ?", (to_column(content), memory_id)
                )
                index_memory(connection, memory_id, content)

        await self._database.run(work)

    async def _select(self, rest: str, *values: Any) -> list[Memory]:
        def work(connection: sqlite3.Connection) -> list[Memory]:
            return [_memory(row) for row in connection.execute(f"SELECT {_MEMORY} FROM memories {rest}", values)]

        return await self._database.run(work)


def _memory(row: tuple[Any, ...]) -> Memory:
    memory_id, content, created, source = row
    return Memory(id=memory_id, content=from_column(content), created=created, source=from_column(source))
