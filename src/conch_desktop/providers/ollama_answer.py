"""Reads the lines of Ollama's own API (`/api/chat`): text, thinking, whole calls, counts and how the answer ended.

The rules are those of Ollama's API reference, "Generate a chat completion"; a report stands beside the rest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from conch_desktop.domain.events import CallDelta, Finish, FinishReason, Usage, WireCall, WireEvent
from conch_desktop.providers.ids import minted_id
from conch_desktop.providers.spoken import SpokenAnswer

_FINISHES: Mapping[str, FinishReason] = {"length": "length"}
"""What a `done_reason` means; any other ("stop", "load", "unload") is a plain end."""


class OllamaAnswer(SpokenAnswer):
    """One answer, taken line by line (see `http_wire.WireAnswer`)."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[WireCall] = []
        self._reason = ""
        self._usage = Usage()

    @property
    def calling(self) -> bool:
        return bool(self._calls)

    @property
    def ended(self) -> bool:
        return self.done

    @property
    def failed(self) -> bool:
        return False

    def take(self, value: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one line. The last one may still hold words and calls (kooshi/llama-swappo PR #13)."""
        message = value.get("message")
        self.taken = self.taken or isinstance(message, dict) or "done" in value
        message = message if isinstance(message, dict) else {}
        text, thinking = message.get("content"), message.get("thinking")
        events: list[WireEvent] = [
            *self._spoken.say(text if isinstance(text, str) else "", thinking if isinstance(thinking, str) else "")
        ]
        calls = message.get("tool_calls")
        events += [delta for call in (calls if isinstance(calls, list) else ()) for delta in self._call(call)]
        if value.get("done") is True:
            self.done = True
            self._reason = str(value.get("done_reason") or "")
            self._usage = Usage(_count(value.get("prompt_eval_count")), _count(value.get("eval_count")))
        return events

    def end(self) -> list[WireEvent]:
        """The last events of an answer that ended as it should. Calls arrive whole: even one cut at its length runs."""
        reason = _FINISHES.get(self._reason, "stop")
        return [*self.broken(), Finish("tool_calls" if self._calls else reason, tuple(self._calls))]

    def broken(self) -> list[WireEvent]:
        """What is still to be told of an answer that did not end as it should. No calls."""
        return [*self._spoken.close(), *([self._usage] if self._usage != Usage() else [])]

    def _call(self, entry: Any) -> list[WireEvent]:
        """A call. Its arguments are an object; some servers that copy the API write text. Only newer ones give ids."""
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict) or not isinstance(name := function.get("name"), str) or not name:
            return []
        given, arguments = entry.get("id"), function.get("arguments")
        if not isinstance(given, str) or any(given == call.id for call in self._calls):
            given = ""
        raw = arguments if isinstance(arguments, str) else ""
        if arguments is not None and not raw:
            raw = json.dumps(arguments, ensure_ascii=False)
        extra = json.dumps({"id": given}) if given else ""
        self._calls.append(WireCall(given or minted_id(), name, raw, extra, len(self._calls)))
        return [CallDelta(len(self._calls) - 1, name, raw)]


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
