"""The guard decides whether a call may run: allow, ask, refuse. It sees exactly what would run (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import BUILTIN, Tool
from conch_desktop.tools.toolbox import digest

Policy = Literal["all", "read", "none"]
"""What runs without a question: everything; what only reads; nothing (all calls are refused)."""

Choice = Literal["once", "chat", "always", "deny"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the person. `id` is the call's; `title` says what will happen; `args` is exactly what would run."""

    id: str
    tool: str
    source: str
    title: str
    args: Mapping[str, Json]
    raw: str
    mends: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer to a question."""

    choice: Choice
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guard decided, and why."""

    decision: Literal["allow", "ask", "refuse"]
    why: str


class PermissionBook(Protocol):
    """Where lasting allowances are kept."""

    async def allowed(self, *, source: str, tool: str, digest: str) -> bool: ...

    async def allow(self, *, source: str, tool: str, digest: str) -> None: ...


class Guard:
    """Decides by a tool's effect, the person's earlier answers and the policy of this run."""

    def __init__(self, book: PermissionBook, policy: Policy = "read") -> None:
        self._book = book
        self._policy = policy
        self._in_chat: set[tuple[str, str]] = set()

    async def decide(self, tool: Tool, args: Mapping[str, Json], *, chat: str) -> Verdict:
        """Whether this call may run. `args` is what would run; nothing else is looked at."""
        if self._policy == "none":
            return Verdict("refuse", "no tool may run: calls were switched off for this run")
        if self._policy == "all":
            return Verdict("allow", "every call was allowed for this run")
        if tool.effect == "read":
            return Verdict("allow", "it only reads")
        mark = digest(tool)
        if (chat, mark) in self._in_chat:
            return Verdict("allow", "you allowed it in this chat")
        if await self._book.allowed(source=tool.source, tool=tool.name, digest=mark):
            return Verdict("allow", "you always allow it")
        what = "it changes something on this computer" if tool.effect == "write" else "it reaches beyond this computer"
        return Verdict("ask", what)

    async def take(self, choice: Choice, tool: Tool, *, chat: str) -> None:
        """Keeps what the person's answer allows from now on."""
        if choice == "chat":
            self._in_chat.add((chat, digest(tool)))
        elif choice == "always":
            await self._book.allow(source=tool.source, tool=tool.name, digest=digest(tool))


def title_of(tool: Tool, args: Mapping[str, Json], model: str) -> str:
    """The question's headline: what will happen, to what."""
    what = _filled(tool.title, args) if tool.title else f"use {tool.name}"
    if tool.source != BUILTIN and not tool.title:
        what += f" of {tool.source}"
    return f"Let {model} {what}?"


def _filled(title: str, args: Mapping[str, Json], longest: int = 120) -> str:
    for name, value in args.items():
        text = str(value)
        title = title.replace("{" + name + "}", text if len(text) <= longest else text[:longest] + "…")
    return title
