"""A turn: from a person's message to the end of the answer, with every request and call in between (DESIGN 3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.clock import Clock
from conch_desktop.domain.events import (
    CallMade,
    CallMoved,
    CallProgress,
    CallResult,
    Done,
    LessonLearnt,
    Notice,
    PlanMade,
    ReasoningAdded,
    Refusal,
    Refused,
    RequestSent,
    TextAdded,
    Tried,
    TurnEvent,
    Waiting,
)
from conch_desktop.domain.memories import Memory
from conch_desktop.domain.messages import Message
from conch_desktop.domain.models import Model
from conch_desktop.domain.options import AS_USUAL, ChatOptions
from conch_desktop.engine.answering import room_for
from conch_desktop.engine.attaching import are_long, as_read
from conch_desktop.engine.circles import Circles
from conch_desktop.engine.draft import AnswerDraft
from conch_desktop.engine.history import STOPPED
from conch_desktop.engine.ladder import Ladder
from conch_desktop.engine.plan import LessonBook, Plan, make_plan
from conch_desktop.engine.requests import Made, Maker
from conch_desktop.engine.retries import patience
from conch_desktop.engine.running import Asker, Settling, Surroundings, run_calls
from conch_desktop.engine.spending import NO_LIMIT, Budget
from conch_desktop.engine.step import Step
from conch_desktop.engine.way import Choice
from conch_desktop.providers.wire import Wire
from conch_desktop.tools.guard import Guard
from conch_desktop.tools.toolbox import Toolbox

_BREATH = 0.008
"""Seconds of work after which others have their turn, when so much arrives at once that nothing is waited for."""


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What a turn is made of. `messages` is the chat up to the person's message; `memories` come newest first.

    `notices` are told to the person before the first request: tools that are missing, for example. `moved`
    hears how far a running call is.
    """

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
    lessons: LessonBook
    memories: Sequence[Memory] = ()
    asked: str = ""
    choice: Choice = "automatic"
    step_limit: int = 25
    notices: Sequence[str] = ()
    moved: Callable[[CallMoved], None] = lambda event: None
    options: ChatOptions = AS_USUAL
    budget: Budget = NO_LIMIT


class Turn:
    """Runs one turn. `answer` is the message it makes; it may already hold the steps of an answer that is gone on."""

    def __init__(self, parts: TurnParts, answer: Message) -> None:
        self._parts = parts
        self._draft = AnswerDraft(answer, parts.model)
        self._stop = asyncio.Event()
        self._first_step = 1 + max((part.step for part in answer.parts), default=-1)
        self._circles = Circles()
        self._requests = 0
        self._spoken = False
        self._asked = 0.0
        self._again = False
        self._counted = False
        self._kept: set[tuple[str, str]] = set()
        self._told: set[str] = set()
        self._long = are_long(parts.messages)
        self._plan: Plan
        self._ladder: Ladder
        self._maker: Maker
        self._step: Step | None = None

    @property
    def message(self) -> Message:
        """The answer as it stands."""
        return self._draft.message()

    def take_back(self, call: str) -> bool:
        """The person took back what a call of this answer did; the next request tells the model."""
        return self._draft.take_back(call)

    def stop(self) -> None:
        """The person wants it to end. Whoever runs the turn cancels its task as well."""
        self._stop.set()

    async def run(self) -> AsyncGenerator[TurnEvent, None]:
        """Runs to the end and tells everything that happens; the last event is `Done`, also after `stop`."""
        try:
            breath = time.thread_time()
            async with aclosing(self._steps()) as events:
                async for event in events:
                    self._draft.apply(event)
                    yield event
                    if time.thread_time() - breath > _BREATH:
                        await asyncio.sleep(0)
                        breath = time.thread_time()
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
        parts = self._parts
        self._plan = plan = await make_plan(
            parts.wire,
            parts.model,
            parts.toolbox,
            parts.lessons,
            endpoint=parts.url,
            asked=parts.asked,
            choice=parts.choice,
        )
        # What a model taught of thinking stands above what a person wants of it.
        way = replace(plan.way, effort=plan.way.effort or parts.options.effort)
        self._ladder = Ladder(way, parts.toolbox.names)
        self._maker = Maker(
            parts.wire,
            parts.model,
            parts.toolbox,
            plan,
            parts.messages,
            parts.memories,
            parts.clock.now(),
            parts.chat,
            parts.options,
        )
        yield PlanMade(plan.way.mode, plan.why)
        for notice in parts.notices:
            yield Notice(notice, self._first_step)
        for number in range(self._first_step, self._first_step + parts.step_limit):
            over = parts.budget.over(self.message.usage)
            if over:
                yield Notice(over, number)
                yield Done("paused")
                return
            async with aclosing(self._answered(number)) as events:
                async for event in events:
                    yield event
            step = self._step
            assert step is not None
            if step.refusal is not None:
                yield _refused(step.refusal)
                yield Done("error")
                return
            if not step.wanted and step.finish == "paused" and not step.circling:
                continue  # the provider runs a tool of its own, and goes on when it gets its words back
            if not step.wanted:
                yield Done(step.finish)
                return
            async with aclosing(self._calls(step)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, Done):
                        return
        yield Notice(f"{parts.step_limit} steps in one turn. The turn is paused.", number)
        yield Done("paused")

    async def _answered(self, number: int) -> AsyncGenerator[TurnEvent, None]:
        """One step, healed as far as the ladder goes: a refusal before the first word leads to another request."""
        waits = 0
        self._again = False
        while True:
            # Marks in a long file are looked for in all of it: the window goes on meanwhile.
            made = await asyncio.to_thread(self._made, number) if self._long else self._made(number)
            async with aclosing(self._sent(made, number)) as events:
                async for event in events:
                    yield event
            refusal = self._step.refusal if self._step is not None else None
            if refusal is None or self._spoken:
                return
            said = self._ladder.climb(refusal)
            if said is None:
                wait = patience(refusal, waits)
                if wait is None:
                    if waits:
                        yield Notice(f"{refusal.what} It was asked {waits + 1} times, and is not asked again.", number)
                    return
                waits += 1
                yield _refused(refusal)
                yield self._tried(made.mode, number, refusal)
                yield Notice(f"{refusal.what} It is tried again by itself in {wait:.0f} s.", number)
                yield Waiting(wait, self._parts.clock.now() + wait, refusal.what)
                await asyncio.sleep(wait)
                continue
            yield _refused(refusal)
            yield self._tried(made.mode, number, refusal)
            self._told.add(said)
            yield Notice(said, number)
            if self._ladder.way.mode != made.mode:
                yield PlanMade(self._ladder.way.mode, _BECAUSE.get(refusal.kind, ""))

    def _made(self, number: int) -> Made:
        last, first = self._step, number == self._first_step
        failed, paused = (last.failed, last.finish == "paused") if last is not None else (False, False)
        return self._maker.make(self._ladder.way, self.message, first=first, failed=failed, paused=paused)

    async def _sent(self, made: Made, number: int) -> AsyncGenerator[TurnEvent, None]:
        """One request and its answer. What was learnt is in the store before the first word is shown."""
        self._step = step = Step(number, made.request, made.offer, made.reader)
        self._spoken = False
        for notice in made.notices if number == self._first_step else ():
            if notice not in self._told:  # a request that is made again says nothing twice
                self._told.add(notice)
                yield Notice(notice, number)
        self._requests += 1
        yield RequestSent(self._requests, made.mode, made.names)
        self._asked = self._parts.clock.now()
        async with aclosing(step.run(self._parts.wire, self._draft.open_calls)) as events:
            async for event in events:
                if not self._spoken and _is_word(event):
                    for told in await self._begun(made.mode, number):
                        yield told
                yield event
        if step.refusal is None and not self._spoken:
            for told in await self._begun(made.mode, number):
                yield told

    async def _begun(self, mode: str, number: int) -> list[TurnEvent]:
        """The answer has begun: what was learnt of the way to it, and which try it was."""
        self._spoken = True
        told = await self._learnt()
        return [*told, self._tried(mode, number)] if self._again else told

    def _tried(self, mode: str, number: int, refusal: Refusal | None = None) -> Tried:
        self._again = True
        took = max(0, round((self._parts.clock.now() - self._asked) * 1000))
        return Tried(mode, took, refusal.words if refusal else "", refusal is None, number)

    async def _learnt(self) -> list[TurnEvent]:
        """Keeps what the ladder found out, and counts the lessons that were right."""
        parts, plan = self._parts, self._plan
        if not self._counted:
            self._counted = True
            for lesson in plan.lessons:
                await parts.lessons.held(lesson)
        events: list[TurnEvent] = []
        drafts = [*([plan.told] if plan.told is not None else []), *self._ladder.lessons()]
        known = {(lesson.kind, lesson.value) for lesson in plan.lessons}
        for draft in drafts:
            if (draft.kind, draft.value) in self._kept | known:
                continue
            self._kept.add((draft.kind, draft.value))
            await parts.lessons.learn(
                draft.lesson(
                    parts.model,
                    parts.url,
                    words=self._ladder.words,
                    fingerprint=plan.fingerprint,
                    digest=plan.digest,
                    now=parts.clock.now(),
                )
            )
            events.append(LessonLearnt(draft.kind, draft.value, draft.text))
        return events

    async def _calls(self, step: Step) -> AsyncGenerator[TurnEvent, None]:
        parts = self._parts
        window = self._ladder.way.window or self._plan.window
        around = Surroundings(
            parts.toolbox,
            parts.guard,
            parts.asker,
            parts.clock,
            parts.settle,
            parts.chat,
            parts.model.label or parts.model.name,
            self._stop,
            self._made_calls,
            self._circles,
            room_for(window, len(step.wanted)),
            self._parts.moved,
        )
        async with aclosing(run_calls(step.wanted, around)) as events:
            async for event in events:
                yield event
        if self._circles.pause:
            yield Notice(self._circles.pause, step.number)
            yield Done("paused")

    def _made_calls(self) -> list[CallRecord]:
        """Every call of the chat so far, also of messages that no longer fit the window, and what is attached."""
        chat = (*self._parts.messages, self.message)
        return [call for message in chat for call in (*as_read(message), *message.calls)]


def _is_word(event: TurnEvent) -> bool:
    """Whether something of the answer is there: from then on a refusal is no longer healed."""
    return isinstance(event, CallProgress | CallMade | ReasoningAdded) or (
        isinstance(event, TextAdded) and bool(event.text.strip())
    )


_BECAUSE = {
    "schema": "because the provider refused a schema as it was",
    "tools": "because the provider refused native tools",
}


def _refused(refusal: Refusal) -> Refused:
    return Refused(refusal.kind, refusal.what, refusal.words, refusal.advice)
