"""What every wire over HTTP needs: the connection, an answer that never raises, refusals, lists of models and facts.

A wire of its own says where and how it asks (`_authorization`, `_url`, `_body`), what it makes of the bytes (`_values`,
`_answer`) and how its list is read (`_listing`). Everything a subclass may put its own in the place of stands in the
section "what a wire says of itself".
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.events import Finish, Refusal, WireEvent
from conch_desktop.domain.models import Family, Model, Provider
from conch_desktop.providers import refusals
from conch_desktop.providers.asking import WAIT
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.facts import Facts, Listed
from conch_desktop.providers.openai_models import Listing, read_listing
from conch_desktop.providers.refusing import ERROR_BYTES, Refusing
from conch_desktop.providers.registry import Kind, base_url, family_of
from conch_desktop.providers.sources import source_of
from conch_desktop.providers.sse import DONE, Body, values
from conch_desktop.providers.texts import whole_characters
from conch_desktop.providers.wire import Request
from conch_desktop.providers.wire_answer import WireAnswer

__all__ = ["LIST_SECONDS", "PLAIN_BYTES", "HttpWire", "WireAnswer"]

T = TypeVar("T")

_log = logging.getLogger(__name__)

LIST_SECONDS = 30.0
"""The longest a list of models may take."""
PLAIN_BYTES = 32 * 1024 * 1024
"""The most that is read of a body that is no stream."""


class HttpWire(Refusing):
    """Speaks with one provider.

    Timeouts are in seconds: `read_timeout` is the longest silence between two bytes, `patience` the longest time in
    which nothing of an answer comes, whatever else does (by default twice as long).
    """

    def __init__(
        self,
        *,
        provider: Provider,
        kind: Kind,
        key: str | None,
        transport: httpx.AsyncBaseTransport | None = None,
        connect_timeout: float = 10.0,
        read_timeout: float = 300.0,
        patience: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(provider, key)
        self._kind = kind
        self._base = self._based(base_url(provider))
        self._host = (urlsplit(self._base).hostname or "").lower()
        self._clock = clock
        self._patience = 2 * read_timeout if patience is None else patience
        timeout = httpx.Timeout(read_timeout, connect=connect_timeout, pool=connect_timeout)

        def connect(headers: Mapping[str, str]) -> Connection:
            return Connection(
                name=provider.name,
                base=self._base,
                headers=headers,
                timeout=timeout,
                patience=self._patience,
                transport=transport,
                revive=self._revive,
                proxy=provider.proxy,
                ca_file=provider.ca_file,
                extra=provider.headers,
            )

        self._connection = connect({"Accept": "text/event-stream, application/json", **self._authorization()})
        self._source = self._facts_from(connect)

    # what a wire says of itself -------------------------------------------------------------------------------------

    def _based(self, base: str) -> str:
        """The address everything is put behind, from the one a person entered."""
        return base

    def _authorization(self) -> dict[str, str]:
        """The headers that say who asks."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    async def _revive(self) -> bool:
        """Brings up a server that does not answer, where it can. True: now it answers. Raises `ProviderError`."""
        return False

    def _facts_from(self, connect: Callable[[Mapping[str, str]], Connection]) -> Listed:
        """Where the facts of models come from. `connect` makes another connection to the provider, with headers."""
        return source_of(
            self._kind,
            base=self._base,
            host=self._host,
            provider=self._provider.id,
            key=self._key,
            connect=connect,
            clock=self._clock,
            authorization=self._authorization(),
        )

    async def _listing(self) -> Listing:
        """The list of models as it is read. Raises `ProviderError`."""
        return await self._listing_at(f"{self._base}/models")

    def _url(self, request: Request | None) -> str:
        """Where a request goes; None for the words of a refusal whose request is not known."""
        raise NotImplementedError

    async def _body(self, request: Request) -> Mapping[str, Json]:
        """What is sent. Tools, if there are any, stand under `tools`."""
        raise NotImplementedError

    def _answer(self, tools: Sequence[str]) -> WireAnswer:
        """A new answer. `tools` are the names that were offered."""
        raise NotImplementedError

    def _answer_to(self, request: Request, tools: Sequence[str]) -> WireAnswer:
        """A new answer to this request, for a wire that reads one by what was asked."""
        return self._answer(tools)

    def _values(self, body: Body, first: str, answer: WireAnswer) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of a body, whose first character is `first`. Server-sent events, or plain JSON instead."""
        return self._plain(body, answer) if first in "{[" else self._events(body, answer)

    def _is_fault(self, value: Mapping[str, Any]) -> bool:
        """Is an object of a stream an error?"""
        return refusals.is_fault(value)

    # what the provider has ------------------------------------------------------------------------------------------

    async def list_models(self) -> list[Model]:
        """The provider's models. Raises `ProviderError`."""
        return list((await self._source.complete(await self._listing())).models)

    def schema_family(self, model: Model) -> Family:
        """Which schema dialect the model takes."""
        return family_of(self._kind, model)

    async def tools_for(self, model: Model) -> bool | None:
        """Whether the model takes tools natively: what the provider says now, else what its list said."""
        tools = (await self._facts_of(model)).tools
        return model.tools if tools is None else tools

    async def takes_grammar(self, model: Model) -> bool:
        """Whether the server constrains an answer by GBNF: llama.cpp does."""
        return await self._soon(self._source.is_llama(), False)

    async def window_for(self, model: Model) -> int | None:
        """The context window in tokens; None when nobody says."""
        return (await self._facts_of(model)).window or model.window

    async def fingerprint(self, model: Model) -> str:
        """What tells that the model behind the name is still the same; "" when nothing tells."""
        return await self._soon(self._source.fingerprint(model), "")

    async def _facts_of(self, model: Model) -> Facts:
        return await self._soon(self._source.facts(model), Facts())

    async def _soon(self, answer: Awaitable[T], otherwise: T) -> T:
        """An answer if it comes soon enough for a turn to wait for it. The questions behind it go on."""
        try:
            async with asyncio.timeout(WAIT):
                return await answer
        except TimeoutError:
            return otherwise

    async def _listing_at(self, url: str, seconds: float = LIST_SECONDS) -> Listing:
        """The list of models at an address. Raises `ProviderError`."""
        return await self._fetched(url, lambda value: read_listing(value, self._provider.id), seconds)

    async def _fetched(self, url: str, read: Callable[[Any], T | None], seconds: float = LIST_SECONDS) -> T:
        """What `read` makes of the JSON at an address; None from it means that it is not what was asked for.

        Raises `ProviderError`.
        """
        status, headers, text = await self._get(url, seconds)
        if not 200 <= status < 300:
            raise self._error(self._classify(status, headers, text, "models", url))
        try:
            found = read(json.loads(text))
        except (ValueError, RecursionError):
            found = None
        if found is None:
            where = {"provider": self._provider.name, "url": url, "during": "models"}
            raise self._error(refusals.strange(headers=headers, body=text, **where))
        return found

    async def _get(self, url: str, seconds: float) -> tuple[int, httpx.Headers, str]:
        """Status, headers and text of an answer to GET. Raises `ProviderError` when there is none."""
        try:
            async with asyncio.timeout(seconds), self._connection.sent("GET", url) as response:
                self._source.notice(response)
                return response.status_code, response.headers, await Body(response).whole(PLAIN_BYTES)
        except httpx.HTTPError as error:
            raise self._error(self._transport_refusal(error, 0, url)) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise ProviderError("network", f"{refusals.shown(url)} is not an address.", "Check the address.") from error
        except TimeoutError as error:
            raise self._error(self._transport_refusal(httpx.ReadTimeout(""), 0, url)) from error

    # an answer ------------------------------------------------------------------------------------------------------

    async def stream(self, request: Request) -> AsyncGenerator[WireEvent, None]:
        """Sends the request and yields what comes back; the last event is a `Finish` or a `Refusal`."""
        url = self._url(request)
        event: WireEvent | None = None
        try:
            async with contextlib.aclosing(self._answered(request, url)) as events:
                async for event in events:
                    yield event
        except httpx.HTTPError as error:
            yield self._transport_refusal(error, 0, url)
        except ProviderError as error:
            yield Refusal("auth" if error.kind == "auth" else "network", "", error.what, error.advice)
        except Exception:
            _log.exception("The answer of %s could not be read.", self._provider.name)
            if not isinstance(event, (Finish, Refusal)):
                what = f"The answer of {self._provider.name} could not be read."
                yield Refusal("network", "", what, "Try again, or choose another model.")

    async def _answered(self, request: Request, url: str) -> AsyncGenerator[WireEvent, None]:
        """The events that come back for a request. It may raise what `stream` turns into a refusal."""
        body = await self._body(request)
        names = [tool.name for tool in request.tools] if "tools" in body else []
        async with (
            self._connection.sent("POST", url, encoded(body)) as response,
            contextlib.aclosing(self._reading(response, self._answer_to(request, names), names, url)) as events,
        ):
            async for event in events:
                yield event

    def read(self, response: httpx.Response, *, tools: Sequence[str] | None = None) -> AsyncGenerator[WireEvent, None]:
        """Yields the events of a response. `tools` are the names that were offered, None when nobody knows.

        They help to read broken names, and where none were offered no refusal is about tools.
        """
        return self._reading(response, self._answer(tools or ()), tools, self._url(None))

    async def _reading(
        self, response: httpx.Response, answer: WireAnswer, tools: Sequence[str] | None, url: str
    ) -> AsyncGenerator[WireEvent, None]:
        """The events of a response, also of one that breaks."""
        self._source.notice(response)
        try:
            async with contextlib.aclosing(self._read(response, answer, tools, url)) as events:
                async for event in events:
                    yield event
        except httpx.HTTPError as error:
            if answer.ended and not answer.failed:  # it broke after the end
                for event in answer.end():
                    yield event
                return
            for event in answer.broken():
                yield event
            yield self._broken(error, answer, url)

    async def _read(
        self, response: httpx.Response, answer: WireAnswer, tools: Sequence[str] | None, url: str
    ) -> AsyncGenerator[WireEvent, None]:
        body = Body(response, self._patience)
        refused: Refusal | None = None
        if not 200 <= response.status_code < 300:
            text = await self._error_text(body)
            yield self._classify(response.status_code, response.headers, text, url=url, tools=tools)
            return
        first = await body.first()
        if first == "<" or not first:
            text = await body.whole(ERROR_BYTES)
            refused = self._classify(response.status_code, response.headers, text, url=url)
        else:
            async with contextlib.aclosing(self._values(body, first, answer)) as found:
                async for value in found:
                    if self._is_fault(value):
                        refused = self._fault(response, answer, value, tools, url)
                        break
                    events = answer.take(value)
                    for event in events:
                        yield event
                    if events or (answer.ended and not body.over):
                        body.heard(over=answer.ended)
                    if answer.done:
                        body.leave()
            refused = refused or self._unended(response, answer, body, url)
        for event in answer.end() if refused is None else (*answer.broken(), refused):
            yield event

    async def _events(self, body: Body, answer: WireAnswer) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of a stream of events. Reads on after the end was told: usage comes later, and more may."""
        async with contextlib.aclosing(body.events()) as events:
            async for event in events:
                found = values(event.data)
                for value in itertools.chain.from_iterable(one if isinstance(one, list) else [one] for one in found):
                    if isinstance(value, dict):
                        yield {"error": value, **value} if event.event == "error" else value
                    elif value == DONE:
                        answer.done = True
                        body.leave()
                    elif event.event == "error":
                        yield {"error": str(value)}
                if event.event == "error" and not found:
                    yield {"error": event.data}

    async def _lines(self, body: Body) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of a stream that has one in each line (NDJSON), or of a body that is one over many lines."""
        begun, held, size = False, [], 0
        async with contextlib.aclosing(body.lines()) as lines:
            async for line in lines:
                found = [value for value in values(line) if isinstance(value, dict)]
                begun, size = begun or bool(found), size + len(line)
                if not begun and size < PLAIN_BYTES:
                    held.append(line)
                for value in found:
                    yield value
        for value in [] if begun else values("\n".join(held)):
            if isinstance(value, dict):
                yield value

    async def _plain(self, body: Body, answer: WireAnswer) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of a body that is no stream: one, a list of them, or one a line."""
        for value in values(await body.whole(PLAIN_BYTES)):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    yield each
        if answer.taken:
            answer.done = True  # one whole answer in the place of a stream

    def _unended(self, response: httpx.Response, answer: WireAnswer, body: Body, url: str) -> Refusal | None:
        """The refusal for an answer whose end was not told; None when it was."""
        if answer.failed:
            fault = {"error": {"message": "The answer ended with an error."}}
            return self._fault(response, answer, fault, [], url)
        if answer.ended:
            return None
        if answer.taken:
            return refusals.broken_off(
                provider=self._provider.name, characters=answer.characters, calling=answer.calling
            )
        strange = refusals.strange(
            headers=response.headers, body=body.beginning, during="", provider=self._provider.name, url=url
        )
        return self._masked(strange)

    # refusals -------------------------------------------------------------------------------------------------------

    def _fault(
        self,
        response: httpx.Response,
        answer: WireAnswer,
        value: dict[str, Any],
        tools: Sequence[str] | None,
        url: str,
    ) -> Refusal:
        text = json.dumps(value, ensure_ascii=False)
        during = "mid_stream" if answer.started else "before_first_token"
        return self._classify(response.status_code, response.headers, text, during, url, tools=tools)

    def _broken(self, error: httpx.HTTPError, answer: WireAnswer, url: str) -> Refusal:
        """The refusal for an answer whose connection failed."""
        refusal = self._transport_refusal(error, answer.characters, url)
        if not answer.calling:
            return refusal
        told = refusals.broken_off(provider=self._provider.name, characters=answer.characters, calling=True)
        return replace(told, words=refusal.words)

    async def aclose(self) -> None:
        """Ends what is asked on the side, and closes the connections that were kept."""
        await self._source.aclose()
        await self._connection.aclose()


def encoded(body: Mapping[str, Json]) -> bytes:
    """What is sent, as bytes."""
    return whole_characters(json.dumps(body, ensure_ascii=False)).encode()
