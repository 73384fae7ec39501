"""Tools for the tests of reading calls: made-up ones, as the program and as integrations offer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import BUILTIN, Tool, ToolAnswer, ToolContext, answer


async def no_run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("")


def tool(name: str, schema: Mapping[str, Any], source: str = BUILTIN) -> Tool:
    """A tool that does nothing."""
    return Tool(name, "", schema, "read", no_run, source=source)


def closed(properties: Mapping[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    """The schema of an object that takes these fields and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
FLAG = {"type": "boolean"}

FIND_BERTH = tool(
    "find_berth",
    closed(
        {"harbour": TEXT, "length_m": NUMBER, "side": {"type": "string", "enum": ["port", "starboard"]}},
        "harbour",
        "length_m",
    ),
)
PLAN_ROUTE = tool(
    "plan_route",
    closed(
        {
            "from": TEXT,
            "to": TEXT,
            "legs": WHOLE,
            "mode": {"type": "string", "enum": ["walk", "tram", "ferry"]},
            "via": {"type": "array", "items": TEXT},
            "fast": FLAG,
        },
        "from",
        "to",
    ),
)
NOTE = tool("keep_note", closed({"text": TEXT, "labels": {"type": "array", "items": TEXT}, "pinned": FLAG}, "text"))
STATE = tool("read_state", closed({"deep": FLAG, "part": TEXT, "since": WHOLE}))
NOTHING = tool("list_piers", closed({}))
PRESS = tool(
    "press",
    closed(
        {
            "ref": {"type": "string", "format": "browser-ref", "pattern": "^e[0-9]+$"},
            "button": {"type": "string", "enum": ["left", "right"]},
        },
        "ref",
    ),
)
TRY = tool("try_app", closed({"app": TEXT, "input": {"type": "object", "additionalProperties": True}}, "app"))
CREW = tool(
    "book_crew",
    {
        "type": "object",
        "properties": {
            "trip": TEXT,
            "crew": {"type": "array", "items": closed({"name": TEXT, "berth": WHOLE}, "name")},
            "cabin": closed({"deck": WHOLE, "side": TEXT}),
            "day": {"type": "string", "pattern": "^[0-9]{4}$", "maxLength": 4},
        },
        "required": ["trip"],
    },
    "harbour-office",
)
HOOK = tool(
    "call_hook",
    {"type": "object", "properties": {"url": TEXT, "arguments": {"type": "object"}}, "required": ["url"]},
    "harbour-office",
)
SUM = tool("add_up", closed({"numbers": {"type": "array", "items": NUMBER}}, "numbers"))
TASK = tool(
    "set_task", closed({"id": TEXT, "due": {"type": ["string", "null"]}, "hours": {"type": ["number", "null"]}}, "id")
)
TUNE = tool("tune", closed({"station": {"anyOf": [WHOLE, TEXT]}, "size": {"enum": ["S", "s", "M"]}}))
