"""Reads an answer in pieces, for the tests of tools in words."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.words.reader import WordsCall, WordsEvent, WordsFailed, WordsReader, WordsText

NAMES = ("find_berth", "note_down", "list_boats", "set_alarm", "pier__open_gate")


async def never(arguments: object, context: ToolContext) -> ToolAnswer:
    return answer("never")


def tool(name: str, description: str = "", **fields: Json) -> Tool:
    """A tool with `fields`; those whose name ends with an underscore need not be there."""
    properties = {field.rstrip("_"): schema for field, schema in fields.items()}
    required = [field for field in fields if not field.endswith("_")]
    return Tool(name, description, {"type": "object", "properties": properties, "required": required}, "read", never)


@dataclass(frozen=True)
class Read:
    """What an answer came to."""

    words: str
    calls: list[tuple[str, Json]]
    failed: int


def events_of(
    pieces: Iterable[str], tools: Sequence[str | Tool] = NAMES, *, native: bool = False, cut: bool = False
) -> list[WordsEvent]:
    """All events, words that follow each other as one."""
    reader = WordsReader(tools, native=native)
    events: list[WordsEvent] = []
    for event in [*(event for piece in pieces for event in reader.feed(piece)), *reader.close(cut=cut)]:
        if isinstance(event, WordsText) and events and isinstance(last := events[-1], WordsText):
            events[-1] = WordsText(last.text + event.text)
        else:
            events.append(event)
    return events


def read(pieces: Iterable[str], *, native: bool = False, cut: bool = False) -> Read:
    """The visible words, the calls, and how many blocks failed."""
    events = events_of(pieces, native=native, cut=cut)
    return Read(
        "".join(event.text for event in events if isinstance(event, WordsText)),
        [(event.name, event.arguments) for event in events if isinstance(event, WordsCall)],
        sum(isinstance(event, WordsFailed) for event in events),
    )


def cuts(text: str) -> Iterator[list[str]]:
    """`text` in pieces: whole, in ones, threes and seventeens, at every place, and at random."""
    yield [text]
    for size in (1, 3, 17):
        yield [text[at : at + size] for at in range(0, len(text), size)]
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]
    chance = random.Random(len(text))
    for _ in range(5):
        places = sorted(chance.randint(0, len(text)) for _ in range(chance.randint(2, 9)))
        yield [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]
