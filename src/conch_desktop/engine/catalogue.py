"""The models of all providers, from what their wires list and what was kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ConchError, ProviderError
from conch_desktop.domain.messages import Failure
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.wire import Wire

LIST_LIMIT = 20.0
"""Seconds a provider has to list its models."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All models, in the order of the providers.

    `failures` say why a provider could not be asked (by its id); its models are then those of the last list that was
    read. `read_at` tells when each list was read, in seconds since 1970.
    """

    models: Sequence[Model] = ()
    failures: Mapping[str, Failure] = field(default_factory=dict)
    read_at: Mapping[str, float] = field(default_factory=dict)


class ModelBook(Protocol):
    """Where lists of models are kept."""

    async def save_models(self, provider_id: str, models: Sequence[Model], at: float) -> None: ...

    async def saved_models(self, provider_id: str) -> Sequence[Model]: ...

    async def models_saved_at(self, provider_id: str) -> float | None: ...


class ModelCache:
    """A book of models that reads each list once: a turn must not wait for what has not changed."""

    def __init__(self, book: ModelBook) -> None:
        self._book = book
        self._lists: dict[str, Sequence[Model]] = {}
        self._read_at: dict[str, float | None] = {}

    async def save_models(self, provider_id: str, models: Sequence[Model], at: float) -> None:
        """Keeps a new list."""
        self._lists[provider_id], self._read_at[provider_id] = models, at
        await self._book.save_models(provider_id, models, at)

    async def saved_models(self, provider_id: str) -> Sequence[Model]:
        """What was kept last."""
        if provider_id not in self._lists:
            self._lists[provider_id] = await self._book.saved_models(provider_id)
        return self._lists[provider_id]

    async def models_saved_at(self, provider_id: str) -> float | None:
        """When that was, in seconds since 1970; None when nothing was kept."""
        if provider_id not in self._read_at:
            self._read_at[provider_id] = await self._book.models_saved_at(provider_id)
        return self._read_at[provider_id]


async def read_catalogue(
    providers: Sequence[Provider],
    wire_of: Callable[[Provider], Awaitable[Wire]],
    book: ModelBook,
    clock: Clock,
    *,
    refresh: bool,
) -> Catalogue:
    """What is kept of every provider's list; with `refresh`, each is asked anew, all at once."""

    async def one(provider: Provider) -> tuple[Sequence[Model], Failure | None]:
        if not refresh and provider.kind != "local":
            return await book.saved_models(provider.id), None
        try:
            async with asyncio.timeout(LIST_LIMIT):
                models = await (await wire_of(provider)).list_models()
        except (ConchError, TimeoutError) as error:
            return await book.saved_models(provider.id), _failure(provider, error)
        await book.save_models(provider.id, models, clock.now())
        return models, None

    lists = await asyncio.gather(*(one(provider) for provider in providers))
    failures = {provider.id: why for provider, (_, why) in zip(providers, lists, strict=True) if why is not None}
    ages = {provider.id: await book.models_saved_at(provider.id) for provider in providers}
    read_at = {provider_id: at for provider_id, at in ages.items() if at is not None}
    return Catalogue([model for models, _ in lists for model in models], failures, read_at)


def _failure(provider: Provider, error: ConchError | TimeoutError) -> Failure:
    if isinstance(error, ConchError):
        return Failure(error.kind if isinstance(error, ProviderError) else "", error.what, error.advice)
    return Failure("network", f"{provider.name} did not list its models in {LIST_LIMIT:.0f} s.", "Try again later.")
