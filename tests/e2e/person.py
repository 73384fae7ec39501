"""A person at a screen: a virtual one, with a keyboard and eyes that can tell one picture from another."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
from PySide6.QtGui import QImage

PATIENCE = 40.0
_SIZE = "1440x900"


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Waits until something is so; fails with words for it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"This did not happen in {seconds:.0f} s: {what}")


@contextmanager
def screen() -> Iterator[str]:
    """A virtual screen on a free display."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{_SIZE}x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            yield f":{pipe.readline().strip()}"
    finally:
        server.terminate()
        server.wait(10)


class Person:
    """Starts the program and uses it."""

    def __init__(self, display: str, data_dir: Path, *, env: Mapping[str, str] | None = None) -> None:
        self._env = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", **(env or {})}
        self._env.pop("WAYLAND_DISPLAY", None)
        self._data_dir = data_dir
        self.log = data_dir.parent / f"{data_dir.name}.log"
        with self.log.open("wb") as log:
            self.program = subprocess.Popen(
                [sys.executable, "-m", "conch_desktop", "--data-dir", str(data_dir)],
                env=self._env,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._window = ""
        wait_until(self._find, "the window opens")
        wait_until(lambda: "chats" in self.tables(), "the database is there")
        self._do("windowsize", "--sync", self._window, "1440", "900")
        self._do("windowmove", self._window, "0", "0")
        self._do("windowfocus", self._window)
        time.sleep(0.5)

    def _find(self) -> bool:
        assert self.program.poll() is None, self.log.read_text()
        found = self._xdotool("search", "--onlyvisible", "--name", "Conch Desktop").stdout.split()
        self._window = found[-1] if found else ""
        return bool(self._window)

    def _xdotool(self, *words: str) -> subprocess.CompletedProcess[str]:
        # A search for a window that is not there waits for ever, so every call is bounded.
        return subprocess.run(
            ["xdotool", *words], env=self._env, capture_output=True, text=True, timeout=20, check=False
        )

    def _do(self, *words: str) -> None:
        done = self._xdotool(*words)
        assert done.returncode == 0, done.stderr

    def again(self) -> int:
        """Starts the program once more on the same profile; the exit status of that copy."""
        command = [sys.executable, "-m", "conch_desktop", "--data-dir", str(self._data_dir)]
        return subprocess.run(command, env=self._env, timeout=30, check=False).returncode

    # Hands ----------------------------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Types text, letter by letter."""
        self._do("type", "--delay", "12", "--", text)

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        for key in keys:
            self._do("key", key)
            time.sleep(0.15)

    def click(self, x: int, y: int) -> None:
        """Presses the left button somewhere in the window."""
        self._do("mousemove", "--window", self._window, str(x), str(y), "click", "1")
        time.sleep(0.15)

    # Eyes -----------------------------------------------------------------------------------------------------------

    def look(self, name: str) -> QImage:
        """A picture of the screen (by ImageMagick), kept beside the data folder."""
        path = self._data_dir.parent / f"{name}.png"
        subprocess.run(["import", "-window", "root", str(path)], env=self._env, check=True, timeout=30)
        return QImage(str(path))

    def rows(self, question: str) -> list[tuple[object, ...]]:
        """Rows of the program's database, read while it runs."""
        file = self._data_dir / "conch.sqlite3"
        if not file.exists():
            return []
        try:
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)) as connection:
                return connection.execute(question).fetchall()
        except sqlite3.OperationalError:
            return []

    def tables(self) -> set[object]:
        """The tables of the database."""
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    # The end --------------------------------------------------------------------------------------------------------

    def quit(self) -> int:
        """Leaves by the keyboard; the exit status. No process of the program may be left."""
        children = psutil.Process(self.program.pid).children(recursive=True)
        self.press("ctrl+q")
        try:
            status = self.program.wait(20)
        except subprocess.TimeoutExpired:
            self.program.kill()
            raise
        _, left = psutil.wait_procs(children, 5)
        assert not left, left
        return status

    def close(self) -> None:
        """Ends the program whatever it does."""
        if self.program.poll() is None:
            self.program.send_signal(signal.SIGTERM)
            try:
                self.program.wait(10)
            except subprocess.TimeoutExpired:
                self.program.kill()
                self.program.wait(10)


def different(one: QImage, other: QImage, left: int, top: int, right: int, bottom: int) -> float:
    """Which part of an area (of every third pixel) differs between two pictures, from 0 to 1."""
    points = [(x, y) for x in range(left, right, 3) for y in range(top, bottom, 3)]
    return sum(1 for x, y in points if one.pixel(x, y) != other.pixel(x, y)) / len(points)
