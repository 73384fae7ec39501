"""The wire of Ollama's own API, which alone takes the window of a request, and tells thinking from text itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.models import Model
from conch_desktop.providers import refusals
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.facts import Facts, Listed
from conch_desktop.providers.http_wire import HttpWire, WireAnswer
from conch_desktop.providers.ollama_answer import OllamaAnswer
from conch_desktop.providers.ollama_child import OllamaChild
from conch_desktop.providers.ollama_facts import Shown, asked_window, read_tags
from conch_desktop.providers.ollama_request import build
from conch_desktop.providers.openai_models import Listing
from conch_desktop.providers.own_server import OwnServer
from conch_desktop.providers.sse import Body
from conch_desktop.providers.wire import Request

_AT_ONCE = 8
"""Models of a list that Ollama is asked about at the same time."""
IN_THE_CLOUD = "Runs in Ollama’s cloud, not on this computer."


class OllamaServer(OwnServer):
    """What Ollama says of its models, and the window each is asked to have."""

    def __init__(self, connection: Connection, base: str, provider: str, clock: Callable[[], float]) -> None:
        super().__init__(connection, f"{base}/v1", provider, clock, ollama=True)
        self._windows: dict[str, int] = {}

    async def facts(self, model: Model) -> Facts:
        """What it takes, and the window a chat gets."""
        shown = await self._shown_of(model.name)
        return Facts(shown.tools, await self.asked_window(model.name) or shown.window)

    async def asked_window(self, name: str) -> int | None:
        """The window to ask for in tokens: the same as long as the wire lives, or the model is loaded anew."""
        if name not in self._windows:
            shown, loaded = await self._told_of(name)
            window = asked_window(shown, loaded)
            if window is None or shown == Shown():  # it may yet be told
                return window
            self._windows[name] = window
        return self._windows[name]

    async def thinks(self, name: str) -> bool | None:
        """Can the model think?"""
        return (await self._shown_of(name)).thinks

    async def complete(self, listing: Listing) -> Listing:
        """The list with what Ollama says of each model, and without those that only embed."""
        gate = asyncio.Semaphore(_AT_ONCE)

        async def completed(model: Model) -> Model | None:
            async with gate:
                shown, facts = await self._shown_of(model.name), await self.facts(model)
            note = IN_THE_CLOUD if shown.remote else ""
            found = replace(model, tools=facts.tools, window=facts.window, pictures=shown.pictures, note=note)
            return found if shown.chats else None

        found = await asyncio.gather(*(completed(model) for model in listing.models))
        return replace(listing, models=tuple(model for model in found if model is not None))


class OllamaWire(HttpWire):
    """Speaks Ollama's own API with one server."""

    _server: OllamaServer
    _child: OllamaChild | None = None

    async def _revive(self) -> bool:
        self._child = self._child or OllamaChild(self._base)
        return await self._child.start()

    def _facts_from(self, connect: Callable[[Mapping[str, str]], Connection]) -> Listed:
        self._server = OllamaServer(connect(self._authorization()), self._base, self._provider.id, self._clock)
        return self._server

    async def _listing(self) -> Listing:
        return await self._fetched(f"{self._base}/api/tags", lambda value: read_tags(value, self._provider.id))

    def _url(self, request: Request | None) -> str:
        return f"{self._base}/api/chat"

    async def _body(self, request: Request) -> Mapping[str, Json]:
        name = request.model.name
        window = await self._server.asked_window(name)
        return build(request, window=window, thinks=await self._server.thinks(name))

    def _answer(self, tools: Sequence[str]) -> OllamaAnswer:
        return OllamaAnswer()

    async def _values(self, body: Body, first: str, answer: WireAnswer) -> AsyncGenerator[dict[str, Any], None]:
        """An object a line. Nothing follows the one that says it is the last, though the connection may stay open."""
        values = self._plain(body, answer) if first == "[" else self._lines(body)
        async with contextlib.aclosing(values) as found:
            async for value in found:
                yield value
                if answer.done:
                    return

    def _is_fault(self, value: Mapping[str, Any]) -> bool:
        """A line has a `message` that is no error's."""
        if isinstance(value.get("message"), dict) and "error" not in value:
            return False
        return refusals.is_fault(value)

    async def aclose(self) -> None:
        """Closes the connections, and ends the server if it was started here."""
        await super().aclose()
        if self._child is not None:
            await self._child.aclose()
