"""Killed at any moment: the store is sound, and everything up to the last finished write is there."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from conch_desktop.domain.calls import CallRecord, CallState
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.migrations import MIGRATIONS
from tests.store.conftest import StillClock
from tests.store.test_opening import add_colour
from tests.store.writer import OTHER, STEPS, WRITTEN, version

OTHERS = [Message(f"o{n}", "user", (TextPart(f"words {n} " * 500),)) for n in range(5)]


def start(module: str, path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", module, str(path)],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        text=True,
    )


def kill_a_writer(path: Path, seconds: float, *, from_start: bool) -> tuple[int, int] | None:
    """Lets it write for a while; the answer and step that were written last, None when nothing was."""
    with start("tests.store.writer", path) as process:
        assert process.stdout is not None
        lines = []
        if not from_start:
            lines = [process.stdout.readline() for _ in range(3)]
        time.sleep(seconds)
        process.kill()
        lines += process.stdout.read().split("\n")[:-1]
    written = [line.split() for line in lines if not line.startswith("begin")]
    return (int(written[-1][0]), int(written[-1][1])) if written else None


def as_interrupted(message: Message) -> Message:
    def ended(call: CallRecord) -> CallRecord:
        states: dict[CallState, CallState] = {"reading": "stopped", "running": "unknown"}
        return replace(call, state=states.get(call.state, call.state))

    parts = tuple(ended(part) if isinstance(part, CallRecord) else part for part in message.parts)
    return replace(message, state="interrupted" if message.state == "streaming" else message.state, parts=parts)


async def kill_often(path: Path, clock: StillClock, kills: int, chance: random.Random) -> None:
    database = await Database.open(path, clock)
    other = await Chats(database, clock).create(title=OTHER)
    for message in OTHERS:
        await Chats(database, clock).put(other.id, message)
    await Chats(database, clock).save_draft(other.id, "typed but not sent")
    await database.aclose()
    lasts: list[Message] = []  # the answers that were cut by a kill, as they were found
    for _ in range(kills):
        from_start = chance.random() < 0.25
        told = kill_a_writer(path, chance.uniform(0, 0.5 if from_start else 0.25), from_start=from_start)
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        database = await Database.open(path, clock)
        chats = Chats(database, clock)
        await check(chats, other.id, told, lasts)
        await chats.mark_interrupted()
        await check_interrupted(chats, database, lasts)
        await database.aclose()


async def check(chats: Chats, other: str, told: tuple[int, int] | None, lasts: list[Message]) -> None:
    """What is there, before anything is tidied up."""
    assert await chats.messages(other) == OTHERS
    drafts = {chat.title: chat.draft for chat in await chats.listing()}
    assert drafts[OTHER] == "typed but not sent"
    written = next((chat.id for chat in await chats.listing() if chat.title == WRITTEN), None)
    if written is None:
        assert told is None
        return
    found = await chats.messages(written)
    for number, message in enumerate(found[:-1]):
        assert message == (lasts[number] if number < len(lasts) else version(number, STEPS))
    if told is not None:
        number, step = told
        # The last line may be older by one than what was written, never newer.
        follows = version(number, step + 1) if step < STEPS else version(number + 1, 1)
        assert found[-1] in (version(number, step), follows)
        assert len(found) == int(found[-1].id[1:]) + 1


async def check_interrupted(chats: Chats, database: Database, lasts: list[Message]) -> None:
    """What a person sees then; `lasts` learns it, because it has to stay like this."""
    written = [chat.id for chat in await chats.listing() if chat.title == WRITTEN]
    found = await chats.messages(written[0]) if written else []
    for number, message in enumerate(found):
        if number >= len(lasts):
            assert message in (version(number, STEPS), *(as_interrupted(version(number, s)) for s in range(STEPS)))
            lasts.append(message)
    assert found == lasts
    assert await database.run(lambda c: c.execute("SELECT count(*) FROM tails").fetchone()) == (0,)
    await database.run(lambda c: c.execute("INSERT INTO message_words (message_words) VALUES ('integrity-check')"))
    if found and found[0].state == "done":
        assert "m0" in [hit.message for hit in await chats.search("0.3")]


async def test_three_kills_lose_nothing_that_was_written(path: Path, clock: StillClock) -> None:
    await kill_often(path, clock, 3, random.Random())


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_ten_kills_lose_nothing_that_was_written(path: Path, clock: StillClock) -> None:
    for number in range(3):
        await kill_often(path.parent / str(number) / path.name, clock, 10, random.Random(number))


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_kill_while_the_first_database_is_made_leaves_nothing_in_the_way(path: Path, clock: StillClock) -> None:
    for number in range(20):
        fresh = path.parent / str(number) / path.name
        kill_a_writer(fresh, 0.1 + number * 0.015, from_start=True)
        await (await Database.open(fresh, clock)).aclose()


async def test_a_kill_in_the_middle_of_a_migration_leaves_the_old_version_whole(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    chat = await Chats(database, clock).create()
    for message in OTHERS:
        await Chats(database, clock).put(chat.id, message)
    await database.aclose()
    with start("tests.store.migrator", path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in the middle\n"
        process.kill()
    assert path.stat().st_size > 10_000_000  # otherwise nothing of it had reached the file
    for migrations in (MIGRATIONS, (*MIGRATIONS, add_colour)):
        database = await Database.open(path, clock, migrations=migrations)
        assert await Chats(database, clock).messages(chat.id) == OTHERS
        assert await database.run(lambda c: c.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
        await database.aclose()


def test_the_writer_goes_through_every_state_a_call_has_on_its_way() -> None:
    states = {call.state for step in range(STEPS + 1) for call in version(0, step).calls}
    assert states == {"reading", "running", "done"} <= set(get_args(CallState))
