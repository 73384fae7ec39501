"""The body of a response, looked at before it is read, and the server-sent events in it.

Lines and fields are read by httpx-sse. What it gets wrong for chat servers is put right around it. It is handed a copy
of the response: its content type is an event stream's (servers name JSON or plain text); the byte order mark, which
costs the first event, is gone; a blank line stands at the end, without which the last event is lost; the bare `error:`
lines of older llama.cpp servers are events. Two `data:` lines that were meant as two events come joined; `values` parts
them.
"""

from __future__ import annotations

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

DONE = "[DONE]"


class Body:
    """A response's body. `first` tells what it is; then read it one way: `whole`, `lines` or `events`."""

    def __init__(self, response: httpx.Response) -> None:
        self._chunks = response.aiter_bytes()
        self._start: bytes | None = None  # what was read to look at it
        self._beginning = bytearray()

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
        stream = _Mended(self._all())
        mended = httpx.Response(200, headers={"content-type": "text/event-stream; charset=utf-8"}, stream=stream)
        try:
            async with contextlib.aclosing(httpx_sse.EventSource(mended).aiter_sse()) as events:
                async for event in events:
                    yield event
        finally:
            await mended.aclose()

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
                chunk = await anext(self._chunks)
            except StopAsyncIteration:
                return
            self._beginning += chunk[: max(0, _KEPT - len(self._beginning))]
            yield chunk


class _Mended(httpx.AsyncByteStream):
    """Bytes as httpx-sse reads them rightly, in whole lines."""

    def __init__(self, chunks: AsyncGenerator[bytes, None]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        line: list[bytes] = []  # the pieces of a line that has not ended yet
        async for chunk in self._chunks:
            end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
            if end:
                yield _ERROR_LINE.sub(b"event: error\ndata:", b"".join(line) + chunk[:end])
                line = []
            if end < len(chunk):
                line.append(chunk[end:])
        yield _ERROR_LINE.sub(b"event: error\ndata:", b"".join(line)) + b"\n\n"

    async def aclose(self) -> None:
        await self._chunks.aclose()


def values(data: str) -> list[Any]:
    """What the data of one event holds: JSON values and `DONE`. Text that is neither is passed over."""
    found, whole = _value(data)
    if whole:
        return [found]
    lines = [_value(line) for line in data.split("\n")]
    return [value for value, whole in lines if whole]


def _value(text: str) -> tuple[Any, bool]:
    stripped = text.strip()
    if stripped == DONE:
        return DONE, True
    try:
        return json.loads(stripped), True
    except (ValueError, RecursionError):
        return None, False
