"""Running calls: read → guard → run → answer, each. It knows nothing of who asked (DESIGN 3, step 5)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import CallRecord, CallState, Json, Mend, ReadCall
from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.events import CallMade, CallMoved, CallResult, CallStarted, GuardDecided, Notice, TurnEvent
from conch_desktop.domain.tools import BUILTIN, Tool, ToolAnswer, ToolContext
from conch_desktop.engine.answering import kept, told
from conch_desktop.engine.circles import Circles
from conch_desktop.engine.performing import performed
from conch_desktop.schemas.names import renamed_back
from conch_desktop.tools.guard import Answer, Guard, Question, title_of
from conch_desktop.tools.toolbox import Toolbox

MOST_AT_ONCE = 4
"""Calls that run at the same time."""

PREVIEW_LIMIT = 20.0
"""Seconds a tool has to say what it would change."""

NO_PREVIEW = "What would change could not be shown."

READ_APART = 64_000
"""Characters from which arguments are read on another thread, so that the window never waits for a parse."""

_log = logging.getLogger(__name__)


class Asker(Protocol):
    """Asks the person whether a call may run."""

    async def ask(self, question: Question) -> Answer: ...


Settling = Callable[[], Awaitable[None]]
"""Waits until everything that happened so far is in the store."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call a model wants. `id` is ours; `raw` is what it sent, `arguments` what is to be read of it.

    `fault` is set when the call could not even be told (a block nobody can read): the words for the model.
    `fields` are fields that were sent under another name, {name sent: original}; `mends` are those of finding it.
    """

    id: str
    name: str
    raw: str
    arguments: Json
    step: int = 0
    wire_id: str = ""
    extra: str = ""
    finish: str = "stop"
    fault: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What running a step's calls needs. `asker` None means nobody is there to ask.

    `calls` gives every call of the chat so far; `room` is how many tokens one answer may take; `moved`
    hears how far a running call is.
    """

    toolbox: Toolbox
    guard: Guard
    asker: Asker | None
    clock: Clock
    settle: Settling
    chat: str
    model: str
    stop: asyncio.Event
    calls: Callable[[], Sequence[CallRecord]]
    circles: Circles
    room: int
    moved: Callable[[CallMoved], None] = lambda event: None

    def context(self, call: str) -> ToolContext:
        """What the tool is told of where it runs."""
        return ToolContext(self.chat, call, self.stop, lambda text: self.moved(CallMoved(call, text)))


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call that was read and may run."""

    id: str
    tool: Tool
    read: ReadCall
    count: int


async def run_call(wanted: Wanted, around: Surroundings) -> AsyncGenerator[TurnEvent, None]:
    """Reads, guards and runs one call, and tells what happens on the way; ends with its `CallResult`."""
    async with aclosing(run_calls([wanted], around)) as events:
        async for event in events:
            yield event


async def run_calls(wanted: Sequence[Wanted], around: Surroundings) -> AsyncGenerator[TurnEvent, None]:
    """Runs the calls of one step in their order; up to `MOST_AT_ONCE` that only read, side by side, run together."""
    for batch in _batches(wanted, around.toolbox):
        ready: list[_Ready] = []
        for one in batch:
            async with aclosing(_made_ready(one, around, ready)) as events:
                async for event in events:
                    yield event
        if not ready:
            continue
        # What runs is in the store before it runs: after a crash the person is told that it may have run.
        await around.settle()
        for call in ready:
            yield CallStarted(call.id, around.clock.now())
        async with aclosing(_together(ready, around)) as results:
            async for result, notice in results:
                yield result
                if notice:
                    yield Notice(notice, batch[0].step)


def _batches(wanted: Sequence[Wanted], toolbox: Toolbox) -> Iterator[list[Wanted]]:
    batch: list[Wanted] = []
    for one in wanted:
        tool = toolbox.find(one.name)
        reads = tool is not None and tool.effect == "read"
        if batch and (not reads or len(batch) == MOST_AT_ONCE):
            yield batch
            batch = []
        batch.append(one)
        if not reads:
            yield batch
            batch = []
    if batch:
        yield batch


async def _made_ready(
    wanted: Wanted, around: Surroundings, ready: list[_Ready]
) -> AsyncGenerator[CallMade | GuardDecided | CallResult, None]:
    """Reads and guards one call. It is put into `ready`, or has its `CallResult`."""
    tool = around.toolbox.find(wanted.name)
    read = await _read(wanted, tool, around.toolbox)
    yield CallMade(
        wanted.id,
        wanted.name,
        wanted.raw,
        read.args,
        read.mends,
        read.dropped,
        tool.source if tool else BUILTIN,
        wanted.step,
        wanted.extra,
        wanted.wire_id,
    )
    count = around.circles.note(wanted.name, wanted.raw if read.args is None else dict(read.args))
    if tool is None or read.args is None:
        result = CallResult(wanted.id, True, read.error, state="not_run", sent_back=read.error)
        yield _with_told(result, around.circles.told(result, wanted.name, count))
        return
    async with aclosing(_guarded(wanted, tool, read, around)) as events:
        async for event in events:
            if isinstance(event, CallResult):
                yield _with_told(event, around.circles.told(event, tool.name, count))
                return
            yield event
    ready.append(_Ready(wanted.id, tool, read, count))


async def _together(ready: Sequence[_Ready], around: Surroundings) -> AsyncGenerator[tuple[CallResult, str], None]:
    """The results as they come, each with what the person is told of it."""
    tasks = [asyncio.create_task(_run(one, around), name=f"call of {one.tool.name}") for one in ready]
    try:
        for coming in asyncio.as_completed(tasks):
            yield await coming
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)  # each of them waits for its tool, for a bounded time


async def _read(wanted: Wanted, tool: Tool | None, toolbox: Toolbox) -> ReadCall:
    if wanted.fault:
        return ReadCall(ok=False, error=wanted.fault)
    if tool is None:
        return ReadCall(ok=False, error=_unknown(wanted.name, toolbox))
    arguments = _own_names(wanted.arguments, wanted.fields)
    if isinstance(arguments, str) and len(arguments) > READ_APART:
        read = await asyncio.to_thread(read_call, arguments, tool, finish=wanted.finish)
    else:
        read = read_call(arguments, tool, finish=wanted.finish)
    return replace(read, mends=(*wanted.mends, *read.mends)) if wanted.mends else read


def _own_names(arguments: Json, fields: Mapping[str, str]) -> Json:
    """The arguments with every field under its own name. A text that is no JSON stays: its faults are told as sent."""
    if not fields:
        return arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return renamed_back(arguments, fields)


def _unknown(name: str, toolbox: Toolbox) -> str:
    nearest = toolbox.nearest(name)
    hint = f" Did you mean {nearest}?" if nearest else ""
    return f"There is no tool named {name}.{hint} The tools are: {', '.join(toolbox.names) or 'none'}."


async def _guarded(
    wanted: Wanted, tool: Tool, read: ReadCall, around: Surroundings
) -> AsyncGenerator[GuardDecided | CallResult, None]:
    """The guard's decision and the person's; ends with a `CallResult` when the call may not run."""
    args = read.args or {}
    verdict = await around.guard.decide(tool, args, chat=around.chat, calls=around.calls())
    if verdict.decision == "allow":
        yield GuardDecided(wanted.id, "allow", verdict.why)
        return
    if verdict.decision == "refuse" or around.asker is None:
        why = verdict.why if verdict.decision == "refuse" else f"{verdict.why}, and nobody was there to be asked"
        yield GuardDecided(wanted.id, "refuse", why)
        text = f"The call was refused and did not run: {why}."
        yield CallResult(wanted.id, True, text, state="refused", sent_back=text, why=why)
        return
    preview, fault = await _previewed(tool, args, around.context(wanted.id))
    if fault:
        yield CallResult(wanted.id, True, fault, state="failed", sent_back=fault)
        return
    yield GuardDecided(wanted.id, "ask", verdict.why)
    title = title_of(tool, args, around.model)
    person = await around.asker.ask(
        Question(wanted.id, tool.name, tool.source, title, args, wanted.raw, len(read.mends), verdict.why, preview)
    )
    if person.choice == "deny":
        yield GuardDecided(wanted.id, "denied", person.reason)
        text = "The person refused this call, and it did not run."
        if person.reason:
            text += f" Their reason: {person.reason}"
        yield CallResult(wanted.id, True, text, state="denied", sent_back=text, why=person.reason)
        return
    await around.guard.take(person.choice, tool, chat=around.chat, calls=around.calls())
    yield GuardDecided(wanted.id, "allowed", _ALLOWED[person.choice])


_ALLOWED = {"once": "you allowed it once", "chat": "you allowed it in this chat", "always": "you always allow it"}


async def _previewed(tool: Tool, args: Mapping[str, Json], context: ToolContext) -> tuple[str, str]:
    """What the call would change, or the words of why it can't be done at all."""
    if tool.preview is None:
        return "", ""
    try:
        async with asyncio.timeout(PREVIEW_LIMIT):
            return await tool.preview(args, context), ""
    except ConchError as error:
        return "", str(error)
    except Exception:
        # The edge of a tool, as in `performed`: the person is still asked, and told what is missing.
        _log.exception("The preview of %s failed", tool.name)
        return NO_PREVIEW, ""


async def _run(ready: _Ready, around: Surroundings) -> tuple[CallResult, str]:
    tool = ready.tool
    given, ms = await run_tool(tool, ready.read.args or {}, around.context(ready.id), around.clock)
    state: CallState = "failed" if given.is_error else "done"
    text = given.text
    said = told(tool.name, text, around.room)
    notes = "".join(f"\n\n[{note}]" for note in ready.read.notes)
    result = CallResult(
        ready.id,
        given.is_error,
        kept(text),
        ms,
        state,
        f"{said.text}{notes}",
        pictures=given.pictures,
        outside=given.outside,
    )
    return _with_told(result, around.circles.told(result, tool.name, ready.count)), said.notice


async def run_tool(tool: Tool, args: Mapping[str, Json], context: ToolContext, clock: Clock) -> tuple[ToolAnswer, int]:
    """Runs a tool; gives its answer and how long it took, in milliseconds."""
    begun = clock.monotonic()
    given = await performed(tool, args, context)
    return given, round((clock.monotonic() - begun) * 1000)


def _with_told(result: CallResult, told: str) -> CallResult:
    return replace(result, sent_back=f"{result.sent_back}\n\n{told}") if told else result
