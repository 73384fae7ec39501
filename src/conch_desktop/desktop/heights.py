"""Heights of many rows, with their sums: a Fenwick tree, so that a place is found in 10,000 rows in a dozen steps.

No Qt. Heights are whole pixels; most of them are estimates until a row comes near the window.
"""

from __future__ import annotations

from collections.abc import Iterable


class Heights:
    """A list of heights that knows how much stands above each place."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._own = list(heights)
        self._sums = [0, *self._own]
        for at in range(1, len(self._sums)):
            above = at + (at & -at)
            if above < len(self._sums):
                self._sums[above] += self._sums[at]

    def __len__(self) -> int:
        return len(self._own)

    def __getitem__(self, at: int) -> int:
        return self._own[at]

    def __setitem__(self, at: int, height: int) -> None:
        more = height - self._own[at]
        if not more:
            return
        self._own[at] = height
        place = at + 1
        while place < len(self._sums):
            self._sums[place] += more
            place += place & -place

    def append(self, height: int) -> None:
        """One more at the end."""
        self._own.append(height)
        place = len(self._own)
        total, step = height, 1
        while step < place & -place:
            total += self._sums[place - step]
            step <<= 1
        self._sums.append(total)

    def cut(self, count: int) -> None:
        """Keeps only the first `count`."""
        del self._own[count:]
        del self._sums[count + 1 :]

    def above(self, at: int) -> int:
        """How much the first `at` take together."""
        total = 0
        while at:
            total += self._sums[at]
            at &= at - 1
        return total

    @property
    def total(self) -> int:
        """How much all take together."""
        return self.above(len(self._own))

    def find(self, place: int) -> int:
        """The one that covers `place`: the last whose start is at or above it; 0 when there is none."""
        at, left = 0, max(0, place)
        step = 1 << len(self._own).bit_length()
        while step:
            following = at + step
            if following < len(self._sums) and self._sums[following] <= left:
                at = following
                left -= self._sums[following]
            step >>= 1
        return max(0, min(at, len(self._own) - 1))
