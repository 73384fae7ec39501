"""Providers in the database as a person set them up, and the model lists last read from them. No keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.models import Model, Provider
from conch_desktop.store.columns import Column, from_column, to_column
from conch_desktop.store.database import Database


class Providers:
    """The providers a person added."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> list[Provider]:
        """The providers in the order they were added."""

        def work(connection: sqlite3.Connection) -> list[Provider]:
            rows = connection.execute("SELECT id, kind, name, url, key_env FROM providers ORDER BY number")
            return [Provider(*map(from_column, row)) for row in rows]

        return await self._database.run(work)

    async def add(self, provider: Provider) -> None:
        """Keeps a new provider."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO providers (id, kind, name, url, key_env) VALUES (?, ?, ?, ?, ?)", _columns(provider)
            )

        await self._database.run(work)

    async def update(self, provider: Provider) -> None:
        """Changes the provider with the same id."""

        def work(connection: sqlite3.Connection) -> None:
            changed = connection.execute(
                "UPDATE providers SET (kind, name, url, key_env) = (?2, ?3, ?4, ?5) WHERE id = ?1", _columns(provider)
            ).rowcount
            if not changed:
                raise StoreError(f"The provider “{provider.name}” is no longer there.", "Add it again.")

        await self._database.run(work)

    async def remove(self, provider_id: str) -> None:
        """Removes a provider, its model list and what its models taught. Its key is in the key store, not here."""

        def work(connection: sqlite3.Connection) -> None:
            provider = (to_column(provider_id),)
            connection.execute("DELETE FROM lessons WHERE provider = ?", provider)
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
    return tuple(map(to_column, (provider.id, provider.kind, provider.name, provider.url, provider.key_env)))


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
