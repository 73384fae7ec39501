"""The loop: every fault of qasync that was measured, and the clean end."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator

import psutil
import pytest
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.loop import Loop, run
from tests.desktop.conftest import Run


def test_a_wait_never_ends_early(run: Run[list[float]]) -> None:
    async def work() -> list[float]:
        took = []
        for seconds in (0.001, 0.013, 0.1, 0.25, 0.5):
            began = time.monotonic()
            await asyncio.sleep(seconds)
            took.append(time.monotonic() - began - seconds)
        return took

    assert min(run(work())) >= 0


def test_a_stream_that_is_dropped_is_closed(run: Run[None]) -> None:
    closed = []

    async def stream() -> AsyncIterator[int]:
        try:
            for number in range(100):
                yield number
                await asyncio.sleep(0)
        finally:
            closed.append(True)

    async def work() -> None:
        async for number in stream():
            if number == 3:
                break
        await asyncio.sleep(0.05)

    run(work())
    assert closed == [True]


def test_another_thread_gets_a_handle_and_its_context_is_kept(run: Run[tuple[str, str, bool]]) -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="none")

    async def work() -> tuple[str, str, bool]:
        loop = asyncio.get_running_loop()
        seen: asyncio.Future[tuple[str, str]] = loop.create_future()
        handles: list[asyncio.Handle] = []

        def there() -> None:
            name.set("thread")
            handles.append(
                loop.call_soon_threadsafe(lambda: seen.set_result((name.get(), threading.current_thread().name)))
            )

        await asyncio.to_thread(there)
        context, thread = await seen
        return context, thread, isinstance(handles[0], asyncio.Handle)

    assert run(work()) == ("thread", "MainThread", True)


def test_a_cancelled_timer_never_fires(run: Run[list[str]]) -> None:
    async def work() -> list[str]:
        loop, fired = asyncio.get_running_loop(), list[str]()
        loop.call_later(0.02, fired.append, "cancelled").cancel()
        loop.call_soon(fired.append, "cancelled").cancel()
        loop.call_later(0.03, fired.append, "kept")
        await asyncio.sleep(0.08)
        return fired

    assert run(work()) == ["kept"]


def test_timeouts_and_groups_of_tasks_work(run: Run[str]) -> None:
    async def work() -> str:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                await asyncio.sleep(5)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(asyncio.sleep(0.01, str(number))) for number in range(5)]
        return "".join(task.result() for task in tasks)

    assert run(work()) == "01234"


def test_ready_callbacks_leave_the_window_its_turn(run: Run[int]) -> None:
    from PySide6.QtCore import QTimer

    async def work() -> int:
        ticks = []
        timer = QTimer()
        timer.timeout.connect(lambda: ticks.append(1))
        timer.start(5)
        stop = time.monotonic() + 0.3

        async def busy() -> None:
            while time.monotonic() < stop:
                await asyncio.sleep(0)

        await asyncio.gather(*(busy() for _ in range(20)))
        timer.stop()
        return len(ticks)

    assert run(work()) >= 15


def test_a_subprocess_is_read_to_its_end(run: Run[bytes]) -> None:
    async def work() -> bytes:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print('x' * 100000)", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await child.communicate()
        return out

    assert len(run(work()).strip()) == 100_000


def test_the_end_leaves_no_task_no_stream_and_no_process(qapp: QApplication) -> None:
    loop = Loop(qapp)
    ended: list[str] = []
    children: list[int] = []

    async def stream(name: str) -> AsyncIterator[int]:
        try:
            while True:
                yield 1
                await asyncio.sleep(0.01)
        finally:
            ended.append(name)

    async def listen(name: str) -> None:
        async for _ in stream(name):
            pass

    async def child() -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
        children.append(process.pid)
        try:
            await process.wait()
        finally:
            process.kill()
            await process.wait()
            ended.append("child")

    tasks: list[asyncio.Task[None]] = []

    async def main() -> int:
        tasks.extend(asyncio.ensure_future(work) for work in (listen("one"), listen("two"), child()))
        while not children:
            await asyncio.sleep(0.01)
        return 7

    assert run(loop, main()) == 7
    assert sorted(ended) == ["child", "one", "two"]
    assert all(task.done() for task in tasks)
    assert loop.is_closed()
    assert not psutil.pid_exists(children[0])


def test_when_qt_ends_the_loop_the_work_is_cancelled_and_cleans_up(qapp: QApplication) -> None:
    ended = []

    async def main() -> int:
        asyncio.get_running_loop().call_later(0.05, qapp.exit)
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(True)
        return 1

    assert run(Loop(qapp), main()) == 0
    assert ended == [True]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_in_order(number: signal.Signals) -> None:
    source = (
        "import asyncio, sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from conch_desktop.desktop.loop import Loop, run\n"
        "app = QApplication([])\n"
        "async def main():\n"
        "    quit = asyncio.Event()\n"
        "    asyncio.get_running_loop().on_signals(quit.set)\n"
        "    print('ready', flush=True)\n"
        "    await quit.wait()\n"
        "    return 3\n"
        "sys.exit(run(Loop(app), main()))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(number)
        assert child.wait(10) == 3
        child.stdout.close()
    finally:
        child.kill()
        child.wait()
