"""The streamable HTTP transport: the library's own, over a client that is bounded and remembers what was refused."""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Definition
from conch_desktop.tools.mcp.commands import expanded
from conch_desktop.tools.mcp.cutting import LONGEST_MESSAGE

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

Streams: TypeAlias = "tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]"
"""What a transport gives a session: what comes, and where to send."""

CONNECT_LIMIT = 30.0
"""Seconds for a connection; how long an answer may take is the limit of a call."""


@dataclass(slots=True)
class Heard:
    """The status of the last answer that was a refusal; 0 when none was."""

    status: int = 0


@asynccontextmanager
async def connected(definition: Definition, heard: Heard, auth: httpx2.Auth | None) -> AsyncGenerator[Streams, None]:
    """The streams of a server at an address. Raises `IntegrationError` when the headers can't be sent."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def note(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            heard.status = response.status_code

    headers = {name: expanded(value) for name, value in definition.headers.items()}
    url = expanded(definition.url)
    try:
        client = httpx2.AsyncClient(
            headers=headers,
            auth=auth,
            timeout=httpx2.Timeout(CONNECT_LIMIT, read=None),
            trust_env=not is_loopback(url),  # the environment's proxy is for the internet
            event_hooks={"response": [note]},
        )
    except (ValueError, httpx2.InvalidURL) as error:
        raise IntegrationError(f"The headers or the proxy can't be used: {error}.", "Correct them.") from error
    _bound(client)
    async with client, streamable_http_client(url, http_client=client, max_sse_event_size=LONGEST_MESSAGE) as streams:
        yield streams


def is_loopback(url: str) -> bool:
    """Whether an address is on this computer."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _bound(client: httpx2.AsyncClient) -> None:
    """Ends an answer that is longer than a message may be; the library bounds only events of a stream."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, inner: httpx2.AsyncByteStream) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in self._inner:
                size += len(piece)
                if size > LONGEST_MESSAGE:
                    raise httpx2.StreamError(f"The answer has more than {LONGEST_MESSAGE / 1e6:,.0f} MB.")
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()

    async def bound(response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "")
        if isinstance(response.stream, httpx2.AsyncByteStream) and "event-stream" not in kind:
            response.stream = Bounded(response.stream)

    client.event_hooks = {**client.event_hooks, "response": [*client.event_hooks["response"], bound]}
