"""Runs a tool: within its limit, until it is stopped, with an answer whatever it does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer

LONGEST_FAULT = 16_000
"""Characters of a tool's own error that are passed on."""

GRACE = 0.15
"""Seconds a cancelled tool has to end; Stop must not wait for it."""

_log = logging.getLogger(__name__)


async def performed(tool: Tool, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    """What the tool answers, within its limit. Stop and the limit cancel the tool itself."""
    task = asyncio.ensure_future(_answered(tool, args, context))
    try:
        done, _ = await asyncio.wait({task}, timeout=tool.limit)
    finally:
        await _ended(task, tool.name)
    if not done:
        return answer(f"{tool.name} took longer than {tool.limit:.0f} s and was stopped.", is_error=True)
    if task.cancelled():
        return answer(f"{tool.name} ended without an answer.", is_error=True)
    error = task.exception()
    if error is None:
        return task.result()
    # The edge of a tool: whatever it throws is an answer the model can act on, never a lost turn.
    _log.error("The tool %s failed", tool.name, exc_info=error)
    return answer(f"{tool.name} failed: {_said(error)}", is_error=True)


async def _answered(tool: Tool, args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    given = await tool.run(args, context)
    given.text, given.pictures  # noqa: B018 - parts that are none throw here, as the tool's own fault
    return given


async def _ended(task: asyncio.Future[ToolAnswer], name: str) -> None:
    """Cancels a tool that still runs. One that does not let itself be cancelled is no longer waited for."""
    if task.done():
        return
    task.cancel()
    await asyncio.wait({task}, timeout=GRACE)
    if not task.done():
        _log.warning("The tool %s does not end", name)
        _LEFT.add(task)
        task.add_done_callback(_let_go)


_LEFT: set[asyncio.Future[ToolAnswer]] = set()
"""Tools that were cancelled and have not ended; held so that they are not lost in the middle."""


def _let_go(task: asyncio.Future[ToolAnswer]) -> None:
    _LEFT.discard(task)
    if not task.cancelled():
        task.exception()  # nobody waits for it any more


def _said(error: BaseException) -> str:
    return (str(error) or type(error).__name__)[:LONGEST_FAULT]
