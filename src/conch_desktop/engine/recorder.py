"""Writes an answer to the store while it streams, at most a quarter of a second behind the screen (DESIGN 6)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from conch_desktop.domain.messages import Message

BEHIND = 0.25
"""Seconds the store may be behind the screen."""

_log = logging.getLogger(__name__)


class MessageBook(Protocol):
    """Where messages are kept."""

    async def put(self, chat_id: str, message: Message, *, written: Message | None = None) -> None: ...


class Recorder:
    """Keeps one answer written. `current` gives the message as it stands."""

    def __init__(self, book: MessageBook, chat: str, current: Callable[[], Message]) -> None:
        self._book = book
        self._chat = chat
        self._current = current
        self._written: Message | None = None
        self._due: asyncio.Task[None] | None = None
        self._news = False
        """Whether something happened that no write has begun for."""
        self._writing = asyncio.Lock()

    def note(self) -> None:
        """Something happened: write before long."""
        self._news = True
        if self._due is None or self._due.done():
            self._due = asyncio.create_task(self._later(), name="record an answer")

    def show(self, message: Message) -> None:
        """From now on this is the message as it stands."""
        self._current = lambda: message

    async def settle(self) -> None:
        """Writes what happened so far, now. Raises `StoreError` when it can't be kept."""
        async with self._writing:
            message = self._current()
            await self._book.put(self._chat, message, written=self._written)
            self._written = message

    async def close(self) -> None:
        """Stops waiting and writes the rest."""
        if self._due is not None:
            self._due.cancel()
            await asyncio.gather(self._due, return_exceptions=True)
        await self.settle()

    async def _later(self) -> None:
        while self._news:  # What happens during a write is written too: nothing may follow it for a long time.
            await asyncio.sleep(BEHIND)
            self._news = False
            try:
                await self.settle()
            except Exception:
                # A full disk must not end the answer: it goes on, and `close` tries once more.
                _log.exception("An answer could not be written")
