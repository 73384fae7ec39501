"""Running one call: read → guard → run → answer. It knows nothing of who asked (DESIGN 3, step 5)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import CallState, Json, Mend, ReadCall
from conch_desktop.domain.clock import Clock
from conch_desktop.domain.events import CallMade, CallMoved, CallResult, CallStarted, GuardDecided, TurnEvent
from conch_desktop.domain.tools import BUILTIN, Tool, ToolAnswer, ToolContext, answer
from conch_desktop.schemas.names import renamed_back
from conch_desktop.tools.guard import Answer, Guard, Question, title_of
from conch_desktop.tools.toolbox import Toolbox

LONGEST_FAULT = 16_000
"""Characters of a tool's own error that are passed on."""

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
    """What running a call needs. `asker` None means nobody is there to ask; `moved` hears how far a call is."""

    toolbox: Toolbox
    guard: Guard
    asker: Asker | None
    clock: Clock
    settle: Settling
    chat: str
    model: str
    stop: asyncio.Event
    moved: Callable[[CallMoved], None] = lambda event: None

    def context(self, call: str) -> ToolContext:
        """What the tool is told of where it runs."""
        return ToolContext(self.chat, call, self.stop, lambda text: self.moved(CallMoved(call, text)))


async def run_call(wanted: Wanted, around: Surroundings) -> AsyncGenerator[TurnEvent, None]:
    """Reads, guards and runs one call, and tells what happens on the way; the last event is its `CallResult`."""
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
    if tool is None or read.args is None:
        yield CallResult(wanted.id, True, read.error, state="not_run", sent_back=read.error)
        return
    refused: CallResult | None = None
    async for event in _guarded(wanted, tool, read, around):
        if isinstance(event, CallResult):
            refused = event
        yield event
    if refused is None:
        # What runs is in the store before it runs: after a crash the person is told that it may have run.
        await around.settle()
        yield CallStarted(wanted.id, around.clock.now())
        yield await _run(wanted.id, tool, read, around)


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
    verdict = await around.guard.decide(tool, args, chat=around.chat)
    if verdict.decision == "allow":
        yield GuardDecided(wanted.id, "allow", verdict.why)
        return
    if verdict.decision == "refuse" or around.asker is None:
        why = verdict.why if verdict.decision == "refuse" else f"{verdict.why}, and nobody was there to be asked"
        yield GuardDecided(wanted.id, "refuse", why)
        text = f"The call was refused and did not run: {why}."
        yield CallResult(wanted.id, True, text, state="refused", sent_back=text, why=why)
        return
    yield GuardDecided(wanted.id, "ask", verdict.why)
    title = title_of(tool, args, around.model)
    question = Question(wanted.id, tool.name, tool.source, title, args, wanted.raw, len(read.mends), why=verdict.why)
    person = await around.asker.ask(question)
    if person.choice == "deny":
        yield GuardDecided(wanted.id, "denied", person.reason)
        text = "The person refused this call, and it did not run."
        if person.reason:
            text += f" Their reason: {person.reason}"
        yield CallResult(wanted.id, True, text, state="denied", sent_back=text, why=person.reason)
        return
    await around.guard.take(person.choice, tool, chat=around.chat)
    yield GuardDecided(wanted.id, "allowed", _ALLOWED[person.choice])


_ALLOWED = {"once": "you allowed it once", "chat": "you allowed it in this chat", "always": "you always allow it"}


async def _run(call: str, tool: Tool, read: ReadCall, around: Surroundings) -> CallResult:
    begun = around.clock.monotonic()
    try:
        given = await tool.run(read.args or {}, around.context(call))
    except Exception as error:
        # The edge of a tool: whatever it throws is an answer the model can act on, never a lost turn.
        _log.exception("The tool %s failed", tool.name)
        given = answer(f"{tool.name} failed: {_said(error)}", is_error=True)
    ms = round((around.clock.monotonic() - begun) * 1000)
    state: CallState = "failed" if given.is_error else "done"
    told = _with_notes(given, read)
    return CallResult(call, given.is_error, given.text, ms, state, told, pictures=given.pictures)


def _said(error: Exception) -> str:
    text: Any = str(error) or type(error).__name__
    return str(text)[:LONGEST_FAULT]


def _with_notes(given: ToolAnswer, read: ReadCall) -> str:
    notes = "".join(f"\n\n[{note}]" for note in read.notes)
    return f"{given.text}{notes}"
