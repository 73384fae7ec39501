"""A program that writes to a store as a streaming answer does, until it is killed; and what it must have written.

Run as `python -m tests.store.writer DATABASE`. It prints a line after each version that was written.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.clock import SystemClock
from conch_desktop.domain.messages import Message, Part, ReasoningPart, TextPart
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database

STEPS = 40
"""Versions of one answer."""

OTHER = "A chat that nobody touches"
WRITTEN = "The chat that is written"


def words(number: int, count: int) -> str:
    """The first words of an answer: what follows never changes what was there."""
    return "".join(f"{number}.{word} {'x' * 290} " for word in range(count))


def version(number: int, step: int) -> Message:
    """Answer `number` as it is after `step` pieces: thinking, a growing text, a call that runs and ends, more text."""
    parts: list[Part] = [ReasoningPart(words(number, min(step, 5)))]
    if step > 5:
        parts.append(TextPart(words(number, min(step, 20) - 5)))
    if step > 20:
        parts.append(_call(number, step))
    if step > 30:
        parts.append(TextPart(words(number, step - 30), step=1))
    return Message(f"m{number}", "assistant", tuple(parts), state="done" if step == STEPS else "streaming")


def _call(number: int, step: int) -> CallRecord:
    call = CallRecord(f"c{number}", "remember", words(number, min(step, 25) - 20))
    if step > 25:
        call = replace(call, state="running", args={"content": call.raw}, started=1.5)
    if step > 28:
        call = replace(call, state="done", answer=words(number, 3), sent_back="Remembered.", ms=7)
    return call


def say(line: str) -> None:
    """Tells the one who will kill this program."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(path: Path) -> None:
    """Writes until it is killed."""
    clock = SystemClock()
    database = await Database.open(path, clock)
    chats = Chats(database, clock)
    await chats.mark_interrupted()
    titles = {chat.title: chat.id for chat in await chats.listing()}
    chat = titles.get(WRITTEN) or (await chats.create(title=WRITTEN)).id
    number = len(await chats.messages(chat))
    say(f"begin {number}")
    while True:
        written = None
        for step in range(1, STEPS + 1):
            message = version(number, step)
            await chats.put(chat, message, written=written)
            written = message
            say(f"{number} {step}")
        number += 1


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
