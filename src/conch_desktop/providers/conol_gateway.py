"""The wire of a conol.ai gateway: chat completions, but for four habits of the service behind it.

It may send one call more than once; a call of the service's own tools stands beside ours; `tool_choice: none` holds
nothing back; and words and calls come together, which the ordinary reader takes anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from conch_desktop.domain.events import CallDelta, Finish, ProviderCall, WireCall, WireEvent
from conch_desktop.providers.conol_entries import Called
from conch_desktop.providers.openai import OpenAIWire
from conch_desktop.providers.stream import Answer
from conch_desktop.providers.wire import Request


class GatewayWire(OpenAIWire):
    """Speaks chat completions with a gateway of conol.ai."""

    def _answer(self, tools: Sequence[str]) -> Answer:
        return GatewayAnswer(tools)

    def _answer_to(self, request: Request, tools: Sequence[str]) -> Answer:
        return GatewayAnswer(tools, choice=request.tool_choice)


class GatewayAnswer(Answer):
    """One answer. With `choice` "none" no call of ours is handed on."""

    def __init__(self, tools: Collection[str] = (), *, choice: str = "auto") -> None:
        super().__init__(tools)
        self._tools = frozenset(tools)
        self._choice = choice

    def take(self, chunk: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one chunk. Whose a call is, and whether it is one more, is only known when it is whole."""
        return [event for event in super().take(chunk) if not isinstance(event, CallDelta)]

    def end(self) -> list[WireEvent]:
        """The last events, with each call once, and those the service ran by itself shown as that."""
        events: list[WireEvent] = []
        for event in super().end():
            events += self._sorted(event) if isinstance(event, Finish) else [event]
        return events

    def _sorted(self, end: Finish) -> list[WireEvent]:
        once: dict[tuple[str, str], WireCall] = {}
        for call in end.calls:
            once.setdefault(Called(call.name, call.arguments or "{}").same, call)
        ours = tuple(call for call in once.values() if call.name in self._tools)
        theirs = [call for call in once.values() if call.name not in self._tools]
        if self._choice == "none":
            ours = ()
        reason = end.reason if ours or end.reason != "tool_calls" else "stop"
        ran = [ProviderCall(call.name, call.arguments, None) for call in theirs]
        return [*ran, Finish(reason, ours)]
