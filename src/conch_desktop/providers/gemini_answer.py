"""Reads the chunks of Gemini's own API: text, thinking, calls, what has to go back, and how the answer ended.

The rules are those of ai.google.dev, "GenerateContentResponse", "Thought signatures" and "Code execution".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conch_desktop.domain.events import (
    CallDelta,
    Finish,
    FinishReason,
    ProviderCall,
    Replay,
    Usage,
    WireCall,
    WireEvent,
)
from conch_desktop.providers.ids import minted_id
from conch_desktop.providers.spoken import SpokenAnswer

_FINISHES: Mapping[str, FinishReason] = {
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
        "content_filter",
    ),
    **dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "content_filter"),
}
"""What a finish reason means; any other that is no fault is a plain end."""

_FAULTS: Mapping[str, tuple[int, str]] = {
    "MALFORMED_FUNCTION_CALL": (400, "The model made a malformed function call."),  # hermes-agent PR #83886
    "UNEXPECTED_TOOL_CALL": (400, "The model made a malformed function call: of a tool it was not given."),
    "TOO_MANY_TOOL_CALLS": (400, "The model made a malformed function call: too many in a row."),
    "MALFORMED_RESPONSE": (400, "The model produced a malformed answer."),
    "MISSING_THOUGHT_SIGNATURE": (400, "A thought_signature is missing in the history."),
    "OTHER": (500, "The model stopped for a reason that Google does not tell."),
}
"""The finish reasons that are faults: the status such an error would have, and what it means."""

_KEYS = frozenset({"candidates", "promptFeedback", "usageMetadata"})
"""What a chunk of an answer has one of."""
_NO_REASON = frozenset({"", "FINISH_REASON_UNSPECIFIED"})
_COUNTS: Mapping[str, str] = {
    "promptTokenCount": "input_tokens",
    "candidatesTokenCount": "output_tokens",
    "cachedContentTokenCount": "cached_tokens",
    "thoughtsTokenCount": "reasoning_tokens",
}


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of the answer. They arrive whole. `given` is the id it came with, "" without one."""

    id: str
    given: str
    name: str
    arguments: str
    signature: str

    @property
    def extra(self) -> str:
        """What goes back with it: its id, and the signature of the thinking it came from."""
        extra = {"id": self.given, "thought_signature": self.signature}
        return json.dumps({key: value for key, value in extra.items() if value}) if any(extra.values()) else ""


class GeminiAnswer(SpokenAnswer):
    """One answer, taken chunk by chunk (see `http_wire.WireAnswer`)."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: list[_Call] = []
        self._parts: list[dict[str, Any]] = []
        self._plain: list[str] = []  # text after the last of these parts
        self._code: dict[str, Any] | None = None  # code the provider runs, until its result comes
        self._reason = ""
        self._why = ""
        self._blocked = ""
        self._usage: dict[str, int] = {}

    @property
    def calling(self) -> bool:
        return bool(self._calls)

    @property
    def ended(self) -> bool:
        """A finish reason is the end: there is no other sign of one. So is a prompt that was blocked."""
        return self.done or bool(self._reason or self._blocked)

    @property
    def failed(self) -> bool:
        return self.fault is not None

    @property
    def fault(self) -> Mapping[str, Any] | None:
        """The error that the answer ended with, in the shape Google gives errors; None when it did not."""
        if self._blocked:
            return _error(400, self._blocked, f"The prompt was blocked by a content filter: {self._blocked}.")
        if self._reason in _FAULTS:
            code, what = _FAULTS[self._reason]
            return _error(code, self._reason, f"{what} {self._why}".strip())
        if _FINISHES.get(self._reason) == "content_filter" and not self.started:
            return _error(400, self._reason, f"The answer was blocked by a content filter: {self._reason}.")
        return None

    def take(self, value: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one chunk."""
        self.taken = self.taken or not _KEYS.isdisjoint(value)
        self._count(_part(value, "usageMetadata"))
        block = _part(value, "promptFeedback").get("blockReason")
        if isinstance(block, str) and block:
            self._blocked = block
        candidate = _candidate(value)
        parts = _part(candidate, "content").get("parts")
        events = [
            event
            for part in (parts if isinstance(parts, list) else ())
            if isinstance(part, dict)
            for event in self._take(part)
        ]
        reason, why = candidate.get("finishReason"), candidate.get("finishMessage")
        if isinstance(reason, str) and reason not in _NO_REASON:
            self._reason, self._why = reason, why if isinstance(why, str) else ""
            self.done = "usageMetadata" in value  # the last chunk has both; some send a reason first (kelivo PR #1002)
        return events

    def end(self) -> list[WireEvent]:
        """The last events of an answer that ended as it should."""
        events: list[WireEvent] = [*self._spoken.close(), *self._ran(None)]
        reason = _FINISHES.get(self._reason, "stop")
        calls = () if reason == "content_filter" else self._made()
        self._keep(None)
        if any(part.keys() - {"text", "functionCall"} for part in self._parts):
            events.append(Replay(json.dumps({"parts": self._parts})))
        return [*events, *self._counted(), Finish("tool_calls" if calls else reason, calls)]

    def broken(self) -> list[WireEvent]:
        """What is still to be told of an answer that did not end as it should. No calls."""
        return [*self._spoken.close(), *self._ran(None), *self._counted()]

    # parts ----------------------------------------------------------------------------------------------------------

    def _take(self, part: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one part."""
        if isinstance(call := part.get("functionCall"), dict):
            return self._call(call, _text(part, "thoughtSignature"))
        if isinstance(code := part.get("executableCode"), dict):
            events = self._ran(None)
            self._code = code
            self._keep(part)
            return events
        if isinstance(result := part.get("codeExecutionResult"), dict):
            self._keep(part)
            return self._ran(_text(result, "output") or _text(result, "outcome"))
        text, signature, thought = _text(part, "text"), _text(part, "thoughtSignature"), part.get("thought") is True
        if signature:  # a part with a signature stays by itself, be it empty
            marked = {"text": text, "thoughtSignature": signature}
            self._keep({**marked, "thought": True} if thought else marked)
        elif text and not thought:
            self._plain.append(text)
        return [*self._spoken.say("" if thought else text, text if thought else "")]

    def _keep(self, part: Mapping[str, Any] | None) -> None:
        """Keeps a part that goes back, and before it the text there was; None for that text alone."""
        if self._plain:
            self._parts.append({"text": "".join(self._plain)})
            self._plain.clear()
        if part is not None:
            self._parts.append(dict(part))

    def _call(self, call: Mapping[str, Any], signature: str) -> list[WireEvent]:
        name, given, arguments = _text(call, "name"), _text(call, "id"), call.get("args")
        raw = arguments if isinstance(arguments, str) else ""
        if arguments is not None and not raw:
            raw = json.dumps(arguments, ensure_ascii=False)
        same = [(known.name, known.arguments) for known in self._calls if given and known.given == given]
        if not name or (name, raw) in same:  # sent again; one id for two calls: OpenRouterTeam/ai-sdk-provider PR #471
            return []
        made = _Call(minted_id() if same or not given else given, given, name, raw, signature)
        self._calls.append(made)
        self._keep({"functionCall": {"id": made.id}})
        return [CallDelta(len(self._calls) - 1, name, raw)]

    def _made(self) -> tuple[WireCall, ...]:
        return tuple(
            WireCall(call.id, call.name, call.arguments, call.extra, key) for key, call in enumerate(self._calls)
        )

    def _ran(self, result: str | None) -> list[WireEvent]:
        """The code that was run there, when there is some."""
        code, self._code = self._code, None
        if code is None:
            return []
        return [ProviderCall("code_execution", json.dumps(code, ensure_ascii=False), result)]

    # usage ----------------------------------------------------------------------------------------------------------

    def _count(self, usage: Mapping[str, Any]) -> None:
        """Every chunk may have the counts so far: the last of each is true."""
        for theirs, ours in _COUNTS.items():
            count = usage.get(theirs)
            if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
                self._usage[ours] = count

    def _counted(self) -> list[WireEvent]:
        return [Usage(**self._usage)] if self._usage else []


def _candidate(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first answer of a chunk."""
    candidates = value.get("candidates")
    for candidate in candidates if isinstance(candidates, list) else ():
        if isinstance(candidate, dict) and candidate.get("index") in (None, 0):
            return candidate
    return {}


def _error(code: int, status: str, message: str) -> Mapping[str, Any]:
    return {"error": {"code": code, "message": message[:400], "status": status}}


def _part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = value.get(key)
    return part if isinstance(part, dict) else {}


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
