"""One rule of the table that tells refusals apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from conch_desktop.domain.events import RefusalKind
from conch_desktop.providers.refusal_bodies import Told

REQUEST = (200, 400, 404, 405, 406, 409, 412, 415, 422, 424, 500, 501)
"""Statuses at which a request can have been refused for what is in it."""
SERVER = (500, 502, 503, 504, 520, 521, 522, 523, 524, 529)
"""Statuses of a server in trouble of its own, and of what stands before it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind and the words that mean it, any of them; without words the status alone decides.

    `statuses` are those it is asked for (none: any); `unless` are words in the same line that take it back; `source`
    names the reports. `page` is for web pages, which are not searched.
    """

    kind: RefusalKind
    words: tuple[str, ...] = ()
    source: str = ""
    unless: str = ""
    statuses: tuple[int, ...] = ()
    page: bool = False

    def fits(self, status: int, told: Told) -> bool:
        """Does the rule hold for an answer?"""
        if self.page is not told.page or (self.statuses and status not in self.statuses):
            return False
        if not self.words:
            return True
        places = (found.start() for found in _pattern(self.words).finditer(told.text))
        return any(not self._taken_back(told.text, place) for place in places)

    def _taken_back(self, text: str, place: int) -> bool:
        if not self.unless:
            return False
        end = text.find("\n", place)
        begin, end = text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end
        return _pattern((self.unless,)).search(text, begin, end) is not None


@cache
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Made when it is first needed: most programs never meet a refusal."""
    return re.compile("|".join(words), re.MULTILINE)
