"""When another model is offered for a message that names a tool."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.models import Model
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.switching import named_in, switch_offer
from conch_desktop.engine.way import Choice
from conch_desktop.tools.toolbox import Toolbox


async def _run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("")


TOOLS = [
    Tool("remember", "", {}, "write", _run, group="memory"),
    Tool("read_log", "", {}, "read", _run, source="harbour-weather", group="apps"),
]
POOR = Model("p", "poor", tools=False)
MODELS = [Model("q", "other", tools=True), POOR, Model("p", "unsaid"), Model("p", "able", tools=True)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Please remember the ferry", "remember"),
        ("REMEMBER: tea", "remember"),
        ("Put it into your memory.", "memory"),
        ("I remembered it", ""),
        ("Ask harbour weather", "harbour-weather"),
        ("Use read_log now", "read_log"),
        ("read the log", ""),
        ("", ""),
    ],
)
def test_a_message_names_a_tool_by_whole_words(text: str, named: str) -> None:
    assert named_in(text, TOOLS) == named


def checked(value: str) -> Lesson:
    return Lesson("p", "u", "poor", "checked", value)


@pytest.mark.parametrize(
    ("text", "asked", "model", "models", "lessons", "choice", "other"),
    [
        ("Please remember it", "", POOR, MODELS, [], "automatic", "p/able"),
        ("Please remember it", "", POOR, MODELS[:2], [], "automatic", "q/other"),
        ("tea", "remember", POOR, MODELS, [], "automatic", "p/able"),
        ("Hello", "", POOR, MODELS, [], "automatic", ""),
        ("Please remember it", "", MODELS[2], MODELS, [], "automatic", ""),
        ("Please remember it", "", POOR, [POOR], [], "automatic", ""),
        ("Please remember it", "", POOR, MODELS, [checked('["words", 3]')], "automatic", ""),
        ("Please remember it", "", POOR, MODELS, [checked('["words", 0]')], "automatic", "p/able"),
        ("Please remember it", "", POOR, MODELS, [], "words", ""),
    ],
)
def test_a_model_with_native_tools_is_offered_the_same_provider_first(
    text: str, asked: str, model: Model, models: list[Model], lessons: list[Lesson], choice: Choice, other: str
) -> None:
    offer = switch_offer(
        text, asked=asked, model=model, toolbox=Toolbox(TOOLS), models=models, lessons=lessons, choice=choice
    )
    assert (offer.other.id if offer is not None else "") == other
