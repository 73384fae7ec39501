"""What a person attaches: read from a file, and cut to what the model's window can give it."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Attached, FilePart, Message, Part, PicturePart
from conch_desktop.domain.pictures import PictureContent, kind_of
from conch_desktop.domain.tokens import estimate
from conch_desktop.engine.answering import clear, cut, kept
from conch_desktop.tools.files_places import FileTrouble, Place
from conch_desktop.tools.files_read import LARGEST_FILE, came_from_outside, text_of

SHARE = 0.6
"""How much of the room for the chat the files of one message may take together."""

LEAST_TOKENS = 150
"""Tokens every file gets, however many there are."""

LONG = 64_000
"""Characters of all files of a chat that are written on the thread that asks for it."""

_LONGEST_TOKEN = 4
"""Characters that are more than a token by the estimate: no more of a file has to be looked at."""


def read_attached(path: Path, stopped: threading.Event) -> Attached:
    """The picture or the text of a file that the person chose, PDFs by their text. It takes its time: for a thread.

    A picture comes as large as it is. Raises `FileTrouble` for a folder, and for what is too large or no text.
    """
    name = path.name
    try:
        if not path.is_file():  # a pipe or a device is never opened
            raise FileTrouble(f"{name} is a folder." if path.is_dir() else f"{name} is no file that can be read.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise FileTrouble(f"{name} can’t be read ({error.strerror or type(error).__name__}).") from error
    if len(data) > LARGEST_FILE:
        raise FileTrouble(f"{name} is larger than {LARGEST_FILE // 1_000_000} MB.")
    real = Path(os.path.realpath(path))
    outside = came_from_outside(Place(real, real.parent, name))
    if media_type := kind_of(data):
        return PicturePart(PictureContent(data, media_type), name, outside=outside)
    text = kept(clear(text_of(data, name, stopped).replace("\r\n", "\n")))
    return FilePart(name, text, outside=outside)


def are_long(messages: Sequence[Message]) -> bool:
    """Whether files take so long to be written for a model that it is done in a thread."""
    files = (part for message in messages for part in message.attached if isinstance(part, FilePart))
    return sum(len(part.text) for part in files) > LONG


def as_read(message: Message) -> list[CallRecord]:
    """What somebody else wrote and the person attached, as if a tool had read it: the guard minds it just the same."""
    return [
        CallRecord(f"{message.id}-{at}", "read_file", "", state="done", answer=part.name or "-", outside=part.outside)
        for at, part in enumerate(message.attached)
        if part.outside
    ]


def in_room(message: Message, budget: int) -> Message:
    """The message with its files cut to their share of `budget` tokens; a short one leaves its rest to the others."""
    files = [part for part in message.parts if isinstance(part, FilePart)]
    if not files:
        return message
    budget = max(int(budget * SHARE), 0)
    sizes = {id(part): estimate(part.text[: max(budget, LEAST_TOKENS) * _LONGEST_TOKEN]) for part in files}
    rooms: dict[int, int] = {}
    for left, part in zip(range(len(files), 0, -1), sorted(files, key=lambda one: sizes[id(one)]), strict=True):
        rooms[id(part)] = room = min(sizes[id(part)], max(LEAST_TOKENS, budget // left))
        budget -= room
    parts: list[Part] = [
        _cut(part, rooms[id(part)]) if isinstance(part, FilePart) and _is_long(part, rooms[id(part)]) else part
        for part in message.parts
    ]
    return replace(message, parts=tuple(parts))


def told_of(before: Message, after: Message) -> tuple[str, ...]:
    """What the person is told of the files of a message that were cut."""
    return tuple(
        f"{whole.name}: the model got {_shown(part.text):,} of {len(whole.text):,} characters."
        for whole, part in zip(before.parts, after.parts, strict=True)
        if isinstance(whole, FilePart) and isinstance(part, FilePart) and part is not whole
    )


def _is_long(part: FilePart, room: int) -> bool:
    return len(part.text) > room * _LONGEST_TOKEN or estimate(part.text) > room


def _cut(part: FilePart, room: int) -> FilePart:
    shown = cut(part.text[: room * _LONGEST_TOKEN], room)
    return replace(part, text=f"{shown}\n[Cut here: this is {len(shown):,} of {len(part.text):,} characters.]")


def _shown(text: str) -> int:
    return len(text.rpartition("\n[Cut here: ")[0])
