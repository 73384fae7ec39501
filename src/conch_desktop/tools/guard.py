"""The guard decides whether a call may run: allow, ask, refuse. It sees exactly what would run (DESIGN 7).

What only reads runs; what changes something asks, unless it was allowed: once, in this chat, or always, for this tool
of this source as it was defined then. Once text that others wrote is in a chat, an earlier allowance no longer covers
a call that could carry data: it may be the text that wants it. This is read off the chat itself, every time, so a
restart changes nothing. It is stricter than the rule it follows in one thing: writes on this computer ask again too,
for what is remembered or written is read again in chats that know nothing of where it came from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from conch_desktop.domain.calls import CallRecord, Json
from conch_desktop.domain.tools import BUILTIN, Effect, Tool
from conch_desktop.tools.cargo import adds_up, carries_data
from conch_desktop.tools.toolbox import definition_of, digest

Policy = Literal["all", "read", "none"]
"""What runs without a question: everything; what only reads; nothing (all calls are refused)."""

Choice = Literal["once", "chat", "always", "deny"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the person. `id` is the call's; `title` says what will happen; `args` is exactly what would run.

    `preview` shows what would change (a diff), "" when the tool has nothing to show.
    """

    id: str
    tool: str
    source: str
    title: str
    args: Mapping[str, Json]
    raw: str
    mends: int = 0
    why: str = ""
    preview: str = ""


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


class Given(Protocol):
    """An allowance that was given for good."""

    @property
    def digest(self) -> str: ...

    @property
    def definition(self) -> str: ...


class PermissionBook(Protocol):
    """Where lasting allowances are kept."""

    async def given(self, *, source: str, tool: str) -> Given | None: ...

    async def allow(self, *, source: str, tool: str, digest: str, definition: str) -> None: ...


@dataclass(frozen=True, slots=True)
class _Allowed:
    """An allowance for one chat, with what the person knew to be in it."""

    digest: str
    definition: str
    known: frozenset[str]


class Guard:
    """Decides by a tool's effect, the person's earlier answers, what came into the chat and the policy of this run."""

    def __init__(self, book: PermissionBook, policy: Policy = "read") -> None:
        self._book = book
        self._policy = policy
        self._in_chat: dict[tuple[str, str, str], _Allowed] = {}

    async def decide(
        self, tool: Tool, args: Mapping[str, Json], *, chat: str, calls: Iterable[CallRecord] = ()
    ) -> Verdict:
        """Whether this call may run. `args` is what would run; `calls` are all calls of the chat so far."""
        if self._policy == "none":
            return Verdict("refuse", "no tool may run: calls were switched off for this run")
        if self._policy == "all":
            return Verdict("allow", "every call was allowed for this run")
        minded = _minded_with(tool, args, tuple(calls))
        if tool.effect == "read" and (tool.source == BUILTIN or not minded):
            return Verdict("allow", "it only reads")
        mark = digest(tool)
        allowed = self._in_chat.get((chat, tool.source, tool.name))
        if allowed is not None and allowed.digest == mark and minded <= allowed.known:
            return Verdict("allow", "you allowed it in this chat")
        given = await self._book.given(source=tool.source, tool=tool.name)
        if given is not None and given.digest == mark and not minded:
            return Verdict("allow", "you always allow it")
        return Verdict("ask", _why(tool, minded) + _changed(tool, mark, given, allowed))

    async def take(self, choice: Choice, tool: Tool, *, chat: str, calls: Iterable[CallRecord] = ()) -> None:
        """Keeps what the person's answer allows from now on, with what they knew to be in the chat."""
        minded = minded_sources(tool, calls)
        if choice == "chat" or (choice == "always" and minded):
            self._in_chat[chat, tool.source, tool.name] = _Allowed(digest(tool), definition_of(tool), minded)
        if choice == "always":
            await self._book.allow(
                source=tool.source, tool=tool.name, digest=digest(tool), definition=definition_of(tool)
            )

    def in_chats(self) -> list[tuple[str, str, str]]:
        """What is allowed until the program ends: chat, source and tool."""
        return sorted(self._in_chat)

    def forget(self, *, source: str, tool: str) -> None:
        """The tool asks again in every chat."""
        self._in_chat = {key: kept for key, kept in self._in_chat.items() if key[1:] != (source, tool)}


def _minded_with(tool: Tool, args: Mapping[str, Json], calls: Sequence[CallRecord]) -> frozenset[str]:
    """Where text came from that this call could carry away, by itself or with those to the same place before it."""
    minded = minded_sources(tool, calls)
    if not minded or carries_data(tool, args):
        return minded
    own = (call.args or {} for call in calls if call.started and _same_place(call, tool))
    return minded if adds_up([args, *own]) else frozenset()


def _same_place(call: CallRecord, tool: Tool) -> bool:
    return call.source == tool.source and (tool.source != BUILTIN or call.name == tool.name)


def minded_sources(tool: Tool, calls: Iterable[CallRecord]) -> frozenset[str]:
    """Where text that others wrote came from into this chat. What an app itself said is not minded when data goes to
    that app: it was allowed to have it. The program's own tools have no such place of their own."""
    minded = (call for call in calls if tool.source == BUILTIN or call.source != tool.source)
    return frozenset(source for call in minded if (source := outside_of(call)))


def outside_of(call: CallRecord) -> str:
    """Where a call's answer came from when others wrote it, "" when they did not, or there is none."""
    if call.state not in {"done", "failed", "provider"} or not (call.answer or call.pictures):
        return ""
    if call.state == "provider":
        return "the provider’s own tools"
    return call.outside or ("" if call.source == BUILTIN else f"the app {call.source}")


_EFFECTS: Mapping[Effect, str] = {
    "read": "it asks something beyond this computer",
    "write": "it changes something on this computer",
    "outside": "it reaches beyond this computer",
}


def _why(tool: Tool, minded: frozenset[str]) -> str:
    why = _EFFECTS[tool.effect]
    if minded:
        first, *more = sorted(minded)
        whose = f"{first} and {len(more)} more" if more else first
        why += f", and text from {whose} is in this chat: it may be what asks for this"
    return why


def _changed(tool: Tool, mark: str, always: Given | None, here: Given | None) -> str:
    """What keeps an earlier allowance from covering the tool as it is now, "" when nothing of it changed."""
    for given, words in ((always, "You always allowed it"), (here, "You allowed it in this chat")):
        if given is not None and given.digest != mark:
            return f". {words}, but {_what_changed(tool, given)} changed since"
    return ""


_CHANGES = (
    ("server", "the command or address of its server"),
    ("description", "its description"),
    ("parameters", "its fields"),
    ("effect", "what it can change"),
)


def _what_changed(tool: Tool, given: Given) -> str:
    """What is no longer as it was when the person allowed the tool."""
    try:
        before = json.loads(given.definition)
    except ValueError:
        before = {}
    now = json.loads(definition_of(tool))
    said = [words for key, words in _CHANGES if isinstance(before, dict) and before.get(key, now[key]) != now[key]]
    return " and ".join(said) or "its definition"


def title_of(tool: Tool, args: Mapping[str, Json], model: str) -> str:
    """The question's headline: what will happen, to what."""
    what = _filled(tool.title, args) if tool.title else f"use {tool.name}"
    if tool.source != BUILTIN and not tool.title:
        what += f" of {tool.source}"
    return f"Let {model} {what}?"


_LONGEST_VALUE = 120


def _filled(title: str, args: Mapping[str, Json]) -> str:
    """The title with the arguments in it. Each stands on one line and can't fill in another one's place."""
    parts = title.split("{")
    filled = [parts[0]]
    for part in parts[1:]:
        name, closed, rest = part.partition("}")
        filled.append(f"{_shown(args.get(name, ''))}{rest}" if closed else f"{{{part}")
    return "".join(filled)


def _shown(value: Json) -> str:
    """A value as a headline shows it: no line break or hidden character can forge a part of the question."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
