"""Makes a transcript fit the model's window by leaving out the oldest turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import urlsplit

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import FilePart, Message, PicturePart, TextPart
from conch_desktop.domain.tokens import estimate
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.attaching import in_room
from conch_desktop.engine.seeing import PICTURE_TOKENS
from conch_desktop.engine.shortening import shortened

API_WINDOW = 128_000
"""Tokens taken for the window of a service that does not say (DESIGN 3)."""

LOCAL_WINDOW = 8_192
"""Tokens taken for the window of a server on this computer that does not say (DESIGN 3)."""

ROOM_FOR_REPLY = 1_024
"""Tokens kept free for the answer, or a quarter of a small window."""

_PER_MESSAGE = 8
"""Tokens a chat template spends around a message, and the block of a file around its text."""

_PER_CALL = 48
"""Tokens it spends around a call and its answer: names, ids, marks."""

_PER_TOOL = 24
"""Tokens it spends around the definition of a tool."""


def assumed_window(url: str) -> int:
    """The window of a model whose provider at `url` does not say."""
    host = urlsplit(url).hostname or ""
    on_this_computer = host in {"localhost", "::1"} or host.startswith("127.")
    return LOCAL_WINDOW if on_this_computer else API_WINDOW


def fit(
    messages: Sequence[Message], *, window: int, system: str, tools: Sequence[Tool], sees: bool = True
) -> tuple[Sequence[Message], int]:
    """The newest messages that fit beside the system prompt and the tools, and how many were left out.

    What is left out are whole turns, the oldest first; the newest message of the person always stays. When its turn
    alone is too long, the oldest answers in it are shortened. Attached files are cut to their share first. `sees`:
    pictures of the person are sent as such.
    """
    offered = sum(
        estimate(tool.description) + estimate(json.dumps(dict(tool.parameters))) + _PER_TOOL for tool in tools
    )
    budget = window - min(ROOM_FOR_REPLY, window // 4) - estimate(system) - offered
    starts = [place for place, message in enumerate(messages) if message.role == "user"]
    messages = [in_room(message, budget) for message in messages]
    sizes = [_size(message, sees=sees) for message in messages]
    for start in [0, *starts[1:]]:
        if sum(sizes[start:]) <= budget:
            return messages[start:], start
    newest = starts[-1] if starts else 0
    return shortened(messages[newest:], sum(sizes[newest:]) - budget), newest


def _size(message: Message, *, sees: bool) -> int:
    total = _PER_MESSAGE
    for part in message.parts:
        if isinstance(part, TextPart | FilePart):
            total += estimate(part.text) + _PER_MESSAGE * isinstance(part, FilePart)
        elif isinstance(part, PicturePart):
            total += PICTURE_TOKENS if sees else _PER_MESSAGE * 3
        elif isinstance(part, CallRecord):
            total += estimate(part.raw) + estimate(part.sent_back or part.answer) + _PER_CALL
            total += PICTURE_TOKENS * len(part.pictures)
    return total
