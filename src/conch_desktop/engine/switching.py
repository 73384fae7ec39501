"""The switch offer: a message names a tool, and the model is known to take none natively (design, 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.models import Model
from conch_desktop.domain.tools import BUILTIN, Tool
from conch_desktop.engine.checked import CHECKED, read_checked
from conch_desktop.engine.way import Choice
from conch_desktop.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class SwitchOffer:
    """What was named, and a model that takes tools natively."""

    named: str
    other: Model


def switch_offer(
    text: str,
    *,
    asked: str,
    model: Model,
    toolbox: Toolbox,
    models: Sequence[Model],
    lessons: Iterable[Lesson],
    choice: Choice,
) -> SwitchOffer | None:
    """An offer for this message, None for none. What a provider doesn't say counts as able."""
    if model.tools is not False or choice != "automatic" or _checked_in_words(lessons):
        return None
    named = asked or named_in(text, toolbox.tools)
    if not named:
        return None
    able = [one for one in models if one.tools is True and one.id != model.id]
    able.sort(key=lambda one: one.provider != model.provider)
    return SwitchOffer(named, able[0]) if able else None


def named_in(text: str, tools: Iterable[Tool]) -> str:
    """The first tool, group or app whose name is a word of the text, "" for none."""
    words = " ".join(re.split(r"[\W_]+", text.casefold()))
    for tool in tools:
        names = (tool.name, tool.group if tool.source == BUILTIN else tool.source)
        for name in names:
            plain = " ".join(re.split(r"[\W_]+", name.casefold())).strip()
            if plain and f" {plain} " in f" {words} ":
                return name
    return ""


def _checked_in_words(lessons: Iterable[Lesson]) -> bool:
    found = [read_checked(lesson.value) for lesson in lessons if lesson.kind == CHECKED]
    return any(one is not None and one.mode == "words" and one.right for one in found)
