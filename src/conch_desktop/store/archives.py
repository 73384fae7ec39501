"""Whole chats out of the database and into it: each as it is taken along in a file (`domain.archive`)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Literal, TypeAlias

from conch_desktop.domain.archive import ArchivedChat
from conch_desktop.store.attachments import put_draft, read_draft
from conch_desktop.store.chat_options import put_options, read_options
from conch_desktop.store.chats import put_chat, read_chat
from conch_desktop.store.columns import from_column, to_column
from conch_desktop.store.database import Database
from conch_desktop.store.messages import put_message, read_messages

Outcome: TypeAlias = Literal["added", "there", "beside"]
"""What became of a chat that was brought: it is new; it was there already; another version of it was there, and this
one stands beside that."""


class Archives:
    """Takes chats out and brings them back."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ids(self) -> list[str]:
        """The chats that are not deleted, in the order they were made in."""

        def work(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute("SELECT id FROM chats WHERE deleted IS NULL ORDER BY created, number")
            return [from_column(row[0]) for row in rows]

        return await self._database.run(work)

    async def read(self, chat_id: str) -> ArchivedChat | None:
        """A whole chat; None when it is gone."""

        def work(connection: sqlite3.Connection) -> ArchivedChat | None:
            found = read_chat(connection, chat_id)
            if found is None:
                return None
            number, chat = found
            messages, attached = read_messages(connection, number), read_draft(connection, number)
            return ArchivedChat(chat, tuple(messages), read_options(connection, chat_id), tuple(attached))

        return await self._database.run(work)

    async def add(self, chats: Sequence[ArchivedChat]) -> list[Outcome]:
        """Brings chats back, all or none. One that is there already is left as it is."""
        return await self._database.run(lambda connection: [_add(connection, chat) for chat in chats])


def _add(connection: sqlite3.Connection, archived: ArchivedChat) -> Outcome:
    """Adds a chat, unless it is there. One that the person deleted comes back."""
    if _is_there(connection, archived):
        return "there"
    if _number(connection, archived.chat.id) is None:
        _insert(connection, archived)
        return "added"
    beside = archived.beside()
    if _is_there(connection, beside):
        return "there"
    _insert(connection, beside)
    return "beside"


def _is_there(connection: sqlite3.Connection, archived: ArchivedChat) -> bool:
    number = _number(connection, archived.chat.id)
    if number is None or not archived.is_part_of(tuple(read_messages(connection, number))):
        return False
    connection.execute("UPDATE chats SET deleted = NULL WHERE number = ?", (number,))
    return True


def _number(connection: sqlite3.Connection, chat_id: str) -> int | None:
    """The chat's number in the database, deleted or not."""
    found = connection.execute("SELECT number FROM chats WHERE id = ?", (to_column(chat_id),)).fetchone()
    return None if found is None else int(found[0])


def _insert(connection: sqlite3.Connection, archived: ArchivedChat) -> None:
    number = put_chat(connection, archived.chat)
    for message in archived.messages:
        put_message(connection, number, message, None)
    put_options(connection, archived.chat.id, archived.options)
    put_draft(connection, number, archived.attached)
