"""Levels of thinking, from none to the most, as providers name them."""

from __future__ import annotations

from collections.abc import Iterable

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The levels there are, in order. A provider takes some of them."""


def nearest_effort(wanted: str, taken: Iterable[str]) -> str:
    """The level of `taken` that is nearest to the wanted one, the lower of two; "" when it takes none of ours.

    Thinking that was asked for is not turned off where a level is left.
    """
    known = [level for level in EFFORTS if level in set(taken)]
    able = [level for level in known if level != "none"] if wanted != "none" else known
    if wanted not in EFFORTS or not (able or known):
        return ""
    place = EFFORTS.index(wanted)
    return min(able or known, key=lambda level: abs(EFFORTS.index(level) - place))
