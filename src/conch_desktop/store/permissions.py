"""Permissions in the database: tools a person always allows, each as it was defined when they said so."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from conch_desktop.domain.clock import Clock
from conch_desktop.store.columns import from_column, to_column
from conch_desktop.store.database import Database


@dataclass(frozen=True, slots=True)
class Permission:
    """“Always” for one tool of one source. `digest` is that of the tool's definition; `allowed` is when."""

    source: str
    tool: str
    digest: str
    allowed: float


class Permissions:
    """What a person always allows."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def allowed(self, *, source: str, tool: str, digest: str) -> bool:
        """Whether the tool is always allowed, as it is defined now: one that changed asks again."""

        def work(connection: sqlite3.Connection) -> bool:
            found = connection.execute(
                "SELECT 1 FROM permissions WHERE source = ? AND tool = ? AND digest = ?",
                (to_column(source), to_column(tool), to_column(digest)),
            ).fetchone()
            return found is not None

        return await self._database.run(work)

    async def allow(self, *, source: str, tool: str, digest: str) -> None:
        """Always allows the tool as it is defined now."""
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO permissions (source, tool, digest, allowed) VALUES (?, ?, ?, ?)",
                (to_column(source), to_column(tool), to_column(digest), now),
            )

        await self._database.run(work)

    async def revoke(self, *, source: str, tool: str) -> None:
        """The tool asks again."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM permissions WHERE source = ? AND tool = ?", (to_column(source), to_column(tool))
            )

        await self._database.run(work)

    async def all(self) -> list[Permission]:
        """Every permission, by source and tool."""

        def work(connection: sqlite3.Connection) -> list[Permission]:
            rows = connection.execute("SELECT source, tool, digest, allowed FROM permissions ORDER BY source, tool")
            return [Permission(from_column(s), from_column(t), from_column(d), at) for s, t, d, at in rows]

        return await self._database.run(work)
