"""The way tools go to a model in one request, and what lessons say of it (DESIGN 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.models import Mode, Model

Choice = Literal["automatic", "native", "words", "none"]
"""A person's own choice of how a model gets its tools."""

DAY = 86_400.0
SCHEMA_DAYS = 30
TOOLS_DAYS = 90


@dataclass(frozen=True, slots=True)
class Way:
    """How one request is made.

    `mode` "strict" gives every tool in the strict dialect, `simple` names those that go so in mode "native"; tools
    in `aside` are not given at all. `effort` is the thinking level to ask for ("" leaves it to the provider).
    `system_role` and `pictures` are False for a model that takes none. `window` is in tokens, 0 when nothing names it.
    """

    mode: Mode
    simple: frozenset[str] = frozenset()
    aside: frozenset[str] = frozenset()
    effort: str = ""
    system_role: bool = True
    pictures: bool = True
    window: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A lesson that is kept once the request it led to has succeeded.

    `days` is how long it holds, None for ever; `digested` whether it holds only for the tools it was about.
    """

    kind: str
    value: str
    text: str
    days: int | None
    digested: bool = False

    def lesson(self, model: Model, endpoint: str, *, words: str, fingerprint: str, digest: str, now: float) -> Lesson:
        """The lesson as it is kept, taught by `words` at `now` (seconds since 1970)."""
        return Lesson(
            model.provider,
            endpoint,
            model.name,
            self.kind,
            self.value,
            words,
            fingerprint,
            digest if self.digested else "",
            now,
            None if self.days is None else now + self.days * DAY,
        )


def by_lessons(way: Way, lessons: Iterable[Lesson], *, digest: str) -> Way:
    """`way` as lessons change it. A lesson about tool definitions counts only while `digest` is theirs."""
    for lesson in lessons:
        if lesson.digest and lesson.digest != digest:
            continue
        match lesson.kind:
            case "words" if way.mode in {"native", "strict"}:
                way = replace(way, mode="words")
            case "strict" if lesson.value == ALL and way.mode == "native":
                way = replace(way, mode="strict")
            case "strict" if lesson.value != ALL:
                way = replace(way, simple=way.simple | _names(lesson.value))
            case "aside":
                way = replace(way, aside=way.aside | _names(lesson.value))
            case "checked" if way.mode in {"native", "words"}:
                way = replace(way, mode=_checked_mode(lesson.value, way.mode))
            case "effort":
                way = replace(way, effort=lesson.value)
            case "no_system_role":
                way = replace(way, system_role=False)
            case "blind":
                way = replace(way, pictures=False)
            case "window" if lesson.value.isascii() and lesson.value.isdigit():
                way = replace(way, window=int(lesson.value))
            case _:
                pass
    return way


ALL = "*"
"""The value of a lesson about every tool."""


def taught(before: Way, after: Way, *, by: str) -> list[Draft]:
    """The lessons that lead from one way to the other. `by` is the kind of the refusal that led to words."""
    drafts: list[Draft] = []
    if after.mode == "words" and before.mode != "words":
        days = TOOLS_DAYS if by == "tools" else SCHEMA_DAYS
        drafts.append(Draft("words", by, LEARNT_WORDS, days, digested=by == "schema"))
    elif after.mode == "strict" and before.mode != "strict":
        drafts.append(Draft("strict", ALL, "Takes schemas only in the strict form.", SCHEMA_DAYS, digested=True))
    elif after.simple - before.simple and after.mode == "native":
        names = sorted(after.simple - after.aside)
        if names:
            text = f"Takes {_listed(names)} only in the strict form."
            drafts.append(Draft("strict", json.dumps(names), text, SCHEMA_DAYS, digested=True))
    if after.aside - before.aside and after.mode != "words":
        names = sorted(after.aside)
        text = f"Does not take {_listed(names)}: the provider refuses the schema."
        drafts.append(Draft("aside", json.dumps(names), text, SCHEMA_DAYS, digested=True))
    if after.effort != before.effort:
        text = "Takes no thinking level." if after.effort == "none" else f"Thinks at the level {after.effort}."
        drafts.append(Draft("effort", after.effort, text, TOOLS_DAYS))
    if before.system_role and not after.system_role:
        drafts.append(
            Draft("no_system_role", "", "Takes no system prompt; it goes with the first message.", TOOLS_DAYS)
        )
    if before.pictures and not after.pictures:
        drafts.append(Draft("blind", "", "Sees no pictures.", TOOLS_DAYS))
    if after.window != before.window:
        drafts.append(Draft("window", str(after.window), f"Its window holds {after.window:,} tokens.", None))
    return drafts


LEARNT_WORDS = "This model takes no tools natively. From now on it gets them in words."


def _checked_mode(value: str, mode: Mode) -> Mode:
    """The mode a check found to work; `mode` when none did."""
    try:
        found, right = json.loads(value)
    except (ValueError, TypeError):
        return mode
    modes: Mapping[str, Mode] = {"native": "native", "strict": "strict", "words": "words"}
    return modes.get(found, mode) if right else mode


def _names(value: str) -> frozenset[str]:
    try:
        names = json.loads(value)
    except ValueError:
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
