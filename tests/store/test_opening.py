"""Opening: what is not ours stays as it is, a new file is made whole, a migration keeps everything."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.errors import NewerStore, NotOurStore, StoreError
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.domain.models import Provider
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.migrations import APPLICATION_ID, MIGRATIONS, Migration
from conch_desktop.store.permissions import Permission, Permissions
from conch_desktop.store.providers import Providers
from tests.store.conftest import StillClock


async def fill(path: Path, clock: StillClock) -> str:
    """A database with a chat of some size; the chat's id."""
    database = await Database.open(path, clock)
    chats = Chats(database, clock)
    chat = await chats.create(title="Kept")
    for number in range(20):
        await chats.put(chat.id, Message(str(number), "user", (TextPart("words " * 2000),)))
    await database.aclose()
    return chat.id


def everything(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def foreign(path: Path) -> None:
    path.unlink()
    change(path, "CREATE TABLE bookmarks (url TEXT)", "INSERT INTO bookmarks VALUES ('https://example.org')")


def foreign_in_wal_mode(path: Path) -> None:
    path.unlink()
    change(path, "PRAGMA journal_mode = WAL", "PRAGMA application_id = 7", "CREATE TABLE bookmarks (url TEXT)")


def text_file(path: Path) -> None:
    path.write_text("Dear diary,\n" * 100)


def one_byte(path: Path) -> None:
    path.write_bytes(b"S")


def garbage_header(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(random.Random(1).randbytes(100) + whole[100:])


def truncated(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])


def cut_in_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def only_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def garbage_in_the_middle(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for start in range(4096, len(whole) - 4096, 4096):
        whole[start : start + 64] = random.Random(start).randbytes(64)
    path.write_bytes(whole)


def garbage_schema(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[100:4096] = random.Random(2).randbytes(3996)
    path.write_bytes(whole)


def newer(path: Path) -> None:
    change(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def much_newer_in_wal_mode(path: Path) -> None:
    change(path, "PRAGMA user_version = 2000000000", "PRAGMA journal_mode = WAL")


UNUSABLE = [
    (foreign, NotOurStore),
    (foreign_in_wal_mode, NotOurStore),
    (text_file, NotOurStore),
    (one_byte, NotOurStore),
    (garbage_header, NotOurStore),
    (truncated, NotOurStore),
    (cut_in_a_page, NotOurStore),
    (only_the_header, NotOurStore),
    (garbage_in_the_middle, NotOurStore),
    (garbage_schema, NotOurStore),
    (newer, NewerStore),
    (much_newer_in_wal_mode, NewerStore),
]


@pytest.mark.parametrize(("spoil", "error"), UNUSABLE, ids=lambda value: value.__name__)
async def test_a_file_that_cannot_be_used_stays_byte_for_byte(
    path: Path, clock: StillClock, spoil: Callable[[Path], None], error: type[StoreError]
) -> None:
    await fill(path, clock)
    spoil(path)
    before = everything(path.parent)
    for _ in range(2):
        with pytest.raises(StoreError) as raised:
            await Database.open(path, clock)
        assert type(raised.value) is error
        assert str(path) in raised.value.what
        assert raised.value.advice
        assert everything(path.parent) == before


async def test_a_truncated_file_with_a_log_beside_it_stays_as_it_is(path: Path, clock: StillClock) -> None:
    await fill(path, clock)
    database = await Database.open(path, clock)
    await Chats(database, clock).create(title="In the log only")
    for file in path.parent.iterdir():  # as it lies there after a kill
        shutil.copy(file, path.parent.parent / file.name)
    await database.aclose()
    killed = path.parent.parent / path.name
    whole = killed.read_bytes()
    killed.write_bytes(whole[: len(whole) // 2])
    log = killed.with_name(f"{killed.name}-wal").read_bytes()
    assert log
    with pytest.raises(NotOurStore, match="damaged"):
        await Database.open(killed, clock)
    assert killed.read_bytes() == whole[: len(whole) // 2]
    assert killed.with_name(f"{killed.name}-wal").read_bytes() == log


async def test_a_database_that_was_not_closed_is_opened_with_its_log(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    chat = await Chats(database, clock).create(title="In the log only")
    for file in path.parent.iterdir():
        if not file.name.endswith("-shm"):
            shutil.copy(file, path.parent.parent / file.name)
    await database.aclose()
    again = await Database.open(path.parent.parent / path.name, clock)
    assert await Chats(again, clock).listing() == [chat]
    await again.aclose()


async def test_a_new_database_is_private_and_known_by_its_header(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    await database.aclose()
    head = path.read_bytes()[:100]
    assert int.from_bytes(head[68:72], "big") == APPLICATION_ID
    assert int.from_bytes(head[60:64], "big") == len(MIGRATIONS)
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_the_connection_is_set_up_as_it_should_be(database: Database) -> None:
    def pragmas(connection: sqlite3.Connection) -> dict[str, object]:
        names = ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    assert await database.run(pragmas) == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "synchronous": 2,
    }


async def test_an_empty_file_becomes_a_database(path: Path, clock: StillClock) -> None:
    path.parent.mkdir()
    path.touch()
    assert await fill(path, clock)


async def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, clock: StillClock) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="could not be made") as raised:
        await Database.open(tmp_path / "file" / "conch.sqlite3", clock)
    assert "--data-dir" in raised.value.advice


async def test_a_folder_in_place_of_the_file_is_told(path: Path, clock: StillClock) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="could not be read"):
        await Database.open(path, clock)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
async def test_a_file_that_may_not_be_written_is_told(path: Path, clock: StillClock) -> None:
    await fill(path, clock)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="may not be written"):
            await Database.open(path, clock)
    finally:
        path.parent.chmod(0o700)


async def test_a_name_with_question_marks_and_percents_is_only_a_name(tmp_path: Path, clock: StillClock) -> None:
    path = tmp_path / "50% of it? #1 é.sqlite3"
    chat = await fill(path, clock)
    database = await Database.open(path, clock)
    assert [one.id for one in await Chats(database, clock).listing()] == [chat]
    await database.aclose()


# Migrations --------------------------------------------------------------------------------------------------------


def add_colour(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE chats ADD COLUMN colour TEXT NOT NULL DEFAULT 'teal'")


def make_messages_anew(connection: sqlite3.Connection) -> None:
    """What SQLite advises for changes ALTER TABLE can't make; with foreign keys on it would empty `parts`."""
    (made,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'messages'").fetchone()
    connection.execute(made.replace("TABLE messages", "TABLE new_messages", 1))
    connection.execute("INSERT INTO new_messages SELECT * FROM messages")
    connection.execute("DROP TABLE messages")
    connection.execute("ALTER TABLE new_messages RENAME TO messages")


LATER: tuple[Migration, ...] = (*MIGRATIONS, add_colour, make_messages_anew)


def fail(connection: sqlite3.Connection) -> None:
    add_colour(connection)
    connection.execute("DELETE FROM chats")
    connection.execute("SELECT * FROM nowhere")


def orphan(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM messages")


def _executes(statement: str) -> Callable[[sqlite3.Connection], None]:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute(statement)

    return work


OLD_ROWS = (
    "INSERT INTO chats (id, title, model, pinned, created, updated, draft) VALUES ('c', 'Before', '', 0, 1, 1, '')",
    """
    INSERT INTO messages (chat, id, role, created, state, asked, model, author, mode, why)
    VALUES (1, 'm', 'assistant', 1.5, 'done', '', '', '', '', '')
    """,
    "INSERT INTO parts (message, position, kind, step, length, text) VALUES (1, 0, 'text', 0, 4, 'kept')",
    "INSERT INTO parts (message, position, kind, step, length, text) VALUES (1, 1, 'call', 0, 2, '')",
    """
    INSERT INTO calls (
        part, id, name, source, state, is_error, why, args, mends, dropped, answer, sent_back, extra, wire_id, raw
    ) VALUES (2, 'i', 'save', 'notes', 'done', 0, '', '{}', '[]', '[]', 'saved', 'saved', '', 'w', '{}')
    """,
    "INSERT INTO permissions (source, tool, digest, allowed) VALUES ('notes', 'save', 'd', 2.5)",
)
"""What the first version wrote. Rows of later versions can hold more; the program has to read these all the same."""

OLD_CALL = CallRecord("i", "save", "{}", 0, "notes", "done", {}, answer="saved", sent_back="saved", wire_id="w")
OLD_MESSAGE = Message("m", "assistant", (TextPart("kept"), OLD_CALL), 1.5)


@pytest.mark.parametrize("version", range(1, len(LATER)))
async def test_a_database_of_any_earlier_version_is_brought_up_to_date(
    path: Path, clock: StillClock, version: int
) -> None:
    database = await Database.open(path, clock, migrations=LATER[:version])
    for row in OLD_ROWS:
        await database.run(_executes(row))
    await database.aclose()

    database = await Database.open(path, clock, migrations=LATER)
    assert await Chats(database, clock).messages("c") == [OLD_MESSAGE]
    assert await Permissions(database, clock).all() == [Permission("notes", "save", "d", 2.5)]
    assert await database.run(lambda c: c.execute("SELECT colour FROM chats").fetchall()) == [("teal",)]
    assert await database.run(lambda c: c.execute("PRAGMA user_version").fetchone()) == (len(LATER),)
    await database.aclose()

    (backup,) = path.parent.glob("*.backup")
    assert backup.name == f"{path.name}.format-{version}.20270115-080000.backup"
    backup.rename(path.parent / "put-back.sqlite3")
    database = await Database.open(path.parent / "put-back.sqlite3", clock, migrations=LATER)
    assert await Chats(database, clock).messages("c") == [OLD_MESSAGE]
    await database.aclose()


async def test_providers_and_lists_from_before_are_reached_as_they_were(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock, migrations=MIGRATIONS[:1])
    await database.run(
        lambda c: c.execute(
            "INSERT INTO providers (id, kind, name, url, key_env) VALUES ('p', 'openai', 'Pier', 'http://a', 'KEY')"
        )
    )
    await database.aclose()
    database = await Database.open(path, clock)
    providers = Providers(database)
    old = Provider("p", "openai", "Pier", "http://a", "KEY")
    assert await providers.all() == [old]
    changed = replace(old, proxy="http://b", headers=(("X-A", "b"),), secret_headers=("X-B",))
    await providers.update(changed)
    assert await providers.all() == [changed]
    await database.aclose()


@pytest.mark.parametrize("wrong", [fail, orphan], ids=lambda value: value.__name__)
async def test_a_migration_that_fails_leaves_everything_as_it_was(
    path: Path, clock: StillClock, wrong: Migration
) -> None:
    chat = await fill(path, clock)
    with pytest.raises(StoreError, match="It is as it was"):
        await Database.open(path, clock, migrations=(*MIGRATIONS, wrong))
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    database = await Database.open(path, clock)
    assert len(await Chats(database, clock).messages(chat)) == 20
    await database.aclose()


async def test_a_migration_waits_until_no_other_copy_uses_the_database(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    with pytest.raises(StoreError, match="Another program is using"):
        await Database.open(path, clock, migrations=LATER)
    await Chats(database, clock).create(title="Still works")
    await database.aclose()
    await (await Database.open(path, clock, migrations=LATER)).aclose()


async def test_the_version_in_the_header_is_true_after_a_migration_even_without_closing(
    path: Path, clock: StillClock
) -> None:
    await fill(path, clock)
    database = await Database.open(path, clock, migrations=LATER)
    await Chats(database, clock).create(title="In the log only")
    killed = path.parent.parent / path.name
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{killed}{suffix}")
    await database.aclose()
    before = killed.read_bytes()
    with pytest.raises(NewerStore):
        await Database.open(killed, clock)
    assert killed.read_bytes() == before


async def test_no_migration_commits_by_itself() -> None:
    """`executescript` would, and a migration that fails after it could not be taken back."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for migration in MIGRATIONS:
            connection.execute("BEGIN")
            migration(connection)
            assert connection.in_transaction
            connection.execute("COMMIT")
