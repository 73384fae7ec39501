"""Whether a provider can be reached is found out by opening a connection, and nothing more."""

from __future__ import annotations

import asyncio
import socket

import pytest

from conch_desktop.domain.models import Provider
from conch_desktop.providers.reachable import reachable
from tests.servers import ScriptedServer


def free_port() -> int:
    """A port of this computer where nobody is."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


async def test_a_server_that_is_there_is_reached_without_a_request() -> None:
    async with ScriptedServer() as server:
        assert await reachable(Provider("a", "openai", "Pier", f"{server.url}/v1"))
        assert not server.requests


async def test_nobody_there_is_told() -> None:
    assert not await reachable(Provider("a", "openai", "Pier", f"http://127.0.0.1:{free_port()}/v1"))


async def test_the_proxy_is_what_has_to_be_there() -> None:
    proxy = f"http://127.0.0.1:{free_port()}"
    async with ScriptedServer() as server:
        assert not await reachable(Provider("a", "openai", "Pier", f"{server.url}/v1", proxy=proxy))
        assert await reachable(Provider("a", "openai", "Pier", "https://nowhere.invalid/v1", proxy=server.url))


async def test_a_proxy_of_the_environment_is_not_asked_for_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    async with ScriptedServer() as server:
        assert await reachable(Provider("a", "openai", "Pier", f"{server.url}/v1"))


async def test_a_name_that_takes_too_long_is_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio, "open_connection", never)
    monkeypatch.setattr("conch_desktop.providers.reachable.PATIENCE", 0.01)
    assert not await reachable(Provider("a", "openai", "Pier", "http://127.0.0.1:9/v1"))
