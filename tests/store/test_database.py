"""The database's own thread: order, transactions, cancelling, ending."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conch_desktop.domain.errors import StoreError
from conch_desktop.store.database import Database
from tests.store.conftest import StillClock


def write(text: str) -> Callable[[sqlite3.Connection], None]:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT OR REPLACE INTO settings (name, value) VALUES ('word', ?)", (text,))

    return work


def read(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT value FROM settings WHERE name = 'word'").fetchone()
    return None if row is None else str(row[0])


def store_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("store")]


async def test_work_runs_on_a_thread_of_its_own_and_in_the_order_it_was_given(database: Database) -> None:
    seen: list[tuple[int, str]] = []

    def note(number: int) -> Callable[[sqlite3.Connection], None]:
        return lambda _: seen.append((number, threading.current_thread().name))

    await asyncio.gather(*(database.run(note(number)) for number in range(50)))
    assert [number for number, _ in seen] == list(range(50))
    assert len({name for _, name in seen} - {threading.current_thread().name}) == 1


async def test_the_loop_goes_on_while_the_database_works(database: Database) -> None:
    working = asyncio.create_task(database.run(lambda _: time.sleep(0.3)))
    turns = 0
    while not working.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert turns >= 5


async def test_work_that_raises_is_taken_back(database: Database) -> None:
    def work(connection: sqlite3.Connection) -> None:
        write("half")(connection)
        raise ZeroDivisionError

    await database.run(write("whole"))
    with pytest.raises(ZeroDivisionError):
        await database.run(work)
    assert await database.run(read) == "whole"


async def test_work_that_was_given_is_done_although_its_task_is_cancelled(database: Database) -> None:
    hold = threading.Event()
    tasks = [
        asyncio.create_task(database.run(lambda _: hold.wait(10))),
        asyncio.create_task(database.run(write("kept"))),
    ]
    await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    hold.set()
    await asyncio.wait(tasks)
    assert all(task.cancelled() for task in tasks)
    assert await database.run(read) == "kept"


async def test_a_failure_nobody_waits_for_is_logged(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    hold = threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        hold.wait(10)
        connection.execute("SELECT * FROM nowhere")

    task = asyncio.create_task(database.run(work))
    await asyncio.sleep(0.01)
    task.cancel()
    hold.set()
    await asyncio.wait([task])
    await database.run(read)
    assert "no such table: nowhere" in caplog.text


async def test_closing_waits_for_work_already_given_and_ends_the_thread(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    (thread,) = store_threads()
    given = [asyncio.create_task(database.run(lambda _: time.sleep(0.05))) for _ in range(3)]
    given.append(asyncio.create_task(database.run(write("last"))))
    await asyncio.sleep(0)
    await database.aclose()
    await asyncio.wait(given)
    assert all(task.exception() is None for task in given)
    thread.join(5)
    assert not thread.is_alive()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    with closing(sqlite3.connect(path)) as connection:
        assert read(connection) == "last"


async def test_a_closed_database_refuses_work_and_can_be_closed_again(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    await database.aclose()
    await database.aclose()
    with pytest.raises(StoreError, match="already closed"):
        await database.run(read)


async def test_opening_that_is_cancelled_leaves_no_thread_and_no_open_file(path: Path, clock: StillClock) -> None:
    opening = asyncio.create_task(Database.open(path, clock))
    await asyncio.sleep(0)
    threads = store_threads()
    opening.cancel()
    await asyncio.wait([opening])
    for thread in threads:
        await asyncio.to_thread(thread.join, 5)
    assert store_threads() == []
    assert not path.with_name(f"{path.name}-wal").exists()


ENDINGS = {
    "a cancelled task": "task.cancel()",
    "nobody closed it": "pass",
    "an error": "raise SystemExit(0)",
    "closing was cancelled": "asyncio.create_task(database.aclose()).cancel()",
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS.keys())
def test_the_program_ends_and_what_was_given_is_kept(path: Path, ending: str) -> None:
    program = f"""
        import asyncio, sys, time
        from pathlib import Path
        from conch_desktop.domain.clock import SystemClock
        from conch_desktop.store.database import Database
        from tests.store.test_database import write

        async def main():
            database = await Database.open(Path(sys.argv[1]), SystemClock())
            slow = asyncio.create_task(database.run(lambda _: time.sleep(0.2)))
            task = asyncio.create_task(database.run(write("kept")))
            await asyncio.sleep(0.01)
            {ending}

        asyncio.run(main())
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(path)],
        cwd=Path(__file__).parents[2],
        timeout=20,
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    with closing(sqlite3.connect(path)) as connection:
        assert read(connection) == "kept"


async def test_two_copies_that_start_at_once_use_one_database(path: Path, clock: StillClock) -> None:
    copies = await asyncio.gather(*(Database.open(path, clock) for _ in range(4)))
    for number, copy in enumerate(copies):
        await copy.run(write(str(number)))
        assert [await other.run(read) for other in copies] == [str(number)] * 4
    for copy in copies:
        await copy.aclose()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_writer_waits_for_another(path: Path, clock: StillClock) -> None:
    one, other = await Database.open(path, clock), await Database.open(path, clock)

    def write_slowly(connection: sqlite3.Connection) -> None:
        write("slow")(connection)
        time.sleep(0.3)

    slow = asyncio.create_task(one.run(write_slowly))
    await asyncio.sleep(0.05)
    await other.run(write("quick"))
    await slow
    assert await one.run(read) == "quick"
    await one.aclose()
    await other.aclose()


TROUBLES = [
    (sqlite3.SQLITE_FULL, "disk is full"),
    (sqlite3.SQLITE_READONLY, "may not be written"),
    (sqlite3.SQLITE_READONLY_DBMOVED, "may not be written"),
    (sqlite3.SQLITE_BUSY, "Another program"),
    (sqlite3.SQLITE_IOERR_WRITE, "disk could not"),
    (sqlite3.SQLITE_CORRUPT, "damaged"),
    (sqlite3.SQLITE_MISUSE, "could not do what was asked"),
]


@pytest.mark.parametrize(("code", "words"), TROUBLES)
async def test_a_trouble_is_told_in_words(database: Database, code: int, words: str) -> None:
    def work(_: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError("from SQLite")
        error.sqlite_errorcode = code
        raise error

    with pytest.raises(StoreError, match=words) as told:
        await database.run(work)
    assert told.value.advice


async def test_a_full_disk_keeps_what_was_there_and_goes_on_when_there_is_room(database: Database) -> None:
    def limit(pages: int) -> Callable[[sqlite3.Connection], None]:
        return lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()

    await database.run(write("before"))
    await database.run(limit(1))  # SQLite takes the size it has now
    with pytest.raises(StoreError, match="disk is full"):
        await database.run(write("x" * 1_000_000))
    assert await database.run(read) == "before"
    await database.run(limit(1_000_000))
    await database.run(write("after"))
    assert await database.run(read) == "after"
