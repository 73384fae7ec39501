"""One short answer in the bytes of each wire, and a server that gives it with every fault a server can have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, overload

from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.http_wire import HttpWire
from conch_desktop.providers.registry import KINDS
from tests.providers.conol_feeding import DONE, called, logs, text
from tests.servers import Piece, Recorded, Reply, ScriptedServer, call_piece, chunk, event, json_reply

KEY = "sk-pier-7Q2M-0000-LOCAL"
WORDS = ("Good ", "day, ", "Möwe.")
NAME, ARGUMENTS = "find", {"q": "ink Ö"}
RAW = json.dumps(ARGUMENTS, ensure_ascii=False)


@dataclass(frozen=True)
class Recording:
    """The events of an answer: its words, one call, and its end. `begun` is how many come before the call."""

    kind: str
    events: tuple[bytes, ...]
    begun: int = len(WORDS)
    media_type: str = "text/event-stream"

    @property
    def body(self) -> bytes:
        return b"".join(self.events)

    def said(self, upto: int) -> str:
        """The words that are whole in so many bytes."""
        ends = [sum(map(len, self.events[: place + 1])) for place in range(len(self.events))]
        told = [end for end in ends if end <= upto]
        return "".join(WORDS[: max(0, len(told) - (self.begun - len(WORDS)))])


def _openai(kind: str) -> Recording:
    half = len(RAW) // 2
    pieces = (
        *map(chunk, WORDS),
        chunk(calls=[call_piece(NAME, "" if kind == "openai" else RAW, call_id="call_1")]),
        *((chunk(calls=[call_piece(arguments=part)]) for part in (RAW[:half], RAW[half:])) if kind == "openai" else ()),
        chunk(finish="tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}},
    )
    return Recording(kind, (*map(event, pieces), event("[DONE]")))


def _anthropic() -> Recording:
    def named(data: dict[str, Any]) -> bytes:
        return f"event: {data['type']}\n".encode() + event(data)

    call = {"type": "tool_use", "id": "toolu_1", "name": NAME, "input": {}}
    usage = {"input_tokens": 9, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "demo", "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}
            for words in WORDS
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": call},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": part}}
            for part in (RAW[:6], RAW[6:])
        ),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    return Recording("anthropic", tuple(map(named, events)), 2 + len(WORDS))


def _conol() -> Recording:
    grown = ["".join(WORDS[: end + 1]) for end in range(len(WORDS))]
    events = [*(logs(text(words)) for words in grown), logs(called(NAME, ARGUMENTS), stage="s2"), DONE]
    return Recording("conol", tuple(map(event, events)))


def _gemini() -> Recording:
    call = {"functionCall": {"id": "f1", "name": NAME, "args": ARGUMENTS}}
    parts = [*({"text": words} for words in WORDS), call]
    chunks = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]} for part in parts]
    end = {"candidates": [{"index": 0, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9}}
    return Recording("gemini-native", tuple(map(event, [*chunks, end])))


def _ollama() -> Recording:
    messages: list[dict[str, Any]] = [
        *({"content": words} for words in WORDS),
        {"content": "", "tool_calls": [{"function": {"name": NAME, "arguments": ARGUMENTS}}]},
    ]
    lines = [{"message": {"role": "assistant", **message}, "done": False} for message in messages]
    end = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "eval_count": 4}
    events = tuple(f"{json.dumps(line, ensure_ascii=False)}\n".encode() for line in [*lines, end])
    return Recording("ollama", events, media_type="application/x-ndjson")


RECORDINGS = {
    each.kind: each
    for each in (
        *(_openai("openai"), _openai("conol-gateway"), _anthropic()),
        *(_gemini(), _ollama(), _conol()),
    )
}


def wire_to(kind: str, url: str, **limits: float) -> HttpWire:
    """A wire with limits of its own."""
    module, _, name = KINDS[kind].wire.partition(":")
    provider = Provider("pier", kind, "Pier", url)
    wire: HttpWire = getattr(import_module(module), name)(provider=provider, kind=KINDS[kind], key=KEY, **limits)
    return wire


MODEL = Model("pier", "demo")


_STREAMS = ("/chat/completions", "/messages", "/messages?logDeltas=1", "/api/chat", ":streamGenerateContent?alt=sse")


class FaultyServer(ScriptedServer):
    """Gives `fault` where an answer streams, and everything before it as it should be. It redirects all it is asked."""

    def __init__(self, fault: Reply | None = None) -> None:
        super().__init__()
        self.fault = fault or Reply(404)
        self.first: Reply | None = None  # instead of the session of conol.ai

    def _reply(self, request: Recorded) -> Reply:
        if request.path == "/api/sessions":
            return self.first or json_reply({"sessionId": "s1", "effectiveModel": "demo"}, 201)
        return self.fault if request.path.endswith(_STREAMS) or "location" in self.fault.headers else Reply(404)


class Forever(Sequence[Piece]):
    """Pieces first, and then others again and again."""

    def __init__(self, *first: Piece, then: Sequence[Piece]) -> None:
        self._first, self._then = first, then

    def __iter__(self) -> Iterator[Piece]:
        yield from self._first
        while True:
            yield from self._then

    def __len__(self) -> int:
        raise TypeError("it has no end")

    @overload
    def __getitem__(self, place: int) -> Piece: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Piece]: ...
    def __getitem__(self, place: int | slice) -> Piece | Sequence[Piece]:
        raise TypeError("it is only gone through")
