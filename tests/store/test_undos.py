"""How calls can be taken back: kept until used, the newest only."""

from __future__ import annotations

import pytest

from conch_desktop.domain.undo import Undo
from conch_desktop.store import undos
from conch_desktop.store.database import Database
from conch_desktop.store.undos import Undos


async def test_what_is_kept_comes_back_and_is_forgotten(database: Database) -> None:
    book = Undos(database)
    new = Undo("half \ud83d", "file", {"path": "half \ud83d"}, None)
    old = Undo("c2", "file", {"path": "a"}, b"\0\xff")
    await book.keep(new)
    await book.keep(old)
    assert [await book.of("half \ud83d"), await book.of("c2"), await book.of("c3")] == [new, old, None]
    await book.keep(Undo("c2", "memory", {"added": 1}))
    assert await book.of("c2") == Undo("c2", "memory", {"added": 1})
    await book.forget("c2")
    assert await book.of("c2") is None


async def test_only_the_newest_are_kept(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undos, "KEPT_AT_MOST", 3)
    book = Undos(database)
    for number in range(5):
        await book.keep(Undo(f"c{number}", "file", {}))
    assert [await book.of(f"c{number}") is None for number in range(5)] == [True, True, False, False, False]
