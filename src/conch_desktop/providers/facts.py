"""What providers say of their models, each in its own way: whether they take tools, their window, and who they are.

Where a provider says nothing a fact is unknown, and unknown counts as able: a model that then refuses tools teaches it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

import httpx

from conch_desktop.domain.models import Model
from conch_desktop.providers import gemini_facts
from conch_desktop.providers.asking import Asked, UnansweredError, ask_json
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.openai_models import Listing, read_listing

_LIST_FRESH, _LIST_REST = 1800.0, 300.0
"""Seconds a provider's list is good for, and between two tries to read it on the side."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a model; None where nobody says."""

    tools: bool | None = None
    window: int | None = None


class Listed:
    """A provider that says all it does in its list of models. The list is asked for only where there is no other way.

    Nothing in it raises, and nothing takes longer than `WAIT`.
    """

    def __init__(self, connection: Connection, base: str, provider: str, clock: Callable[[], float]) -> None:
        self._connection = connection
        self._base = base
        self._provider = provider
        self._llama = False
        self._list: Asked[Listing] = Asked(self._ask_list, fresh=_LIST_FRESH, rest=_LIST_REST, clock=clock)

    async def facts(self, model: Model) -> Facts:
        """What the list says, if it has been read."""
        listed = self._list.known.find(model.name) if self._list.known else None
        return Facts(listed.tools, listed.window) if listed else Facts()

    async def fingerprint(self, model: Model) -> str:
        """The entry of the list."""
        listing = await self._list.answer()
        return listing.prints.get(model.name, "") if listing else ""

    async def upstream(self, model: Model, name: str) -> str:
        """How a request asks for the one that answered under this name; "" where it can't."""
        return ""

    @property
    def llama(self) -> bool:
        """Has it shown itself to be a llama.cpp server?"""
        return self._llama

    async def is_llama(self) -> bool:
        """Is it a llama.cpp server? Only a server of one's own is asked."""
        return self.llama

    def notice(self, response: httpx.Response) -> None:
        """llama.cpp names itself in every answer."""
        if response.headers.get("server", "").startswith("llama.cpp"):
            self._llama = True

    async def complete(self, listing: Listing) -> Listing:
        """The list as it is."""
        self._list.tell(listing)
        return listing

    async def aclose(self) -> None:
        """Ends the questions that are under way, and closes the connections."""
        await self._list.aclose()
        await self._connection.aclose()

    async def _ask_list(self) -> Listing:
        """The list of models; an empty one where there is none."""
        try:
            value = await ask_json(self._connection, f"{self._base}/models", notice=self.notice)
        except UnansweredError as error:
            if 300 <= error.status < 500:
                return Listing()
            raise
        return read_listing(value, self._provider) or Listing()


class OpenRouter(Listed):
    """OpenRouter's whole catalogue: what the account's own list says, and the public one, which needs no key."""

    def __init__(
        self, connection: Connection, base: str, provider: str, clock: Callable[[], float], public: Connection
    ) -> None:
        super().__init__(connection, base, provider, clock)
        self._public = public
        self._clock = clock
        self._servers: dict[str, Asked[Mapping[str, str]]] = {}

    async def upstream(self, model: Model, name: str) -> str:
        """Answers carry a name in words ("Google AI Studio"), requests want the tag that stands beside it in the list
        of the model's endpoints (openrouter.ai, "List all endpoints for a model")."""
        asked = _bare(model.name)
        servers = self._servers.get(asked)
        if servers is None:
            ask = functools.partial(self._ask_servers, asked)
            servers = self._servers[asked] = Asked(ask, fresh=_LIST_FRESH, rest=_LIST_REST, clock=self._clock)
        return (await servers.answer() or {}).get(name, "")

    async def facts(self, model: Model) -> Facts:
        """The catalogue's entry. A model it does not have is looked up in the public one."""
        listed = _entry(await self._list.answer(lambda known: _entry(known, model.name) is not None), model.name)
        return Facts(listed.tools, listed.window) if listed else Facts()

    async def fingerprint(self, model: Model) -> str:
        """The catalogue's entry in short."""
        listing = await self._list.answer(lambda known: _entry(known, model.name) is not None)
        listed = _entry(listing, model.name)
        return listing.prints.get(listed.name, "") if listing and listed else ""

    async def complete(self, listing: Listing) -> Listing:
        """The account's list says only what the account may use; what else is known is kept beside."""
        self._list.tell(self._over(listing))
        return listing

    async def aclose(self) -> None:
        """Ends the questions that are under way, and closes the connections."""
        await super().aclose()
        for servers in self._servers.values():
            await servers.aclose()
        await self._public.aclose()

    async def _ask_servers(self, name: str) -> Mapping[str, str]:
        """The tag of each of those who serve a model, without its ending: "deepinfra/turbo" is one way of a server."""
        value = await ask_json(self._connection, f"{self._base}/models/{quote(name, safe='/:')}/endpoints")
        data = value.get("data") if isinstance(value, dict) else None
        rows = data.get("endpoints") if isinstance(data, dict) else None
        found: dict[str, str] = {}
        for row in rows if isinstance(rows, list) else ():
            server, tag = (row.get("provider_name"), row.get("tag")) if isinstance(row, dict) else (None, None)
            if isinstance(server, str) and isinstance(tag, str) and tag:
                found.setdefault(server, tag.split("/")[0])
        if not found:
            raise UnansweredError
        return found

    async def _ask_list(self) -> Listing:
        listing = read_listing(await ask_json(self._public, f"{self._base}/models"), self._provider)
        if listing is None or not listing.models:
            raise UnansweredError
        return self._over(listing)

    def _over(self, listing: Listing) -> Listing:
        """A list laid over what was known."""
        old = self._list.known or Listing()
        models = {model.name: model for model in (*old.models, *listing.models)}
        return replace(listing, models=tuple(models.values()), prints={**old.prints, **listing.prints})


_ROUTES = ("nitro", "floor", "online", "exacto")
"""Endings of an OpenRouter model's name that only choose among those who serve it."""


def _entry(listing: Listing | None, name: str) -> Model | None:
    if listing is None:
        return None
    return listing.find(name) or listing.find(_bare(name))


def _bare(name: str) -> str:
    plain, _, ending = name.rpartition(":")
    return plain if ending in _ROUTES else name


class Gemini(Listed):
    """Gemini's OpenAI endpoint, and beside it Google's own list at the same host, which knows windows.

    Neither says whether a model takes tools.
    """

    def __init__(
        self, connection: Connection, base: str, provider: str, clock: Callable[[], float], native: Connection
    ) -> None:
        super().__init__(connection, base, provider, clock)
        self._native = native
        self._rows: Asked[dict[str, gemini_facts.Row]] = Asked(
            self._ask_rows, fresh=_LIST_FRESH, rest=_LIST_REST, clock=clock
        )

    async def facts(self, model: Model) -> Facts:
        """The window."""
        row = (await self._rows.answer() or {}).get(gemini_facts.bare(model.name))
        return Facts(window=row.window) if row else Facts()

    async def fingerprint(self, model: Model) -> str:
        """The row in short."""
        return gemini_facts.print_of(await self._rows.answer() or {}, model)

    async def complete(self, listing: Listing) -> Listing:
        """The list with windows and labels, and without what only embeds, draws or speaks."""
        return await super().complete(gemini_facts.merged(listing, await self._rows.answer() or {}))

    async def aclose(self) -> None:
        """Ends the questions that are under way, and closes the connections."""
        await super().aclose()
        await self._rows.aclose()
        await self._native.aclose()

    async def _ask_rows(self) -> dict[str, gemini_facts.Row]:
        url = f"{self._base.removesuffix('/openai')}/models?pageSize=1000"
        rows = gemini_facts.read_rows(await ask_json(self._native, url))
        if not rows:
            raise UnansweredError
        return rows
