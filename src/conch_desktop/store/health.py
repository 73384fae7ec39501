"""Whether the database is whole, and how much is in it."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from conch_desktop.store.database import Database

SQLITE = sqlite3.sqlite_version
"""The version of SQLite that is used."""

_MOST_TOLD = 10


@dataclass(frozen=True, slots=True)
class Amounts:
    """How many there are of what is kept."""

    chats: int
    messages: int
    memories: int


async def amounts(database: Database) -> Amounts:
    """What is in the database; deleted chats do not count."""

    def work(connection: sqlite3.Connection) -> Amounts:
        row = connection.execute(
            """
            SELECT (SELECT count(*) FROM chats WHERE deleted IS NULL),
                (SELECT count(*) FROM messages JOIN chats ON chats.number = chat WHERE deleted IS NULL),
                (SELECT count(*) FROM memories)
            """
        ).fetchone()
        return Amounts(*row)

    return await database.run(work)


def faults(path: Path) -> list[str]:
    """What is wrong in the file, in SQLite's words; nothing when all of it is whole.

    Every page is read: for a thread. It has a connection of its own, so that what is written meanwhile need not wait.
    """
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute(f"PRAGMA integrity_check({_MOST_TOLD})").fetchall()
            found = [str(row[0]) for row in rows if row[0] != "ok"]
            lost = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        return [str(error)]
    return [*found, *(f"a row of {table} points to nothing in {other}" for table, _, other, _ in lost[:_MOST_TOLD])]
