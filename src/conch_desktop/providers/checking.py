"""What `conch-desktop check refusals` and `check streams` say of one case: the readers, on data."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from conch_desktop.domain.events import (
    Finish,
    ProviderCall,
    ReasoningDelta,
    Refusal,
    Replay,
    TextDelta,
    Usage,
    WireCall,
    WireEvent,
)
from conch_desktop.domain.models import Provider
from conch_desktop.providers.refusals import classify

if TYPE_CHECKING:
    import httpx

_WIRES: Mapping[str, str] = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini-native",
    "ollama": "ollama",
    "conol": "conol",
}
"""The wires there are to check, and the kind of provider each is checked as: the registry knows its class."""


def refusal(case: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer that is none means."""
    told = classify(
        status=int(case.get("status") or 0),
        headers=_headers(case),
        body=str(case.get("body") or ""),
        during=str(case.get("during") or "before_first_token"),
        provider=str(case.get("provider") or "The provider"),
        url="",
        tools_sent=case.get("tools_sent", True) is not False,
        tools=_names(case),
    )
    said: dict[str, Any] = {"kind": told.kind, "retry_after": told.retry_after}
    if told.names_tool:
        said["names_tool"] = told.names_tool
    if told.teaches is not None:
        said["teaches"] = dict(zip(("lesson", "value"), told.teaches, strict=True))
    return said


def stream(case: Mapping[str, Any]) -> dict[str, Any]:
    """What is put together from a stream. Of a wire that is not there yet it says so in `error`."""
    if case.get("wire", "openai") not in _WIRES:
        return {"error": "unsupported"}
    return _joined(asyncio.run(_events(case)))


def _headers(case: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in (case.get("headers") or {}).items()}


def _names(case: Mapping[str, Any]) -> list[str]:
    """The names of the tools, which a case may give with their schemas."""
    return [str(tool.get("name") if isinstance(tool, dict) else tool) for tool in case.get("tools") or ()]


# streams ------------------------------------------------------------------------------------------------------------


async def _events(case: Mapping[str, Any]) -> list[WireEvent]:
    """The events of a response over bytes in memory."""
    from conch_desktop.providers.registry import make_wire

    wire = make_wire(Provider("check", _WIRES[case.get("wire", "openai")], "The provider", "http://127.0.0.1"), None)
    try:
        # No names are read as unknown ones: a case may leave them out that a refusal is about.
        async with contextlib.aclosing(wire.read(_response(case), tools=_names(case) or None)) as events:
            return [event async for event in events]
    finally:
        await wire.aclose()


def _response(case: Mapping[str, Any]) -> httpx.Response:
    import httpx

    class Arriving(httpx.AsyncByteStream):
        """The chunks, one network read each; `end: abort` breaks the connection after the last."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in case.get("chunks") or ():
                yield str(chunk).encode(case.get("chunk_encoding") or "utf-8")
            if case.get("end") == "abort":
                raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

    headers = {"content-type": "text/event-stream"} | {name.lower(): value for name, value in _headers(case).items()}
    return httpx.Response(int(case.get("status") or 200), headers=headers, stream=Arriving())


def _joined(events: Sequence[WireEvent]) -> dict[str, Any]:
    """The events of an answer in one."""
    end = events[-1] if events else None
    usage = next((event for event in reversed(events) if isinstance(event, Usage)), None)
    replay = next((event.data for event in events if isinstance(event, Replay)), "{}")
    return {
        "text": "".join(event.text for event in events if isinstance(event, TextDelta)),
        "reasoning": "".join(event.text for event in events if isinstance(event, ReasoningDelta)),
        "calls": [_call(call) for call in end.calls] if isinstance(end, Finish) else [],
        "provider_calls": [
            {"name": event.name, "arguments": event.arguments, "result": event.result}
            for event in events
            if isinstance(event, ProviderCall)
        ],
        "replay": json.loads(replay),
        "finish": _reason(end) if isinstance(end, Finish) else "error",
        "usage": None if usage is None else _counts(usage),
        "error": end.kind if isinstance(end, Refusal) else None,
    }


def _reason(end: Finish) -> str:
    """How the answer ended. A pause of the provider's own is a plain end: the turn asks it to go on."""
    return "stop" if end.reason == "paused" else end.reason


def _call(call: WireCall) -> dict[str, Any]:
    extra = json.loads(call.extra) if call.extra else {}
    return {**extra, "id": call.id, "name": call.name, "arguments": call.arguments}


def _counts(usage: Usage) -> dict[str, int]:
    counts = {field.name: getattr(usage, field.name) for field in fields(usage) if field.name != "cost"}
    return {name: count for name, count in counts.items() if count is not None}
