"""The recorder: an answer is written while it streams, and what happens during a write is written too."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.engine.recorder import Recorder


class SlowBook:
    """Keeps what is put; each write takes until it is let go."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.begun = asyncio.Event()
        self.go = asyncio.Event()

    async def put(self, chat_id: str, message: Message, *, written: Message | None = None) -> None:
        self.begun.set()
        await self.go.wait()
        self.kept.append(message.text)


async def test_what_happens_during_a_write_is_written_although_nothing_follows() -> None:
    book = SlowBook()
    message = Message("a", "assistant", (TextPart("One"),))
    recorder = Recorder(book, "chat", lambda: message)
    recorder.note()
    async with asyncio.timeout(30):
        await book.begun.wait()
        message = replace(message, parts=(TextPart("One, two"),))
        recorder.note()
        book.go.set()
        while book.kept != ["One", "One, two"]:
            await asyncio.sleep(0.01)
