"""Notices when a turn goes round in circles, and when it has gone on for long (DESIGN 7)."""

from __future__ import annotations

from collections import Counter

from conch_desktop.engine.running import Wanted

TELL_AT = 3
PAUSE_AT = 5


class Circles:
    """Counts the calls of one turn. Two calls are the same when their tool and their arguments are."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def note(self, wanted: Wanted) -> int:
        """How often this call has been made in the turn, this time included."""
        key = (wanted.name, repr(wanted.arguments))
        self._seen[key] += 1
        return self._seen[key]


def told(count: int) -> str:
    """What the model is told with the answer of a call it makes again and again."""
    return f"[This same call was made {count} times now. Do something else, or answer the person.]"


def paused(name: str, count: int) -> str:
    """What the person is told."""
    return f"{name}: the same call {count} times. The turn is paused."
