"""How calls can be taken back, in the database: kept until it is used, or the call's answer is removed."""

from __future__ import annotations

import sqlite3

from conch_desktop.domain.undo import Undo
from conch_desktop.store.columns import from_column, from_json, to_column, to_json
from conch_desktop.store.database import Database

KEPT_AT_MOST = 500
"""The newest stay; each may hold a whole file."""


class Undos:
    """What the newest calls that changed something need to be taken back."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, undo: Undo) -> None:
        """Keeps how a call can be taken back, before it runs."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO undos (call, kind, what, before) VALUES (?, ?, ?, ?)",
                (to_column(undo.call), undo.kind, to_json(undo.what), undo.before),
            )
            connection.execute("DELETE FROM undos WHERE number <= (SELECT max(number) FROM undos) - ?", (KEPT_AT_MOST,))

        await self._database.run(work)

    async def of(self, call: str) -> Undo | None:
        """How the call can be taken back; None when it can't be, or was already."""

        def work(connection: sqlite3.Connection) -> Undo | None:
            row = connection.execute(
                "SELECT call, kind, what, before FROM undos WHERE call = ?", (to_column(call),)
            ).fetchone()
            return None if row is None else Undo(from_column(row[0]), row[1], from_json(row[2]), row[3])

        return await self._database.run(work)

    async def forget(self, call: str) -> None:
        """The call was taken back, or nothing came of it."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM undos WHERE call = ?", (to_column(call),))

        await self._database.run(work)
