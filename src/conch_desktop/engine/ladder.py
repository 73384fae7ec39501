"""The ladder: what is tried next when a provider refuses (DESIGN 3).

Each rung at most once an answer, before the first word or call. Rungs change how tools go (schema → strict → words)
or one thing a refusal taught; a request the model itself spoilt is sent once more as it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from conch_desktop.domain.efforts import nearest_effort
from conch_desktop.domain.events import Refusal
from conch_desktop.engine.seeing import SEES_NONE
from conch_desktop.engine.way import Draft, Way, taught

MOST_REQUESTS = 5
"""Requests for one answer; waits and fresh connections count apart."""

TEACHES = frozenset({"effort", "no_system_role", "blind", "window"})


class Ladder:
    """Climbs for one answer. `way` is how the next request is made; `tools` are the names it offers."""

    def __init__(self, way: Way, tools: Iterable[str]) -> None:
        self.way = way
        self._start = way
        self._tools = frozenset(tools)
        self._requests = 1
        self._schema_rungs = 0
        self._named: set[str] = set()
        self._used: set[str] = set()
        self._led = ""
        self.words = ""

    def climb(self, refusal: Refusal) -> str | None:
        """The next rung for this refusal: a quiet sentence for the person ("" when nothing is worth one), or None
        when there is no rung left and the refusal stands."""
        if self._requests >= MOST_REQUESTS:
            return None
        said = self._rung(refusal)
        if said is not None:
            self._requests += 1
            self.words = refusal.words
        return said

    def lessons(self) -> list[Draft]:
        """What was learnt, once the request made in the present way has succeeded."""
        return taught(self._start, self.way, by=self._led)

    def _rung(self, refusal: Refusal) -> str | None:
        if refusal.kind == "schema" and self.way.mode in {"native", "strict"}:
            return self._schema(refusal.names_tool)
        if refusal.kind == "tools" and self.way.mode in {"native", "strict"}:
            return self._in_words("tools")
        if refusal.kind == "generation" and "generation" not in self._used:
            self._used.add("generation")
            return "The provider found the model’s own call malformed. It is asked once more."
        if refusal.teaches is not None and refusal.kind in {"bad_request", "context_length"}:
            return self._learn(*refusal.teaches)
        return None

    def _schema(self, tool: str) -> str:
        """One refused schema: first the tool it names alone, or all; then that tool aside, or all; then words."""
        self._schema_rungs += 1
        if self._schema_rungs > 2:
            return self._in_words("schema")
        known = tool if tool in self._tools - self.way.aside else ""
        if known and (known in self._named or self._is_simple(known)):
            self.way = replace(self.way, aside=self.way.aside | {known})
            return f"{known} is left out: the provider refuses its schema in every form."
        if known and self._schema_rungs == 1:
            self._named.add(known)
            self.way = replace(self.way, simple=self.way.simple | {known})
            return f"The provider refused the schema of {known}. It is sent in the strict form."
        if self.way.mode == "strict":
            return self._in_words("schema")
        self.way = replace(self.way, mode="strict")
        return "The provider refused a schema. All are sent in the strict form."

    def _is_simple(self, tool: str) -> bool:
        return self.way.mode == "strict" or tool in self.way.simple

    def _in_words(self, by: str) -> str:
        self._led = by
        self.way = replace(self.way, mode="words", simple=frozenset(), aside=self._start.aside)
        return "This model takes no tools natively. It gets them in words."

    def _learn(self, kind: str, value: str) -> str | None:
        if kind not in TEACHES or kind in self._used:
            return None
        self._used.add(kind)
        changed = self._changed(kind, value)
        if changed == self.way:
            return None
        self.way = changed
        return _SAID[kind]

    def _changed(self, kind: str, value: str) -> Way:
        match kind:
            case "effort":
                level = value if value == "none" else nearest_effort(self.way.effort or "medium", value.split(","))
                return replace(self.way, effort=level or self.way.effort)
            case "no_system_role":
                return replace(self.way, system_role=False)
            case "blind":
                return replace(self.way, pictures=False)
            case _:
                whole = value.isascii() and value.isdigit()
                return replace(self.way, window=int(value)) if whole and int(value) > 0 else self.way


_SAID = {
    "effort": "The model does not take that thinking level. It is asked with another.",
    "no_system_role": "The model takes no system prompt. It goes with the first message.",
    "blind": SEES_NONE,
    "window": "The conversation was too long for the model. It is sent shortened.",
}
