"""Puts an answer of conol.ai together from the events of a session: words, calls, and what the service ran itself.

Source: the specification of its tool protocol, and what clients of its stream saw (2026-07 and later).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conch_desktop.domain.events import (
    CallDelta,
    Finish,
    Notice,
    ProviderCall,
    ReasoningDelta,
    TextDelta,
    Usage,
    WireCall,
    WireEvent,
)
from conch_desktop.providers.conol_entries import Called, Entry, Words, delta, entries, entry
from conch_desktop.providers.conol_growth import Growth, More
from conch_desktop.providers.openai_models import tokens
from conch_desktop.providers.texts import whole_characters

_PARTS = frozenset({"history_delta", "assistant", "stream_event", "done"})
_SAME_MODEL = re.compile(r"([-@]\d{6,8}|-\d{4}-\d\d-\d\d|-latest)$")


@dataclass(slots=True)
class _Call:
    """A call of the answer. `told`: a sign of life was given. `ran`: it was shown as run by the provider."""

    key: int
    called: Called
    told: bool = False
    ran: bool = False


class ConolAnswer:
    """One answer. `tools` are the names that were offered; with `choice` "none" no call of theirs is handed on.

    `asked` is the model the person chose, and `provider` who is asked. `sent` is the message that this answer follows
    in a session that was there before: a server may begin with what was said until then.
    """

    def __init__(
        self, tools: Collection[str] = (), *, choice: str = "auto", asked: str = "", provider: str = "", sent: str = ""
    ) -> None:
        self.characters = 0
        self.taken = False
        self.done = False
        self.failed = False
        self.window: int | None = None
        """The session's window in tokens, once it was told."""
        self._tools = frozenset(tools)
        self._choice = choice
        self._asked, self._provider = asked, provider
        self._past = _Past(sent)
        self._growth = Growth()
        self._calls: dict[tuple[str, str], _Call] = {}
        self._drafts: dict[tuple[str, str], Called] = {}  # calls that were seen only while they were written
        self._told_done = False
        self._usage: Usage | None = None
        self._last = ""  # what was told last: "text", "thinking" or "call"
        self._said: dict[str, list[str]] = {"text": [], "thinking": []}

    @property
    def started(self) -> bool:
        return bool(self.characters or self._calls)

    @property
    def calling(self) -> bool:
        """Has a call of ours begun?"""
        return any(self._is_ours(call.called) for call in self._calls.values())

    @property
    def ended(self) -> bool:
        return self.done

    def take(self, value: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one object of the stream."""
        kind = str(value.get("type"))
        self.taken = self.taken or kind in _PARTS or "stages" in value
        events = self._context(value.get("contextUsage"))
        if kind == "done":
            self.done = self._told_done = True
        elif kind == "assistant":
            events += self._whole(entry(value))
        elif kind == "stream_event":
            piece = delta(value)
            events += self._say(piece, self._growth.piece(piece)) if piece else []
        found = self._past.now(entries(value))
        if self._drafts:
            writing = {each.stage for each in found if each.writing}
            self._drafts = {place: called for place, called in self._drafts.items() if place[0] not in writing}
        for each in found:
            events += self._entry(each)
        return events

    def end(self) -> list[WireEvent]:
        """The last events of an answer that ended as it should."""
        events = [event for each in self._past.held() for event in self._entry(each)]
        for called in list(self._drafts.values()) if self._told_done else ():  # as whole as they will be
            events += self._call(called)
        for call in self._calls.values():
            if not self._is_ours(call.called):
                events += self._ran(call)
        calls = [call for call in self._calls.values() if self._is_ours(call.called)]
        made = tuple(
            WireCall(call.called.id or f"call_{number}", call.called.name, call.called.arguments, key=call.key)
            for number, call in enumerate(calls, 1)
        )
        return [*events, *self._counted(), Finish("tool_calls" if made else "stop", made)]

    def broken(self) -> list[WireEvent]:
        """What the service began to run has happened; calls of ours have not."""
        events = [event for each in self._past.held() for event in self._entry(each)]
        for call in self._calls.values():
            events += self._ran(call) if call.called.name not in self._tools else []
        return [*events, *self._counted()]

    @property
    def text(self) -> str:
        """All words so far."""
        return "".join(self._said["text"])

    # entries --------------------------------------------------------------------------------------------------------

    def _entry(self, given: Entry) -> list[WireEvent]:
        events: list[WireEvent] = []
        if given.author != "assistant":
            return events
        for part in given.parts:
            if isinstance(part, Called):
                if given.writing and not part.result:
                    self._drafts[given.stage, part.key] = part
                else:
                    events += self._call(part)
                continue
            words = part
            if "\ud800" <= part.text[-1] <= "\udbff":  # the other half comes with the next update
                words = replace(part, text=part.text[:-1])
            seen = self._growth.writing if given.writing else self._growth.finished
            events += self._say(words, seen(given.stage, words)) if words.text else []
        return events

    def _whole(self, given: Entry) -> list[WireEvent]:
        """A whole answer at once, which may have been shown already."""
        events: list[WireEvent] = []
        if given.author != "assistant":
            return events
        for part in given.parts:
            if isinstance(part, Called):
                events += self._call(part)
                continue
            said, text = "".join(self._said[part.kind]).strip(), part.text.strip()
            if text.startswith(said):
                events += self._say(part, More(text[len(said) :], begins=not said))
            elif "".join(text.split()) not in "".join(said.split()):
                events += self._say(part, More(text, begins=True))
        return events

    def _say(self, words: Words, more: More) -> list[WireEvent]:
        text = whole_characters(more.text)
        if not text:
            return []
        said = self._said[words.kind]
        if more.begins and self._last == words.kind and said and not (said[-1][-1].isspace() or text[0].isspace()):
            text = f"\n\n{text}"  # another entry, and nothing between the two
        self._last = words.kind
        said.append(text)
        self.characters += len(text)
        return [TextDelta(text) if words.kind == "text" else ReasoningDelta(text)]

    # calls ----------------------------------------------------------------------------------------------------------

    def _is_ours(self, called: Called) -> bool:
        """Is it ours to run? What has a result has been run, and a tool we did not offer is the service's own."""
        return called.name in self._tools and not called.result and self._choice != "none"

    def _call(self, called: Called) -> list[WireEvent]:
        """A call, which may have come before: another stage, another order of its keys, or now with its result."""
        self._drafts = {place: draft for place, draft in self._drafts.items() if draft.name != called.name}
        known = self._calls.get(called.same)
        if known is None:
            known = self._calls[called.same] = _Call(len(self._calls), called)
        elif called.result and not known.called.result:
            known.called = replace(called, id=known.called.id)
        if known.called.result:
            return self._ran(known)
        if known.told or (called.name in self._tools and self._choice == "none"):
            return []
        known.told, self._last = True, "call"
        return [CallDelta(known.key, called.name, called.arguments)]

    def _ran(self, call: _Call) -> list[WireEvent]:
        """Shows a call the service ran. One of ours that it did not run, and must not, is not shown."""
        called = call.called
        if call.ran or (called.name in self._tools and not called.result):
            return []
        call.ran, self._last = True, "call"
        return [ProviderCall(called.name, called.arguments, called.result or None, call.key if call.told else None)]

    # the rest -------------------------------------------------------------------------------------------------------

    def _context(self, context: Any) -> list[WireEvent]:
        """What the session has used of its window, and which model answers in it."""
        if not isinstance(context, dict):
            return []
        used, window, model = (context.get(name) for name in ("usedTokens", "contextWindow", "modelId"))
        if (count := tokens(used)) is not None:
            self._usage = Usage(input_tokens=count)
        self.window = tokens(window) or self.window
        if not (self._asked and isinstance(model, str) and model):
            return []
        asked, self._asked = self._asked, ""  # said once
        return [] if same_model(asked, model) else [swapped(self._provider, asked, model)]

    def _counted(self) -> list[WireEvent]:
        return [self._usage] if self._usage is not None else []


def same_model(one: str, other: str) -> bool:
    """Are both the same model? One of the names may carry its maker or the date of its version."""
    names = [_SAME_MODEL.sub("", name.lower().rpartition("/")[2]) for name in (one, other)]
    return names[0] == names[1]


def swapped(provider: str, asked: str, got: str) -> Notice:
    """What the person is told when another model answers than the one they chose."""
    return Notice(f"{provider} answers with {got or 'another model'}, not with {asked}.")


class _Past:
    """Parts what was said in a session before the message that was just sent from what answers it.

    A server may begin with the history. It shows in the messages of the person: where one comes that is not the one
    sent, everything is history until that one comes. Where none comes, nothing is.
    """

    def __init__(self, sent: str) -> None:
        self._sent = _squeezed(sent)
        self._state = "unknown" if self._sent else "now"
        self._held: list[Entry] = []

    def now(self, found: list[Entry]) -> list[Entry]:
        """The entries that belong to the answer."""
        if self._state == "now":
            return found
        asked = [place for place, each in enumerate(found) if each.author == "user"]
        mine = [place for place in asked if _squeezed(found[place].text).endswith(self._sent)]
        if mine:
            self._state, self._held = "now", []
            return found[mine[-1] + 1 :]
        if asked:
            self._state, self._held = "history", found[asked[-1] + 1 :]
            return []
        if self._state == "history":
            self._held += found
            return []
        self._state = "now" if found else self._state
        return found

    def held(self) -> list[Entry]:
        """The last that was taken for history, when the message that was sent never came: better twice than lost."""
        held, self._held = self._held, []
        return held


def _squeezed(text: str) -> str:
    return "".join(text.split())
