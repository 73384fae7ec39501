"""Signing in at a server by OAuth: the library's own flow, with its tokens in the key store.

A server that wants a sign-in never opens a browser by itself: it fails with words, and the person starts the sign-in.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs, urlsplit

from conch_desktop.domain.errors import IntegrationError

if TYPE_CHECKING:
    import httpx2
    from mcp.client.auth import AuthorizationCodeResult
    from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

PERSON_LIMIT = 300.0
"""Seconds a person has to sign in."""

NEEDS_SIGN_IN = "It asks you to sign in."

Opener = Callable[[str], Awaitable[None]]
"""Opens an address in the person's browser."""


class SignInNeeded(IntegrationError):
    """The server wants a sign-in, and nobody asked for one."""

    def __init__(self) -> None:
        super().__init__(NEEDS_SIGN_IN, "Sign in.")


class KeyBook(Protocol):
    """Where tokens are kept."""

    async def read(self, account: str) -> str | None: ...

    async def keep(self, account: str, key: str, /) -> object: ...


class Tokens:
    """The library's storage, over one entry of the key store."""

    def __init__(self, book: KeyBook, account: str) -> None:
        self._book = book
        self._account = account
        self._kept: dict[str, str] | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens of the last sign-in."""
        from mcp.shared.auth import OAuthToken

        kept = (await self._all()).get("tokens")
        return OAuthToken.model_validate_json(kept) if kept else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keeps tokens."""
        await self._set("tokens", tokens.model_dump_json(exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """How this program is known there."""
        from mcp.shared.auth import OAuthClientInformationFull

        kept = (await self._all()).get("client")
        return OAuthClientInformationFull.model_validate_json(kept) if kept else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keeps how this program is known there."""
        await self._set("client", client_info.model_dump_json(exclude_none=True))

    async def port(self) -> int:
        """The port a sign-in comes back to, as the server knows it; 0 before the first."""
        kept = (await self._all()).get("port", "")
        return int(kept) if kept.isdigit() else 0

    async def forget_client(self, port: int) -> None:
        """The way back has another port now, so this program has to be made known again."""
        kept = {key: value for key, value in (await self._all()).items() if key != "client"}
        self._kept = kept
        await self._set("port", str(port))

    async def _all(self) -> dict[str, str]:
        if self._kept is None:
            text = await self._book.read(self._account)
            try:
                kept = json.loads(text) if text else {}
            except ValueError:
                kept = {}
            self._kept = {key: value for key, value in kept.items() if isinstance(value, str)}
        return self._kept

    async def _set(self, key: str, value: str) -> None:
        kept = {**await self._all(), key: value}
        self._kept = kept
        await self._book.keep(self._account, json.dumps(kept))


class WayBack:
    """The address on this computer to which the browser comes back with the code."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._came: asyncio.Future[dict[str, str]] | None = None
        self.port = 0

    async def open(self, port: int = 0) -> None:
        """Listens at `port` where it is free, else at any."""
        self._came = asyncio.get_running_loop().create_future()
        try:
            self._server = await asyncio.start_server(self._answer, "127.0.0.1", port)
        except OSError:
            self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def wait(self) -> dict[str, str]:
        """What the browser brought. Raises `IntegrationError` when nobody came in time, or the sign-in was refused."""
        assert self._came is not None
        try:
            found = await asyncio.wait_for(self._came, PERSON_LIMIT)
        except TimeoutError:
            raise IntegrationError("Nobody signed in.", "Sign in again.") from None
        if "error" in found:
            why = found.get("error_description") or found["error"]
            raise IntegrationError(f"The sign-in was refused: {why[:300]}.", "Sign in again.")
        return found

    async def aclose(self) -> None:
        """Stops listening."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n"), 10)
            target = head.decode("latin-1").split(" ")[1] if head.count(b" ") > 1 else "/"
            found = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
            came = (
                self._came is not None and urlsplit(target).path == "/callback" and bool({"code", "error"} & set(found))
            )
            said = "You can close this page and go back to Conch Desktop." if came else "Nothing to see here."
            page = f"<!doctype html><meta charset=utf-8><title>Conch Desktop</title><p>{html.escape(said)}".encode()
            status = b"200 OK" if came else b"404 Not Found"
            writer.write(b"HTTP/1.1 %b\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b"
                         % (status, len(page), page))  # fmt: skip
            await writer.drain()
            if came and self._came is not None and not self._came.done():
                self._came.set_result(found)
        writer.close()


async def make_auth(url: str, tokens: Tokens, way_back: WayBack, opener: Opener | None) -> httpx2.Auth | None:
    """The library's OAuth for a server at `url`; None where nobody signed in yet.

    Without an `opener` tokens are used and renewed, and where that is not enough `SignInNeeded` is raised.
    """
    if opener is None and await tokens.get_tokens() is None:
        return None
    from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
    from mcp.shared.auth import OAuthClientMetadata
    from pydantic import AnyUrl

    port = await tokens.port()
    if opener is not None:
        await way_back.open(port)
        if way_back.port != port:
            await tokens.forget_client(way_back.port)
        port = way_back.port

    async def redirect(address: str) -> None:
        if opener is None or urlsplit(address).scheme not in {"http", "https"}:
            raise SignInNeeded
        await opener(address)

    async def came_back() -> AuthorizationCodeResult:
        found = await way_back.wait()
        return AuthorizationCodeResult(code=found.get("code", ""), state=found.get("state"), iss=found.get("iss"))

    metadata = OAuthClientMetadata(
        client_name="Conch Desktop",
        redirect_uris=[AnyUrl(f"http://127.0.0.1:{port}/callback")],
        token_endpoint_auth_method="none",
    )
    return OAuthClientProvider(url, metadata, tokens, redirect, came_back)
