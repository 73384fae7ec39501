"""Servers of small scripts, and a key store in memory."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from conch_desktop.domain.integrations import CALL_LIMIT, START_LIMIT, Definition
from conch_desktop.tools.mcp.commands import Paths
from conch_desktop.tools.mcp.server import Server, Workshop

HOSTILE = Path(__file__).parent / "hostile.py"


@dataclass
class MemoryKeys:
    """A key store that forgets everything at the end."""

    kept: dict[str, str] = field(default_factory=dict)

    async def read(self, account: str) -> str | None:
        return self.kept.get(account)

    async def keep(self, account: str, key: str) -> object:
        self.kept[account] = key
        return "key store"

    async def remove(self, account: str) -> None:
        self.kept.pop(account, None)


def hostile(
    *ways: str, name: str = "harbour", call_limit: float = CALL_LIMIT, start_limit: float = START_LIMIT
) -> Definition:
    """The definition of the misbehaving server."""
    made = Definition(name, "stdio", command=sys.executable, args=(str(HOSTILE), *ways))
    return replace(made, call_limit=call_limit, start_limit=start_limit)


Begin = Callable[[Definition], Awaitable[Server]]


@pytest.fixture
async def begin() -> AsyncIterator[Begin]:
    """Starts a server and waits until it is known how it is; all are stopped at the end."""
    servers: list[Server] = []
    workshop = Workshop(Paths(), MemoryKeys())

    async def start(definition: Definition) -> Server:
        server = Server(definition, {}, workshop, account="a", told=lambda: None)
        servers.append(server)
        server.start()
        await asyncio.wait_for(server.settled(), 60)
        return server

    yield start
    await asyncio.gather(*(server.stop() for server in servers))


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits until something is so. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)
