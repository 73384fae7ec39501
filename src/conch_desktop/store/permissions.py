"""Permissions in the database: tools a person always allows, each as it was defined when they said so."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from conch_desktop.domain.clock import Clock
from conch_desktop.store.columns import from_column, to_column
from conch_desktop.store.database import Database


@dataclass(frozen=True, slots=True)
class Permission:
    """“Always” for one tool of one source, as `definition` has it (JSON, "" in an old database).

    `digest` is that of the definition; `allowed` is when.
    """

    source: str
    tool: str
    digest: str
    allowed: float
    definition: str = ""


class Permissions:
    """What a person always allows."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def given(self, *, source: str, tool: str) -> Permission | None:
        """The permission for the tool, as it was defined then. One that changed asks again: the guard compares."""
        return next((one for one in await self.all() if (one.source, one.tool) == (source, tool)), None)

    async def allow(self, *, source: str, tool: str, digest: str, definition: str) -> None:
        """Always allows the tool as it is defined now."""
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO permissions (source, tool, digest, allowed, definition) VALUES (?, ?, ?, ?, ?)",
                (to_column(source), to_column(tool), to_column(digest), now, to_column(definition)),
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
            rows = connection.execute(
                "SELECT source, tool, digest, allowed, definition FROM permissions ORDER BY source, tool"
            )
            return [
                Permission(
                    from_column(source), from_column(tool), from_column(digest), allowed, from_column(definition)
                )
                for source, tool, digest, allowed, definition in rows
            ]

        return await self._database.run(work)
