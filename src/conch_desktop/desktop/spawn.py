"""Tasks with an owner: each is held, named, and heard when it fails."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Tasks:
    """The running tasks of one owner. `show` is given a sentence when one of them fails."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Starts `work`. `name` says what it does, in words that fit after “Could not”."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            # The edge: nobody awaits these tasks, so here is where an error is written down and shown.
            log.error("Could not %s", task.get_name(), exc_info=error)
            self._show(f"Could not {task.get_name()}. {error}".strip())

    async def aclose(self, patience: float = 3.0) -> None:
        """Cancels all and waits until they have ended, at most `patience` seconds."""
        own = asyncio.current_task()
        left = {task for task in self._running if task is not own}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=patience)
