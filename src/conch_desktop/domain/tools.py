"""Tools: what a model may ask the program to do (DESIGN 4.5)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from conch_desktop.domain.calls import Json
from conch_desktop.domain.pictures import LARGEST, PictureContent, kind_of

Effect = Literal["read", "write", "outside"]
"""What running a tool can change: nothing, something on this computer, something beyond it."""

BUILTIN = "builtin"
"""The source of the program's own tools; any other source is the name of an integration."""


@dataclass(frozen=True, slots=True)
class TextContent:
    """An answer's words."""

    text: str


@dataclass(frozen=True, slots=True)
class StructuredContent:
    """JSON in an answer."""

    value: Json


AnswerPart = TextContent | PictureContent | StructuredContent


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered.

    `outside` names where it came from when others wrote it ("the page example.org"): the guard minds it from then on.
    An integration's answers are minded without that.
    """

    parts: tuple[AnswerPart, ...] = ()
    is_error: bool = False
    outside: str = ""

    @property
    def text(self) -> str:
        """The answer in words. JSON counts only where there are no words (MCP repeats it as words); a picture that
        can't be shown is named."""
        words = [part.text for part in self.parts if isinstance(part, TextContent)]
        if not words:
            words = [_written(part.value) for part in self.parts if isinstance(part, StructuredContent)]
        pictures = [part for part in self.parts if isinstance(part, PictureContent)]
        return "\n".join([*words, *(_unusable(part) for part in pictures if not _usable(part))])

    @property
    def pictures(self) -> tuple[PictureContent, ...]:
        """The pictures that can be shown and sent, each of the kind its bytes are."""
        return tuple(
            PictureContent(part.data, kind_of(part.data))
            for part in self.parts
            if isinstance(part, PictureContent) and _usable(part)
        )


def _usable(picture: PictureContent) -> bool:
    return len(picture.data) <= LARGEST and bool(kind_of(picture.data))


def _unusable(picture: PictureContent) -> str:
    if not kind_of(picture.data):
        return "[A picture of a kind that can’t be shown: only PNG, JPEG, GIF and WebP can.]"
    return f"[A picture that can’t be shown: it has {len(picture.data):,} bytes, and {LARGEST:,} are the most.]"


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def answer(text: str, *, is_error: bool = False) -> ToolAnswer:
    """An answer that is only words."""
    return ToolAnswer((TextContent(text),), is_error)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool is told of its surroundings. `stop` is set when the person stopped the turn.

    `progress` takes in words how far the tool is.
    """

    chat: str
    call: str
    stop: asyncio.Event | None = None
    progress: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name and description for models, the JSON Schema of its arguments, and how it runs.

    `group` is the name under which people switch it on and off ("memory", "files", …); `title` says in words for
    the guard's question what a call would do, with the arguments in braces: "remember “{content}”".
    `limit` is how many seconds a call may take. `preview` says in detail what a call would change, before the person
    is asked; it raises `ConchError` when the call can't do what it is asked for, and then nobody is asked. `pin` is
    what else makes the tool what it is: the command or address of its server. When it changes, allowances end.
    `label` is a server's own name for its tool.
    """

    name: str
    description: str
    parameters: Mapping[str, Json]
    effect: Effect
    run: Callable[[Mapping[str, Json], ToolContext], Awaitable[ToolAnswer]]
    source: str = BUILTIN
    group: str = ""
    title: str = ""
    limit: float = 120.0
    preview: Callable[[Mapping[str, Json], ToolContext], Awaitable[str]] | None = None
    pin: str = ""
    label: str = ""


def object_schema(properties: Mapping[str, Json], *required: str) -> Mapping[str, Json]:
    """The schema of a tool's arguments: these fields and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def text_schema(description: str, *, least: int = 0, most: int = 2_000) -> Json:
    """The schema of a short text, with its least and most characters."""
    text = {"type": "string", "description": description, "maxLength": most}
    return {**text, "minLength": least} if least else text
