"""Notices when a turn goes round in circles, and when nothing it tries works (DESIGN 7)."""

from __future__ import annotations

import json
from collections import Counter

from conch_desktop.domain.calls import Json
from conch_desktop.domain.events import CallResult

TELL_AT = 3
PAUSE_AT = 5

TELL_FAILURES_AT = 4
PAUSE_FAILURES_AT = 8


class Circles:
    """Counts the calls of one turn, and its failures in a row. Two calls are the same when their tool and their
    arguments are, however they were written.

    `pause` is why the turn should pause, in words for the person; "" while it may go on.
    """

    def __init__(self) -> None:
        self.pause = ""
        self._seen: Counter[tuple[str, str]] = Counter()
        self._failures = 0

    def note(self, name: str, arguments: Json) -> int:
        """How often this call has been made in the turn, this time included."""
        key = (name, arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True, default=str))
        self._seen[key] += 1
        count = self._seen[key]
        if count >= PAUSE_AT:
            self.pause = self.pause or f"{name}: the same call {count} times. The turn is paused."
        return count

    def told(self, result: CallResult, name: str, count: int) -> str:
        """What the model is told with the answer of a call made `count` times by now, "" for nothing."""
        if result.state == "done":
            self._failures = 0
        elif result.state in {"failed", "not_run"}:
            self._failures += 1
        if self._failures >= PAUSE_FAILURES_AT:
            self.pause = self.pause or f"{self._failures} calls in a row failed, {name} last. The turn is paused."
        if count >= TELL_AT:
            return f"[This same call was made {count} times now. Do something else, or answer the person.]"
        if self._failures >= TELL_FAILURES_AT:
            return f"[{self._failures} calls in a row failed. Try another way, or tell the person what is wrong.]"
        return ""
