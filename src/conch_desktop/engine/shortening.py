"""Shortens the answers of a turn that is too long by itself: the oldest first, never the model's own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, Part
from conch_desktop.domain.tokens import estimate
from conch_desktop.engine.answering import cut

KEPT = 60
"""Tokens that stay of a shortened answer."""

SHORTENED = "[The rest of this answer was left out to make room. Ask again for what is needed of it.]"


def shortened(messages: Sequence[Message], excess: int) -> list[Message]:
    """The messages with their oldest answers shortened until `excess` tokens are saved, or nothing is left to save."""
    made: list[Message] = []
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if excess > 0 and isinstance(part, CallRecord):
                shorter = _shorter(part)
                excess -= estimate(_said(part)) - estimate(_said(shorter))
                part = shorter
            parts.append(part)
        made.append(replace(message, parts=tuple(parts)))
    return made


def _shorter(call: CallRecord) -> CallRecord:
    said = _said(call)
    short = f"{cut(said, KEPT)}\n{SHORTENED}"
    return replace(call, sent_back=short) if estimate(short) < estimate(said) else call


def _said(call: CallRecord) -> str:
    return call.sent_back or call.answer
