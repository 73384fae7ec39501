"""The way to a provider: kept connections that died are replaced once; the environment's proxy is for the internet.

A person may name a proxy, certificates and headers for one provider alone; they go with every request to it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any

import httpx

from conch_desktop import __version__
from conch_desktop.domain.errors import ProviderError
from conch_desktop.providers.registry import is_loopback

_log = logging.getLogger(__name__)

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""What the name of a header may be (RFC 9110, 5.1)."""


class Connection:
    """The way to one provider. `name` is what people call it, `headers` go with each request.

    `proxy`, `ca_file` and `extra` are the person's own for this provider (see `domain.models.Provider`); a header of
    theirs goes in the place of one of ours.
    `revive` is asked when nothing answers at the address: True means that now something does. Raises `ProviderError`.
    `patience` is how many seconds the head of an answer may take, None without an end: it may come byte by byte.
    """

    def __init__(
        self,
        *,
        name: str,
        base: str,
        headers: Mapping[str, str],
        timeout: httpx.Timeout,
        patience: float | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        proxy: str = "",
        ca_file: str = "",
        extra: Iterable[tuple[str, str]] = (),
        revive: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self._name = name
        self._base = base
        self._headers = {"User-Agent": f"conch-desktop/{__version__}", "Content-Type": "application/json", **headers}
        self._proxy, self._ca_file, self._extra = proxy, ca_file, tuple(extra)
        self._timeout = timeout
        self._patience = patience
        self._transport = transport
        self._revive = revive
        self._client: httpx.AsyncClient | None = None

    @contextlib.asynccontextmanager
    async def sent(self, method: str, url: str, content: bytes | None = None) -> AsyncIterator[httpx.Response]:
        """An answer whose head has arrived; its connection is let go at the end. Raises httpx's errors.

        A kept connection that died before that is replaced once by a fresh one: servers close them without a word.
        Raises `ProviderError` when the key or the environment's proxy can't be used.
        """
        async with contextlib.AsyncExitStack() as stack:
            if self._client is None:
                self._client = self._made()
            try:
                response = await self._revived(self._client, method, url, content)
            except _KeptConnectionError as stale:
                if self._transport is not None:
                    raise stale.error from None
                _log.info("A kept connection to %s had died; asking again on a fresh one.", self._name)
                fresh = await stack.enter_async_context(self._made())
                response = await self._send(fresh, method, url, content)
            stack.push_async_callback(response.aclose)
            yield response

    async def aclose(self) -> None:
        """Closes the connections that were kept."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _revived(self, client: httpx.AsyncClient, method: str, url: str, content: bytes | None) -> httpx.Response:
        """Sends a request, and once more to a server that had to be brought up first."""
        try:
            return await self._send(client, method, url, content)
        except httpx.ConnectError:
            if self._revive is None or not await self._revive():
                raise
            return await self._send(client, method, url, content)

    async def _send(self, client: httpx.AsyncClient, method: str, url: str, content: bytes | None) -> httpx.Response:
        watch = _Watch()
        request = client.build_request(method, url, content=content, extensions={"trace": watch})
        try:
            async with asyncio.timeout(self._patience):
                return await client.send(request, stream=True)
        except TimeoutError as error:
            raise httpx.ReadTimeout("no answer in time", request=request) from error
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            if watch.kept:
                raise _KeptConnectionError(error) from error
            raise

    def _made(self) -> httpx.AsyncClient:
        for value in self._headers.values():
            if not _fits(value):
                raise ProviderError("auth", "The key holds characters that no key has.", "Enter the key again.")
        headers = httpx.Headers(self._headers)
        for name, value in self._extra:
            if not (_NAME.fullmatch(name) and _fits(value)):
                raise ProviderError("network", f"The header {name} of {self._name} can’t be sent.", "Write it anew.")
            headers[name] = value
        loopback = is_loopback(self._base)
        # With plain HTTP to this computer no certificate would be used, and reading them all takes long.
        unused = loopback and self._base.startswith("http:")
        try:
            return httpx.AsyncClient(
                headers=headers,
                timeout=self._timeout,
                transport=self._transport,
                proxy=self._proxy or None,
                trust_env=not loopback,  # the environment's proxy is for the internet
                verify=self._certificates() if self._ca_file else not unused,
            )
        except (ImportError, ValueError, httpx.InvalidURL) as error:  # httpx speaks no SOCKS, nor "socks://"
            if self._proxy:
                what = f"The proxy of {self._name} can’t be used: it has to be an HTTP proxy."
                raise ProviderError("network", what, "Write its address like http://127.0.0.1:3128.") from error
            what = "The proxy in the environment can't be used: it has to be an HTTP proxy."
            raise ProviderError("network", what, "Change or unset ALL_PROXY, or set HTTPS_PROXY.") from error

    def _certificates(self) -> ssl.SSLContext:
        """The usual certificates and the person's own."""
        context = httpx.create_ssl_context()
        try:
            context.load_verify_locations(cafile=self._ca_file)
        except (OSError, ssl.SSLError) as error:
            what = f"The certificates in {self._ca_file} can’t be read."
            raise ProviderError("network", what, "Name a file in PEM form, or none.") from error
        return context


def _fits(value: str) -> bool:
    """May a header hold this?"""
    return value.isascii() and (value.isprintable() or not value)


class _KeptConnectionError(Exception):
    """A connection that was kept from an earlier request died before it answered this one."""

    def __init__(self, error: httpx.HTTPError) -> None:
        super().__init__(str(error))
        self.error = error


class _Watch:
    """Watches what the transport does with one request. `kept`: it went out on a connection that was there already."""

    def __init__(self) -> None:
        self._connected = False
        self.kept = False

    async def __call__(self, name: str, info: dict[str, Any]) -> None:
        if name.startswith("connection.connect"):
            self._connected = True
        elif name == "http11.send_request_headers.started":
            self.kept = not self._connected
