"""OpenRouter's details of thinking come in pieces and go back whole."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.providers.reasoning_details import put_together


def text(words: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", **({} if words is None else {"text": words}), **more}


def sealed(data: str, **more: Any) -> dict[str, Any]:
    return {"type": "reasoning.encrypted", "data": data, **more}


CASES: dict[str, tuple[list[Any], list[Any]]] = {
    "pieces of one block, its signature last": (
        [text("Let", index=0, format="f"), text(" me", index=0), text(index=0, signature="Et8")],
        [text("Let me", index=0, format="f", signature="Et8")],
    ),
    "pieces without an index": ([text("a"), text("b")], [text("ab")]),
    "another type ends a block, whatever the index": (
        [text("a", index=0), sealed("x", index=0), text("b", index=0)],
        [text("a", index=0), sealed("x", index=0), text("b", index=0)],
    ),
    "blocks of their own index in turn": (
        [text("a", index=0), text("b", index=1), text("c", index=0)],
        [text("ac", index=0), text("b", index=1)],
    ),
    "a signed block is whole": (
        [text("a", index=0, signature="s"), text("b", index=0)],
        [text("a", index=0, signature="s"), text("b", index=0)],
    ),
    "another id is another block": ([text("a", id="1"), text("b", id="2")], [text("a", id="1"), text("b", id="2")]),
    "null fields take nothing away": (
        [text("a", format="f", signature=None), text("b", format=None)],
        [text("ab", format="f", signature=None)],
    ),
    "a summary grows too": (
        [{"type": "reasoning.summary", "summary": "a"}, {"type": "reasoning.summary", "summary": "b"}],
        [{"type": "reasoning.summary", "summary": "ab"}],
    ),
    "what is sealed stays apart": (
        [sealed("x", index=0), sealed("y", index=0)],
        [sealed("x", index=0), sealed("y", index=0)],
    ),
    "what is no block is nothing": (["a", None, 5], []),
}


@pytest.mark.parametrize("case", CASES)
def test_pieces_become_blocks(case: str) -> None:
    pieces, blocks = CASES[case]
    assert put_together(pieces) == blocks
    assert put_together(blocks) == blocks
