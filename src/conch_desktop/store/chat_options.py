"""What a person set for single chats, in the database."""

from __future__ import annotations

import sqlite3

from conch_desktop.domain.options import ChatOptions
from conch_desktop.store.columns import from_column, to_column
from conch_desktop.store.database import Database


class ChatOptionsBook:
    """The options of each chat; they go with it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, chat: str) -> ChatOptions:
        """What was set for the chat."""
        return await self._database.run(lambda connection: read_options(connection, chat))

    async def set(self, chat: str, options: ChatOptions) -> None:
        """Keeps what is set now. Nothing is kept of a chat that is not there."""
        await self._database.run(lambda connection: put_options(connection, chat, options))


def read_options(connection: sqlite3.Connection, chat: str) -> ChatOptions:
    """What was set for the chat."""
    row = connection.execute(
        """
        SELECT system, temperature, max_tokens, effort, spend_limit
        FROM chat_options JOIN chats ON chats.number = chat_options.chat WHERE chats.id = ?
        """,
        (to_column(chat),),
    ).fetchone()
    if row is None:
        return ChatOptions()
    system, temperature, max_tokens, effort, limit = row
    return ChatOptions(from_column(system), temperature, max_tokens, from_column(effort), limit)


def put_options(connection: sqlite3.Connection, chat: str, options: ChatOptions) -> None:
    """Keeps what is set now, if the chat is there."""
    connection.execute(
        """
        INSERT OR REPLACE INTO chat_options (chat, system, temperature, max_tokens, effort, spend_limit)
        SELECT number, ?2, ?3, ?4, ?5, ?6 FROM chats WHERE id = ?1
        """,
        (
            to_column(chat),
            to_column(options.system),
            options.temperature,
            options.max_tokens,
            to_column(options.effort),
            options.spend_limit,
        ),
    )
