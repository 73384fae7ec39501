"""A scripted HTTP server on loopback: says exactly the bytes it is told to, when it is told to, and keeps what it got.

    async with ScriptedServer() as server:
        server.then(sse(chunk("Hello"), chunk(finish="stop")))                # the next answer, whatever the path
        server.route("GET /v1/models", json_reply({"data": [{"id": "m"}]}))   # every answer of this path
        ...                                                                   # talk to server.url
        assert server.requests[0].json["stream"] is True

A reply's body is a row of pieces. A piece is bytes or text (one write each), or something that happens: `Wait(0.2)`,
`CUT` (the connection closes in the middle), `RESET` (it is torn down), `HANG` (nothing more comes until the client
leaves), or an `asyncio.Event` that is waited for. Replies given with `then` are used up in order; a request for which
there is neither a route nor a reply gets 404. `server.in_thread()` serves from a thread of its own, for programs that
run in another process or on another loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Wait:
    """Nothing happens for so many seconds."""

    seconds: float


class Happening(Enum):
    """What can happen in the middle of a body."""

    CUT = "the connection is closed in order, but the body is not ended"
    RESET = "the connection is torn down"
    HANG = "nothing more comes until the client leaves"


CUT = Happening.CUT
RESET = Happening.RESET
HANG = Happening.HANG

Piece = bytes | str | Wait | Happening | asyncio.Event


@dataclass(frozen=True)
class Reply:
    """One answer.

    `framing` is how the body's end is told: "chunked" (each piece is one chunk), "length" (a content-length),
    "close" (the connection closes), or "raw" (no head at all: the pieces are everything that is sent, then the
    connection closes; with no pieces the server hangs up without a word). `keep` keeps the connection for more.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Sequence[Piece] = ()
    framing: str = "length"
    keep: bool = True


@dataclass
class Recorded:
    """A request as it arrived. `connection` counts connections from 0; `left` is set when the client hung up before
    the answer was all sent; `at` is a monotonic time."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int
    at: float
    left: bool = False
    answered: bool = False

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


Handler = Callable[[Recorded], Reply]


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A JSON body."""
    return Reply(status, {"content-type": "application/json", **(headers or {})}, (json.dumps(value),))


def text_reply(text: str, status: int = 200, content_type: str = "text/html; charset=utf-8") -> Reply:
    """Any other body."""
    return Reply(status, {"content-type": content_type}, (text,))


def hang_up() -> Reply:
    """The connection closes without a word."""
    return Reply(framing="raw")


def chunk(
    content: str | None = None,
    *,
    reasoning: str | None = None,
    calls: Sequence[Mapping[str, Any]] | None = None,
    finish: str | None = None,
    usage: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One chunk of a chat completion as OpenAI streams it. `calls` are entries of `delta.tool_calls`."""
    delta: dict[str, Any] = {}
    if content is not None:
        delta["content"] = content
    if reasoning is not None:
        delta["reasoning_content"] = reasoning
    if calls is not None:
        delta["tool_calls"] = list(calls)
    made: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1767225600,
        "model": "demo",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if usage is not None:
        made["usage"] = dict(usage)
    return made


def call_piece(
    name: str | None = None, arguments: str = "", *, index: int | None = 0, call_id: str | None = None
) -> dict[str, Any]:
    """One entry of `delta.tool_calls`."""
    function: dict[str, Any] = {"arguments": arguments}
    if name is not None:
        function["name"] = name
    piece: dict[str, Any] = {"function": function}
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece.update(id=call_id, type="function")
    return piece


def event(data: Any) -> bytes:
    """One server-sent event: the text as it is, anything else as JSON."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def sse(*pieces: Any, done: bool = True, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """A stream of events. Dictionaries become events; anything else is a piece as it is. `done` adds `[DONE]`."""
    body: list[Piece] = [event(piece) if isinstance(piece, dict) else piece for piece in pieces]
    if done:
        body.append(event("[DONE]"))
    return Reply(status, {"content-type": "text/event-stream", **(headers or {})}, body, "chunked")


def say(text: str, *, pieces: int = 4) -> Reply:
    """An answer of words only, in a few pieces."""
    size = max(1, -(-len(text) // pieces))
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return sse(*(chunk(part) for part in parts), chunk(finish="stop"))


def call(name: str, arguments: str, *, call_id: str = "call_1") -> Reply:
    """An answer that is one call."""
    half = len(arguments) // 2
    return sse(
        chunk(calls=[call_piece(name, "", call_id=call_id)]),
        chunk(calls=[call_piece(arguments=arguments[:half])]),
        chunk(calls=[call_piece(arguments=arguments[half:])]),
        chunk(finish="tool_calls"),
    )


class ScriptedServer:
    """The server. Use it with `async with`, or `with server.in_thread()`."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.connections = 0
        self.faults: list[BaseException] = []
        self._replies: deque[Reply | Handler] = deque()
        self._routes: dict[str, Reply | Handler] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._port = 0

    # what it says ---------------------------------------------------------------------------------------------------

    def then(self, *replies: Reply | Handler) -> None:
        """Adds answers to the requests to come that have no route, in order. A function gets the request."""
        self._replies.extend(replies)

    def route(self, where: str, reply: Reply | Handler) -> None:
        """The answer to every request of a method and path: "GET /v1/models"."""
        self._routes[where] = reply

    # what it got ----------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address without a path: http://127.0.0.1:PORT."""
        return f"http://127.0.0.1:{self._port}"

    def of(self, path: str) -> list[Recorded]:
        """The requests of one path."""
        return [request for request in self.requests if request.path == path]

    async def until(self, condition: Callable[[], bool], seconds: float = 30.0) -> None:
        """Waits until something is so. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.005)

    # its life -------------------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()
        if self.faults and error is None:
            raise self.faults[0]

    @contextlib.contextmanager
    def in_thread(self) -> Iterator[Self]:
        """Serves from a thread with a loop of its own."""
        started = threading.Event()
        loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

        async def serve() -> None:
            async with self:
                stopping = asyncio.Event()
                loops.append((asyncio.get_running_loop(), stopping))
                started.set()
                await stopping.wait()

        thread = threading.Thread(target=asyncio.run, args=(serve(),), name="scripted server", daemon=True)
        thread.start()
        if not started.wait(10):
            raise TimeoutError("The scripted server did not start.")
        try:
            yield self
        finally:
            loop, stopping = loops[0]
            loop.call_soon_threadsafe(stopping.set)
            thread.join(10)

    # one connection -------------------------------------------------------------------------------------------------

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        number = self.connections
        self.connections += 1
        try:
            while await self._one(reader, writer, number):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            pass  # the server is closing
        except Exception as fault:  # a script that is wrong must fail its test
            self.faults.append(fault)
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> bool:
        """One request and its answer; whether the connection is kept."""
        request = await _read(reader, number)
        if request is None:
            return False
        self.requests.append(request)
        reply = self._reply(request)
        watch = asyncio.ensure_future(_gone(reader))
        try:
            ended = await self._send(reply, writer, watch)
        except (ConnectionError, _Left):
            request.left = True
            return False
        finally:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch
        request.answered = ended
        return ended and reply.keep and reply.framing in ("chunked", "length") and not reader.at_eof()

    def _reply(self, request: Recorded) -> Reply:
        found = self._routes.get(f"{request.method} {request.path}")
        if found is None:
            found = self._replies.popleft() if self._replies else None
        if found is None:
            return json_reply({"error": {"message": f"nothing is scripted for {request.path}"}}, 404)
        return found if isinstance(found, Reply) else found(request)

    async def _send(self, reply: Reply, writer: asyncio.StreamWriter, watch: asyncio.Future[None]) -> bool:
        """Sends a reply; whether its end was sent too."""
        if reply.framing != "raw":
            writer.write(_head(reply))
            await writer.drain()
        for piece in reply.body:
            if isinstance(piece, (bytes, str)):
                data = piece.encode() if isinstance(piece, str) else piece
                writer.write(b"%x\r\n%b\r\n" % (len(data), data) if reply.framing == "chunked" and data else data)
                await writer.drain()
                await asyncio.sleep(0)
            elif not await _happen(piece, writer, watch):
                return False
        if reply.framing == "chunked":
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


class _Left(Exception):
    """The client hung up."""


async def _happen(
    piece: Wait | Happening | asyncio.Event, writer: asyncio.StreamWriter, watch: asyncio.Future[None]
) -> bool:
    """Lets something happen in the middle of a body; whether the body goes on."""
    if piece is RESET:
        sock: socket.socket = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False
    if piece is CUT:
        return False
    if isinstance(piece, Wait):
        done, _ = await asyncio.wait({watch}, timeout=piece.seconds)
    elif isinstance(piece, asyncio.Event):
        waiting: asyncio.Future[Any] = asyncio.ensure_future(piece.wait())
        both: set[asyncio.Future[Any]] = {watch, waiting}
        done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
    else:
        done, _ = await asyncio.wait({watch})
    if watch in done:
        raise _Left
    return True


async def _gone(reader: asyncio.StreamReader) -> None:
    """Returns when the client has hung up. Looks without reading: the next request may come early."""
    while not reader.at_eof() and reader.exception() is None:
        await asyncio.sleep(0.005)


async def _read(reader: asyncio.StreamReader, number: int) -> Recorded | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    method, path, _ = head[0].split(" ", 2)
    headers = {}
    for line in head[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Recorded(method, path, headers, body, number, time.monotonic())


def _head(reply: Reply) -> bytes:
    headers = dict(reply.headers)
    if reply.framing == "chunked":
        headers["transfer-encoding"] = "chunked"
    elif reply.framing == "length":
        size = sum(
            len(piece.encode() if isinstance(piece, str) else piece)
            for piece in reply.body
            if isinstance(piece, (bytes, str))
        )
        headers.setdefault("content-length", str(size))
    if not reply.keep or reply.framing == "close":
        headers["connection"] = "close"
    lines = [
        f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, 'Scripted')}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 500: "Internal Server Error"}
