"""What wires keep of chats in the database: a text for each chat, provider and address, which nobody else reads."""

from __future__ import annotations

import sqlite3

from conch_desktop.store.columns import Column, from_column, to_column
from conch_desktop.store.database import Database


class WireStates:
    """What wires keep of chats. It goes with the chat and with the provider."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, chat: str, provider: str, endpoint: str) -> str:
        """What was kept, "" when nothing was."""

        def work(connection: sqlite3.Connection) -> str:
            row = connection.execute(
                """
                SELECT value FROM wire_state JOIN chats ON chats.number = wire_state.chat
                WHERE chats.id = ? AND provider = ? AND endpoint = ?
                """,
                _key(chat, provider, endpoint),
            ).fetchone()
            return "" if row is None else from_column(row[0])

        return await self._database.run(work)

    async def write(self, chat: str, provider: str, endpoint: str, value: str) -> None:
        """Keeps a text in place of the one before; "" removes it. Nothing is kept of a chat that is not there."""

        def work(connection: sqlite3.Connection) -> None:
            key = _key(chat, provider, endpoint)
            connection.execute(
                """
                DELETE FROM wire_state
                WHERE chat = (SELECT number FROM chats WHERE id = ?) AND provider = ? AND endpoint = ?
                """,
                key,
            )
            if value:
                connection.execute(
                    """
                    INSERT INTO wire_state (chat, provider, endpoint, value)
                    SELECT number, ?2, ?3, ?4 FROM chats WHERE id = ?1
                    """,
                    (*key, to_column(value)),
                )

        await self._database.run(work)

    async def forget(self, provider: str) -> None:
        """Removes all that was kept with a provider: its key may now be another account's."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM wire_state WHERE provider = ?", (to_column(provider),))

        await self._database.run(work)


def _key(*names: str) -> tuple[Column, ...]:
    return tuple(map(to_column, names))
