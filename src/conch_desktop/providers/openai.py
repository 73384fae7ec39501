"""The wire of OpenAI's chat completions, which most servers speak: OpenRouter, Gemini, Ollama, llama.cpp and others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncGenerator, Collection
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.events import Finish, Refusal, WireEvent
from conch_desktop.domain.models import Family, Model, Provider
from conch_desktop.providers import refusals
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.openai_models import Props, read_listing, read_props
from conch_desktop.providers.openai_request import build
from conch_desktop.providers.registry import Kind, base_url, family_of
from conch_desktop.providers.sse import DONE, Body, values
from conch_desktop.providers.stream import Answer, whole_characters
from conch_desktop.providers.wire import Request

_log = logging.getLogger(__name__)

_LIST_SECONDS = 30.0
_ERROR_SECONDS = 30.0
_ASK_SECONDS = 5.0
"""For a question on the side: an answer is waiting behind it."""
_UNASKED_SECONDS = 3.0
"""How long a server that did not answer such a question is left alone: one turn asks several."""
_AFTER_DONE = 2.0
"""Seconds to wait for more when the server has said that it is done: some never close."""
_ERROR_BYTES = 256 * 1024
_PLAIN_BYTES = 32 * 1024 * 1024


def _authorization(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


class OpenAIWire:
    """Speaks with one provider. Timeouts are in seconds; `read_timeout` is the longest silence between two bytes."""

    def __init__(
        self,
        *,
        provider: Provider,
        kind: Kind,
        key: str | None,
        transport: httpx.AsyncBaseTransport | None = None,
        connect_timeout: float = 10.0,
        read_timeout: float = 300.0,
    ) -> None:
        self._provider = provider
        self._kind = kind
        self._key = key.strip() if key else ""
        self._base = base_url(provider)
        self._host = (urlsplit(self._base).hostname or "").lower()
        self._connection = Connection(
            name=provider.name,
            base=self._base,
            headers={"Accept": "text/event-stream, application/json", **_authorization(self._key)},
            timeout=httpx.Timeout(read_timeout, connect=connect_timeout, pool=connect_timeout),
            transport=transport,
        )
        self._llama: bool | None = None  # is it a llama.cpp server?
        self._several = False  # does it serve several models?
        self._props: dict[str, Props] = {}
        self._asking = asyncio.Lock()
        self._silent_since = -_UNASKED_SECONDS

    # what the provider has ------------------------------------------------------------------------------------------

    async def list_models(self) -> list[Model]:
        """The provider's models. Raises `ProviderError`."""
        return await self._list_models(_LIST_SECONDS)

    async def _list_models(self, seconds: float) -> list[Model]:
        url = f"{self._base}/models"
        status, headers, text = await self._get(url, seconds)
        if not 200 <= status < 300:
            if status < 500 and self._llama is None:
                self._llama = False  # llama.cpp names itself in every answer
            raise self._error(self._classify(status, headers, text, "models", url))
        try:
            listing = read_listing(json.loads(text), self._provider.id)
        except (ValueError, RecursionError):
            listing = None
        if listing is None:
            where = {"provider": self._provider.name, "url": url, "during": "models"}
            raise self._error(refusals.strange(headers=headers, body=text, **where))
        self._llama = bool(self._llama or listing.llama)
        self._several = len(listing.models) > 1
        return list(listing.models)

    def schema_family(self, model: Model) -> Family:
        """Which schema dialect the model takes."""
        return family_of(self._kind, model)

    async def tools_for(self, model: Model) -> bool | None:
        """Whether the model takes tools natively: what llama.cpp says of its template, else what the list says."""
        tools = (await self._props_of(model)).tools
        return model.tools if tools is None else tools

    async def fingerprint(self, model: Model) -> str:
        return ""

    async def takes_grammar(self, model: Model) -> bool:
        """Whether the server constrains an answer by GBNF: llama.cpp does."""
        return await self._is_llama()

    async def window_for(self, model: Model) -> int | None:
        """The context window in tokens; None when nobody says."""
        return (await self._props_of(model)).window or model.window

    async def _is_llama(self) -> bool:
        """Whether the server is llama.cpp's. Servers of one's own are asked; the others tell in passing."""
        own = self._kind.name in ("openai", "local") and self._host != "api.openai.com"
        if own and self._unasked:
            async with self._asking:
                if self._unasked:
                    try:
                        await self._list_models(_ASK_SECONDS)
                    except ProviderError:
                        self._silent_since = time.monotonic()
        return bool(self._llama)

    @property
    def _unasked(self) -> bool:
        return self._llama is None and time.monotonic() - self._silent_since > _UNASKED_SECONDS

    async def _props_of(self, model: Model) -> Props:
        """What llama.cpp says of a model. Asked once; a server that can't say now is asked again next time."""
        if not await self._is_llama():
            return Props()
        async with self._asking:
            if model.name not in self._props:
                url = httpx.URL(self._base.removesuffix("/v1") + "/props")
                if self._several:
                    url = url.copy_merge_params({"model": model.name})
                try:
                    status, _, text = await self._get(str(url), _ASK_SECONDS)
                    props = read_props(json.loads(text)) if status == 200 else Props()
                except (ProviderError, ValueError, RecursionError):
                    return Props()
                if status != 200 and status not in (404, 405, 501):
                    return props
                self._props[model.name] = props
            return self._props[model.name]

    async def _get(self, url: str, seconds: float) -> tuple[int, httpx.Headers, str]:
        """Status, headers and text of an answer to GET. Raises `ProviderError` when there is none."""
        try:
            async with asyncio.timeout(seconds), self._connection.sent("GET", url) as response:
                self._notice(response)
                return response.status_code, response.headers, await Body(response).whole(_PLAIN_BYTES)
        except httpx.HTTPError as error:
            raise self._error(self._transport_refusal(error, 0, url)) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise ProviderError("network", f"{refusals.shown(url)} is not an address.", "Check the address.") from error
        except TimeoutError as error:
            raise self._error(self._transport_refusal(httpx.ReadTimeout(""), 0, url)) from error

    # an answer ------------------------------------------------------------------------------------------------------

    async def stream(self, request: Request) -> AsyncGenerator[WireEvent, None]:
        """Sends the request and yields what comes back; the last event is a `Finish` or a `Refusal`."""
        url = f"{self._base}/chat/completions"
        event: WireEvent | None = None
        try:
            grammar = bool(request.grammar) and await self.takes_grammar(request.model)
            body = build(request, host=self._host, grammar=grammar, llama=bool(self._llama))
            content = whole_characters(json.dumps(body, ensure_ascii=False)).encode()
            names = [tool.name for tool in request.tools] if "tools" in body else []
            async with (
                self._connection.sent("POST", url, content) as response,
                contextlib.aclosing(self.read(response, tools=names)) as events,
            ):
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

    async def read(
        self, response: httpx.Response, *, tools: Collection[str] | None = None
    ) -> AsyncGenerator[WireEvent, None]:
        """Yields the events of a response. `tools` are the names that were offered, None when nobody knows.

        They help to read broken names, and where none were offered no refusal is about tools.
        """
        self._notice(response)
        answer = Answer(tools or ())
        try:
            async with contextlib.aclosing(self._read(response, answer, tools != [])) as events:
                async for event in events:
                    yield event
        except httpx.HTTPError as error:
            if answer.ended and not answer.failed:  # it broke after the end
                for event in answer.end():
                    yield event
                return
            for event in answer.broken():
                yield event
            yield self._broken(error, answer)

    async def _read(
        self, response: httpx.Response, answer: Answer, tools_sent: bool
    ) -> AsyncGenerator[WireEvent, None]:
        body = Body(response)
        refused: Refusal | None
        if not 200 <= response.status_code < 300:
            text = await self._error_text(body)
            yield self._classify(response.status_code, response.headers, text, tools_sent=tools_sent)
            return
        first = await body.first()
        if first == "<" or not first:
            refused = self._classify(response.status_code, response.headers, await body.whole(_ERROR_BYTES))
        else:
            refused = None
            source = self._plain(body) if first in "{[" else self._events(body, answer)
            async with contextlib.aclosing(source) as found:
                async for value in found:
                    if refusals.is_fault(value):
                        refused = self._fault(response, answer, value, tools_sent)
                        break
                    for event in answer.take(value):
                        yield event
            if refused is None and first in "{[" and answer.taken:
                answer.done = True  # one whole completion in the place of a stream
            refused = refused or self._unended(response, answer, body)
        for event in answer.end() if refused is None else (*answer.broken(), refused):
            yield event

    async def _events(self, body: Body, answer: Answer) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of a stream of events. Reads on after the end was told: usage comes later, and more may."""
        async with contextlib.aclosing(body.events()) as events:
            while True:
                try:
                    async with asyncio.timeout(_AFTER_DONE if answer.done else None):
                        event = await anext(events)
                except (StopAsyncIteration, TimeoutError):
                    return
                found = values(event.data)
                for value in found:
                    if value == DONE:
                        answer.done = True
                    elif isinstance(value, dict):
                        yield {"error": value, **value} if event.event == "error" else value
                    elif event.event == "error":
                        yield {"error": str(value)}
                if event.event == "error" and not found:
                    yield {"error": event.data}

    async def _plain(self, body: Body) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON objects of a body that is no stream: one, a list of them, or one a line."""
        for value in values(await body.whole(_PLAIN_BYTES)):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, dict):
                    yield each

    def _unended(self, response: httpx.Response, answer: Answer, body: Body) -> Refusal | None:
        """The refusal for an answer whose end was not told; None when it was."""
        if answer.failed:
            fault = {"error": {"message": "The answer ended with an error."}}
            return self._fault(response, answer, fault, tools_sent=False)
        if answer.ended:
            return None
        if answer.taken:
            return refusals.broken_off(
                provider=self._provider.name, characters=answer.characters, calling=answer.calling
            )
        url = f"{self._base}/chat/completions"
        strange = refusals.strange(
            headers=response.headers, body=body.beginning, during="", provider=self._provider.name, url=url
        )
        return self._masked(strange)

    # refusals -------------------------------------------------------------------------------------------------------

    async def _error_text(self, body: Body) -> str:
        """The body of an error, or what came of it."""
        try:
            async with asyncio.timeout(_ERROR_SECONDS):
                return await body.whole(_ERROR_BYTES)
        except (httpx.HTTPError, TimeoutError):
            return body.beginning

    def _fault(self, response: httpx.Response, answer: Answer, value: dict[str, Any], tools_sent: bool) -> Refusal:
        text = json.dumps(value, ensure_ascii=False)
        during = "mid_stream" if answer.started else "before_first_token"
        return self._classify(response.status_code, response.headers, text, during, tools_sent=tools_sent)

    def _classify(
        self,
        status: int,
        headers: httpx.Headers,
        text: str,
        during: str = "before_first_token",
        url: str = "",
        *,
        tools_sent: bool = True,
    ) -> Refusal:
        refusal = refusals.classify(
            status=status,
            headers=headers,
            body=text,
            during=during,
            provider=self._provider.name,
            url=url or f"{self._base}/chat/completions",
            tools_sent=tools_sent,
        )
        return self._masked(refusal)

    def _transport_refusal(self, error: httpx.HTTPError, characters: int, url: str) -> Refusal:
        refusal = refusals.from_transport(error, provider=self._provider.name, url=url, characters=characters)
        return self._masked(refusal)

    def _broken(self, error: httpx.HTTPError, answer: Answer) -> Refusal:
        """The refusal for an answer whose connection failed."""
        refusal = self._transport_refusal(error, answer.characters, f"{self._base}/chat/completions")
        if not answer.calling:
            return refusal
        told = refusals.broken_off(provider=self._provider.name, characters=answer.characters, calling=True)
        return replace(told, words=refusal.words)

    def _masked(self, refusal: Refusal) -> Refusal:
        words, what, advice = (refusals.mask(text, self._key) for text in (refusal.words, refusal.what, refusal.advice))
        return replace(refusal, words=words, what=what, advice=advice)

    def _error(self, refusal: Refusal) -> ProviderError:
        masked = self._masked(refusal)
        return ProviderError(masked.kind, masked.what, masked.advice)

    def _notice(self, response: httpx.Response) -> None:
        if response.headers.get("server", "").startswith("llama.cpp"):
            self._llama = True

    async def aclose(self) -> None:
        """Closes the connections that were kept."""
        await self._connection.aclose()
