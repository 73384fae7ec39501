"""The database: one SQLite file, used on one thread of its own, one transaction for each piece of work."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import NotOurStore, StoreError
from conch_desktop.store.migrations import MIGRATIONS, Migration
from conch_desktop.store.opening import open_store

T = TypeVar("T")

_log = logging.getLogger(__name__)

_PERMISSIONS = "Correct the permissions of the file and its folder."
_TROUBLES: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: ("The disk is full, so nothing more can be saved.", "Free some space, then try again."),
    sqlite3.SQLITE_READONLY: (
        "The database may not be written.",
        _PERMISSIONS,
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "The database could not be opened.",
        _PERMISSIONS,
    ),
    sqlite3.SQLITE_PERM: ("The database may not be used.", _PERMISSIONS),
    sqlite3.SQLITE_BUSY: ("Another program is using the database.", "Quit it, then try again."),
    sqlite3.SQLITE_LOCKED: ("Another program is using the database.", "Quit it, then try again."),
    sqlite3.SQLITE_IOERR: ("The disk could not be read or written.", "Check that the disk is there and works."),
    sqlite3.SQLITE_CORRUPT: ("The database is damaged.", "Quit, and put back a backup of it."),
    sqlite3.SQLITE_NOTADB: ("The database is damaged.", "Quit, and put back a backup of it."),
}
"""SQLite's error codes (the lowest byte) in words; another program may hold a database longer than we wait."""


class Database:
    """Runs work on the database, in the order it was given.

    Work that was given is done, also when the one who waits for it is cancelled: a cancelled turn keeps its words.
    """

    def __init__(self, worker: ThreadPoolExecutor, connection: sqlite3.Connection) -> None:
        self._worker = worker
        self._connection = connection
        self._closing: Future[None] | None = None

    @classmethod
    async def open(cls, path: Path, clock: Clock, *, migrations: Sequence[Migration] = MIGRATIONS) -> Database:
        """Opens the file, or makes it. Raises `NotOurStore`, `NewerStore` or another `StoreError`."""
        # An executor's thread is joined when the interpreter ends, after the work it was given: the thread ends with
        # the program even if nobody comes to close the database.
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        opening = worker.submit(_open, path, clock, migrations)
        try:
            connection = await asyncio.wrap_future(opening)
        except BaseException:
            # When the wait was cancelled, a connection may still come of it that then belongs to nobody.
            worker.submit(_drop, opening)
            worker.shutdown(wait=False)
            raise
        return cls(worker, connection)

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns; it runs on the store's thread in one transaction, taken back if it raises."""
        if self._closing is not None:
            raise StoreError("The database is already closed.")
        return await asyncio.shield(asyncio.wrap_future(self._worker.submit(self._transaction, work)))

    async def aclose(self) -> None:
        """Closes the file after the work already given; later work is refused."""
        if self._closing is None:
            self._closing = self._worker.submit(self._connection.close)
            self._worker.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(self._closing))

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._connection
        try:
            # IMMEDIATE: a transaction that begins by reading and then has to wait for a writer would fail at once.
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            # Logged here, because nobody may be waiting any more.
            _log.warning("Work on the database failed", exc_info=True)
            raise _in_words(error) from error
        return result


def _open(path: Path, clock: Clock, migrations: Sequence[Migration]) -> sqlite3.Connection:
    try:
        return open_store(path, clock, migrations)
    except sqlite3.Error as error:
        raise _in_words(error, path) from error


def _drop(opening: Future[sqlite3.Connection]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def _in_words(error: sqlite3.Error, path: Path | None = None) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    what, advice = _TROUBLES.get(code, (f"The database could not do what was asked ({error}).", "Please report this."))
    if path is None:
        return StoreError(what, advice)
    kind = NotOurStore if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB} else StoreError
    return kind(f"{what} It is {path}.", advice)
