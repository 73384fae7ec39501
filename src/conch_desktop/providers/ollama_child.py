"""Ollama on this computer, started quietly when it is installed and does not run: `ollama serve` in a child process.

The child's output is read by a thread and not by the event loop, so that it works on any loop and any system.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from conch_desktop.domain.errors import ProviderError
from conch_desktop.providers.registry import is_loopback

_READY_SECONDS = 20.0
_STOP_SECONDS = 5.0
_LOOK_SECONDS = 0.05
_REST_SECONDS = 30.0
"""How long a start that failed is not tried again: the same error is told meanwhile."""


def installed() -> str | None:
    """Where Ollama's program is; None when it is not installed. Programs started from a dock have a short PATH."""
    return shutil.which("ollama") or next((str(place) for place in _usual_places() if place.is_file()), None)


def _usual_places() -> Iterator[Path]:
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA", "")) / "Programs" / "Ollama" / "ollama.exe"
    else:
        yield from (Path(folder) / "ollama" for folder in ("/usr/local/bin", "/opt/homebrew/bin"))
        yield Path("/Applications/Ollama.app/Contents/Resources/ollama")


class OllamaChild:
    """The server at one address, as far as it is ours. `program` finds what is started."""

    def __init__(self, base: str, *, program: Callable[[], str | None] = installed) -> None:
        parts = urlsplit(base)
        self._place = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._ours = parts.scheme == "http" and is_loopback(base) and not parts.path.strip("/")
        self._program = program
        self._child: subprocess.Popen[bytes] | None = None
        self._lines: deque[str] = deque(maxlen=20)
        self._lock = asyncio.Lock()
        self._failed: tuple[float, ProviderError] | None = None

    async def start(self) -> bool:
        """Starts the server, once for all who ask. False at an address that is not this computer's.

        Raises `ProviderError` when it is not installed or does not come up.
        """
        if not self._ours:
            return False
        async with self._lock:
            if await asyncio.to_thread(self._answers):
                return True
            if self._failed is not None and time.monotonic() - self._failed[0] < _REST_SECONDS:
                raise self._failed[1]
            try:
                await self._start()
            except ProviderError as error:
                self._failed = (time.monotonic(), error)
                raise
            self._failed = None
            return True

    async def aclose(self) -> None:
        """Ends the server if it was started here."""
        child, self._child = self._child, None
        if child is not None:
            await asyncio.shield(asyncio.to_thread(_end, child))

    async def _start(self) -> None:
        program = self._program()
        if program is None:
            what = "Ollama is not running, and it is not installed on this computer."
            raise ProviderError("network", what, "Install it from ollama.com, or enter the address it runs at.")
        await self.aclose()  # one that was started before and does not answer any more
        try:
            self._child = child = await asyncio.to_thread(self._spawned, program)
        except OSError as error:
            raise ProviderError("network", f"Ollama can't be started: {error.strerror}.", _ADVICE) from error
        try:
            await self._until_ready(child)
        except BaseException:
            await self.aclose()
            raise

    async def _until_ready(self, child: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + _READY_SECONDS
        while not await asyncio.to_thread(self._answers):
            if child.poll() is not None:
                last = f" Its last words: {self._lines[-1]}" if self._lines else ""
                what = f"Ollama was started and ended at once (code {child.returncode}).{last}"
                raise ProviderError("network", what, _ADVICE)
            if time.monotonic() > end:
                what = f"Ollama was started and did not answer within {_READY_SECONDS:.0f} s."
                raise ProviderError("network", what, _ADVICE)
            await asyncio.sleep(_LOOK_SECONDS)

    def _answers(self) -> bool:
        """Does anything listen at the address?"""
        with contextlib.suppress(OSError), socket.create_connection(self._place, timeout=1.0):
            return True
        return False

    def _spawned(self, program: str) -> subprocess.Popen[bytes]:
        host, port = self._place
        child = subprocess.Popen(
            [program, "serve"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "OLLAMA_HOST": f"[{host}]:{port}" if ":" in host else f"{host}:{port}"},
            start_new_session=sys.platform != "win32",  # Ctrl+C in a terminal means Stop, not the end of the model
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert child.stderr is not None
        self._lines.clear()
        threading.Thread(target=self._drain, args=(child.stderr,), name="ollama: errors", daemon=True).start()
        return child

    def _drain(self, pipe: IO[bytes]) -> None:
        """Keeps the last lines of what it says."""
        with pipe:
            for line in pipe:
                if text := line.decode("utf-8", "replace").strip():
                    self._lines.append(text)


_ADVICE = "Start Ollama yourself, and look at what it says."


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
