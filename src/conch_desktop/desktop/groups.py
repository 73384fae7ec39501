"""Chats in the groups the sidebar shows them in: pinned, then by the day they were last written in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conch_desktop.domain.messages import Chat

NEW_CHAT = "New chat"
"""The name of a chat that has none yet."""


def group_of(chat: Chat, today: date) -> str:
    """The heading a chat stands under."""
    if chat.pinned:
        return "Pinned"
    day = datetime.fromtimestamp(chat.updated or chat.created).date()  # noqa: DTZ006 - local days are meant
    if day >= today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    if day > today - timedelta(days=7):
        return "Last week"
    if day > today - timedelta(days=31):
        return "Last month"
    return day.strftime("%B %Y") if day.year == today.year else str(day.year)


def grouped(chats: Iterable[Chat], now: float) -> list[tuple[str, list[Chat]]]:
    """Headings with their chats, pinned first, then the newest first."""
    today = datetime.fromtimestamp(now).date()  # noqa: DTZ006
    found: dict[str, list[Chat]] = {}
    ordered = sorted(chats, key=lambda chat: (not chat.pinned, -(chat.updated or chat.created)))
    for chat in ordered:
        found.setdefault(group_of(chat, today), []).append(chat)
    return list(found.items())


def matches(words: str, *texts: str) -> bool:
    """Whether all typed words occur in the texts, in any order and any case."""
    whole = " ".join(texts).casefold()
    return all(word in whole for word in words.casefold().split())
