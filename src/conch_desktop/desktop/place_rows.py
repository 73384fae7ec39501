"""The rows of a search in all chats: places in groups by chat, the newest chat first. Plain data, no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from conch_desktop.desktop.groups import NEW_CHAT
from conch_desktop.desktop.wording import count

if TYPE_CHECKING:
    from conch_desktop.store.chats import Found

_MARKS = re.compile(r"\*\*|`|(?<!\S)#{1,6} ")

Kind = Literal["all", "user", "assistant"]
"""Whose words are shown: everybody's, the person's, the models'."""


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A chat's heading (without `message`), or a place in a message with the words around it."""

    chat: str
    text: str
    message: str = ""
    who: str = ""
    beside: str = ""
    tail: str = ""
    mine: bool = False


def place_rows(found: Sequence[Found], now: float, kind: Kind = "all") -> list[PlaceRow]:
    """Each chat with its places. A chat that is found by its title alone has none below it."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        if kind == "all" or one.role == kind:
            groups.setdefault(one.chat.id, []).append(one)
    today = datetime.fromtimestamp(now).date()  # noqa: DTZ006 - local days are meant
    rows: list[PlaceRow] = []
    for group in sorted(groups.values(), key=lambda group: -group[0].chat.updated):
        chat, places = group[0].chat, [one for one in group if one.message]
        tail = count(len(places), "place") if places else "in its title"
        rows.append(PlaceRow(chat.id, chat.title or NEW_CHAT, beside=_day(chat.updated, today), tail=tail))
        for one in places:
            mine = one.role == "user"
            rows.append(PlaceRow(chat.id, _plain(one.snippet), one.message, "You" if mine else one.author, mine=mine))
    return rows


def _plain(snippet: str) -> str:
    """The words without the commonest marks of Markdown."""
    return _MARKS.sub("", snippet)


def summary(rows: Sequence[PlaceRow]) -> str:
    """ "5 places in 3 chats"."""
    places = sum(1 for row in rows if row.message)
    chats = count(sum(1 for row in rows if not row.message), "chat")
    return f"{count(places, 'place')} in {chats}" if places else chats


def _day(at: float, today: date) -> str:
    when = datetime.fromtimestamp(at)  # noqa: DTZ006
    if when.date() == today:
        return f"Today, {when:%H:%M}"
    if when.date() == today - timedelta(days=1):
        return "Yesterday"
    return f"{when.day} {when:%B}" if when.year == today.year else f"{when.day} {when:%B %Y}"
