"""A program that stops in the middle of a migration, to be killed there: `python -m tests.store.migrator DATABASE`."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import time
from pathlib import Path

from conch_desktop.domain.clock import SystemClock
from conch_desktop.store.database import Database
from conch_desktop.store.migrations import MIGRATIONS
from tests.store.writer import say


def never_ends(connection: sqlite3.Connection) -> None:
    """Changes so much that SQLite has written some of it into the file already."""
    connection.execute("DELETE FROM parts")
    connection.execute("CREATE TABLE big (content BLOB)")
    connection.executemany("INSERT INTO big VALUES (zeroblob(1000000))", [()] * 20)
    say("in the middle")
    time.sleep(60)


if __name__ == "__main__":
    asyncio.run(Database.open(Path(sys.argv[1]), SystemClock(), migrations=(*MIGRATIONS, never_ends)))
