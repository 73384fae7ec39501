"""Running a call once more, by hand: the person saw what ran, so asking for it is the answer to the guard's question.

The chat does not change and the model is not told; the new answer stands beside the old one in the panel.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.clock import Clock
from conch_desktop.domain.tools import Tool, ToolContext
from conch_desktop.engine.answering import kept
from conch_desktop.engine.running import run_tool
from conch_desktop.tools.guard import Guard


@dataclass(frozen=True, slots=True)
class Again:
    """What came of it. `ran` is False when nothing ran, and `text` says why; `at` is in seconds since 1970."""

    text: str
    at: float
    ran: bool = True
    is_error: bool = False
    ms: int = 0


async def run_again(call: CallRecord, tool: Tool | None, guard: Guard, chat: str, clock: Clock) -> Again:
    """Runs exactly what ran before. What the guard refuses, or the tool takes no more, does not run."""
    now = clock.now()
    if tool is None or tool.source != call.source:
        return Again(f"{call.name} is not there any more.", now, ran=False)
    read = read_call(dict(call.args or {}), tool, finish="stop")
    if read.args is None or dict(read.args) != dict(call.args or {}):
        return Again(f"{call.name} changed, and takes these arguments no more.", now, ran=False)
    verdict = await guard.decide(tool, read.args, chat=chat)
    if verdict.decision == "refuse":
        return Again(f"It was refused and did not run: {verdict.why}.", now, ran=False)
    given, ms = await run_tool(tool, read.args, ToolContext(chat, call.id, asyncio.Event()), clock)
    return Again(kept(given.text), now, is_error=given.is_error, ms=ms)
