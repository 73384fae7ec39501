"""Figure: what the engine, with its store, plan and guard, adds to the first token over bare httpx on loopback."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import httpx
import pytest

from conch_desktop.domain.events import TextAdded
from conch_desktop.domain.models import Provider
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.session import SessionEvent
from tests.benchmarks.conftest import figure
from tests.servers import Recorded, Reply, ScriptedServer, say

PAIRS = 50
MOST_MS = 5.0


def answer(request: Recorded) -> Reply:
    return say("Good morning from the harbour.")


@pytest.mark.figures
async def test_the_engine_adds_at_most_5_ms_to_the_first_token(tmp_path: Path) -> None:
    server = ScriptedServer()
    server.route("POST /v1/chat/completions", answer)
    with server.in_thread():
        program = await Program.open(tmp_path / "profile")
        program.use(Provider("pier", "openai", "Pier", server.url))
        chat = await program.chats.create(model="pier/demo", title="Figures")
        session = program.session(chat.id)
        await session.load()
        first: list[float] = []

        def hear(event: SessionEvent) -> None:
            if isinstance(event, TextAdded) and not first:
                first.append(time.perf_counter())

        session.listen(hear)
        differences = []
        async with httpx.AsyncClient(trust_env=False) as client:
            for number in range(PAIRS + 3):
                bare = await _bare(client, f"{server.url}/v1/chat/completions")
                first.clear()
                begun = time.perf_counter()
                await session.send(f"Hello {number}")
                differences.append((first[0] - begun - bare) * 1000)
        await program.aclose()
    median = statistics.median(differences[3:])  # the first ones import and connect
    figure(f"first token: the engine adds {median:.2f} ms (median of {PAIRS} pairs)")
    assert median <= MOST_MS


async def _bare(client: httpx.AsyncClient, url: str) -> float:
    """Seconds to the first piece of an answer, with nothing between."""
    body = {"model": "demo", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
    begun = time.perf_counter()
    async with client.stream("POST", url, json=body) as response:
        lines = response.aiter_lines()
        await anext(lines)
        took = time.perf_counter() - begun
        async for _ in lines:
            pass
    return took
