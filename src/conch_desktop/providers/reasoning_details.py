"""Puts OpenRouter's `reasoning_details` together from their pieces: a signed block is refused in parts.

In a stream every piece may carry index 0, whatever block it is of (OpenRouterTeam/ai-sdk-provider PR #520). So a piece
goes on with the last block if that is of the same type, and else with the last one of its own index; a block that
has its signature is whole (agno-agi/agno #8794). What is encrypted comes in one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_GROWING = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""The types that come in pieces, and the field in which."""


def put_together(pieces: Iterable[Any]) -> list[Any]:
    """The blocks, in the order in which they began."""
    blocks: list[Any] = []
    for piece in pieces:
        if not isinstance(piece, dict):
            continue
        block = _begun(blocks, piece)
        if block is None:
            blocks.append(dict(piece))
        else:
            name = _GROWING[piece["type"]]
            words = f"{block.get(name) or ''}{piece.get(name) or ''}"
            block.update({key: value for key, value in piece.items() if value is not None})
            if words or name in block:
                block[name] = words
    return blocks


def _begun(blocks: list[Any], piece: Mapping[str, Any]) -> dict[str, Any] | None:
    """The block a piece goes on with; None when it begins one."""
    if piece.get("type") not in _GROWING or not blocks:
        return None
    index = piece.get("index")
    last: dict[str, Any] = blocks[-1]
    if None not in (index, last.get("index")) and last.get("index") != index:
        last = next((block for block in reversed(blocks) if block.get("index") == index), {})
    if last.get("type") != piece["type"] or last.get("signature"):
        return None
    ids = {given for given in (last.get("id"), piece.get("id")) if given}
    return last if len(ids) < 2 else None
