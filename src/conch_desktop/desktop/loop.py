"""asyncio on Qt's event loop: qasync with the faults mended that were measured in it.

What is different from qasync's own loop: generators that are dropped are closed (so that their connections are), waits
never end early, `call_soon_threadsafe` keeps the context and answers a handle, ready callbacks run in one batch instead
of one Qt timer each, threads are started when first needed, and the end leaves no task behind.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context
from typing import Any, TypeVar, cast

from PySide6.QtCore import QObject, Qt, QTimer, QTimerEvent, Signal
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

T = TypeVar("T")

_SLICE = 0.008
"""Seconds that ready callbacks may take before the window gets its turn to draw."""

_GOODBYE = 3.0
"""Seconds that cancelled tasks get to clean up at the end."""


class _Timers(QObject):
    """Runs handles: the ready ones in batches, the later ones not before their time."""

    _crossed = Signal(object)

    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self._loop = loop
        self._ready: deque[asyncio.Handle] = deque()
        self._later: dict[int, asyncio.TimerHandle] = {}
        self._ids: dict[asyncio.TimerHandle, int] = {}
        self._zero = 0
        self._stopped = False
        self._crossed.connect(self.soon, Qt.ConnectionType.QueuedConnection)

    def soon(self, handle: asyncio.Handle) -> None:
        """Runs `handle` in the next batch."""
        self._ready.append(handle)
        if not self._zero and not self._stopped:
            self._zero = self.startTimer(0)

    def cross(self, handle: asyncio.Handle) -> None:
        """Runs `handle` soon; may be called on any thread."""
        self._crossed.emit(handle)

    def at(self, handle: asyncio.TimerHandle) -> None:
        """Runs `handle` when its time has come."""
        wait = max(1, math.ceil((handle.when() - time.monotonic()) * 1000))
        timer = self.startTimer(min(wait, 2**31 - 1), Qt.TimerType.PreciseTimer)
        self._later[timer] = handle
        self._ids[handle] = timer

    def forget(self, handle: asyncio.TimerHandle) -> None:
        """`handle` was cancelled: its timer need not fire."""
        timer = self._ids.pop(handle, 0)
        if timer:
            self.killTimer(timer)
            self._later.pop(timer, None)

    def wake(self) -> None:
        """The loop runs again: what was left from the last run is ready."""
        if self._ready and not self._zero:
            self._zero = self.startTimer(0)

    def stop(self) -> None:
        """Runs nothing any more."""
        self._stopped = True
        for timer in [*self._later, *([self._zero] if self._zero else [])]:
            self.killTimer(timer)
        self._zero = 0
        self._ready.clear()
        self._later.clear()
        self._ids.clear()

    def add_callback(self, handle: asyncio.Handle, delay: float = 0) -> asyncio.Handle:
        """How qasync hands over what a signal of the system called for."""
        self.soon(handle)
        return handle

    def set_debug(self, enabled: bool) -> None:
        """Part of what qasync asks of its timer."""

    def timerEvent(self, event: QTimerEvent) -> None:
        timer = event.timerId()
        if timer == self._zero:
            self._run_ready()
            return
        self.killTimer(timer)
        handle = self._later.pop(timer, None)
        if handle is None:
            return
        self._ids.pop(handle, None)
        if not self._loop.is_running():
            self._ready.append(handle)
        elif time.monotonic() < handle.when():
            self.at(handle)
        elif not handle.cancelled():
            handle._run()  # noqa: SLF001 - what a loop is there for

    def _run_ready(self) -> None:
        began = time.monotonic()
        for _ in range(len(self._ready)):
            if not self._loop.is_running() or not self._ready:
                break
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()  # noqa: SLF001
            if time.monotonic() - began > _SLICE:
                break
        if self._zero and (not self._ready or not self._loop.is_running()):
            self.killTimer(self._zero)
            self._zero = 0


class Loop(QEventLoop):  # type: ignore[misc]  # qasync has no types
    """The program's event loop."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._timer = _Timers(self)
        self._threads: ThreadPoolExecutor | None = None

    def run_forever(self) -> None:
        old = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        try:
            QTimer.singleShot(0, self._timer.wake)
            super().run_forever()
        finally:
            sys.set_asyncgen_hooks(*old)

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._timer.soon(handle)
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._timer.cross(handle)
        return handle

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self._check_closed()
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timer.at(handle)
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._timer.forget(handle)

    def run_in_executor(  # type: ignore[override, unused-ignore]
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        if executor is None:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(max_workers=8, thread_name_prefix="conch")
            executor = self._threads
        return asyncio.wrap_future(executor.submit(func, *args), loop=self)

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None
        super().close()

    def on_signals(self, quit_now: Callable[[], None]) -> None:
        """Calls `quit_now` when the program is asked to end from outside (Ctrl+C, a session that closes)."""
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                self.add_signal_handler(number, quit_now)
            except (NotImplementedError, RuntimeError, ValueError):
                with contextlib.suppress(ValueError):  # Not the main thread.
                    signal.signal(number, lambda *_: self.call_soon_threadsafe(quit_now))


def run(loop: Loop, main: Coroutine[Any, Any, int]) -> int:
    """Runs `main` to its end, then ends everything else that runs on the loop, and closes it.

    When Qt's loop is ended from elsewhere (the session of the desktop closes), `main` is cancelled and cleans up.
    """
    asyncio.set_event_loop(loop)
    task = loop.create_task(main, name="the window")
    try:
        return cast(int, loop.run_until_complete(task))
    except (RuntimeError, asyncio.CancelledError):
        if task.done() and not task.cancelled():
            raise
        return 0
    finally:
        with contextlib.suppress(RuntimeError):
            loop.run_until_complete(_end_all())
        asyncio.set_event_loop(None)
        loop.close()


async def _end_all() -> None:
    loop = asyncio.get_running_loop()
    left = [task for task in asyncio.all_tasks(loop) if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_GOODBYE)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(loop.shutdown_asyncgens(), _GOODBYE)
