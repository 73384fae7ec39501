"""What a model taught, in sentences; and the badge that follows from it. Plain functions of plain data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from conch_desktop.engine.checked import CALLS, CHECKED, read_checked
from conch_desktop.engine.way import ALL, Way, by_lessons

if TYPE_CHECKING:
    from conch_desktop.domain.lessons import Lesson

_FIXED = {
    "no_system_role": "Takes no system prompt; it goes with the first message.",
    "blind": "Sees no pictures.",
}
_WORDS = {
    "tools": "Takes no tools natively, so it gets them in words.",
    "schema": "The provider refuses the tools’ schemas, so it gets them in words.",
    "generation": "The provider can’t read its native calls, so it gets tools in words.",
}
_BRIEF = {
    "tools": "Takes no tools natively; gets them in words.",
    "schema": "Its provider refuses the schemas; gets tools in words.",
    "generation": "Its native calls can’t be read; gets tools in words.",
}
"""The same where there is little room."""
_WAYS = frozenset({"words", "strict", CHECKED})
"""Kinds of lessons about how tools are given."""

_JUST_NOW = 300.0


def sentence(lesson: Lesson) -> str:
    """A lesson in a sentence."""
    match lesson.kind:
        case "words":
            return _WORDS.get(lesson.value, _WORDS["tools"])
        case "strict":
            if lesson.value == ALL:
                return "Takes schemas only in the strict form."
            return f"Takes {_names(lesson.value)} only in the strict form."
        case "aside":
            return f"Does not take {_names(lesson.value)}: the provider refuses the schema."
        case "effort":
            return "Takes no thinking level." if lesson.value == "none" else f"Thinks at the level {lesson.value}."
        case "window" if lesson.value.isascii() and lesson.value.isdigit():
            return f"Its window holds {int(lesson.value):,} tokens."
        case "checked":
            found = read_checked(lesson.value)
            return found.text if found is not None else "Was checked."
    return _FIXED.get(lesson.kind, f"{lesson.kind.replace('_', ' ').capitalize()}: {lesson.value}".rstrip(": ") + ".")


def brief(lesson: Lesson) -> str:
    """A lesson in a sentence that is as short as can be, for the card in the panel."""
    if lesson.kind == "words":
        return _BRIEF.get(lesson.value, _BRIEF["tools"])
    return sentence(lesson)


def weightiest_first(lessons: Iterable[Lesson]) -> list[Lesson]:
    """What says how the model gets its tools stands before the rest."""
    return sorted(lessons, key=lambda lesson: lesson.kind not in _WAYS)


def _names(value: str) -> str:
    try:
        names = [str(name) for name in json.loads(value)]
    except (ValueError, TypeError):
        names = []
    if not names:
        return "some tools"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def day(at: float, now: float) -> str:
    """A day as people say it: "3 June", with the year when it is another."""
    there, here = datetime.fromtimestamp(at), datetime.fromtimestamp(now)  # noqa: DTZ006 - local days are meant
    return f"{there.day} {there:%B}" + (f" {there.year}" if there.year != here.year else "")


def _times(number: int) -> str:
    return {0: "", 1: "held once"}.get(number, f"held {number:,} times")


def since(lesson: Lesson, now: float) -> str:
    """When it was learnt and how often it held: "learnt 3 June, held 41 times"."""
    verb = "checked" if lesson.kind == CHECKED else "learnt"
    when = "just now" if 0 <= now - lesson.learnt < _JUST_NOW else day(lesson.learnt, now)
    return ", ".join(part for part in (f"{verb} {when}" if lesson.learnt else "", _times(lesson.held)) if part)


def detail(lesson: Lesson, now: float) -> str:
    """The same in whole sentences, and until when it holds."""
    parts = [part[:1].upper() + part[1:] for part in since(lesson, now).split(", ") if part]
    if lesson.expires is not None:
        again = "Tried natively again" if lesson.kind == "words" else "Tried again"
        parts.append(f"{again} after {day(lesson.expires, now)}")
    return "".join(f"{part}. " for part in parts).strip()


@dataclass(frozen=True, slots=True)
class Standing:
    """How a model gets its tools, as its badge says it; `checked` when a check found that."""

    mode: str = "untried"
    checked: bool = False


def standing(lessons: Iterable[Lesson], *, seen: str, choice: str) -> Standing:
    """The badge of a model: the person's own choice, else what it taught, else what was seen last."""
    known = [replace(lesson, digest="") for lesson in lessons if lesson.kind in _WAYS]
    checks = [found for lesson in known if lesson.kind == CHECKED and (found := read_checked(lesson.value))]
    checked = any(found.right for found in checks)
    mode = by_lessons(Way("native"), known, digest="").mode
    if any(lesson.kind == "strict" for lesson in known) and mode == "native":
        mode = "strict"
    learnt = str(mode) if checked or any(lesson.kind != CHECKED for lesson in known) else seen or "untried"
    if choice == "automatic":
        return Standing(learnt, checked)
    if choice == "native":
        return Standing(learnt if learnt in ("native", "strict") else "native", checked and learnt != "words")
    return Standing(choice, checked and choice == learnt)


def right_calls(lesson: Lesson) -> str:
    """What a check found, in short: "3 of 3 calls"."""
    found = read_checked(lesson.value)
    return f"{found.right} of {CALLS} calls" if found is not None else "checked"
