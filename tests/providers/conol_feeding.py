"""Events of conol.ai's stream as a test writes them, and the answer that is read from them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from typing import Any

import httpx

from conch_desktop.domain.models import Provider
from conch_desktop.providers.conol import ConolWire
from conch_desktop.providers.registry import KINDS
from tests.providers.feeding import Arriving, Joined, join

DONE = {"type": "done"}


def text(words: str, kind: str = "message", role: str = "assistant", **more: Any) -> dict[str, Any]:
    """An entry of words."""
    return {"role": role, "type": kind, "content": [{"type": "text", "text": words}], **more}


def think(words: str, **more: Any) -> dict[str, Any]:
    """An entry of thinking."""
    return text(words, "thinking", **more)


def called(name: str, given: Any, **more: Any) -> dict[str, Any]:
    """An entry that is a call; `result` may stand in it."""
    return {
        "role": "assistant",
        "type": "tool_call",
        "content": [{"name": name, "type": "tool_call", "input": given, **more}],
    }


def logs(*entries: Any, stage: str = "s1") -> dict[str, Any]:
    """An event with finished entries of one stage."""
    return {"type": "history_delta", "stages": [{"id": stage, "logs": list(entries)}]}


def preview(*entries: Any, stage: str = "s1", finished: Sequence[Any] = ()) -> dict[str, Any]:
    """An event with entries of one stage that are being written."""
    return {"type": "history_delta", "stages": [{"id": stage, "logs": list(finished), "preview": list(entries)}]}


def streamed(*events: Any, form: str = "data: %s\n\n") -> bytes:
    """The bytes of a stream. Text stands as it is."""
    written = (event if isinstance(event, str) else form % json.dumps(event, ensure_ascii=False) for event in events)
    return "".join(written).encode()


def conol(url: str = "http://127.0.0.1:1", **more: Any) -> ConolWire:
    """A wire to a server."""
    return ConolWire(provider=Provider("pier", "conol", "Pier", url), kind=KINDS["conol"], **{"key": None, **more})


async def feed(chunks: Sequence[bytes], *, tools: Sequence[str] = (), cut: bool = False) -> Joined:
    """The answer that is read from these chunks."""
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Arriving(chunks, cut=cut))
    async with contextlib.aclosing(conol().read(response, tools=tools)) as events:
        return join([event async for event in events])
