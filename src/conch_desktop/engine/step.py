"""One step of a turn: a request, and what comes back for it as turn events and calls that are wanted."""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from conch_desktop.domain.calls import CallRecord, Json
from conch_desktop.domain.events import (
    CallDelta,
    CallMade,
    CallProgress,
    CallResult,
    Finish,
    FinishReason,
    Notice,
    ProviderCall,
    ReasoningAdded,
    ReasoningDelta,
    Refusal,
    Replay,
    ReplayKept,
    TextAdded,
    TextDelta,
    TurnEvent,
    Usage,
    WireCall,
    WireEvent,
)
from conch_desktop.domain.messages import MADE_UP
from conch_desktop.engine.offer import Offer
from conch_desktop.engine.repeating import NOTICE, Repeating
from conch_desktop.engine.running import Wanted
from conch_desktop.providers.wire import Request, Wire
from conch_desktop.words.events import WordsCall, WordsEvent, WordsFailed, WordsMadeUp, WordsText
from conch_desktop.words.reader import WordsReader

UNREADABLE = "(unreadable call)"
"""The name shown for a block of which not even the tool can be told."""


@dataclass(slots=True)
class Step:
    """What one request came to. `number` counts the steps of a turn from 0.

    `made_up`: the model wrote an answer of a tool itself.
    `circling`: it was ended here, because it only repeated itself; "paused" alone is the provider's own pause.
    """

    number: int
    request: Request
    offer: Offer
    reader: WordsReader | None
    wanted: list[Wanted] = field(default_factory=list)
    finish: FinishReason = "stop"
    refusal: Refusal | None = None
    failed: bool = False
    replay: str = ""
    circling: bool = False
    made_up: bool = False
    _begun: dict[int, str] = field(default_factory=dict)
    _repeating: Repeating = field(default_factory=Repeating)

    async def run(self, wire: Wire, open_calls: Callable[[], list[CallRecord]]) -> AsyncGenerator[TurnEvent, None]:
        """Sends the request and yields what comes. `open_calls` are the answer's calls that have no answer yet."""
        async with aclosing(wire.stream(self.request)) as events:
            async for event in events:
                found = self._taken(event)
                for told in found:
                    yield told
                if self._goes_round(found):
                    self.finish, self.circling = "paused", True
                    yield Notice(NOTICE, self.number)
                    break
        for told in self._ended(open_calls()):
            yield told
        if self.replay and self.refusal is None:  # after the last word, which it would part from the others
            yield ReplayKept(self.replay, self.number)

    def _taken(self, event: WireEvent) -> list[TurnEvent]:
        """What one event of the wire means for the turn."""
        match event:
            case TextDelta(text=text):
                return self._text(text)
            case ReasoningDelta(text=text):
                return [ReasoningAdded(text, self.number)]
            case CallDelta(key=key, name=name, arguments=piece):
                self._begun.setdefault(key, new_id())
                return [CallProgress(self._begun[key], self.offer.own(name), piece, self.number)]
            case ProviderCall():
                return self._run_there(event)
            case Usage():
                return [event]
            case Notice():
                return [replace(event, step=self.number)]
            case Replay(data=data):
                self.replay = data
            case Finish(reason=reason, calls=calls):
                self.finish = reason
                self.wanted += [self._native(call, reason) for call in calls]
            case Refusal():
                self.refusal = event
        return []

    def _text(self, text: str) -> list[TurnEvent]:
        if self.reader is None:
            return [TextAdded(text, self.number)]
        return self._read(self.reader.feed(text))

    def _goes_round(self, told: Sequence[TurnEvent]) -> bool:
        """Whether the words say the same over and over. What a call holds may be meant so."""
        return self._repeating.feed("".join(event.text for event in told if isinstance(event, TextAdded)))

    def _ended(self, open_calls: Sequence[CallRecord]) -> list[TurnEvent]:
        """What was still held, and the calls that never became whole: each of them gets an answer too."""
        broken = self.refusal is not None or self.finish in {"length", "paused"}
        events = self._read(self.reader.close(cut=broken)) if self.reader is not None else []
        whole = {wanted.id for wanted in self.wanted}
        for record in open_calls:
            if record.id in whole or record.step != self.number:
                continue
            if self.refusal is None and self.finish == "length":
                cut = Wanted(record.id, record.name, record.raw, record.raw, self.number, finish="length")
                self.wanted.append(cut)
            else:
                why = "The answer broke off before this call was whole, so nothing ran."
                events.append(CallResult(record.id, True, why, state="not_run", sent_back=why))
        if self.refusal is not None:
            self.wanted.clear()  # a call of an answer that broke off does not run, whole or not
        return events

    def _read(self, found: Sequence[WordsEvent]) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        for event in found:
            match event:
                case WordsText(text=text):
                    events.append(TextAdded(text, self.number))
                case WordsCall(name=name, arguments=arguments, raw=raw, mends=mends):
                    own = self.offer.own(name)
                    fields = self.offer.fields.get(own, {})
                    self.wanted.append(Wanted(new_id(), own, raw, arguments, self.number, fields=fields, mends=mends))
                case WordsMadeUp():
                    if not self.made_up:
                        events.append(Notice(MADE_UP, self.number))
                    self.made_up = True
                case WordsFailed(raw=raw, why=why, name=name):
                    self.failed = True
                    self.wanted.append(Wanted(new_id(), name or UNREADABLE, raw, None, self.number, fault=why))
        return events

    def _run_there(self, call: ProviderCall) -> list[TurnEvent]:
        """A call the provider ran by itself: shown with what came of it, never run, never sent back as one of ours."""
        call_id = (self._begun.get(call.key) if call.key is not None else None) or new_id()
        args = parsed(call.arguments)
        made = CallMade(call_id, call.name, call.arguments, args, source="provider", step=self.number)
        return [made, CallResult(call_id, False, call.result or "", state="provider")]

    def _native(self, call: WireCall, finish: FinishReason) -> Wanted:
        own = self.offer.own(call.name)
        return Wanted(
            self._begun.get(call.key) or new_id(),
            own,
            call.arguments,
            call.arguments,
            self.number,
            call.id,
            call.extra,
            finish="length" if finish == "length" else "stop",
            fields=self.offer.fields.get(own, {}),
        )


def parsed(arguments: str) -> dict[str, Json] | None:
    """The arguments of a call as they stand; None when they are no JSON object."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def new_id() -> str:
    """An id of our own for a call: unique over everything that is kept."""
    return f"call_{uuid.uuid4().hex[:20]}"
