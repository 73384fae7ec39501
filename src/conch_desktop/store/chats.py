"""Chats and their messages in the database, and the search over them."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.messages import Attached, Chat, Message, Outline
from conch_desktop.store.attachments import put_draft, read_draft
from conch_desktop.store.columns import Column, from_column, to_column
from conch_desktop.store.database import Database
from conch_desktop.store.messages import (
    Row,
    end_streaming,
    number_of,
    put_message,
    read_between,
    read_messages,
    read_outline,
)
from conch_desktop.store.search import all_of, index_chat, readable

_CHAT = "chats.id, chats.title, chats.model, chats.pinned, chats.created, chats.updated, chats.draft"

_FIND_CHATS = f"""
    SELECT {_CHAT}, '', '', '', snippet(chat_words, 0, '', '', '…', 24)
    FROM chat_words JOIN chats ON chats.number = chat_words.rowid
    WHERE chat_words MATCH ?1 AND chats.deleted IS NULL ORDER BY rank, chats.updated DESC LIMIT ?2
"""
# Snippets are made for the best only; in one plain query SQLite makes them for every hit before it sorts.
_FIND_MESSAGES = f"""
    WITH best AS MATERIALIZED (
        SELECT messages.number, messages.chat, messages.id, messages.role, messages.author, rank AS score
        FROM message_words JOIN messages ON messages.number = message_words.rowid
        JOIN chats ON chats.number = messages.chat
        WHERE message_words MATCH ?1 AND chats.deleted IS NULL ORDER BY score, messages.number DESC LIMIT ?2
    )
    SELECT {_CHAT}, best.role, best.author, best.id, (
        SELECT snippet(message_words, 0, '', '', '…', 40)
        FROM message_words WHERE message_words MATCH ?1 AND rowid = best.number
    )
    FROM best JOIN chats ON chats.number = best.chat ORDER BY score, best.number DESC
"""


@dataclass(frozen=True, slots=True)
class Found:
    """A place where the words were found: a message, or the chat's title when `message` is "".

    `role` and `author` are those of the message.
    """

    chat: Chat
    message: str
    snippet: str
    role: str = ""
    author: str = ""


class Chats:
    """The chats of a person."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(self, *, model: str = "", title: str = "") -> Chat:
        """A new chat, already kept."""
        now = self._clock.now()
        chat = Chat(id=uuid.uuid4().hex, title=title, model=model, created=now, updated=now)

        await self._database.run(lambda connection: put_chat(connection, chat))
        return chat

    async def listing(self) -> list[Chat]:
        """The chats that are not deleted: pinned ones first, then by when the person last wrote in them."""

        def work(connection: sqlite3.Connection) -> list[Chat]:
            rows = connection.execute(
                f"SELECT {_CHAT} FROM chats WHERE deleted IS NULL ORDER BY pinned DESC, updated DESC, number DESC"
            )
            return [_chat(row) for row in rows]

        return await self._database.run(work)

    async def get(self, chat_id: str) -> Chat | None:
        """The chat; None when there is none or it is deleted."""

        def work(connection: sqlite3.Connection) -> Chat | None:
            found = read_chat(connection, chat_id)
            return None if found is None else found[1]

        return await self._database.run(work)

    async def rename(self, chat_id: str, title: str) -> None:
        """Gives the chat a title."""

        def work(connection: sqlite3.Connection) -> None:
            number = _number(connection, chat_id)
            connection.execute("UPDATE chats SET title = ? WHERE number = ?", (to_column(title), number))
            index_chat(connection, number, title)

        await self._database.run(work)

    async def choose_model(self, chat_id: str, model: str) -> None:
        """Sets the model of the chat."""
        await self._set("model", chat_id, to_column(model))

    async def save_draft(self, chat_id: str, text: str) -> None:
        """Keeps what is typed but not sent."""
        await self._set("draft", chat_id, to_column(text))

    async def save_attached(self, chat_id: str, attached: Sequence[Attached]) -> None:
        """Keeps what is attached but not sent."""
        await self._database.run(lambda connection: put_draft(connection, _number(connection, chat_id), attached))

    async def draft_attached(self, chat_id: str) -> list[Attached]:
        """What is attached but not sent."""
        return await self._database.run(lambda connection: read_draft(connection, _number(connection, chat_id)))

    async def pin(self, chat_id: str, pinned: bool) -> None:
        """Keeps the chat at the top, or no longer."""
        await self._set("pinned", chat_id, int(pinned))

    async def delete(self, chat_id: str) -> None:
        """Takes the chat out of every list and search; `restore` brings it back until the next start."""
        await self._set("deleted", chat_id, self._clock.now())

    async def restore(self, chat_id: str) -> None:
        """Brings a deleted chat back."""
        await self._set("deleted", chat_id, None)

    async def delete_all(self) -> list[str]:
        """Takes every chat out of every list and search; which those were. `restore` brings each back."""
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute("UPDATE chats SET deleted = ? WHERE deleted IS NULL RETURNING id", (now,))
            return [from_column(row[0]) for row in rows.fetchall()]

        return await self._database.run(work)

    async def purge_deleted(self) -> None:
        """Forgets deleted chats for good."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM chats WHERE deleted IS NOT NULL")

        await self._database.run(work)

    async def messages(self, chat_id: str) -> list[Message]:
        """The messages of the chat in order, with all their parts."""

        def work(connection: sqlite3.Connection) -> list[Message]:
            return read_messages(connection, _number(connection, chat_id))

        return await self._database.run(work)

    async def outline(self, chat_id: str) -> list[Outline]:
        """The messages of the chat in order, without their texts; quick also in a long chat."""

        def work(connection: sqlite3.Connection) -> list[Outline]:
            return read_outline(connection, _number(connection, chat_id))

        return await self._database.run(work)

    async def messages_at(self, chat_id: str, first: str, last: str) -> list[Message]:
        """The messages of the chat from one to another, with all their parts; none when one of them is gone."""

        def work(connection: sqlite3.Connection) -> list[Message]:
            chat = _number(connection, chat_id)
            begin, end = number_of(connection, chat, first), number_of(connection, chat, last)
            return [] if begin is None or end is None else read_between(connection, chat, begin, end)

        return await self._database.run(work)

    async def put(self, chat_id: str, message: Message, *, written: Message | None = None) -> None:
        """Keeps a message, new or changed, also while it streams.

        `written` is the version of it that was written last: only what differs from it is touched. Without it the
        stored version is read to find out.
        """
        now = self._clock.now()

        def work(connection: sqlite3.Connection) -> None:
            chat = _number(connection, chat_id)
            if put_message(connection, chat, message, written) and message.role == "user":
                connection.execute("UPDATE chats SET updated = ? WHERE number = ?", (now, chat))

        await self._database.run(work)

    async def remove_from(self, chat_id: str, message_id: str) -> None:
        """Removes this message and all after it."""

        def work(connection: sqlite3.Connection) -> None:
            chat = _number(connection, chat_id)
            number = number_of(connection, chat, message_id)
            connection.execute("DELETE FROM messages WHERE chat = ? AND number >= ?", (chat, number))

        await self._database.run(work)

    async def mark_interrupted(self) -> int:
        """At start: ends what was streaming when the program ended. How many messages that were.

        Such a message becomes "interrupted". A call of it that ran is "unknown", one that did not is "stopped".
        """
        return await self._database.run(end_streaming)

    async def search(self, words: str, limit: int = 50) -> list[Found]:
        """Titles, messages and calls with all of the words, also as beginnings: titles first, best first."""
        query = all_of(words)
        if not query:
            return []

        def work(connection: sqlite3.Connection) -> list[Found]:
            rows: list[Row] = connection.execute(_FIND_CHATS, (query, limit)).fetchall()
            rows += connection.execute(_FIND_MESSAGES, (query, limit - len(rows))).fetchall()
            return [_found(row) for row in rows]

        return await self._database.run(work)

    async def _set(self, column: str, chat_id: str, value: Column | float | None) -> None:
        await self._database.run(_setting(column, chat_id, value))


def put_chat(connection: sqlite3.Connection, chat: Chat) -> int:
    """Inserts a new chat; its number in the database."""
    columns = (chat.id, chat.title, chat.model, chat.draft)
    chat_id, title, model, draft = map(to_column, columns)
    added = connection.execute(
        """
        INSERT INTO chats (id, title, model, pinned, created, updated, draft)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number
        """,
        (chat_id, title, model, int(chat.pinned), chat.created, chat.updated, draft),
    ).fetchone()
    index_chat(connection, added[0], chat.title)
    return int(added[0])


def read_chat(connection: sqlite3.Connection, chat_id: str) -> tuple[int, Chat] | None:
    """A chat with its number in the database; None when there is none or it is deleted."""
    row = connection.execute(
        f"SELECT chats.number, {_CHAT} FROM chats WHERE id = ? AND deleted IS NULL", (to_column(chat_id),)
    ).fetchone()
    return None if row is None else (int(row[0]), _chat(row[1:]))


def _setting(column: str, chat_id: str, value: Column | float | None) -> Callable[[sqlite3.Connection], None]:
    def work(connection: sqlite3.Connection) -> None:
        number = _number(connection, chat_id)
        connection.execute(f"UPDATE chats SET {column} = ? WHERE number = ?", (value, number))

    return work


def _number(connection: sqlite3.Connection, chat_id: str) -> int:
    """The chat's number in the database, deleted or not."""
    found = connection.execute("SELECT number FROM chats WHERE id = ?", (to_column(chat_id),)).fetchone()
    if found is None:
        raise StoreError("This chat is no longer there.", "Start a new one.")
    return int(found[0])


def _found(row: Row) -> Found:
    *chat, role, author, message, snippet = row
    return Found(
        _chat(tuple(chat)),
        from_column(message),
        readable(from_column(snippet)),
        from_column(role),
        from_column(author),
    )


def _chat(row: Row) -> Chat:
    chat_id, title, model, pinned, created, updated, draft = row
    return Chat(
        id=from_column(chat_id),
        title=from_column(title),
        model=from_column(model),
        pinned=bool(pinned),
        created=created,
        updated=updated,
        draft=from_column(draft),
    )
