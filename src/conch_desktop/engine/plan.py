"""Decides how a turn gives the model its tools (DESIGN 3).

Above everything stands the person's own choice for the model; then a tool asked for by name, what the model taught,
what its provider says of it, and at last that nobody knows, which counts as able.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.models import Model
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.fitting import assumed_window
from conch_desktop.engine.offer import digest_of
from conch_desktop.engine.way import Choice, Draft, Way, by_lessons
from conch_desktop.providers.wire import Wire
from conch_desktop.tools.toolbox import Toolbox

NO_TOOLS = "because the provider says it takes no tools natively"
SAID_NO = Draft("words", "provider", "The server says that this model takes no tools natively.", None)

ABOUT_TOOLS = frozenset({"words", "strict", "aside", "checked"})
"""Kinds of lessons about how tools go; they give way to the person's own choice and to a tool asked for by name."""


class LessonBook(Protocol):
    """Where lessons are kept."""

    async def of(self, provider: str, endpoint: str, model: str) -> list[Lesson]: ...

    async def learn(self, lesson: Lesson) -> None: ...

    async def held(self, lesson: Lesson) -> None: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """How a turn begins and why.

    `told` is what the server says by itself, worth keeping until the model behind the name changes.
    `asked` is the tool the first request has to call, when the person named one; `grammar` says whether the server
    constrains an answer by one; `lessons` are those that made the way; `digest` tells the offered definitions apart.
    """

    way: Way
    why: str
    window: int
    asked: Tool | None = None
    grammar: bool = False
    lessons: tuple[Lesson, ...] = ()
    fingerprint: str = ""
    digest: str = ""
    told: Draft | None = None


async def make_plan(
    wire: Wire,
    model: Model,
    toolbox: Toolbox,
    book: LessonBook,
    *,
    endpoint: str,
    asked: str = "",
    choice: Choice = "automatic",
) -> Plan:
    """The plan for one turn. `asked` is a tool's name, "" when the person named none."""
    fingerprint = await wire.fingerprint(model)
    digest = digest_of(toolbox.tools)
    known = _holding(await book.of(model.provider, endpoint, model.name), fingerprint, digest)
    tool = toolbox.find(asked) if asked else None
    grammar = await wire.takes_grammar(model)
    forced = tool is not None and grammar
    first, why = await _first(wire, model, toolbox, choice, forced=forced)
    if choice != "automatic" or forced:
        known = [lesson for lesson in known if lesson.kind not in ABOUT_TOOLS]
    way = by_lessons(first, known, digest=digest)
    if way.mode != first.mode or way.simple or way.aside:
        why = "as this model taught"
    window = way.window or await wire.window_for(model) or model.window or assumed_window(endpoint)
    told = SAID_NO if why == NO_TOOLS and fingerprint else None
    return Plan(way, why, window, tool, grammar, tuple(known), fingerprint, digest, told)


def _holding(lessons: Sequence[Lesson], fingerprint: str, digest: str) -> list[Lesson]:
    """The lessons that are still about this model and these tools."""
    return [
        lesson
        for lesson in lessons
        if not (lesson.fingerprint and fingerprint and lesson.fingerprint != fingerprint)
        and not (lesson.digest and lesson.digest != digest)
    ]


async def _first(wire: Wire, model: Model, toolbox: Toolbox, choice: Choice, *, forced: bool) -> tuple[Way, str]:
    """The way before lessons."""
    if not toolbox.tools:
        return Way("none"), "because no tools are switched on"
    if choice == "none":
        return Way("none"), "because you chose no tools for this model"
    if choice in {"native", "words"}:
        return Way("native" if choice == "native" else "words"), "because you chose it for this model"
    if forced:
        return Way("words"), "because you asked for a tool, and this server writes the call under a grammar"
    able = await wire.tools_for(model)
    if able is False:
        return Way("words"), NO_TOOLS
    if able:
        return Way("native"), "because the provider says it takes tools"
    return Way("native"), "because nobody says this model can’t"
