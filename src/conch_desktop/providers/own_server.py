"""What a server of one's own says of its models: llama.cpp by `/props`, Ollama by its own API, others in their list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx

from conch_desktop.domain.models import Model
from conch_desktop.providers import ollama_facts
from conch_desktop.providers.asking import Asked, UnansweredError, ask_json
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.facts import Facts, Listed
from conch_desktop.providers.openai_models import Listing, Props, fingerprint, read_props

T = TypeVar("T")

_FRESH, _REST = 60.0, 3.0
"""Seconds an answer is good for, and between two tries: such a server may be started anew with another model."""
_LOADED_FRESH = 5.0
"""Ollama loads a model with the first request, so this changes as soon as a person speaks with it."""


class OwnServer(Listed):
    """A server of one's own: what it is tells its list, and llama.cpp and Ollama can be asked for more."""

    def __init__(
        self, connection: Connection, base: str, provider: str, clock: Callable[[], float], *, ollama: bool = False
    ) -> None:
        super().__init__(connection, base, provider, clock)
        self._clock = clock
        self._root = base.removesuffix("/v1")
        self._is_ollama = ollama
        self._list = self._asked(self._ask_list)
        self._props: dict[str, Asked[Props]] = {}
        self._shown: dict[str, Asked[ollama_facts.Shown]] = {}
        self._digests = self._asked(self._ask_digests)
        self._running = self._asked(self._ask_running, _LOADED_FRESH)

    async def facts(self, model: Model) -> Facts:
        """What llama.cpp says of its template, Ollama of the model, another server in its list."""
        if await self.is_llama():
            props = await self._props_of(model.name)
            return Facts(props.tools, props.window)
        if self._ollama:
            shown, loaded = await self._told_of(model.name)
            return Facts(shown.tools, ollama_facts.served_window(shown, loaded))
        return await super().facts(model)

    async def fingerprint(self, model: Model) -> str:
        """Ollama's digest; llama.cpp's file, size and build; another server's entry in its list."""
        if await self.is_llama():
            props, listing = await self._props_of(model.name), self._list.known or Listing()
            return fingerprint(props.model, listing.prints.get(model.name, ""))
        if self._ollama:
            return fingerprint(ollama_facts.of_name(await self._digests.answer() or {}, model.name))
        return await super().fingerprint(model)

    @property
    def llama(self) -> bool:
        """What it said in passing, or in its list."""
        return self._llama or bool(self._list.known and self._list.known.llama)

    async def is_llama(self) -> bool:
        """Is it a llama.cpp server? Its list tells."""
        if not (self.llama or self._is_ollama):
            await self._list.answer()
        return self.llama

    async def aclose(self) -> None:
        """Ends the questions that are under way, and closes the connections."""
        await super().aclose()
        asked: list[Asked[Any]] = [*self._props.values(), *self._shown.values(), self._digests, self._running]
        for each in asked:
            await each.aclose()

    @property
    def _ollama(self) -> bool:
        listing = self._list.known
        return self._is_ollama or bool(listing and listing.ollama)

    def _asked(self, ask: Callable[[], Awaitable[T]], fresh: float = _FRESH) -> Asked[T]:
        return Asked(ask, fresh=fresh, rest=_REST, clock=self._clock)

    async def _props_of(self, name: str) -> Props:
        several = len((self._list.known or Listing()).models) > 1
        url = httpx.URL(f"{self._root}/props")
        place = str(url.copy_merge_params({"model": name}) if several else url)

        async def ask() -> Props:
            try:
                return read_props(await ask_json(self._connection, place))
            except UnansweredError as error:
                if error.status in (404, 405, 501):
                    return Props()
                raise

        return await self._props.setdefault(place, self._asked(ask)).answer() or Props()

    async def _told_of(self, name: str) -> tuple[ollama_facts.Shown, int | None]:
        """What Ollama says of a model, and the window it is loaded with; None when it is not."""
        shown, running = await asyncio.gather(self._shown_of(name), self._running.answer())
        return shown, ollama_facts.of_name(running or {}, name)

    async def _shown_of(self, name: str) -> ollama_facts.Shown:
        async def ask() -> ollama_facts.Shown:
            try:
                return ollama_facts.read_shown(
                    await ask_json(self._connection, f"{self._root}/api/show", {"model": name})
                )
            except UnansweredError as error:
                if error.status in (404, 405):
                    return ollama_facts.Shown()
                raise

        return await self._shown.setdefault(name, self._asked(ask)).answer() or ollama_facts.Shown()

    async def _ask_digests(self) -> dict[str, str]:
        return ollama_facts.read_digests(await ask_json(self._connection, f"{self._root}/api/tags"))

    async def _ask_running(self) -> dict[str, int]:
        return ollama_facts.read_running(await ask_json(self._connection, f"{self._root}/api/ps"))
