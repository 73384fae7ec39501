"""Figures: reading recorded streams, beside a bare loop and beside the providers' own clients.

Everything is measured in CPU time over bytes in memory, the same pieces for all. The two run in turn, so that what
disturbs the computer disturbs both; a figure is the median of the runs' ratios.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import re
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import httpx
import httpx_sse
import pytest

from tests.providers.conol_feeding import DONE, preview, text
from tests.providers.faults import RECORDINGS, wire_to
from tests.providers.feeding import DATA, Arriving, recorded
from tests.servers import event

MOST_TIMES_BARE = 3.0
RUNS = 7
EVENTS = 1_500
READ = 1_400
"""Bytes of one read: what a packet holds."""

Read = Callable[[Sequence[bytes]], Awaitable[int]]


# streams ------------------------------------------------------------------------------------------------------------


def parted(body: bytes) -> list[bytes]:
    return [each + b"\n\n" for each in re.split(rb"\r?\n\r?\n", body) if each.strip()]


def long(events: Sequence[bytes], first: int, last: int) -> list[bytes]:
    """A stream of thousands of events: those in the middle of a recorded one again and again."""
    middle = list(events[first:last])
    return [*events[:first], *(middle * (EVENTS // len(middle))), *events[last:]]


def openai_stream(name: str) -> list[bytes]:
    """A real server's answer, made long. The first event opens it, the last ones end it."""
    _, _, body = recorded(name)
    events = parted(body)
    return long(events, 1, len(events) - 3)


def anthropic_stream() -> list[bytes]:
    """Anthropic's events with words of the real answer."""
    events = list(RECORDINGS["anthropic"].events)
    words = re.findall(r"\s*\S+", " ".join(said(openai_stream("chat")[:120])))
    deltas = [
        b"event: content_block_delta\n"
        + event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}})
        for word in words
    ]
    return long([*events[:2], *deltas, *events[5:]], 2, 2 + len(deltas))


def conol_stream() -> list[bytes]:
    """conol.ai's events: paragraphs of the real answer, each sent again with every word."""
    words = re.findall(r"\s*\S+", " ".join(said(openai_stream("chat")[:120])))
    grown = ["".join(words[: end + 1]) for end in range(60)]
    updates = [preview(text(each), stage=f"s{stage}") for stage in range(EVENTS // 60) for each in grown]
    return [*map(event, updates), event(DONE)]


def said(events: Sequence[bytes]) -> list[str]:
    found = [json.loads(each.removeprefix(b"data: ")) for each in events if each.startswith(b"data: {")]
    return [choice["delta"].get("content") or "" for value in found for choice in value["choices"]]


def cut(events: Sequence[bytes], how: str) -> list[bytes]:
    """The reads in which a stream arrives: an event each, or full packets."""
    if how == "events":
        return list(events)
    body = b"".join(events)
    return [body[at : at + READ] for at in range(0, len(body), READ)]


def response(chunks: Sequence[bytes]) -> httpx.Response:
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Arriving(chunks))


# readers ------------------------------------------------------------------------------------------------------------


async def bare(chunks: Sequence[bytes]) -> int:
    """The least anyone can do: every event's JSON."""
    count = 0
    async for each in httpx_sse.EventSource(response(chunks)).aiter_sse():
        if each.data != "[DONE]":
            count += bool(json.loads(each.data))
    return count


def ours(kind: str) -> Read:
    async def read(chunks: Sequence[bytes]) -> int:
        wire = wire_to(kind, "http://127.0.0.1:1/v1")
        async with contextlib.aclosing(wire.read(response(chunks), tools=["find"])) as events:
            count = sum([1 async for _ in events])
        await wire.aclose()
        return count

    return read


def client(package: Any, chunks: Sequence[bytes]) -> Any:
    """What a provider's own client asks through: httpx or its successor, whichever it is built on."""
    web = getattr(package._base_client, "httpx2", httpx)

    async def pieces() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    def answer(_: object) -> Any:
        return web.Response(200, headers={"content-type": "text/event-stream"}, content=pieces())

    return web.AsyncClient(transport=web.MockTransport(answer))


def openai_client() -> Read:
    openai: Any = pytest.importorskip("openai")

    async def read(chunks: Sequence[bytes]) -> int:
        made = openai.AsyncOpenAI(api_key="k", base_url="http://127.0.0.1:1/v1", http_client=client(openai, chunks))
        stream = await made.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], stream=True)
        count = 0
        async for each in stream:
            count += bool(each.choices and each.choices[0].delta.content)
        await made.close()
        return count

    return read


def anthropic_client() -> Read:
    anthropic: Any = pytest.importorskip("anthropic")

    async def read(chunks: Sequence[bytes]) -> int:
        made = anthropic.AsyncAnthropic(
            api_key="k", base_url="http://127.0.0.1:1", http_client=client(anthropic, chunks)
        )
        stream = await made.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}], stream=True
        )
        count = 0
        async for each in stream:
            count += each.type == "content_block_delta"
        await made.close()
        return count

    return read


# figures ------------------------------------------------------------------------------------------------------------


def seconds(read: Read, chunks: Sequence[bytes]) -> float:
    async def run() -> float:
        begun = time.process_time()
        assert await read(chunks) >= EVENTS // 2
        return time.process_time() - begun

    return asyncio.run(run())


def ratio(one: Read, other: Read, chunks: Sequence[bytes]) -> float:
    """How many times the CPU time of `other` it takes."""
    seconds(one, chunks), seconds(other, chunks)  # the first ones import and compile
    gc.collect()
    return statistics.median(seconds(one, chunks) / seconds(other, chunks) for _ in range(RUNS))


STREAMS: dict[str, tuple[str, Callable[[], list[bytes]]]] = {
    "words": ("openai", lambda: openai_stream("chat")),
    "a call": ("openai", lambda: openai_stream("call")),
    "another server's words": ("openai", lambda: openai_stream("dasllama_chat")),
    "words of a gateway": ("conol-gateway", lambda: openai_stream("chat")),
    "Anthropic's words": ("anthropic", anthropic_stream),
    "Gemini's words": ("gemini-native", lambda: long(RECORDINGS["gemini-native"].events, 0, 3)),
    "conol.ai's words": ("conol", conol_stream),
}
arriving = pytest.mark.parametrize("how", ["events", "packets"])


@pytest.mark.figures
@arriving
@pytest.mark.parametrize(("kind", "stream"), STREAMS.values(), ids=STREAMS)
def test_reading_takes_at_most_3_times_the_cpu_of_a_bare_loop(
    kind: str, stream: Callable[[], list[bytes]], how: str
) -> None:
    chunks = cut(stream(), how)
    times = ratio(ours(kind), bare, chunks)
    print(f"\nreading, {kind}, {how}: {times:.2f} times a bare loop of httpx-sse and json.loads")  # noqa: T201
    assert times <= MOST_TIMES_BARE


@pytest.mark.figures
@arriving
@pytest.mark.parametrize(
    ("kind", "stream", "theirs"),
    [("openai", lambda: openai_stream("chat"), openai_client), ("anthropic", anthropic_stream, anthropic_client)],
    ids=["openai", "anthropic"],
)
def test_reading_takes_less_cpu_than_the_provider_s_own_client(
    kind: str, stream: Callable[[], list[bytes]], theirs: Callable[[], Read], how: str
) -> None:
    chunks = cut(stream(), how)
    times = ratio(ours(kind), theirs(), chunks)
    print(f"\nreading, {kind}, {how}: {times:.2f} times the official client")  # noqa: T201
    assert times < 1


def test_the_streams_that_are_measured_are_real_ones() -> None:
    assert {path.name for path in DATA.glob("*.http")} >= {"chat.http", "call.http", "dasllama_chat.http"}
    assert "".join(said(openai_stream("chat")[:5])).startswith("The majestic")
    assert all(EVENTS // 2 < len(stream()) < 2 * EVENTS for _, stream in STREAMS.values())
