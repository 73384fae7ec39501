"""Answers of Anthropic's Messages API as it streams them, for scripted servers."""

from __future__ import annotations

import json
from typing import Any

from tests.servers import Piece, Reply


def named(data: dict[str, Any]) -> bytes:
    """One event under its type's name."""
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def start(**usage: int) -> dict[str, Any]:
    """The beginning of an answer."""
    message = {"id": "msg_01", "type": "message", "role": "assistant", "model": "demo", "content": []}
    return {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage or {"input_tokens": 3}}}


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """One block: its beginning, its deltas, its end."""
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    """A block of words."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, words: str, signature: str) -> list[dict[str, Any]]:
    """A block of thinking, its signature last."""
    begun = {"type": "thinking", "thinking": "", "signature": ""}
    deltas = ({"type": "thinking_delta", "thinking": words}, {"type": "signature_delta", "signature": signature})
    return block(index, begun, *deltas)


def tool_use(index: int, name: str, *pieces: str, call_id: str = "toolu_1") -> list[dict[str, Any]]:
    """A call."""
    deltas = ({"type": "input_json_delta", "partial_json": piece} for piece in pieces)
    return block(index, {"type": "tool_use", "id": call_id, "name": name, "input": {}}, *deltas)


def stop(reason: str = "end_turn", **usage: int) -> list[dict[str, Any]]:
    """The end of an answer."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": usage or {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def messages_sse(*parts: list[dict[str, Any]] | dict[str, Any] | Piece) -> Reply:
    """A stream of events; anything that is no event is a piece as it is."""
    body: list[Piece] = []
    for part in parts:
        if isinstance(part, list):
            body += [named(event) for event in part]
        else:
            body.append(named(part) if isinstance(part, dict) else part)
    return Reply(200, {"content-type": "text/event-stream"}, body, "chunked")
