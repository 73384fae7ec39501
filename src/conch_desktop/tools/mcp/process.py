"""The stdio transport: starts a server's program and carries messages over its pipes.

The library's own transport is not used, for three reasons: it reads a line of any length, in time that grows with the
square of it; it does not tell how the program ended; and it wants a file for stderr, where a bounded log is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import IntegrationError
from conch_desktop.tools.mcp.cutting import Line, Lines, answer_of_cut
from conch_desktop.tools.mcp.log import Log

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared.message import SessionMessage

PIECE = 65_536
"""Bytes read at once."""

PARSED_APART = 64_000
"""Bytes from which a message is parsed on another thread, so that the window never waits for it."""

GRACE = 1.0
"""Seconds a program gets to end after its stdin was closed, and again after it was told to."""

FLOOD_PAUSE = 0.002
"""Seconds between two full pieces of stderr: a flood waits in the server, not here."""

_LONE = re.compile(rb"\\u[dD][89a-fA-F]")
"""An escape that can leave half a surrogate pair, which no model of the library takes."""


@dataclass(slots=True)
class Process:
    """A running server. `read` and `write` carry the library's messages; `is_over` says that nothing more comes."""

    child: asyncio.subprocess.Process
    log: Log
    read: MemoryObjectReceiveStream[SessionMessage | Exception]
    write: MemoryObjectSendStream[SessionMessage]
    _inbox: MemoryObjectSendStream[SessionMessage | Exception]
    _outbox: MemoryObjectReceiveStream[SessionMessage]
    is_over: bool = False
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def how_it_ended(self) -> str:
        """How the program ended, in words for a sentence; what it said last is in the log by then."""
        await asyncio.wait([self._tasks[2]], timeout=GRACE)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.child.wait(), GRACE)
        code = self.child.returncode
        if code is None:
            return "closed its output, though it still runs"
        if code < 0:
            return f"was ended by the signal {_signal(-code)}"
        return f"exited with {code}"

    # stdout ---------------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        assert self.child.stdout is not None
        lines = Lines()
        async with self._inbox:
            with contextlib.suppress(ConnectionError):
                while piece := await self.child.stdout.read(PIECE):
                    for line in lines.feed(piece):
                        await self._take(line)
                await self._take(lines.close())
            self.is_over = True

    async def _take(self, line: Line) -> None:
        import anyio

        if not line.head.strip():
            return
        for message in await self._messages(line):
            with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                await self._inbox.send(message)

    async def _messages(self, line: Line) -> list[SessionMessage]:
        if line.was_cut:
            value: Json = answer_of_cut(line)
            self.log.add(f"A message of {line.size / 1e6:,.0f} MB was cut.")
        elif len(line.head) > PARSED_APART:
            value = await asyncio.to_thread(_parsed, line.head)
        else:
            value = _parsed(line.head)
        found = [message for one in (value if isinstance(value, list) else [value]) if (message := _message(one))]
        if not found and not line.was_cut:  # a banner, or what was meant for a person
            self.log.add(f"On stdout: {line.head[:500].decode('utf-8', 'replace')}")
        return found

    # stdin and stderr -----------------------------------------------------------------------------------------------

    async def _speak(self) -> None:
        assert self.child.stdin is not None
        async with self._outbox:
            with contextlib.suppress(ConnectionError, RuntimeError):  # it ended; whoever reads will notice
                async for message in self._outbox:
                    text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self.child.stdin.write(text.encode("utf-8", "replace") + b"\n")
                    await self.child.stdin.drain()

    async def _note_errors(self) -> None:
        assert self.child.stderr is not None
        with contextlib.suppress(ConnectionError):
            while piece := await self.child.stderr.read(PIECE):
                self.log.feed(piece)
                await asyncio.sleep(FLOOD_PAUSE if len(piece) >= PIECE // 4 else 0)

    # the end --------------------------------------------------------------------------------------------------------

    async def _end(self) -> None:
        """Closes stdin, waits, then ends the program with everything it started."""
        self.write.close()
        self.read.close()
        if self.child.stdin is not None:
            with contextlib.suppress(TimeoutError):  # what was said last may still be on its way
                await asyncio.wait_for(asyncio.wait([self._tasks[1]]), GRACE / 2)
            self.child.stdin.close()
        for ending in (_no_signal, _ask_to_end, _kill):
            ending(self.child)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.child.wait(), GRACE)
                break
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        _sweep(self.child)
        self._inbox.close()
        self._outbox.close()


@asynccontextmanager
async def started(
    command: str, args: tuple[str, ...], env: dict[str, str], cwd: str, log: Log
) -> AsyncGenerator[Process, None]:
    """Starts the program and ends it at the end, with whatever it started. Raises `IntegrationError`."""
    import anyio

    windows = sys.platform == "win32"
    try:
        child = await asyncio.create_subprocess_exec(
            command,
            *args,
            env=env,
            cwd=cwd or None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=not windows,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        place = f" in {cwd}" if cwd else ""
        raise IntegrationError(f"{command} could not be started{place}: {why}.", "Correct the command.") from error
    inbox, read = anyio.create_memory_object_stream["SessionMessage | Exception"](0)
    write, outbox = anyio.create_memory_object_stream["SessionMessage"](0)
    process = Process(child, log, read, write, inbox, outbox)
    process._tasks += [  # noqa: SLF001 - made here
        asyncio.create_task(process._listen(), name="a server's stdout"),  # noqa: SLF001
        asyncio.create_task(process._speak(), name="a server's stdin"),  # noqa: SLF001
        asyncio.create_task(process._note_errors(), name="a server's stderr"),  # noqa: SLF001
    ]
    try:
        yield process
    finally:
        await process._end()  # noqa: SLF001


def _parsed(raw: bytes) -> Json:
    try:
        value = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return _without_halves(value) if _LONE.search(raw) else value


def _without_halves(value: Json) -> Json:
    """The value with every half of a surrogate pair replaced: such a text can't be sent or shown."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _message(value: Json) -> SessionMessage | None:
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    if not isinstance(value, dict) or "jsonrpc" not in value:
        return None
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))
    except ValueError:
        return None


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _no_signal(child: asyncio.subprocess.Process) -> None:
    """It may end by itself: its stdin was closed."""


def _ask_to_end(child: asyncio.subprocess.Process) -> None:
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(child.pid)], capture_output=True, check=False)
    else:
        _signal_group(child, signal.SIGTERM)


def _kill(child: asyncio.subprocess.Process) -> None:
    if sys.platform == "win32":
        with contextlib.suppress(ProcessLookupError):
            child.kill()
    else:
        _signal_group(child, signal.SIGKILL)


def _sweep(child: asyncio.subprocess.Process) -> None:
    """What the program started ends with it (`npx` leaves node behind), and the pipes it held are closed."""
    if sys.platform != "win32":
        _signal_group(child, signal.SIGKILL)
    transport = getattr(child, "_transport", None)  # nothing public closes pipes that a grandchild holds open
    if transport is not None:
        transport.close()


def _signal_group(child: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
