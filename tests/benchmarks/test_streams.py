"""Figures: reading a long streamed answer, beside a bare loop of httpx-sse and `json.loads` over the same bytes."""

from __future__ import annotations

import contextlib
import json
import statistics
import time
from collections.abc import Awaitable, Callable

import httpx
import httpx_sse
import pytest

from conch_desktop.domain.events import Finish
from conch_desktop.domain.models import Provider
from conch_desktop.providers.registry import make_wire
from tests.anthropic_stream import named, start, stop, text, tool_use
from tests.providers.feeding import Arriving
from tests.servers import call_piece, chunk, event

MOST_TIMES_BARE = 3
RUNS = 7
PIECE = 1_400
"""Bytes a network read brings."""

WORDS = [f"word {number} " for number in range(4_000)]
ARGUMENTS = json.dumps({"text": "Low water is at 6:40. " * 200})
FRAGMENTS = [ARGUMENTS[at : at + 12] for at in range(0, len(ARGUMENTS), 12)]
STREAMS: dict[str, bytes] = {
    "openai": b"".join(
        event(piece)
        for piece in (
            *(chunk(word) for word in WORDS),
            chunk(calls=[call_piece("note_down", "", call_id="call_1")]),
            *(chunk(calls=[call_piece(arguments=fragment)]) for fragment in FRAGMENTS),
            chunk(finish="tool_calls"),
            "[DONE]",
        )
    ),
    "anthropic": b"".join(
        named(each) for each in (start(), *text(0, *WORDS), *tool_use(1, "note_down", *FRAGMENTS), *stop("tool_use"))
    ),
}


def response(kind: str) -> httpx.Response:
    whole = STREAMS[kind]
    pieces = [whole[at : at + PIECE] for at in range(0, len(whole), PIECE)]
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Arriving(pieces))


async def bare(kind: str) -> None:
    async for each in httpx_sse.EventSource(response(kind)).aiter_sse():
        if each.data != "[DONE]":
            json.loads(each.data)


async def ours(kind: str) -> None:
    wire = make_wire(Provider("pier", kind, "Pier", "http://127.0.0.1:1"), None)
    async with contextlib.aclosing(wire.read(response(kind), tools=["note_down"])) as events:
        last = [each async for each in events][-1]
    assert isinstance(last, Finish)
    assert last.calls[0].arguments == ARGUMENTS
    await wire.aclose()


async def cpu(read: Callable[[str], Awaitable[None]], kind: str) -> float:
    begun = time.process_time()
    await read(kind)
    return time.process_time() - begun


@pytest.mark.figures
@pytest.mark.parametrize("kind", STREAMS)
async def test_reading_a_stream_takes_three_times_a_bare_loop_at_most(kind: str) -> None:
    ratios = []
    for _ in range(RUNS):
        plain = await cpu(bare, kind)
        ratios.append(await cpu(ours, kind) / plain)
    ratio = statistics.median(ratios)
    print(f"\n{kind}: {ratio:.1f} times the CPU of a bare loop")  # noqa: T201
    assert ratio <= MOST_TIMES_BARE
