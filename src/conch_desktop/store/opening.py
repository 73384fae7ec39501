"""Opening the database: made if there is none, examined before it is touched, brought to the version of now.

A file that is not ours, damaged or from a newer version is only read here: no byte of it changes, and SQLite leaves
no file beside it. For that the header has to be true at every moment, so a new database is made under another name
and then put in place whole, and a migration runs in rollback mode (in WAL mode the header would stay behind).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ConchError, NewerStore, NotOurStore, StoreError
from conch_desktop.store.migrations import APPLICATION_ID, Migration

BUSY_SECONDS = 5.0
"""How long to wait for another program that is writing to the database."""

CHECKED_BYTES = 64 * 1024 * 1024
"""Up to this size every page is looked at before opening (about 40 ms); of a bigger file only the beginning."""

_MAGIC = b"SQLite format 3\x00"
_MOVE_IT = "Move or rename the file to start with an empty one, or put back a backup. Nothing in it was changed."


def open_store(path: Path, clock: Clock, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """The connection to the database at `path`, for the thread this is called on."""
    _make_folder(path.parent)
    if _size(path) == 0:
        _create(path, migrations)
    _examine(path, len(migrations))
    connection = _connect(path)
    try:
        if version_of(connection) < len(migrations):
            _migrate(connection, path, clock, migrations)
        _tune(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The schema's version."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} for the chats could not be made ({error.strerror}).",
            "Choose another with --data-dir, or correct its permissions.",
        ) from error


def _size(path: Path) -> int:
    """Bytes of the file; 0 when there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"The database {path} could not be read ({error.strerror}).", "Correct the permissions of the file."
    )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, cached_statements=256)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _tune(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # FULL: what was written also outlives a power cut. It costs one flush of the disk each time, off the UI thread.
    connection.execute("PRAGMA synchronous = FULL")
    # The first reading opens the log and takes the lock by which other copies know that the file is in use.
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()


# Making ------------------------------------------------------------------------------------------------------------


def _create(path: Path, migrations: Sequence[Migration]) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".new", dir=path.parent)
    os.close(handle)
    made = Path(name)
    try:
        connection = _connect(made)
        try:
            _advance(connection, migrations)
        finally:
            connection.close()
        _put_in_place(made, path)
    finally:
        made.unlink(missing_ok=True)


def _put_in_place(made: Path, path: Path) -> None:
    """Gives the new file its name, unless another copy of the program was quicker: then that one's is used."""
    if path.exists() and _size(path) == 0:
        made.replace(path)
        return
    try:
        path.hardlink_to(made)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            made.replace(path)


# Examining ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Header:
    """The parts of SQLite's file header that are needed here (sqlite.org/fileformat.html, 1.3)."""

    is_sqlite: bool
    application: int
    version: int
    pages: int
    page_size: int


def _examine(path: Path, newest: int) -> None:
    """Looks whether the file can be used, without changing a byte of it. Raises what the person has to be told."""
    header = _read_header(path)
    if not header.is_sqlite:
        raise NotOurStore(f"The file {path} is not a database, or it is damaged.", _MOVE_IT)
    if header.application != APPLICATION_ID:
        raise NotOurStore(f"The file {path} is a database of another program.", _MOVE_IT)
    if header.version > newest:
        raise NewerStore(
            f"The database {path} was written by a newer version of Conch Desktop "
            f"(its format is {header.version}, this version knows up to {newest}).",
            "Update Conch Desktop, or start with another folder (--data-dir). Nothing in it was changed.",
        )
    if not _is_sound(path, header):
        raise NotOurStore(f"The database {path} is damaged.", _MOVE_IT)


def _read_header(path: Path) -> _Header:
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except OSError as error:
        raise _unreadable(path, error) from error

    def number(start: int, length: int = 4) -> int:
        return int.from_bytes(head[start : start + length], "big")

    page_size = number(16, 2)
    return _Header(
        is_sqlite=len(head) == 100 and head.startswith(_MAGIC),
        application=number(68),
        version=number(60),
        pages=number(28),
        page_size=65536 if page_size == 1 else page_size,
    )


def _is_sound(path: Path, header: _Header) -> bool:
    if _beside(path, "-journal").exists():
        return True  # a migration was killed: SQLite takes it back as soon as the file is opened for writing
    in_use = _beside(path, "-wal").exists()
    size = _size(path)
    complete = size >= header.pages * header.page_size
    if not in_use and not complete:
        return False
    # Without a log beside it nobody else has the file open, and `immutable` makes SQLite leave no file of its own.
    # With one, the log is part of what is read; its last pages may still be missing in the file itself.
    mode = "mode=ro" if in_use else "mode=ro&immutable=1"
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS)
        ) as connection:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if complete and size > CHECKED_BYTES:
                return True
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as error:
        if _says_damaged(error):
            return False
        raise


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _says_damaged(error: sqlite3.Error) -> bool:
    """Extended codes hold the plain one in their lowest byte."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


# Migrating ---------------------------------------------------------------------------------------------------------


def _migrate(connection: sqlite3.Connection, path: Path, clock: Clock, migrations: Sequence[Migration]) -> None:
    if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
        raise StoreError("Another copy of the program is using the database.", "Quit it and start again.")
    backup = _back_up(connection, path, clock)
    try:
        _advance(connection, migrations)
    except ConchError:
        raise
    except Exception as error:
        # The transaction was taken back: the database is what the backup would be.
        backup.unlink(missing_ok=True)
        raise StoreError(
            f"The database {path} could not be brought to the format of this version ({error}). It is as it was.",
            "Use the version you had before, and report this.",
        ) from error


def _back_up(connection: sqlite3.Connection, path: Path, clock: Clock) -> Path:
    when = datetime.fromtimestamp(clock.now(), UTC)
    backup = path.with_name(f"{path.name}.format-{version_of(connection)}.{when:%Y%m%d-%H%M%S}.backup")
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".backup", dir=path.parent)
    os.close(handle)
    copy = Path(name)
    try:
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as target:
            connection.backup(target)
        copy.replace(backup)
    finally:
        copy.unlink(missing_ok=True)
    return backup


def _advance(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Runs the migrations that are missing, all or none."""
    # A migration may have to make a table anew; what points to it is checked at the end instead of at every step.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        version = version_of(connection)  # another copy may have done it while this one waited
        for migration in migrations[version:]:
            migration(connection)
        lost = connection.execute("PRAGMA foreign_key_check").fetchone()
        if lost is not None:
            raise sqlite3.IntegrityError(f"a row of {lost[0]} points to nothing in {lost[2]}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {max(version, len(migrations))}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("PRAGMA foreign_keys = ON")
