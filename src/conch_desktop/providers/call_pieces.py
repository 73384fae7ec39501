"""Puts the calls of a streamed answer together from their pieces (the OpenAI wire).

Servers disagree on what tells one call from the next: some give every call index 0, some give no index, some change
the id in the middle of a call, some repeat the name, the arguments, or both. Each rule below carries the report that
made it necessary.
"""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conch_desktop.domain.events import CallDelta, WireCall


@dataclass(slots=True)
class _Call:
    """A call that is being put together. `key` tells it apart from the others of the answer."""

    key: int
    ids: list[str] = field(default_factory=list)
    index: int | None = None
    name: str = ""
    fragments: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def whole(self) -> bool:
        """Are its arguments JSON as they stand?"""
        return is_json(joined(self.fragments))


class CallPieces:
    """Takes the entries of `delta.tool_calls` as they come. `tools` are the names that were offered."""

    def __init__(self, tools: Collection[str] = ()) -> None:
        self._tools = frozenset(tools)
        self._calls: list[_Call] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, entries: Any) -> list[CallDelta]:
        """The entries of one delta. They are a list; some servers send the one entry bare."""
        events = []
        named_here: set[int] = set()  # calls that got their name in this delta and have no index
        for entry in _entries(entries):
            call = self._of(entry, named_here)
            if entry.name and entry.index is None:
                named_here.add(call.key)
            self._name(call, entry.name)
            if entry.id and entry.id not in call.ids:
                call.ids.append(entry.id)
            if entry.index is not None:
                call.index = entry.index
            if entry.arguments:
                call.fragments.append(entry.arguments)
            call.extra.update(entry.extra)
            events.append(CallDelta(call.key, call.name, entry.arguments))
        return events

    def ended(self, *, cut: bool) -> tuple[WireCall, ...]:
        """The calls to run. `cut`: the answer was stopped at its length; only calls that are whole run then."""
        made = []
        taken: set[str] = set()
        for call in self._calls:
            arguments = joined(call.fragments)
            if not call.name or (cut and not is_json(arguments)):
                continue
            identity = next((one for one in call.ids if one not in taken), None) or f"call_{uuid.uuid4().hex[:24]}"
            taken.add(identity)
            extra = json.dumps(call.extra, ensure_ascii=False) if call.extra else ""
            made.append(WireCall(identity, call.name, arguments, extra, call.key))
        return tuple(made)

    # which call an entry belongs to ---------------------------------------------------------------------------------

    def _of(self, entry: _Entry, named_here: set[int]) -> _Call:
        known = self._by_id(entry)
        if known is None:
            known = self._at(entry) if entry.index is not None else self._last(entry, named_here)
        if known is None:
            known = _Call(len(self._calls))
            self._calls.append(known)
        return known

    def _by_id(self, entry: _Entry) -> _Call | None:
        """The call with the entry's id, whatever the index: LocalAI shows one call under two (mudler/LocalAI #9722).

        Some give one id to all calls of an answer (HKUDS/nanobot PR #3943, OpenRouterTeam/ai-sdk-provider PR #471):
        another tool's name starts a new one, and so does a name at another index when the call there is whole.
        """
        same = [call for call in reversed(self._calls) if entry.id and entry.id in call.ids]
        call = next((call for call in same if call.index == entry.index), same[0] if same else None)
        if call is None or self._other_tool(call, entry.name):
            return None
        again = entry.index in (None, call.index) or not entry.name or entry.arguments == joined(call.fragments)
        return call if again or not call.whole() else None

    def _at(self, entry: _Entry) -> _Call | None:
        """The latest call with the entry's index, unless the entry starts a new one (index 0 for all: ollama #15457).

        Another id without a name is the same call: GLM-4 and Poolside change the id (poolsideai/pool #9).
        """
        for call in reversed(self._calls):
            if call.index == entry.index:
                if self._other_tool(call, entry.name):
                    return None
                return None if entry.id and call.ids and entry.name and call.whole() else call
        if not (entry.id or entry.name) and self._calls and self._calls[-1].name and not self._calls[-1].fragments:
            return self._calls[-1]  # its head came under another index (agno-agi/agno PR #8880)
        return None

    def _last(self, entry: _Entry, named_here: set[int]) -> _Call | None:
        """The call an entry without an index goes on with (open-webui/computer #224); None when it starts a new one.

        The place in the list never stands for the index (oracle/langchain-oracle #253).
        """
        if not self._calls:
            return None
        last = self._calls[-1]
        if not entry.name:
            return None if entry.id and last.ids and last.whole() else last
        if entry.id and last.ids:
            return None
        if last.key in named_here or self._other_tool(last, entry.name):
            return None
        return None if last.name and last.whole() else last

    def _other_tool(self, call: _Call, name: str) -> bool:
        """Is `name` a tool of ours, but another than the call's?"""
        return bool(call.name) and name in self._tools and self._grown(call.name, name) is None

    def _name(self, call: _Call, name: str) -> None:
        """The first name stays. The same again is a repeat (NousResearch/hermes-agent PR #12230), "" is nothing."""
        call.name = (self._grown(call.name, name) if call.name else name) or call.name

    def _grown(self, start: str, name: str) -> str | None:
        """What `start` and `name` are together, when both belong to one name; None when they don't.

        A name may come in parts (NVIDIA-NeMo/Switchyard PR #785), or grow; what is a whole name already does neither.
        """
        if not name or name == start:
            return start
        if start in self._tools:
            return None
        candidates = (start + name, *([name] if name.startswith(start) else []))
        return next((made for made in candidates if any(tool.startswith(made) for tool in self._tools)), None)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of `delta.tool_calls`, in one form."""

    id: str
    index: int | None
    name: str
    arguments: str
    extra: Mapping[str, Any]


def _entries(given: Any) -> Iterator[_Entry]:
    for entry in [given] if isinstance(given, dict) else given if isinstance(given, list) else ():
        if not isinstance(entry, dict):
            continue
        function = entry.get("function")
        if not isinstance(function, dict):
            function = entry
        name, index, identity = function.get("name"), entry.get("index"), entry.get("id")
        yield _Entry(
            id=str(identity) if isinstance(identity, (str, int)) and not isinstance(identity, bool) else "",
            index=_index(index),
            name=name if isinstance(name, str) else "",
            arguments=_text(function.get("arguments")),
            extra={"extra_content": content} if (content := entry.get("extra_content")) else {},
        )


def _index(index: Any) -> int | None:
    if isinstance(index, str) and index.isascii() and index.isdigit():
        return int(index[:9])
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _text(arguments: Any) -> str:
    """Arguments as text. An object is written out (can1357/oh-my-pi PR #1779); null is nothing, not `{}`."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


# what the fragments of one call come to ------------------------------------------------------------------------------


def joined(fragments: list[str]) -> str:
    """The arguments from their fragments, decided when all are there.

    Plain joining comes first: to drop repeats while they stream eats real text (diegosouzapw/OmniRoute PR #3762).
    """
    text = "".join(fragments)
    pieces = [piece for piece in fragments if piece.strip()]
    if len(pieces) < 2 or is_json(text):
        return text
    if all(later.startswith(earlier) for earlier, later in itertools.pairwise(pieces)):
        return pieces[-1]  # each holds all so far (NousResearch/hermes-agent PR #35718)
    if pieces[-1] == "".join(pieces[:-1]):
        return pieces[-1]  # sent in pieces, then whole (elizaOS/eliza PR #16973)
    unit = _unit(text)
    if unit != text and is_json(unit):
        return unit
    if pieces[0].strip() == "{}" and is_json(rest := joined(pieces[1:])):
        return rest  # an empty object held the place until the arguments came
    return text


def _unit(text: str) -> str:
    """The shortest text that `text` is a row of."""
    period = (text + text).find(text, 1)
    return text[:period]


def is_json(text: str) -> bool:
    """Is it JSON as it stands?"""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
