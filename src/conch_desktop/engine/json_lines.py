"""One JSON value over many lines, so that no single step of writing or reading it holds up a window.

Python's reader of JSON lets nobody else run until it is done: with one message on each line it never takes long. The
file is plain JSON all the same, and one that is laid out otherwise is read as a whole.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping

from conch_desktop.domain.calls import Json

CLOSED = "]}"
"""Ends the list that `open_list` began, and its object."""

_LONE = re.compile("[\ud800-\udfff]")


def dumped(value: Json) -> str:
    """JSON that is UTF-8: half a surrogate pair, which a broken-off answer can hold, is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text


def open_list(value: Mapping[str, Json], name: str) -> str:
    """The object up to the beginning of one more field, a list."""
    return f'{dumped(value)[:-1]},"{name}":['


def loaded(text: str) -> Json:
    """The value. Raises `ValueError` or `RecursionError` for what is no JSON."""
    lines = text.split("\n")  # JSON has no bare line break within a text
    if len(lines) > 2 and lines[0].endswith('"chats":[') and lines[-2:] == [CLOSED, ""]:
        with contextlib.suppress(ValueError):  # laid out otherwise, or broken: the whole tells
            found = json.loads(lines[0] + CLOSED)
            chats = _chats(iter(lines[1:-2]))
            if chats is not None:
                return {**found, "chats": chats}
    return json.loads(text)


def _chats(lines: Iterator[str]) -> list[Json] | None:
    """The chats, each over several lines; None when they are laid out otherwise."""
    chats: list[Json] = []
    more = True
    for line in lines:
        if not more or not line.endswith('"messages":['):
            return None
        chat = json.loads(line + CLOSED)
        messages, more = _messages(lines)
        if messages is None:
            return None
        chats.append({**chat, "messages": messages})
    return None if chats and more else chats


def _messages(lines: Iterator[str]) -> tuple[list[Json] | None, bool]:
    """The messages of a chat up to its end, and whether another chat comes; None when laid out otherwise."""
    messages: list[Json] = []
    more = False
    for line in lines:
        if line in (CLOSED, f"{CLOSED},"):
            return (None if messages and more else messages), line != CLOSED
        if messages and not more:
            return None, False
        messages.append(json.loads(line.removesuffix(",")))
        more = line.endswith(",")
    return None, False
