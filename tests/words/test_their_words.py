"""A tool that wants one text gets the person's own words for it, or what it was free to be before."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.words.grammar import MOST_WORDS, call_grammar


async def _run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("")


def look_up(**fields: Mapping[str, Json]) -> Tool:
    return Tool("look_up", "Looks up.", {"type": "object", "properties": fields, "required": []}, "read", _run)


TEXT = {"type": "string", "maxLength": 40}


def test_the_text_is_an_end_of_what_the_person_said() -> None:
    root = call_grammar(look_up(about=TEXT), "what my sister likes")
    for end in ("what my sister likes", "my sister likes", "sister likes", "likes"):
        assert f'"\\"{end}\\""' in root
    assert '\\"what\\""' not in root


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        (look_up(about=TEXT), ""),
        (look_up(about=TEXT), "word " * (MOST_WORDS + 1)),
        (look_up(about=TEXT), "a text that is longer than the field may be"),
        (look_up(about=TEXT, limit={"type": "integer"}), "tea"),
        (look_up(about={"type": "integer"}), "tea"),
        (look_up(about={"type": "string", "enum": ["a", "b"]}), "tea"),
        (look_up(about={"type": "string", "format": "date"}), "tea"),
        (look_up(), "tea"),
    ],
)
def test_any_other_tool_or_message_leaves_the_grammar_as_it_is(tool: Tool, said: str) -> None:
    assert call_grammar(tool, said) == call_grammar(tool)
