"""A store in a folder of its own, and a clock that moves only when it is told to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database


@dataclass
class StillClock:
    """A clock that stands still."""

    time: float = 1_800_000_000.0

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "profile" / "conch.sqlite3"


@pytest.fixture
async def database(path: Path, clock: StillClock) -> AsyncIterator[Database]:
    database = await Database.open(path, clock)
    yield database
    await database.aclose()


@pytest.fixture
def chats(database: Database, clock: StillClock) -> Chats:
    return Chats(database, clock)


async def count(database: Database, table: str) -> int:
    """How many rows a table has."""
    row = await database.run(lambda c: c.execute(f"SELECT count(*) FROM {table}").fetchone())
    return int(row[0])
