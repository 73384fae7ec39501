"""Feeds bytes to a wire and joins the events that come out, for the tests of this folder."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from conch_desktop.domain.events import (
    CallDelta,
    Finish,
    ReasoningDelta,
    Refusal,
    Replay,
    TextDelta,
    Usage,
    WireCall,
    WireEvent,
)
from conch_desktop.domain.messages import SentMessage
from conch_desktop.domain.models import Model, Provider
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext
from conch_desktop.providers.openai import OpenAIWire
from conch_desktop.providers.registry import KINDS, make_wire
from conch_desktop.providers.wire import Request, Wire

DATA = Path(__file__).parent / "data"
MODEL = Model("pier", "demo")


@dataclass
class Joined:
    """All events of an answer, joined."""

    text: str = ""
    reasoning: str = ""
    signs: dict[int, tuple[str, str]] = field(default_factory=dict)
    usage: Usage | None = None
    replay: dict[str, Any] = field(default_factory=dict)
    end: Finish | Refusal | None = None
    events: list[WireEvent] = field(default_factory=list)

    @property
    def calls(self) -> tuple[WireCall, ...]:
        return self.end.calls if isinstance(self.end, Finish) else ()

    @property
    def finish(self) -> str:
        return self.end.reason if isinstance(self.end, Finish) else "error"

    @property
    def refusal(self) -> Refusal:
        assert isinstance(self.end, Refusal), self.end
        return self.end

    def told(self) -> tuple[Any, ...]:
        """What must not depend on how the bytes were cut. Ids that were made up differ."""
        calls = tuple((call.name, call.arguments, call.extra) for call in self.calls)
        end = self.end if isinstance(self.end, Refusal) else self.finish
        return self.text, self.reasoning, self.signs, self.usage, self.replay, calls, end


def join(events: Sequence[WireEvent]) -> Joined:
    """Joins the events of one answer, and checks that the last, and only the last, ends it."""
    joined = Joined(events=list(events))
    for event in events:
        assert joined.end is None, "nothing follows the end"
        if isinstance(event, TextDelta):
            assert event.text
            joined.text += event.text
        elif isinstance(event, ReasoningDelta):
            assert event.text
            joined.reasoning += event.text
        elif isinstance(event, CallDelta):
            joined.signs[event.key] = (event.name, joined.signs.get(event.key, ("", ""))[1] + event.arguments)
        elif isinstance(event, Usage):
            joined.usage = event
        elif isinstance(event, Replay):
            assert not joined.replay, "once an answer"
            joined.replay = json.loads(event.data)
        elif isinstance(event, (Finish, Refusal)):
            joined.end = event
    assert joined.end is not None, "an answer ends with a Finish or a Refusal"
    return joined


class Arriving(httpx.AsyncByteStream):
    """A body that arrives in these chunks; `cut` breaks the connection after the last."""

    def __init__(self, chunks: Sequence[bytes], *, cut: bool = False) -> None:
        self._chunks = chunks
        self._cut = cut

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._cut:
            raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")


async def feed(
    chunks: Sequence[bytes],
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    tools: Sequence[str] | None = None,
    cut: bool = False,
    kind: str = "openai",
) -> Joined:
    """The answer that the wire of a kind reads from these chunks."""
    sent = headers if headers is not None else {"content-type": "text/event-stream"}
    response = httpx.Response(status, headers=sent, stream=Arriving(chunks, cut=cut))
    made = make_wire(Provider("pier", kind, "Pier", "http://127.0.0.1:1"), None)
    async with contextlib.aclosing(made.read(response, tools=tools)) as events:
        return join([event async for event in events])


def recorded(name: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a real server's answer in `data/`."""
    head, _, body = (DATA / f"{name}.http").read_bytes().partition(b"\n\n")
    first, *lines = head.decode().split("\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    for gone in ("transfer-encoding", "content-length"):
        headers.pop(gone, None)
    return int(first.split()[1]), headers, body


def wire(url: str, *, kind: str = "openai", key: str | None = None, **more: Any) -> OpenAIWire:
    """A wire to a server."""
    return OpenAIWire(provider=Provider("pier", kind, "Pier", url), kind=KINDS[kind], key=key, **more)


def ask(text: str = "Hello", **more: Any) -> Request:
    """A request with one message."""
    return Request(MODEL, "", (SentMessage("user", text),), **more)


async def answer_of(wire: Wire, request: Request | None = None) -> Joined:
    """A whole answer over the network."""
    async with contextlib.aclosing(wire.stream(request or ask())) as events:
        return join([event async for event in events])


async def _run(_: Mapping[str, Any], __: ToolContext) -> ToolAnswer:
    return ToolAnswer()


def tool(name: str, **properties: Any) -> Tool:
    """A tool with these properties."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(name, f"About {name}.", parameters if properties else {}, "read", _run)
