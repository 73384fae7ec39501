"""Every fault a server can have, on every wire: it ends in time, no word is lost, no half call runs, no key leaves.

The limits are a person's scaled down: two seconds stand for ten minutes.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import pytest

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.messages import SentMessage
from conch_desktop.providers.http_wire import HttpWire
from conch_desktop.providers.registry import KINDS
from conch_desktop.providers.wire import Request
from tests.providers.faults import KEY, MODEL, RAW, RECORDINGS, WORDS, FaultyServer, Forever, Recording, wire_to
from tests.providers.feeding import Joined, join, tool
from tests.servers import CUT, HANG, RESET, Piece, Reply, Wait

FIND = tool("find", q={"type": "string"})
SAID = "".join(WORDS)
LIMITS = {"connect_timeout": 2.0, "read_timeout": 1.0, "patience": 0.5}
SLOW = {"connect_timeout": 2.0, "read_timeout": 1.0, "patience": 60.0}
HANGS = 20.0
"""Seconds after which something hangs: many times the limits, so that a busy computer does not matter."""

each_wire = pytest.mark.parametrize("recording", RECORDINGS.values(), ids=RECORDINGS)


async def answered(wire: HttpWire) -> Joined:
    """The answer, which comes or fails in time and never shows the key."""
    request = Request(MODEL, "", (SentMessage("user", "Hello"),), (FIND,))
    async with asyncio.timeout(HANGS), contextlib.aclosing(wire.stream(request)) as events:
        joined = join([event async for event in events])
    assert KEY not in repr(joined.events)
    return joined


async def given(recording: Recording, reply: Reply, **limits: float) -> Joined:
    """What becomes of a reply over the network."""
    async with FaultyServer(reply) as server:
        wire = wire_to(recording.kind, server.url, **(limits or LIMITS))
        try:
            return await answered(wire)
        finally:
            await wire.aclose()


def streamed(recording: Recording, body: Sequence[Piece], **more: Any) -> Reply:
    return Reply(200, {"content-type": recording.media_type}, body, "chunked", **more)


def is_whole(joined: Joined) -> bool:
    """Is it the whole answer? Otherwise it failed, and nothing runs."""
    if joined.finish == "tool_calls":
        assert [(call.name, call.arguments) for call in joined.calls] == [("find", RAW)]
        assert joined.text == SAID
        return True
    assert joined.calls == ()
    assert joined.refusal.what
    return False


def test_every_wire_over_http_has_a_recording() -> None:
    classes = {kind.wire for kind in KINDS.values() if kind.name != "local"}
    recorded = {KINDS[kind].wire for kind in RECORDINGS}
    assert {name for name in classes if issubclass(_class(name), HttpWire)} == recorded


def _class(name: str) -> type:
    module, _, made = name.partition(":")
    found: type = getattr(import_module(module), made)
    return found


@each_wire
async def test_without_a_fault_it_is_whole(recording: Recording) -> None:
    assert is_whole(await given(recording, streamed(recording, [recording.body])))
    assert is_whole(await given(recording, streamed(recording, recording.events)))


# cuts ---------------------------------------------------------------------------------------------------------------


@each_wire
@pytest.mark.parametrize(
    "step", [pytest.param(7, id="every seventh byte"), pytest.param(1, id="every byte", marks=pytest.mark.long)]
)
async def test_a_cut_at_any_byte_loses_no_word_and_runs_no_half_call(recording: Recording, step: int) -> None:
    ended = 0
    async with FaultyServer() as server:
        wire = wire_to(recording.kind, server.url, **LIMITS)
        for upto in range(0, len(recording.body), step):
            how = RESET if upto // step % 4 == 3 else CUT
            server.fault = streamed(recording, [recording.body[:upto], how] if upto else [how])
            joined = await answered(wire)
            ended += is_whole(joined)
            assert SAID.startswith(joined.text), upto
            if how is CUT:  # a connection that is torn down may take with it what was under way
                assert joined.text.startswith(recording.said(upto)), upto
        await wire.aclose()
    assert ended * step <= sum(map(len, recording.events[-4:])), "only after its end is an answer whole"


# silence and trickles -----------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _soon_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether an answer that has its end is waited for a shorter time than usual makes no difference here."""
    monkeypatch.setattr("conch_desktop.providers.sse._AFTER_DONE", 0.4)


PLACES = {"at once": 0, "after words": -1, "in a call": 1, "before the last event": 98, "after the end": 99}


def upto(recording: Recording, place: int) -> bytes:
    """The bytes up to a place."""
    count = {0: 0, 98: len(recording.events) - 1, 99: len(recording.events)}.get(place, recording.begun + place + 1)
    return b"".join(recording.events[:count])


KEEPING = {
    "comments": (b": keep-alive\n\n", Wait(0.02)),
    "blank lines": (b"\n", Wait(0.02)),
    "empty events": (b"data:\n\n", Wait(0.02)),
    "objects that say nothing": (b'data: {"type": "ping", "choices": []}\n\n', Wait(0.02)),
    "silence": (HANG,),
}


@each_wire
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
async def test_a_server_that_says_nothing_more_is_not_waited_for(recording: Recording, place: int) -> None:
    begun = upto(recording, place)
    bodies = [Forever(*([begun] if begun else []), then=keeping) for keeping in KEEPING.values()]
    answers = await asyncio.gather(*(given(recording, streamed(recording, body)) for body in bodies))
    for keeping, joined in zip(KEEPING, answers, strict=True):
        assert joined.text == recording.said(len(begun)), keeping
        assert is_whole(joined) or joined.refusal.kind == "network", keeping
        assert joined.finish == "tool_calls" or place != PLACES["after the end"], keeping


@each_wire
async def test_a_byte_at_a_time_is_slow_and_whole(recording: Recording) -> None:
    pieces: list[Piece] = []
    for place in range(len(recording.body)):
        pieces += [recording.body[place : place + 1], *([Wait(0.01)] if place % 50 == 0 else [])]
    assert is_whole(await given(recording, streamed(recording, pieces), **SLOW))


@each_wire
@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nx: "], ids=["", "line", "field"])
async def test_a_head_that_never_ends_is_not_waited_for(recording: Recording, start: bytes) -> None:
    trickle = Forever(
        start or b"H", then=(b"x" if start.endswith(b" ") else b"a: b\r\n" if start else b"T", Wait(0.02))
    )
    joined = await given(recording, Reply(body=trickle, framing="raw"))
    assert not is_whole(joined)
    assert joined.refusal.kind == "network"


@each_wire
async def test_an_event_that_never_ends_is_not_waited_for(recording: Recording) -> None:
    body = Forever(upto(recording, -1), b'data: {"x": "', then=(b"x" * 100, Wait(0.02)))
    joined = await given(recording, streamed(recording, body))
    assert not is_whole(joined)
    assert joined.text == SAID


@each_wire
@pytest.mark.parametrize("status", [400, 500, 200])
async def test_an_error_that_never_ends_is_not_waited_for(
    recording: Recording, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conch_desktop.providers.refusing._ERROR_SECONDS", 0.5)
    body = Forever(b'{"error": {"message": "Rate limit reached', then=(b" ", Wait(0.02)))
    joined = await given(recording, Reply(status, {"content-type": "application/json"}, body, "chunked"))
    assert not is_whole(joined)


# garbage ------------------------------------------------------------------------------------------------------------

GARBAGE = {
    "bytes": bytes(range(256)) + b"\n\n",
    "text": b"Bad gateway\n\n",
    "half an object": b'data: {"choices": [{"delta": {"content": "\n\n',
    "deep": b"data: " + b'{"a":' * 20_000 + b"\n\n",
    "not UTF-8": b'data: {"x": "\xff\xfe"}\n\n',
    "a line of a megabyte": b": " + b"x" * 1_000_000 + b"\n\n",
    "numbers": b"data: 1\n\ndata: [2]\n\ndata: null\n\n",
}


@each_wire
@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("place", [0, -1, 1], ids=["before", "between", "in a call"])
async def test_garbage_among_events_costs_no_word(recording: Recording, garbage: bytes, place: int) -> None:
    begun = upto(recording, place)
    body = [*([begun] if begun else []), garbage, recording.body[len(begun) :]]
    joined = await given(recording, streamed(recording, body), **SLOW)
    if place or joined.finish != "error":  # what begins as no stream does is none
        assert is_whole(joined)


@each_wire
@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
async def test_nothing_but_garbage_is_told(recording: Recording, garbage: bytes) -> None:
    joined = await given(recording, streamed(recording, [garbage]), **SLOW)
    assert not is_whole(joined)
    assert joined.text == ""


@each_wire
@pytest.mark.parametrize(
    "reply", [b"", b"HTTP/1.1 200", b"SSH-2.0-OpenSSH\r\n", bytes(range(256)), b"HTTP/1.1 999 ?\r\n\r\n"]
)
async def test_what_is_no_http_is_told(recording: Recording, reply: bytes) -> None:
    assert not is_whole(await given(recording, Reply(body=[reply] if reply else [], framing="raw")))


# kinds of content ---------------------------------------------------------------------------------------------------


@each_wire
@pytest.mark.parametrize(
    "media_type", ["text/html", "application/json", "application/octet-stream", "image/png", "", "x"]
)
async def test_a_stream_is_read_whatever_it_is_called(recording: Recording, media_type: str) -> None:
    headers = {"content-type": media_type} if media_type else {}
    assert is_whole(await given(recording, Reply(200, headers, recording.events, "chunked")))


@each_wire
@pytest.mark.parametrize("how", ["whole", "in bytes", "cut", "plain"])
async def test_a_packed_stream_is_unpacked_or_told(recording: Recording, how: str) -> None:
    packed = gzip.compress(recording.body)
    body: list[Piece] = [packed]
    if how == "in bytes":
        body = [packed[place : place + 1] for place in range(len(packed))]
    elif how == "cut":
        body = [packed[: len(packed) // 2], CUT]
    elif how == "plain":
        body = [recording.body]
    headers = {"content-type": recording.media_type, "content-encoding": "gzip"}
    joined = await given(recording, Reply(200, headers, body, "chunked"), **SLOW)
    assert is_whole(joined) is (how in ("whole", "in bytes"))
    assert SAID.startswith(joined.text)


# other hosts --------------------------------------------------------------------------------------------------------


@each_wire
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("first", [True, False], ids=["at once", "later"])
async def test_no_redirect_takes_the_key_to_another_host(recording: Recording, status: int, first: bool) -> None:
    async with FaultyServer(streamed(recording, recording.events)) as other, FaultyServer() as server:
        away = Reply(status, {"location": f"{other.url}/v1/chat/completions"})
        server.fault, server.first = away, away if first else None
        wire = wire_to(recording.kind, server.url, **LIMITS)
        assert not is_whole(await answered(wire))
        with pytest.raises(ProviderError):
            await wire.list_models()
        await wire.aclose()
        assert other.connections == 0
        assert server.requests
