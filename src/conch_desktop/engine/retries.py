"""When the same request is sent again, and after how long: only where that can help, and only before the first word."""

from __future__ import annotations

from conch_desktop.domain.events import Refusal

MOST_WAITS = 2
"""How often one request is sent again by itself."""

LONGEST_WAIT = 60.0
"""Seconds; a longer wait is no wait: the person is told."""

OWN_WAITS = (2.0, 6.0)
"""Seconds before each further try, where the server names no time."""


def patience(refusal: Refusal, waits: int) -> float | None:
    """Seconds to wait before the same request once more; None when that can't help. `waits` were there before."""
    if not refusal.passing or waits >= MOST_WAITS:
        return None
    if refusal.retry_after is None:
        return OWN_WAITS[waits] if waits < len(OWN_WAITS) else None
    return refusal.retry_after if refusal.retry_after <= LONGEST_WAIT else None
