"""The model on this computer: a server in a child process, started when it is first used, and the wire to it.

A child, because a crash, an old processor's illegal instruction or a lack of memory must not take the window along.
The child's pipes are read by threads and not by the event loop, so that it works on any loop and any system.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import logging
import os
import platform
import secrets
import subprocess
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from conch_desktop.domain.errors import LocalModelError
from conch_desktop.domain.events import Refusal, WireEvent
from conch_desktop.domain.models import Family, Model, Provider
from conch_desktop.providers.local_ends import PACKAGE, death
from conch_desktop.providers.model_file import SMALL_MODEL
from conch_desktop.providers.openai_models import fingerprint
from conch_desktop.providers.registry import KINDS, family_of
from conch_desktop.providers.wire import Request

if TYPE_CHECKING:
    import httpx

    from conch_desktop.providers.openai import OpenAIWire

_log = logging.getLogger(__name__)

WINDOW = 8192
"""The window every model is started with, in tokens: the small model's own, and what most computers have memory for."""

SMALL_ANSWER = 1_024
"""Tokens of the small model's longest answer, unless the person set another."""

_READY_SECONDS = 120.0
_CLOSE_SECONDS = 2.0
_STOP_SECONDS = 5.0
_KEPT_LINES = 60


# can it run here? ---------------------------------------------------------------------------------------------------


def why_unavailable() -> LocalModelError | None:
    """Why no model can run on this computer, None when one can. The server itself is not imported."""
    if importlib.util.find_spec("xllamacpp") is not None:
        return None
    if not _has_build():
        system = f"{platform.system()} on {platform.machine()}"
        what = f"No model can run on this computer: its server has no build for {system}."
        return LocalModelError(what, "Choose a provider, or run a server of your own.")
    return LocalModelError(
        "The server of the model on this computer is not installed.",
        f"Install it: {sys.executable} -m pip install {PACKAGE}",
    )


def _has_build() -> bool:
    """Is there a wheel of the server for this system?"""
    machine = platform.machine().lower()
    if sys.platform == "win32":
        return machine == "amd64"
    if sys.platform == "darwin":
        return machine in ("arm64", "x86_64")
    return machine in ("x86_64", "aarch64") and platform.libc_ver()[0] == "glibc"


# the server ---------------------------------------------------------------------------------------------------------


class LocalServer:
    """The server of one model file.

    `model` says which file is in use; `on_state` is told "starting", "ready", "failed" and "stopped".
    """

    def __init__(self, model: Callable[[], Path | None], on_state: Callable[[str], None] | None = None) -> None:
        self._model = model
        self._on_state = on_state or (lambda _: None)
        self._child: _Child | None = None
        self._starting: asyncio.Task[_Child] | None = None

    @property
    def path(self) -> Path | None:
        """The model file that is in use."""
        return self._model()

    async def ensure(self) -> tuple[str, str]:
        """The address and the key of the running server. It is started, or started anew, when it is not running.

        A caller that is cancelled leaves the start to the others; the next request is the quicker for it. Raises
        `LocalModelError`.
        """
        while True:
            child = self._child
            if child is None or not child.alive or child.path != self._model():
                if self._starting is None or self._starting.done():
                    self._starting = asyncio.ensure_future(self._start(self._model()))
                    self._starting.add_done_callback(_looked_at)
                child = await asyncio.shield(self._starting)
            if child.path == self._model():
                return f"{child.url}/v1", child.key

    async def fate(self) -> LocalModelError | None:
        """Why the server is no longer running; None when it is. Asked when a connection to it broke."""
        child = self._child
        if child is None:
            return None
        for _ in range(20):  # the connection breaks a moment before the process is gone
            if not child.alive:
                return child.death("while it answered")
            await asyncio.sleep(0.05)
        return None

    async def aclose(self) -> None:
        """Stops the server."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
            self._starting = None
        await self._stop()

    async def _start(self, path: Path | None) -> _Child:
        await self._stop()
        if path is None:
            raise LocalModelError(
                "There is no model on this computer yet.", "Get the small model, or choose a GGUF file."
            )
        if (missing := why_unavailable()) is not None:
            raise missing
        self._on_state("starting")
        try:
            await asyncio.to_thread(_check_file, path)
            child = await _spawned(path)
            try:
                await child.ready()
            except BaseException:
                await asyncio.shield(asyncio.to_thread(child.stop))
                raise
        except LocalModelError:
            self._on_state("failed")
            raise
        except OSError as error:
            self._on_state("failed")
            raise LocalModelError(f"No process can be started: {error.strerror}.", "Close other programs.") from error
        self._child = child
        self._on_state("ready")
        return child

    async def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await asyncio.shield(asyncio.to_thread(child.stop))
            self._on_state("stopped")


def _looked_at(task: asyncio.Task[_Child]) -> None:
    """Takes note of how a start ended, also when nobody waits for it any more."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.info("The model on this computer did not start: %s", error)


async def _spawned(path: Path) -> _Child:
    """A child process. One that comes too late, because nobody wants it any more, is ended."""
    spawning = asyncio.ensure_future(asyncio.to_thread(_Child, path))
    try:
        return await asyncio.shield(spawning)
    except asyncio.CancelledError:
        child = await spawning
        await asyncio.to_thread(child.stop)
        raise


def _check_file(path: Path) -> None:
    """The faults of a file that can be told without starting anything."""
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise LocalModelError(
            f"{path} is not there.", "Choose the model's file again, or get the small model."
        ) from None
    except OSError as error:
        raise LocalModelError(f"{path} can't be read: {error.strerror}.", "Choose another model file.") from error
    if magic != b"GGUF":
        raise LocalModelError(f"{path.name} is no GGUF file.", "Choose a model file whose name ends in .gguf.")


class _Child:
    """One run of the child process. Made in a thread, since starting a process takes a moment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = ""
        self.key = secrets.token_urlsafe(32)
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._told: Future[str] = Future()
        name = SMALL_MODEL.name if path.name == SMALL_MODEL.file_name else path.stem
        options = ["--name", name, "--window", str(WINDOW)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "conch_desktop.providers.local_child", str(path), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Threads that wait by spinning would take the processor from each other and from the window.
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
            start_new_session=sys.platform != "win32",  # Ctrl+C in a terminal means Stop, not the end of the model
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._threads = [
            threading.Thread(target=self._hear, name="local model: address", daemon=True),
            threading.Thread(target=self._drain, name="local model: errors", daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        with contextlib.suppress(OSError):  # it may have ended already; `ready` says why
            _pipe(self._process.stdin).write(f"{self.key}\n".encode())
            _pipe(self._process.stdin).flush()

    @property
    def alive(self) -> bool:
        """Is it running?"""
        return self._process.poll() is None

    async def ready(self) -> None:
        """Waits until it serves. Raises `LocalModelError`."""
        try:
            async with asyncio.timeout(_READY_SECONDS):
                line = await asyncio.wrap_future(self._told)
        except TimeoutError:
            what = f"The model on this computer was not ready after {_READY_SECONDS:.0f} s."
            raise LocalModelError(what, "Choose a smaller model file, or close other programs.") from None
        told = json.loads(line) if line else {}
        if "url" not in told:
            await asyncio.to_thread(self._ended)
            raise self.death("while it was loaded", str(told.get("error", "")))
        self.url = str(told["url"]).rstrip("/")

    def death(self, when: str, error: str = "") -> LocalModelError:
        """What its end means, in a sentence with what to do."""
        return death(self.path.name, when, self._process.returncode, [*self._lines, error])

    def stop(self) -> None:
        """Ends it: by closing its stdin, then by a signal, then by force."""
        with contextlib.suppress(OSError):
            _pipe(self._process.stdin).close()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS - _CLOSE_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._ended()
        for pipe in (self._process.stdout, self._process.stderr):
            _pipe(pipe).close()

    def _ended(self) -> None:
        """Waits a moment until its last words have been read."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_SECONDS)
        for thread in self._threads:
            thread.join(_CLOSE_SECONDS)

    def _hear(self) -> None:
        """Waits for the line with the address; "" when the process ends without one."""
        for line in _pipe(self._process.stdout):
            text = line.decode("utf-8", "replace").strip()
            if text.startswith("{") and not self._told.done():
                self._told.set_result(text)
        if not self._told.done():
            self._told.set_result("")

    def _drain(self) -> None:
        """Keeps the last lines of what it complains of."""
        for line in _pipe(self._process.stderr):
            self._lines.append(line.decode("utf-8", "replace").rstrip())


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


# the wire -----------------------------------------------------------------------------------------------------------


def local_model(path: Path | None, provider: str) -> Model:
    """A model file as the list shows it. Without a file it is the small model, which can be fetched."""
    if path is None or path.name == SMALL_MODEL.file_name:
        small = SMALL_MODEL
        return Model(provider, small.name, small.label, small.window, tools=False, pictures=False, note=small.note)
    return Model(provider, path.stem, path.stem, WINDOW, pictures=False, note="A model file of your own.")


class LocalWire:
    """The wire to the model on this computer. The server is started for an answer, never for a list."""

    def __init__(self, *, provider: Provider, server: LocalServer) -> None:
        self._provider = provider
        self._server = server
        self._inner: OpenAIWire | None = None
        self._at = ("", "")

    async def list_models(self) -> list[Model]:
        """The model in use: one file is served at a time."""
        return [local_model(self._server.path, self._provider.id)]

    def schema_family(self, model: Model) -> Family:
        """Which schema dialect the model takes."""
        return family_of(KINDS["local"], model)

    async def tools_for(self, model: Model) -> bool | None:
        """Whether the model's template knows tools. A file of one's own is asked, which starts the server."""
        if model.tools is not None:
            return model.tools
        try:
            return await (await self._wire()).tools_for(model)
        except LocalModelError:
            return None

    async def takes_grammar(self, model: Model) -> bool:
        """Always: the server is llama.cpp's."""
        return True

    async def window_for(self, model: Model) -> int | None:
        """The window the server is started with."""
        return model.window or WINDOW

    async def fingerprint(self, model: Model) -> str:
        """The model's file and the server's version. The server is not started for it."""
        path = self._server.path
        try:
            size = path.stat().st_size if path is not None else 0
        except OSError:
            return ""
        return fingerprint(path.name, size, PACKAGE) if path is not None else ""

    async def stream(self, request: Request) -> AsyncGenerator[WireEvent, None]:
        """Sends the request and yields what comes back; the last event is a `Finish` or a `Refusal`.

        A server that turns out to have died before the first event is started anew, once.
        """
        for again in (True, False):
            begun = False
            try:
                inner = await self._wire()
            except LocalModelError as error:
                yield Refusal("not_found", "", error.what, error.advice)
                return
            async with contextlib.aclosing(inner.stream(self._bounded(request))) as events:
                async for event in events:
                    if isinstance(event, Refusal) and event.kind == "network" and (died := await self._server.fate()):
                        if again and not begun:
                            break
                        event = replace(event, what=died.what, advice=died.advice)
                    begun = True
                    yield event
                else:
                    return

    def _bounded(self, request: Request) -> Request:
        """The request with a limit for the small model, which now and then finds no end before its window is full."""
        path = self._server.path
        if request.max_tokens is not None or path is None or path.name != SMALL_MODEL.file_name:
            return request
        return replace(request, max_tokens=SMALL_ANSWER)

    async def read(
        self, response: httpx.Response, *, tools: Sequence[str] | None = None
    ) -> AsyncGenerator[WireEvent, None]:
        """Yields the events of a response."""
        inner = self._inner or self._made("http://127.0.0.1/v1", "")
        async with contextlib.aclosing(inner.read(response, tools=tools)) as events:
            async for event in events:
                yield event

    async def aclose(self) -> None:
        """Closes the connections. The server belongs to whoever made it."""
        inner, self._inner = self._inner, None
        if inner is not None:
            await inner.aclose()

    async def _wire(self) -> OpenAIWire:
        """The wire to the running server."""
        at = await self._server.ensure()
        if self._inner is not None and at == self._at:
            return self._inner
        old, self._inner, self._at = self._inner, self._made(*at), at
        if old is not None:
            await old.aclose()
        return self._inner

    def _made(self, url: str, key: str) -> OpenAIWire:
        from conch_desktop.providers.openai import OpenAIWire

        return OpenAIWire(provider=replace(self._provider, url=url), kind=KINDS["local"], key=key)
