"""Pictures in what is sent, of tools and of the person: the newest for a model that sees, words for every other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conch_desktop.domain.messages import SentMessage, SentResult, with_words

NEWEST = 3
"""Pictures that stay pictures: each costs as much as a long page, in every later request again."""

PICTURE_TOKENS = 1_600
"""Tokens a picture is taken for; providers count in their own ways."""

UNSEEN = "This model sees no pictures, or not here."
OLD = "It was shown earlier in this chat."

SEES_NONE = "The model sees no pictures. It gets words in their place."


def as_seen(messages: Sequence[SentMessage], *, sees: bool) -> tuple[SentMessage, ...]:
    """The messages with only the pictures that are sent. In the place of every other one stand words.

    Of the person's newest message all are: the model has seen none of them.
    """
    left = NEWEST if sees else 0
    asks = sees
    seen: list[SentMessage] = []
    for message in reversed(messages):
        if message.role == "user":
            kept = len(message.pictures) if asks else min(left, len(message.pictures))
            left, asks = max(0, left - kept), False
            cut = len(message.pictures) - kept
            words = with_words(message.text, message.pictures[:cut], OLD if sees else UNSEEN)
            seen.append(replace(message, text=words, pictures=message.pictures[cut:]))
            continue
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
    return replace(result, text=with_words(result.text, result.pictures[:cut], why), pictures=result.pictures[cut:])
