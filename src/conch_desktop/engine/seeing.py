"""Pictures of tool answers in what is sent: the newest for a model that sees, words for every other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conch_desktop.domain.messages import SentMessage, SentResult

NEWEST = 3
"""Pictures that stay pictures: each costs as much as a long page, in every later request again."""

PICTURE_TOKENS = 1_600
"""Tokens a picture is taken for; providers count in their own ways."""

UNSEEN = "This model sees no pictures, or not here."
OLD = "It was shown earlier in this chat."


def as_seen(messages: Sequence[SentMessage], *, sees: bool) -> tuple[SentMessage, ...]:
    """The messages with only the pictures that are sent. In the place of every other one stand words."""
    left = NEWEST if sees else 0
    seen: list[SentMessage] = []
    for message in reversed(messages):
        results: list[SentResult] = []
        for result in reversed(message.results):
            kept = min(left, len(result.pictures))
            left -= kept
            results.append(_with(result, kept, OLD if sees else UNSEEN))
        seen.append(replace(message, results=tuple(reversed(results))) if results else message)
    return tuple(reversed(seen))


def _with(result: SentResult, kept: int, why: str) -> SentResult:
    """The result with its last `kept` pictures; the others in words."""
    cut = len(result.pictures) - kept
    words = (f"{picture.words} {why}" for picture in result.pictures[:cut])
    text = "\n".join(part for part in (result.text, *words) if part)
    return replace(result, text=text, pictures=result.pictures[cut:])
