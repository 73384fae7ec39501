"""A turn: from a person's message to the end of the answer, with every request and call in between (DESIGN 3)."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.events import (
    CallDelta,
    CallProgress,
    CallResult,
    Done,
    Finish,
    FinishReason,
    Notice,
    PlanMade,
    ReasoningAdded,
    ReasoningDelta,
    Refusal,
    Refused,
    RequestSent,
    TextAdded,
    TextDelta,
    TurnEvent,
    Usage,
    WireCall,
)
from conch_desktop.domain.memories import Memory
from conch_desktop.domain.messages import Message, SentMessage
from conch_desktop.domain.models import Model
from conch_desktop.engine.circles import PAUSE_AT, TELL_AT, Circles, paused, told
from conch_desktop.engine.draft import AnswerDraft
from conch_desktop.engine.fitting import assumed_window, fit
from conch_desktop.engine.history import STOPPED, as_sent
from conch_desktop.engine.plan import Plan, make_plan
from conch_desktop.engine.prompt import system_prompt
from conch_desktop.engine.running import Asker, Settling, Surroundings, Wanted, run_call
from conch_desktop.providers.wire import Request, Wire
from conch_desktop.tools.guard import Guard
from conch_desktop.tools.toolbox import Toolbox
from conch_desktop.words.asking import ASKED_PROMPT, asked
from conch_desktop.words.grammar import PLAIN_GRAMMAR, call_grammar
from conch_desktop.words.reader import WordsCall, WordsEvent, WordsFailed, WordsReader, WordsText
from conch_desktop.words.transcript import in_words

FORCED_TOKENS = 1_024
"""Tokens an answer may take that can only be one call: a server that forces a call may otherwise never end."""

UNREADABLE = "(unreadable call)"
"""The name shown for a block nobody can read."""


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What a turn is made of. `messages` is the chat up to the person's message; `memories` come newest first."""

    wire: Wire
    url: str
    model: Model
    toolbox: Toolbox
    guard: Guard
    asker: Asker | None
    clock: Clock
    settle: Settling
    chat: str
    messages: Sequence[Message]
    memories: Sequence[Memory] = ()
    asked: str = ""
    step_limit: int = 25


@dataclass(slots=True)
class _Step:
    """What one request came to."""

    number: int
    reader: WordsReader | None = None
    wanted: list[Wanted] = field(default_factory=list)
    begun: dict[int, str] = field(default_factory=dict)
    finish: FinishReason = "stop"
    refusal: Refusal | None = None


class Turn:
    """Runs one turn. `answer` is the message it makes; it may already hold the steps of an answer that is gone on."""

    def __init__(self, parts: TurnParts, answer: Message) -> None:
        self._parts = parts
        self._draft = AnswerDraft(answer)
        self._stop = asyncio.Event()
        self._first_step = 1 + max((part.step for part in answer.parts), default=-1)
        self._circles = Circles()

    @property
    def message(self) -> Message:
        """The answer as it stands."""
        return self._draft.message()

    def stop(self) -> None:
        """The person wants it to end. Whoever runs the turn cancels its task as well."""
        self._stop.set()

    async def run(self) -> AsyncGenerator[TurnEvent, None]:
        """Runs to the end and tells everything that happens; the last event is `Done`, also after `stop`."""
        try:
            async with aclosing(self._steps()) as events:
                async for event in events:
                    self._draft.apply(event)
                    yield event
        except asyncio.CancelledError:
            if not self._stop.is_set():
                raise
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            for event in self._stopped():
                self._draft.apply(event)
                yield event

    def _stopped(self) -> list[TurnEvent]:
        """Every call gets an answer, also one that was stopped: providers refuse a transcript without."""
        results: list[TurnEvent] = [
            CallResult(call.id, True, STOPPED, state="stopped", sent_back=STOPPED) for call in self._draft.open_calls()
        ]
        return [*results, Done("stopped")]

    async def _steps(self) -> AsyncGenerator[TurnEvent, None]:
        plan = await make_plan(self._parts.wire, self._parts.model, self._parts.toolbox, self._parts.asked)
        yield PlanMade(plan.mode, plan.why)
        window = await self._window()
        for number in range(self._first_step, self._first_step + self._parts.step_limit):
            step = _Step(number)
            request, left_out = self._request(plan, step, window)
            if left_out and number == self._first_step:
                yield Notice(_left_out(left_out), number)
            yield RequestSent(number + 1, plan.mode, tuple(tool.name for tool in request.tools) or _in_words(plan))
            async with aclosing(self._answered(request, step)) as events:
                async for event in events:
                    yield event
            if step.refusal is not None:
                yield _refused(step.refusal)
                yield Done("error")
                return
            if not step.wanted:
                yield Done(step.finish)
                return
            async with aclosing(self._calls(step)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, Done):
                        return
        yield Notice(f"{self._parts.step_limit} steps in one turn. The turn is paused.", number)
        yield Done("paused")

    async def _window(self) -> int:
        parts = self._parts
        return await parts.wire.window_for(parts.model) or parts.model.window or assumed_window(parts.url)

    def _request(self, plan: Plan, step: _Step, window: int) -> tuple[Request, int]:
        parts = self._parts
        native = plan.mode in {"native", "strict"}
        tools = parts.toolbox.tools if native else ()
        system = system_prompt(now=parts.clock.now(), memories=parts.memories, plan=plan, window=window)
        answer = self.message
        kept, left_out = fit([*parts.messages, answer], window=window, system=system, tools=tools)
        sent = as_sent(kept)
        forced = plan.asked if step.number == self._first_step else None
        if plan.mode == "words" and plan.asked is not None:
            step.reader = WordsReader([plan.asked.name])
        request = Request(parts.model, system, sent if native else in_words(sent), tools)
        if forced is not None and native:
            request = replace(request, tool_choice=forced.name, max_tokens=FORCED_TOKENS)
        elif forced is not None:
            said = (*request.messages[:-1], SentMessage("user", asked(forced, request.messages[-1].text)))
            grammar = call_grammar(forced)
            request = replace(request, system=ASKED_PROMPT, messages=said, grammar=grammar)
            request = replace(request, max_tokens=FORCED_TOKENS, temperature=0.0)
        elif plan.mode == "words":
            request = replace(request, grammar=PLAIN_GRAMMAR, max_tokens=FORCED_TOKENS, temperature=0.0)
        return request, left_out

    async def _answered(self, request: Request, step: _Step) -> AsyncGenerator[TurnEvent, None]:
        """One request, and everything that comes back for it."""
        async with aclosing(self._parts.wire.stream(request)) as events:
            async for event in events:
                match event:
                    case TextDelta(text=text):
                        for told_event in self._text(text, step):
                            yield told_event
                    case ReasoningDelta(text=text):
                        yield ReasoningAdded(text, step.number)
                    case CallDelta(key=key, name=name, arguments=piece):
                        if key not in step.begun:
                            step.begun[key] = _new_id()
                        yield CallProgress(step.begun[key], name, piece, step.number)
                    case Usage():
                        yield event
                    case Finish(reason=reason, calls=calls):
                        step.finish = reason
                        step.wanted += [self._native(call, step, reason) for call in calls]
                    case Refusal():
                        step.refusal = event
                    case _:
                        pass
        for told_event in self._ended(step):
            yield told_event

    def _text(self, text: str, step: _Step) -> list[TurnEvent]:
        if step.reader is None:
            return [TextAdded(text, step.number)]
        return self._read(step.reader.feed(text), step)

    def _ended(self, step: _Step) -> list[TurnEvent]:
        """What was still held, and the calls that never became whole: each of them gets an answer too."""
        events = self._read(step.reader.close(), step) if step.reader is not None else []
        whole = {wanted.id for wanted in step.wanted}
        for record in self._draft.open_calls():
            if record.id in whole or record.step != step.number:
                continue
            if step.refusal is None and step.finish == "length":
                cut = Wanted(record.id, record.name, record.raw, record.raw, step.number, finish="length")
                step.wanted.append(cut)
            else:
                why = "The answer broke off before this call was whole, so nothing ran."
                events.append(CallResult(record.id, True, why, state="not_run", sent_back=why))
        return events

    def _read(self, found: Sequence[WordsEvent], step: _Step) -> list[TurnEvent]:
        events: list[TurnEvent] = []
        for event in found:
            match event:
                case WordsText(text=text):
                    events.append(TextAdded(text, step.number))
                case WordsCall(name=name, arguments=arguments, raw=raw):
                    step.wanted.append(Wanted(_new_id(), name, raw, arguments, step.number))
                case WordsFailed(raw=raw, why=why):
                    step.wanted.append(Wanted(_new_id(), UNREADABLE, raw, None, step.number, fault=why))
        return events

    def _native(self, call: WireCall, step: _Step, finish: FinishReason) -> Wanted:
        call_id = step.begun.get(call.key) or _new_id()
        cut = "length" if finish == "length" else "stop"
        return Wanted(call_id, call.name, call.arguments, call.arguments, step.number, call.id, call.extra, finish=cut)

    async def _calls(self, step: _Step) -> AsyncGenerator[TurnEvent, None]:
        around = Surroundings(
            self._parts.toolbox,
            self._parts.guard,
            self._parts.asker,
            self._parts.clock,
            self._parts.settle,
            self._parts.chat,
            self._parts.model.label or self._parts.model.name,
            self._stop,
        )
        pause = ""
        for wanted in step.wanted:
            count = self._circles.note(wanted)
            async with aclosing(run_call(wanted, around)) as events:
                async for event in events:
                    if isinstance(event, CallResult) and count >= TELL_AT:
                        event = replace(event, sent_back=f"{event.sent_back}\n\n{told(count)}")
                    yield event
            if count >= PAUSE_AT:
                pause = pause or paused(wanted.name, count)
        if pause:
            yield Notice(pause, step.number)
            yield Done("paused")


def _new_id() -> str:
    return f"call_{uuid.uuid4().hex[:20]}"


def _in_words(plan: Plan) -> tuple[str, ...]:
    return (plan.asked.name,) if plan.mode == "words" and plan.asked is not None else ()


def _left_out(count: int) -> str:
    return f"The oldest {count} messages were left out: the model’s window does not hold them."


def _refused(refusal: Refusal) -> Refused:
    return Refused(refusal.kind, refusal.what, refusal.words, refusal.advice)
