"""Tools: what a model may ask the program to do (DESIGN 4.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from conch_desktop.domain.calls import Json

Effect = Literal["read", "write", "outside"]
"""What running a tool can change: nothing, something on this computer, something beyond it."""

BUILTIN = "builtin"
"""The source of the program's own tools; any other source is the name of an integration."""


@dataclass(frozen=True, slots=True)
class TextContent:
    """An answer's words."""

    text: str


@dataclass(frozen=True, slots=True)
class PictureContent:
    """A picture in an answer."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class StructuredContent:
    """JSON in an answer."""

    value: Json


AnswerPart = TextContent | PictureContent | StructuredContent


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool answered."""

    parts: tuple[AnswerPart, ...] = ()
    is_error: bool = False

    @property
    def text(self) -> str:
        """The words of the answer."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextContent))


def answer(text: str, *, is_error: bool = False) -> ToolAnswer:
    """An answer that is only words."""
    return ToolAnswer((TextContent(text),), is_error)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool is told of its surroundings. `stop` is set when the person stopped the turn."""

    chat: str
    call: str
    stop: asyncio.Event | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name and description for models, the JSON Schema of its arguments, and how it runs.

    `group` is the name under which people switch it on and off ("memory", "files", …); `title` says in words for
    the guard's question what a call would do, with the arguments in braces: "remember “{content}”".
    """

    name: str
    description: str
    parameters: Mapping[str, Json]
    effect: Effect
    run: Callable[[Mapping[str, Json], ToolContext], Awaitable[ToolAnswer]]
    source: str = BUILTIN
    group: str = ""
    title: str = ""
