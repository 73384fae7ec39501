"""The body of a response, looked at before it is read, and the server-sent events in it.

Lines and fields are read by httpx-sse. What it gets wrong for chat servers is put right around it. It is handed a copy
of the response: its content type is an event stream's (servers name JSON or plain text); the byte order mark, which
costs the first event, is gone; a blank line stands at the end, without which the last event is lost; the bare `error:`
lines of older llama.cpp servers are events. Two `data:` lines that were meant as two events come joined; `values` parts
them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import httpx
import httpx_sse

_BOM = b"\xef\xbb\xbf"
_ERROR_LINE = re.compile(rb"(?:\A|(?<=[\r\n]))error:")
_KEPT = 4_096
"""Bytes of the beginning that are kept for a message."""

_AFTER_END = 30.0
"""Seconds to wait for more when the end was told: some servers tell it with every chunk, some never close."""
_AFTER_DONE = 2.0
"""Seconds to wait for more when the server has said that it is done."""

DONE = "[DONE]"


class Body:
    """A response's body. `first` tells what it is; then read it one way: `whole`, `lines` or `events`.

    A server can send keep-alives for ever. `patience` is how many seconds it may send nothing else, None without an
    end: whoever reads tells with `heard` when something came. After that the next bytes raise `httpx.ReadTimeout` (that
    none come is for the client's own limit), or the body is at its end where it is `over`: its end was told.
    """

    def __init__(self, response: httpx.Response, patience: float | None = None) -> None:
        self._chunks = response.aiter_bytes()
        self._start: bytes | None = None  # what was read to look at it
        self._beginning = bytearray()
        self._patience = patience
        self._now = asyncio.get_running_loop().time
        self._until = None if patience is None else self._now() + patience
        self.over = False

    def heard(self, *, over: bool = False) -> None:
        """Something of an answer came; the wait for more begins anew."""
        if self._patience is not None:
            self.over = over
            self._until = self._now() + (min(self._patience, _AFTER_END) if over else self._patience)

    def leave(self) -> None:
        """The server said that nothing follows: a little more is waited for, once."""
        if self._patience is not None:
            self._patience, self.over, self._until = None, True, self._now() + _AFTER_DONE

    @property
    def beginning(self) -> str:
        """The first few thousand characters of what has arrived."""
        return self._beginning.decode("utf-8", "replace")

    async def first(self) -> str:
        """The first character that is not white space, "" when the body is empty: it tells JSON, HTML and events apart.

        White space and a byte order mark before it mean nothing in any of the three and are dropped.
        """
        if self._start is None:
            start, marked = b"", True
            async for chunk in self._arriving():
                start += chunk
                if marked and len(start) < len(_BOM) and _BOM.startswith(start):
                    continue
                start = start.removeprefix(_BOM).lstrip()
                marked = False
                if start:
                    break
            self._start = start
        return chr(self._start[0]) if self._start else ""

    async def whole(self, limit: int) -> str:
        """All of the body, at most `limit` bytes of it."""
        pieces, size = [], 0
        async with contextlib.aclosing(self._all()) as chunks:
            async for chunk in chunks:
                pieces.append(chunk)
                size += len(chunk)
                if size >= limit:
                    break
        return b"".join(pieces)[:limit].decode("utf-8", "replace")

    async def lines(self) -> AsyncGenerator[str, None]:
        """The lines as they arrive, parted at line feeds alone: httpx parts at signs that may stand in JSON too."""
        held: list[bytes] = []  # the pieces of a line that has not ended yet
        async with contextlib.aclosing(self._all()) as chunks:
            async for chunk in chunks:
                first, *others = chunk.split(b"\n")
                held.append(first)
                for line in others:
                    yield b"".join(held).decode("utf-8", "replace")
                    held = [line]
        if rest := b"".join(held):
            yield rest.decode("utf-8", "replace")

    async def events(self) -> AsyncGenerator[httpx_sse.ServerSentEvent, None]:
        """The server-sent events."""
        async with (
            contextlib.aclosing(self._all()) as chunks,
            contextlib.aclosing(httpx_sse.EventSource(_Mended(chunks)).aiter_sse()) as events,
        ):
            async for event in events:
                yield event

    async def _all(self) -> AsyncGenerator[bytes, None]:
        await self.first()
        if self._start:
            yield self._start
        async for chunk in self._arriving():
            yield chunk

    async def _arriving(self) -> AsyncIterator[bytes]:
        """The chunks that were not read yet. Leaving the loop does not end them, as it would with the chunks' own."""
        while True:
            try:
                chunk = await (self._last_one() if self.over else anext(self._chunks))
            except (StopAsyncIteration, TimeoutError):
                return
            if self._until is not None and self._now() > self._until and not self.over:
                raise httpx.ReadTimeout("nothing of an answer came in time")
            if len(self._beginning) < _KEPT:
                self._beginning += chunk[: _KEPT - len(self._beginning)]
            yield chunk

    async def _last_one(self) -> bytes:
        """A chunk after the end was told, for which there is not much time. Raises `TimeoutError`."""
        async with asyncio.timeout_at(self._until):
            return await anext(self._chunks)


class _Mended(httpx.Response):
    """A response over bytes as httpx-sse reads them rightly: its text comes in whole lines."""

    def __init__(self, chunks: AsyncGenerator[bytes, None]) -> None:
        super().__init__(200, headers={"content-type": "text/event-stream"})
        self._chunks = chunks

    async def aiter_text(self, chunk_size: int | None = None) -> AsyncIterator[str]:
        line: list[bytes] = []  # the pieces of a line that has not ended yet
        async for chunk in self._chunks:
            end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            if end:
                yield _mended(b"".join([*line, chunk[:end]]))
                line = []
            if end < len(chunk):
                line.append(chunk[end:])
        yield _mended(b"".join(line)) + "\n\n"


def _mended(lines: bytes) -> str:
    if b"error:" in lines:
        lines = _ERROR_LINE.sub(b"event: error\ndata:", lines)
    return lines.decode("utf-8", "replace")


def values(data: str) -> list[Any]:
    """What the data of one event holds: JSON values and `DONE`. Text that is neither is passed over."""
    found, whole = _value(data)
    if whole:
        return [found]
    lines = [_value(line) for line in data.split("\n")]
    return [value for value, whole in lines if whole]


def _value(text: str) -> tuple[Any, bool]:
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        stripped = text.strip()
    if stripped == DONE:
        return DONE, True
    return _value(stripped) if stripped != text else (None, False)
