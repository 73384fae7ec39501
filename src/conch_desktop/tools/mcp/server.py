"""One server: a task of its own holds it from start to end, and everybody else talks to that task through a queue.

The library's session belongs to the task that opened it, and is closed by that task alone.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from conch_desktop import __version__
from conch_desktop.domain.calls import Json
from conch_desktop.domain.clock import Clock, SystemClock
from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Definition, LastCall, ServerState
from conch_desktop.domain.tools import ToolAnswer
from conch_desktop.tools.mcp.answers import read_answer
from conch_desktop.tools.mcp.commands import CommandNotFound, Paths, expanded
from conch_desktop.tools.mcp.hiding import mask
from conch_desktop.tools.mcp.http import Heard, Streams, connected
from conch_desktop.tools.mcp.listing import Listing, list_tools
from conch_desktop.tools.mcp.log import Log
from conch_desktop.tools.mcp.mending import RAW, MendedRead, Mender, NotedWrite
from conch_desktop.tools.mcp.process import Process, started
from conch_desktop.tools.mcp.sign_in import KeyBook, Opener, SignInNeeded, Tokens, WayBack, make_auth
from conch_desktop.tools.mcp.troubles import in_words, innermost

if TYPE_CHECKING:
    import httpx2
    from mcp import ClientSession

CALLS_AT_ONCE = 4
"""Calls one server gets at the same time; the others wait their turn."""

STOP_LIMIT = 8.0
"""Seconds a server's task has to end."""

_log = logging.getLogger(__name__)

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Workshop:
    """What every server needs: where commands are found, where keys are kept, and the time."""

    paths: Paths
    keys: KeyBook
    clock: Clock = field(default_factory=SystemClock)


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    args: Mapping[str, Json]
    progress: Progress | None
    answered: asyncio.Future[ToolAnswer]


_Order = _Call | Literal["list", "ended", "stop"]


class Server:
    """A server and what is known of it. `definition` holds the secrets; `account` is where its tokens are kept.

    `told` is called after each change of `state`, `why`, `listing` or `last_call`. `since` is when the state began,
    in seconds since 1970; `signed_in` says that it runs with the tokens of a sign-in, `signing_in` that the person is
    waited for, who has minutes and no start limit; `looked_in` are the folders its
    command is in none of.
    """

    def __init__(
        self,
        definition: Definition,
        secrets: Mapping[str, str],
        workshop: Workshop,
        *,
        account: str,
        told: Callable[[], None],
    ) -> None:
        self.state: ServerState = "off"
        self.why = ""
        self.advice = ""
        self.wants_sign_in = False
        self.listing = Listing()
        self.last_call: LastCall | None = None
        self.signed_in = False
        self.signing_in = False
        self.looked_in: tuple[str, ...] = ()
        self.mask = mask(secrets.values())
        self.since = workshop.clock.now()
        self.log = Log(self.mask, workshop.clock)
        self._definition = definition
        self._workshop = workshop
        self._account = account
        self._told = told
        self._task: asyncio.Task[None] | None = None
        self._orders: asyncio.Queue[_Order] = asyncio.Queue()
        self._slots = asyncio.Semaphore(CALLS_AT_ONCE)
        self._settled = asyncio.Event()
        self._heard = Heard()
        self._process: Process | None = None

    def start(self, opener: Opener | None = None) -> None:
        """Starts the server unless it runs; returns at once. With an `opener` the person may be asked to sign in."""
        if self._task is None or self._task.done():
            self._orders = asyncio.Queue()
            self.signing_in = opener is not None
            self._set("starting")
            self._task = asyncio.create_task(self._own(opener), name=f"integration {self._definition.name}")

    def refuse(self, why: str, advice: str) -> None:
        """The server can't be started, for a reason it knows nothing of."""
        self._set("failed", why, advice)

    async def stop(self) -> None:
        """Ends the server and everything it runs."""
        task = self._task
        if task is None or task.done():
            self._set("stopped")
            return
        if self.state == "running":
            self._orders.put_nowait("stop")
        else:
            task.cancel()
        done, _ = await asyncio.wait({task}, timeout=STOP_LIMIT)
        if not done:
            task.cancel()
            await asyncio.wait({task}, timeout=STOP_LIMIT)
        self._set("stopped")

    async def settled(self) -> None:
        """Waits until it is known whether the server started."""
        await self._settled.wait()

    async def call(self, name: str, args: Mapping[str, Json], progress: Progress | None = None) -> ToolAnswer:
        """Runs a tool. Cancelling the caller cancels this call at the server, and no other.

        Raises `IntegrationError` when the server does not run, ended, or did not answer in time.
        """
        if self.state == "failed" and self._definition.kind == "http" and not self.wants_sign_in:
            self.start()  # a broken connection is no reason to ask a person
        if self.state == "starting":
            await self._settled.wait()
        if self.state != "running":
            raise IntegrationError(f"{self._definition.name} is not running: {self.why or self.state}", self.advice)
        answered: asyncio.Future[ToolAnswer] = asyncio.get_running_loop().create_future()
        self._orders.put_nowait(_Call(name, args, progress, answered))
        return await answered

    # The task that owns it ------------------------------------------------------------------------------------------

    async def _own(self, opener: Opener | None) -> None:
        orders = self._orders
        self.log = Log(self.mask, self._workshop.clock)
        self._heard = Heard()
        try:
            async with AsyncExitStack() as stack:
                mender = Mender()
                session = await self._begin(stack, mender, opener)
                self._set("running")
                await self._serve(session, mender, orders)
            self._set("stopped")
        except asyncio.CancelledError:
            self._set("stopped")
            raise
        except Exception as error:
            # The edge of a server: whatever the library, its program or the network throws is a state with words.
            _log.info("The server %s failed: %s", self._definition.name, type(error).__name__)
            self._fail(error)
        finally:
            _refuse(orders, self.why or "It was stopped.")

    async def _begin(self, stack: AsyncExitStack, mender: Mender, opener: Opener | None) -> ClientSession:
        """Connects, shakes hands and lists the tools, within the limit. A person's sign-in has its own."""
        limit = self._definition.start_limit
        try:
            async with asyncio.timeout(None if opener else limit):
                session = await self._connect(stack, mender, opener)
                await _shake_hands(session)
                self.listing = await list_tools(session, mender)
                return session
        except TimeoutError:
            raise IntegrationError(
                f"It did not start within {limit:g} s.", "Look at its log, or give it more time."
            ) from None
        except Exception as error:
            if self._process is not None and self._process.is_over:
                raise await self._ended() from error
            raise

    async def _connect(self, stack: AsyncExitStack, mender: Mender, opener: Opener | None) -> ClientSession:
        await asyncio.to_thread(importlib.import_module, "mcp.client.streamable_http")  # it takes a second
        from mcp import ClientSession
        from mcp.types import Implementation

        _quiet_library()
        definition, orders = self._definition, self._orders
        if definition.kind == "stdio":
            command, env = await self._workshop.paths.find(definition)
            args = tuple(expanded(arg) for arg in definition.args)
            process = await stack.enter_async_context(started(command, args, env, expanded(definition.cwd), self.log))
            self._process = process
            streams: Streams = process.read, process.write
        else:
            auth = await self._auth(stack, opener)
            streams = await stack.enter_async_context(connected(definition, self._heard, auth))

        async def heard(message: object) -> None:
            if getattr(message, "method", "") == "notifications/tools/list_changed":
                orders.put_nowait("list")

        async def logged(params: object) -> None:
            self.log.add(str(getattr(params, "data", "")))

        session = ClientSession(
            MendedRead(streams[0], mender, lambda: orders.put_nowait("ended")),
            NotedWrite(streams[1], mender),
            client_info=Implementation(name="conch-desktop", version=__version__),
            message_handler=heard,
            logging_callback=logged,
        )
        return await stack.enter_async_context(session)

    async def _auth(self, stack: AsyncExitStack, opener: Opener | None) -> httpx2.Auth | None:
        if _has_authorization(self._definition):
            return None
        way_back = WayBack()
        stack.push_async_callback(way_back.aclose)
        tokens = Tokens(self._workshop.keys, self._account)
        auth = await make_auth(expanded(self._definition.url), tokens, way_back, opener)
        self.signed_in = auth is not None
        return auth

    async def _serve(self, session: ClientSession, mender: Mender, orders: asyncio.Queue[_Order]) -> None:
        """Carries out orders until the server ends or is stopped; each call in a task that ends with it."""
        running: set[asyncio.Task[None]] = set()
        try:
            while True:
                order = await orders.get()
                if order == "stop":
                    return
                if order == "ended":
                    raise await self._ended()
                task = asyncio.create_task(self._list(session, mender) if order == "list" else self._do(session, order))
                running.add(task)
                task.add_done_callback(running.discard)
                if isinstance(order, _Call):
                    order.answered.add_done_callback(_cancels(task))
        finally:
            for task in tuple(running):
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _list(self, session: ClientSession, mender: Mender) -> None:
        """The server says that its tools changed."""
        try:
            async with asyncio.timeout(self._definition.start_limit):
                self.listing = await list_tools(session, mender)
            self._told()
        except Exception as error:
            self.log.add(f"The new list of tools could not be read: {in_words(error)}")

    async def _do(self, session: ClientSession, call: _Call) -> None:
        """Runs one call and answers whoever waits for it."""
        began = self._workshop.clock.monotonic()
        try:
            async with self._slots:
                began = self._workshop.clock.monotonic()
                answer = await self._answer(session, call)
        except asyncio.CancelledError:
            if not call.answered.done():
                call.answered.set_exception(IntegrationError(f"{self._definition.name} ended while the call ran."))
            raise
        except Exception as error:
            self._note_call(began, went_well=False)
            if not call.answered.done():
                call.answered.set_exception(await self._call_trouble(error))
            return
        self._note_call(began, went_well=not answer.is_error)
        if not call.answered.done():
            call.answered.set_result(answer)

    def _note_call(self, began: float, *, went_well: bool) -> None:
        clock = self._workshop.clock
        took = max(0.0, clock.monotonic() - began)
        self.last_call = LastCall(clock.now() - took, round(took * 1000), went_well)
        self._told()

    async def _answer(self, session: ClientSession, call: _Call) -> ToolAnswer:
        from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult

        async def moved(progress: float, total: float | None, message: str | None) -> None:
            if call.progress is not None:
                call.progress(_moved(progress, total, message))

        result = await session.send_request(
            CallToolRequest(params=CallToolRequestParams(name=call.name, arguments=dict(call.args))),
            CallToolResult,
            request_read_timeout_seconds=self._definition.call_limit,
            progress_callback=moved,
        )
        return await asyncio.to_thread(read_answer, (result.meta or {}).get(RAW, {}))

    # Words ----------------------------------------------------------------------------------------------------------

    async def _ended(self) -> IntegrationError:
        if self._process is None:
            return IntegrationError("The connection ended.", "Restart it.")
        how = await self._process.how_it_ended()
        said = self.log.last()
        self.log.add(how)
        return IntegrationError(f"It {how}." + (f" It last said:\n{said}" if said else ""), "Restart it.")

    async def _call_trouble(self, error: Exception) -> IntegrationError:
        from mcp import MCPError
        from mcp.types import REQUEST_TIMEOUT

        if isinstance(error, MCPError) and error.error.code == REQUEST_TIMEOUT:
            limit = self._definition.call_limit
            return IntegrationError(f"It did not answer within {limit:g} s, so the call was given up.")
        if self._process is not None and self._process.is_over:
            return IntegrationError(f"The server {await self._process.how_it_ended()} before it answered.")
        return IntegrationError(self.mask(in_words(error)))

    def _fail(self, error: Exception) -> None:
        known: BaseException = innermost(error)
        wants_sign_in = self._heard.status == 401 and not _has_authorization(self._definition)
        if wants_sign_in and not isinstance(known, IntegrationError):
            known = SignInNeeded()
        words = in_words(known, status=self._heard.status)
        advice = known.advice if isinstance(known, IntegrationError) else "Correct it, then restart it."
        self.wants_sign_in = wants_sign_in
        self.looked_in = known.folders if isinstance(known, CommandNotFound) else ()
        self._set("failed", self.mask(words), advice)

    def _set(self, state: ServerState, why: str = "", advice: str = "") -> None:
        if state != self.state:
            self.since = self._workshop.clock.now()
        self.state, self.why, self.advice = state, why, advice
        if state == "starting":
            self._settled.clear()
            self.wants_sign_in, self.signed_in, self.looked_in = False, False, ()
        else:
            self._settled.set()
            self.signing_in = False
        if state not in {"starting", "running"}:
            self._process = None
        self._told()


def _cancels(task: asyncio.Task[None]) -> Callable[[asyncio.Future[ToolAnswer]], None]:
    """Ends the task of a call whose caller no longer waits: the library then tells the server."""

    def cancel(answered: asyncio.Future[ToolAnswer]) -> None:
        if answered.cancelled():
            task.cancel()

    return cancel


def _has_authorization(definition: Definition) -> bool:
    return any(name.lower() == "authorization" for name in definition.headers)


def _refuse(orders: asyncio.Queue[_Order], why: str) -> None:
    """Nobody waits for a server that is gone."""
    while not orders.empty():
        order = orders.get_nowait()
        if isinstance(order, _Call) and not order.answered.done():
            order.answered.set_exception(IntegrationError(why))


def _moved(progress: float, total: float | None, message: str | None) -> str:
    done = f"{progress:g} of {total:g}" if total else f"{progress:g}"
    return f"{message[:300]} ({done})" if message else done


async def _shake_hands(session: ClientSession) -> None:
    from mcp import MCPError
    from mcp.types import UNSUPPORTED_PROTOCOL_VERSION

    try:
        await session.initialize()
    except MCPError as error:
        if error.error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        await session.discover()  # it speaks only the protocol without a handshake


def _quiet_library() -> None:
    """The library logs whole messages, which can hold anything; what matters is in a server's own log."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
