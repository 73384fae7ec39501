"""The log of a server: the last lines of its stderr, and of what should not stand on its stdout, secrets masked."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from conch_desktop.domain.clock import Clock, SystemClock

MOST_LINES = 200
LONGEST_LINE = 2_000
"""Characters of one line that are kept."""


class Log:
    """The last lines of a server. `mask` hides secrets in each; `clock` tells when it came."""

    def __init__(self, mask: Callable[[str], str] = lambda text: text, clock: Clock | None = None) -> None:
        self._mask = mask
        self._clock = clock or SystemClock()
        self._lines: deque[tuple[float, str]] = deque(maxlen=MOST_LINES)
        self._open = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines that are kept, the one still being written too."""
        return tuple(line for _, line in self.timed)

    @property
    def timed(self) -> tuple[tuple[float, str], ...]:
        """All lines that are kept, each with when it came, in seconds since 1970."""
        still = [(self._clock.now(), self._shown(self._open))] if self._open.strip() else []
        return (*self._lines, *still)

    def add(self, line: str) -> None:
        """Adds one line."""
        self._lines.append((self._clock.now(), self._shown(line)))

    def feed(self, piece: bytes) -> None:
        """Takes in a piece of stderr as it came from the pipe."""
        text = self._open + piece.decode("utf-8", "replace")
        *lines, rest = text.replace("\r", "\n").split("\n")
        for line in lines[-MOST_LINES:]:
            if line.strip():
                self.add(line)
        self._open = rest[: 2 * LONGEST_LINE]

    def last(self, count: int = 3) -> str:
        """The last lines, for a sentence."""
        return "\n".join(self.lines[-count:])

    def _shown(self, line: str) -> str:
        shown = "".join(letter if letter.isprintable() else " " for letter in self._mask(line[: 2 * LONGEST_LINE]))
        return shown.rstrip() if len(shown) <= LONGEST_LINE else f"{shown[:LONGEST_LINE]}…"
