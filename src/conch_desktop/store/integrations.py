"""Integrations in the database: servers without their secrets, their tools as last seen, and what is switched off."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.integrations import Definition, Integration, PinnedTool
from conch_desktop.store.columns import Column, from_column, from_json, to_column, to_json
from conch_desktop.store.database import Database


class IntegrationRows:
    """The servers a person added."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> list[Integration]:
        """Every integration, in the order they were added."""

        def work(connection: sqlite3.Connection) -> list[Integration]:
            rows = connection.execute("SELECT id, definition, is_on FROM integrations ORDER BY number")
            return [Integration(from_column(i), _definition(from_json(d)), bool(on)) for i, d, on in rows]

        return await self._database.run(work)

    async def add(self, integration: Integration) -> None:
        """Keeps a new integration."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO integrations (id, definition, is_on) VALUES (?, ?, ?)", _columns(integration)
            )

        await self._database.run(work)

    async def update(self, integration: Integration) -> None:
        """Changes the integration with the same id."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE integrations SET (definition, is_on) = (?2, ?3) WHERE id = ?1", _columns(integration)
            ).rowcount
            if not changed:
                raise StoreError(f"The integration “{integration.name}” is no longer there.", "Add it again.")

        await self._database.run(work)

    async def remove(self, integration_id: str) -> None:
        """Removes an integration with what is remembered of its tools. Its secrets are in the key store, not here."""

        def work(connection: sqlite3.Connection) -> None:
            gone = (to_column(integration_id),)
            connection.execute("DELETE FROM integration_tools WHERE integration = ?", gone)
            connection.execute("DELETE FROM chat_switches WHERE integration = ?", gone)
            connection.execute("DELETE FROM integrations WHERE id = ?", gone)

        await self._database.run(work)

    # Tools ----------------------------------------------------------------------------------------------------------

    async def pinned(self, integration_id: str) -> dict[str, PinnedTool]:
        """What is remembered of the tools, by name."""

        def work(connection: sqlite3.Connection) -> dict[str, PinnedTool]:
            rows = connection.execute(
                "SELECT tool, digest, is_on, definition FROM integration_tools WHERE integration = ? ORDER BY tool",
                (to_column(integration_id),),
            )
            found = [
                PinnedTool(from_column(tool), from_column(digest), bool(on), from_column(definition))
                for tool, digest, on, definition in rows
            ]
            return {tool.tool: tool for tool in found}

        return await self._database.run(work)

    async def pin(self, integration_id: str, tools: Iterable[PinnedTool]) -> None:
        """Remembers exactly these tools."""
        rows = [
            (to_column(integration_id), to_column(t.tool), to_column(t.digest), t.is_on, to_column(t.definition))
            for t in tools
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM integration_tools WHERE integration = ?", (to_column(integration_id),))
            connection.executemany(
                "INSERT INTO integration_tools (integration, tool, digest, is_on, definition) VALUES (?, ?, ?, ?, ?)",
                rows,
            )

        await self._database.run(work)

    # Switches of one chat -------------------------------------------------------------------------------------------

    async def switches(self, chat_id: str) -> dict[tuple[str, str], bool]:
        """What a chat switches on or off for itself, by integration and tool ("" is the whole integration)."""

        def work(connection: sqlite3.Connection) -> dict[tuple[str, str], bool]:
            rows = connection.execute(
                "SELECT integration, tool, is_on FROM chat_switches"
                " JOIN chats ON chats.number = chat_switches.chat WHERE chats.id = ?",
                (to_column(chat_id),),
            )
            return {(from_column(integration), from_column(tool)): bool(on) for integration, tool, on in rows}

        return await self._database.run(work)

    async def switch(self, chat_id: str, integration_id: str, tool: str, is_on: bool | None) -> None:
        """Switches for one chat; None leaves it to the integration's own switch again."""

        def work(connection: sqlite3.Connection) -> None:
            key = (to_column(chat_id), to_column(integration_id), to_column(tool))
            connection.execute(
                "DELETE FROM chat_switches WHERE chat = (SELECT number FROM chats WHERE id = ?)"
                " AND integration = ? AND tool = ?",
                key,
            )
            if is_on is not None:
                connection.execute(
                    "INSERT INTO chat_switches (chat, integration, tool, is_on)"
                    " SELECT number, ?2, ?3, ?4 FROM chats WHERE id = ?1",
                    (*key, is_on),
                )

        await self._database.run(work)


def _columns(integration: Integration) -> tuple[Column, Column, bool]:
    written = {**asdict(integration.definition), "secrets": sorted(integration.definition.secrets)}
    return to_column(integration.id), to_json(written), integration.is_on


def _definition(value: Json) -> Definition:
    return Definition(**{**value, "args": tuple(value["args"]), "secrets": frozenset(value["secrets"])})
