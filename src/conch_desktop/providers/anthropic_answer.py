"""Reads the events of Anthropic's Messages API: text, thinking, calls, what has to go back, and how the answer ended.

The rules are those of platform.claude.com, "Streaming messages", "Thinking" and "Stop reasons"; where a server that
copies the API does otherwise, the report stands beside the rule.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conch_desktop.domain.events import (
    CallDelta,
    Finish,
    FinishReason,
    ProviderCall,
    ReasoningDelta,
    Replay,
    TextDelta,
    Usage,
    WireCall,
    WireEvent,
)
from conch_desktop.providers.call_pieces import is_json
from conch_desktop.providers.texts import Halves

EVENTS = frozenset(
    {
        *("message", "message_start", "message_delta", "message_stop", "ping"),
        *("content_block_start", "content_block_delta", "content_block_stop"),
    }
)
"""The types of what is no error. `message` is a whole answer in the place of a stream."""

_FINISHES: Mapping[str, FinishReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "pause_turn": "paused",
}
"""What a stop reason means; any other is a plain end."""

_PIECES: Mapping[str, tuple[str, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
}
"""The deltas that add to a text of their block: the block's type and its field."""


@dataclass(slots=True)
class _Block:
    """One block of the answer while it is put together. `call` is the number of a call of ours, None for the rest."""

    content: dict[str, Any]
    pieces: dict[str, list[str]] = field(default_factory=dict)
    json: list[str] = field(default_factory=list)
    call: int | None = None
    ended: bool = False

    @property
    def type(self) -> str:
        return str(self.content.get("type") or "")

    @property
    def input(self) -> str:
        """The arguments as they were sent: the pieces, or what the beginning of the block held already."""
        given = self.content.get("input")
        whole = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False) if given else ""
        return "".join(self.json) or whole

    def whole(self) -> dict[str, Any]:
        """The block as it goes back."""
        given = {name: value for name, value in self.content.items() if name != "citations" or value}
        return {**given, **{name: "".join(pieces) for name, pieces in self.pieces.items()}}


class AnthropicAnswer:
    """One answer, taken event by event (see `wire_answer.WireAnswer`)."""

    def __init__(self) -> None:
        self.characters = 0
        self.taken = False
        self.done = False
        self._blocks: list[_Block] = []
        self._at: dict[int | None, _Block] = {}  # the latest block of each index
        self._calls: list[_Block] = []
        self._running: dict[str, _Block] = {}  # calls the provider runs, by id, until their results come
        self._stop = ""
        self._usage: dict[str, int] = {}
        self._text = Halves()
        self._thinking = Halves()
        self._parted = False  # something that is not text came after the last text
        self._last = ""

    @property
    def started(self) -> bool:
        return bool(self.characters or self._calls)

    @property
    def calling(self) -> bool:
        return bool(self._calls)

    @property
    def ended(self) -> bool:
        return self.done or bool(self._stop)

    @property
    def failed(self) -> bool:
        return False

    def take(self, value: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one event of the API."""
        kind = str(value.get("type"))
        at = value.get("index")
        index = at if isinstance(at, int) else None
        self.taken = self.taken or (kind in EVENTS and kind != "ping")
        match kind:
            case "message_start":
                return self._message(_part(value, "message"))
            case "message":
                events = self._message(value)
                self.done = True
                return events
            case "content_block_start":
                return self._begin(index, _part(value, "content_block"))
            case "content_block_delta":
                return self._add(index, _part(value, "delta"))
            case "content_block_stop":
                return self._close(index)
            case "message_delta":
                self._end_told(_part(value, "delta"))
                self._count(_part(value, "usage"))
            case "message_stop":
                self.done = True
        return []

    def end(self) -> list[WireEvent]:
        """The last events of an answer that ended as it should."""
        events = self._flush()
        reason = _FINISHES.get(self._stop, "stop")
        calls = self._made(cut=reason in {"length", "content_filter"})
        events += [self._ran(block, None) for block in self._running.values()]
        if blocks := self._replayed(cut=reason == "length"):
            events.append(Replay(json.dumps({"blocks": blocks}, ensure_ascii=False)))
        return [*events, *self._counted(), Finish("tool_calls" if calls else reason, calls)]

    def broken(self) -> list[WireEvent]:
        """What is still to be told of an answer that did not end as it should. No calls."""
        return [*self._flush(), *self._counted()]

    # blocks ---------------------------------------------------------------------------------------------------------

    def _message(self, message: Mapping[str, Any]) -> list[WireEvent]:
        """The beginning of an answer, or a whole one."""
        self._count(_part(message, "usage"))
        self._end_told(message)
        events: list[WireEvent] = []
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            if isinstance(block, dict):
                events += [*self._begin(index, block), *self._close(index)]
        return events

    def _begin(self, index: int | None, content: Mapping[str, Any]) -> list[WireEvent]:
        block = _Block(dict(content))
        self._place(index, block)
        events: list[WireEvent] = []
        match block.type:
            case "text" | "thinking":
                given = block.content.pop(block.type, "")
                block.pieces[block.type] = []
                events += self._grow(block, block.type, given)
            case "tool_use":
                block.call = len(self._calls)
                self._calls.append(block)
                events.append(CallDelta(block.call, str(block.content.get("name") or ""), block.input))
            case "server_tool_use" | "mcp_tool_use":
                self._running[str(block.content.get("id"))] = block
            case _ if "tool_use_id" in block.content:
                call = self._running.pop(str(block.content["tool_use_id"]), None)
                if call is not None:
                    events.append(self._ran(call, result_text(block.content.get("content"))))
        self._parted = self._parted or block.type != "text"
        return events

    def _add(self, index: int | None, delta: Mapping[str, Any]) -> list[WireEvent]:
        kind = str(delta.get("type") or "")
        block = self._at.get(index) or self._unbegun(index, kind)
        if kind in _PIECES:
            return self._grow(block, _PIECES[kind][1], delta.get(_PIECES[kind][1]))
        if kind == "signature_delta":
            block.content["signature"] = delta.get("signature")
        elif kind == "citations_delta":
            block.content["citations"] = [*(block.content.get("citations") or []), delta.get("citation")]
        elif kind == "input_json_delta" and isinstance(piece := delta.get("partial_json"), str):
            block.json.append(piece)
            if block.call is not None and piece:
                return [CallDelta(block.call, str(block.content.get("name") or ""), piece)]
        return []

    def _unbegun(self, index: int | None, kind: str) -> _Block:
        """A block whose beginning never came; of an index that is missing, the last one."""
        if index is None and self._blocks:
            return self._blocks[-1]
        block = _Block({"type": _PIECES.get(kind, ("", ""))[0]})
        self._place(index, block)
        return block

    def _place(self, index: int | None, block: _Block) -> None:
        self._blocks.append(block)
        self._at[index] = block

    def _close(self, index: int | None) -> list[WireEvent]:
        if index in self._at:
            self._at[index].ended = True
        return []

    def _grow(self, block: _Block, name: str, piece: Any) -> list[WireEvent]:
        if not isinstance(piece, str) or not piece:
            return []
        block.pieces.setdefault(name, []).append(piece)
        thinking = name == "thinking"
        said = (self._thinking if thinking else self._text).feed(piece)
        if not said:
            return []
        if not thinking:
            if self._parted and self._last and not (self._last.isspace() or said[0].isspace()):
                said = f"\n\n{said}"
            self._parted, self._last = False, said[-1]
        self.characters += len(said)
        return [ReasoningDelta(said) if thinking else TextDelta(said)]

    def _flush(self) -> list[WireEvent]:
        thinking, text = self._thinking.close(), self._text.close()
        return [*([ReasoningDelta(thinking)] if thinking else []), *([TextDelta(text)] if text else [])]

    # the end --------------------------------------------------------------------------------------------------------

    def _end_told(self, told: Mapping[str, Any]) -> None:
        reason = told.get("stop_reason")
        if isinstance(reason, str) and reason:
            self._stop = reason

    def _made(self, *, cut: bool) -> tuple[WireCall, ...]:
        """The calls to run. `cut`: the answer was stopped; only calls that are whole run then."""
        made = []
        taken: set[str] = set()
        for number, block in enumerate(self._calls):
            name, identity = block.content.get("name"), block.content.get("id")
            if not isinstance(name, str) or not name or (cut and not is_json(block.input)):
                continue
            if not isinstance(identity, str) or not identity or identity in taken:
                identity = f"toolu_{uuid.uuid4().hex[:24]}"
            taken.add(identity)
            made.append(WireCall(identity, name, block.input, key=number))
        return tuple(made)

    def _replayed(self, *, cut: bool) -> list[dict[str, Any]]:
        """The blocks that go back, when there are others than words and calls of ours; those are known anyway.

        A call keeps its place alone: what it is called with may have been mended. Of an answer that was cut the last
        block may be half a one, and thinking without its signature is refused.
        """
        blocks: list[dict[str, Any]] = []
        for block in self._blocks:
            content = block.whole()
            if not block.type:
                continue
            if cut and not (block.ended and (block.type != "thinking" or content.get("signature"))):
                continue
            if block.type == "tool_use":
                content = {"type": "tool_use", "id": content.get("id")}
            elif block.json:
                content["input"] = _parsed(block.input)
            blocks.append(content)
        plain = all(block["type"] == "tool_use" or block.keys() <= {"type", "text"} for block in blocks)
        return [] if plain else [block for block in blocks if block.get("text") != "" or block["type"] != "text"]

    def _ran(self, block: _Block, result: str | None) -> ProviderCall:
        return ProviderCall(str(block.content.get("name") or ""), block.input or "{}", result)

    # usage ----------------------------------------------------------------------------------------------------------

    def _count(self, usage: Mapping[str, Any]) -> None:
        """The counts are cumulative: the last of each is true."""
        for theirs, ours in _COUNTS.items():
            count = usage.get(theirs)
            if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
                self._usage[ours] = count

    def _counted(self) -> list[WireEvent]:
        return [Usage(**self._usage)] if self._usage else []


_COUNTS: Mapping[str, str] = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cached_tokens",
}


def result_text(content: Any) -> str:
    """What a tool of the provider's answered, in words: titles and addresses of a search, the text of anything else."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return str(content.get("error_code") or json.dumps(content, ensure_ascii=False))
    lines = []
    for part in content if isinstance(content, list) else ():
        found = [part.get(key) for key in ("title", "url", "text")] if isinstance(part, dict) else [part]
        lines.append(" ".join(text for text in found if isinstance(text, str)))
    return "\n".join(line for line in lines if line)


def _part(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = value.get(key)
    return part if isinstance(part, dict) else {}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
