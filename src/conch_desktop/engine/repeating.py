"""Notices when an answer says the same over and over, as small models do: it would only end with the window."""

from __future__ import annotations

import re

SHORTEST = 24
"""Characters of what is repeated. A shorter unit may be meant: a row of a matrix, a rule, a drawing."""
LONGEST = 600
TIMES = 4
"""How often in a row the same words have to stand there, letter for letter."""
LEAST = 200
"""Characters that are the same again and again, before it counts."""
_WORDS = 4
"""Different words a unit has at least: numbers in a table are not a model that is lost."""
_WORD = re.compile(r"[^\W\d_]{2,}")

NOTICE = "The model said the same over and over, so its answer was ended here. Go on asks it to continue."


class Repeating:
    """Looks at the end of an answer as it comes. Costs the same for each piece, however long the answer is."""

    def __init__(self) -> None:
        self._tail = ""

    def feed(self, text: str) -> bool:
        """Takes the next words; whether the answer now goes round in circles."""
        if not text:
            return False
        self._tail = tail = (self._tail + text)[-LONGEST * TIMES - len(text) :]
        end = tail[-SHORTEST:]
        before = tail.rfind(end, 0, len(tail) - 1)
        if before < 0:
            return False
        period = len(tail) - len(end) - before
        times = max(TIMES, -(-LEAST // period))
        if not SHORTEST <= period <= LONGEST or len(tail) < times * period:
            return False
        unit = tail[-period:]
        return tail.endswith(unit * times) and len(set(_WORD.findall(unit.casefold()))) >= _WORDS
