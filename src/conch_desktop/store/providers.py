"""Providers in the database as a person set them up, and the model lists last read from them. No keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.models import Model, Provider
from conch_desktop.store.columns import Column, from_column, from_json, to_column, to_json
from conch_desktop.store.database import Database

_COLUMNS = "id, kind, name, url, key_env, proxy, ca_file, headers, secret_headers"


class Providers:
    """The providers a person added."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> list[Provider]:
        """The providers in the order they were added."""

        def work(connection: sqlite3.Connection) -> list[Provider]:
            rows = connection.execute(f"SELECT {_COLUMNS} FROM providers ORDER BY number")
            return [_provider(row) for row in rows]

        return await self._database.run(work)

    async def add(self, provider: Provider) -> None:
        """Keeps a new provider."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                f"INSERT INTO providers ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _columns(provider)
            )

        await self._database.run(work)

    async def update(self, provider: Provider) -> None:
        """Changes the provider with the same id."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                f"UPDATE providers SET ({_COLUMNS}) = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) WHERE id = ?1",
                _columns(provider),
            ).rowcount
            if not changed:
                raise StoreError(f"The provider “{provider.name}” is no longer there.", "Add it again.")

        await self._database.run(work)

    async def remove(self, provider_id: str) -> None:
        """Removes a provider, its model list, what its models taught and what its wire kept of chats.

        Its key is in the key store, not here.
        """

        def work(connection: sqlite3.Connection) -> None:
            provider = (to_column(provider_id),)
            connection.execute("DELETE FROM lessons WHERE provider = ?", provider)
            connection.execute("DELETE FROM wire_state WHERE provider = ?", provider)
            connection.execute("DELETE FROM model_lists WHERE provider = ?", provider)
            connection.execute("DELETE FROM providers WHERE id = ?", provider)

        await self._database.run(work)

    async def save_models(self, provider_id: str, models: Sequence[Model], at: float) -> None:
        """Keeps a list as it was read, in place of the one before."""

        def work(connection: sqlite3.Connection) -> None:
            provider = to_column(provider_id)
            connection.execute("DELETE FROM model_lists WHERE provider = ?", (provider,))
            connection.execute("INSERT INTO model_lists (provider, saved) VALUES (?, ?)", (provider, at))
            connection.executemany(
                """
                INSERT INTO models (
                    provider, position, name, label, window, tools, pictures, note, price_in, price_out
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [(provider, position, *_model_columns(model)) for position, model in enumerate(models)],
            )

        await self._database.run(work)

    async def saved_models(self, provider_id: str) -> list[Model]:
        """The list that was kept last, in its order; empty when there is none."""

        def work(connection: sqlite3.Connection) -> list[Model]:
            rows = connection.execute(
                """
                SELECT name, label, window, tools, pictures, note, price_in, price_out
                FROM models WHERE provider = ? ORDER BY position
                """,
                (to_column(provider_id),),
            )
            return [
                Model(
                    provider=provider_id,
                    name=from_column(name),
                    label=from_column(label),
                    window=window,
                    tools=_known(tools),
                    pictures=_known(pictures),
                    note=from_column(note),
                    price_in=price_in,
                    price_out=price_out,
                )
                for name, label, window, tools, pictures, note, price_in, price_out in rows
            ]

        return await self._database.run(work)

    async def models_saved_at(self, provider_id: str) -> float | None:
        """When the list was kept, in seconds since 1970; None when there is none."""

        def work(connection: sqlite3.Connection) -> float | None:
            row = connection.execute(
                "SELECT saved FROM model_lists WHERE provider = ?", (to_column(provider_id),)
            ).fetchone()
            return None if row is None else float(row[0])

        return await self._database.run(work)


def _columns(provider: Provider) -> tuple[Column, ...]:
    texts = (
        provider.id,
        provider.kind,
        provider.name,
        provider.url,
        provider.key_env,
        provider.proxy,
        provider.ca_file,
    )
    lists: tuple[Json, ...] = ([[*pair] for pair in provider.headers], [*provider.secret_headers])
    return (*map(to_column, texts), *map(to_json, lists))


def _provider(row: Sequence[Column]) -> Provider:
    provider_id, kind, name, url, key_env, proxy, ca_file = map(from_column, row[:7])
    pairs, secret = map(from_json, row[7:])
    headers = tuple((str(header), str(value)) for header, value in pairs)
    return Provider(provider_id, kind, name, url, key_env, proxy, ca_file, headers, tuple(map(str, secret)))


def _model_columns(model: Model) -> tuple[Column | float | None, ...]:
    return (
        to_column(model.name),
        to_column(model.label),
        model.window,
        model.tools,
        model.pictures,
        to_column(model.note),
        model.price_in,
        model.price_out,
    )


def _known(value: int | None) -> bool | None:
    return None if value is None else bool(value)
