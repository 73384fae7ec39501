"""Tools in words on data, for `conch-desktop check words`, `render` and `listing` (the contract: design, 4.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import SentResult
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext
from conch_desktop.words.listing import listing
from conch_desktop.words.reader import WordsCall, WordsFailed, WordsReader, WordsText
from conch_desktop.words.transcript import written_answers, written_call


def words_case(case: Mapping[str, Any], cut: int | None) -> Mapping[str, Any]:
    """What becomes of `text`, read in pieces of `cut` characters, or whole."""
    text = str(case.get("text", ""))
    reader = WordsReader([_offered(tool) for tool in _list(case, "tools")])
    step = cut if cut and cut > 0 else max(1, len(text))
    events = [event for at in range(0, len(text), step) for event in reader.feed(text[at : at + step])]
    events += reader.close(cut=case.get("finish") == "length")
    return {
        "visible": "".join(event.text for event in events if isinstance(event, WordsText)),
        "calls": [
            {"name": event.name, "arguments": _as_object(event.arguments)}
            for event in events
            if isinstance(event, WordsCall)
        ],
        "failed": sum(isinstance(event, WordsFailed) for event in events),
    }


def render_case(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is written for a model: answers, or an earlier call."""
    if case.get("kind") == "call":
        return {"text": written_call(str(case.get("name", "")), case.get("arguments") or {})}
    results = [
        SentResult("", str(result.get("tool", "")), str(result.get("text", "")), bool(result.get("is_error")))
        for result in _list(case, "results")
    ]
    return {"text": written_answers(results)}


def listing_case(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """The list of tools that fits the window."""
    window = case.get("window")
    listed = listing([_tool(tool) for tool in _list(case, "tools")], window if isinstance(window, int) else 0)
    return {"level": listed.level, "text": listed.text, "tokens": listed.tokens}


def _list(case: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = case.get(key)
    return value if isinstance(value, list) else []


def _offered(tool: str | Mapping[str, Any]) -> str | Tool:
    return tool if isinstance(tool, str) else _tool(tool)


def _tool(tool: Mapping[str, Any]) -> Tool:
    schema = tool.get("schema")
    return Tool(
        str(tool.get("name", "")),
        str(tool.get("description", "")),
        schema if isinstance(schema, dict) else {"type": "object", "properties": {}},
        "read",
        _never_run,
    )


async def _never_run(arguments: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    raise NotImplementedError


def _as_object(arguments: Json) -> Json:
    """Arguments that were sent as a text are shown as what they say."""
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except ValueError:
            return arguments
    return arguments
