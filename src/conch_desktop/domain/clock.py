"""Where time comes from: passed in, so that a test can hold it still."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> float:
        """Seconds since 1970 in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never goes back. For durations only."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
