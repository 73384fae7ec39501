"""Figures of the scenarios, as clocks on the wall say them: what a person waits for, and what the window costs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.window import Window
from conch_desktop.engine.assembly import Program
from tests.benchmarks.chats import percentile
from tests.benchmarks.conftest import figure
from tests.desktop.at_work import at_work
from tests.desktop.conftest import Run, run
from tests.desktop.hands import Frames, paced, press, soon, write
from tests.desktop.long_chat import keep, walk
from tests.desktop.test_scenario_small import NAMES, listed, picker_of
from tests.desktop.test_scenario_streaming import (
    CHAT,
    ask,
    earlier,
    pieces,
    read_and_write,
    three_at_once,
    whole_and_formatted,
)
from tests.servers import ScriptedServer, json_reply

__all__ = ["run"]

pytestmark = [pytest.mark.figures, pytest.mark.long, pytest.mark.timeout(240)]

Apart = tuple[ScriptedServer, Callable[[], float]]


def thread_time(ident: int) -> float:
    return time.clock_gettime(time.pthread_getcpuclockid(ident))


@pytest.fixture
def apart() -> Iterator[Apart]:
    """A server on a thread of its own, with one model; and the processor time of that thread so far."""
    server = ScriptedServer()
    with server.in_thread():
        server.route("GET /v1/models", json_reply({"data": [{"id": "m"}]}))
        (thread,) = [one for one in threading.enumerate() if one.name == "scripted server"]
        assert thread.ident is not None
        ident = thread.ident
        yield server, lambda: time.process_time() - thread_time(ident)


async def with_model(window: Window, program: Program, desk: Desk, server: ScriptedServer) -> str:
    """Adds the server, and chooses its model."""
    made, _ = await program.add_provider("openai", "Apart", server.url, "")
    await desk.models.read(refresh=True)
    await desk.models.choose(f"{made.id}/m")
    return f"{made.id}/m"


def test_figures_of_5000_pieces_at_250_a_second(run: Run[Any], tmp_path: Path, apart: Apart) -> None:
    words, (server, used) = pieces(5000), apart

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            model = await with_model(window, program, desk, server)
            await earlier(program, desk, model)
            reply, body = paced(words, 250)
            server.then(reply)
            frames = Frames(window)
            await ask(window, "Tell me of boats")
            await soon(lambda: body.began, "the answer begins")
            began, before = time.monotonic(), used()
            typist = await read_and_write(window, desk, words, body, up=3.0, writes=8.0, jump=15.0)
            jumped = time.monotonic()
            await soon(lambda: not window.composer.send.running, "the answer ends")
            ended = time.monotonic()
            share = (used() - before) / (ended - began)
            frames.stop()
            followed = max(frames.gap(began + 0.5, began + 2.5), frames.gap(jumped, body.all_sent))
            key = percentile(typist.waits, 0.95)
            figure(
                f"5,000 pieces in {body.all_sent - body.began:.1f} s: key to picture p95 {key:.0f} ms, longest time "
                f"between pictures {followed:.0f} ms, window held {frames.held(began, ended):.0f} ms, done "
                f"{(ended - body.all_sent) * 1000:.0f} ms after the last piece, {share:.0%} of a core"
            )
            whole_and_formatted(window, desk, words)
            assert key <= 50
            assert followed <= 150
            assert frames.held(began, ended) <= 150
            assert ended - body.all_sent <= 0.5
            assert share <= 0.5

    run(scenario())


def test_figures_of_three_such_answers_in_three_chats(run: Run[Any], tmp_path: Path, apart: Apart) -> None:
    words, (server, _) = pieces(5000), apart

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            await with_model(window, program, desk, server)
            key = percentile(await three_at_once(window, desk, server, words, 250), 0.95)
            figure(f"three answers of 5,000 pieces at once: key to picture p95 {key:.0f} ms")
            assert key <= 100

    run(scenario())


def test_figures_of_5000_pieces_at_once(run: Run[Any], tmp_path: Path, apart: Apart) -> None:
    words, (server, used) = pieces(5000), apart

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            model = await with_model(window, program, desk, server)
            await earlier(program, desk, model)
            server.then(paced(pieces(200), 1e9)[0])  # The warm-up.
            await ask(window, "Some of it")
            await soon(lambda: server.of(CHAT) and not window.composer.send.running, "the first answer ends")
            reply, body = paced(words, 1e9)
            server.then(reply)
            frames = Frames(window)
            await ask(window, "All of it")
            await soon(lambda: body.began, "the answer begins")
            before = used()
            await soon(lambda: not window.composer.send.running, "the answer ends")
            ended = time.monotonic()
            took, gap, work = ended - body.began, frames.gap(body.began, ended), used() - before
            frames.stop()
            figure(f"5,000 pieces at once: {took:.2f} s, {work:.2f} s of work, longest time between pictures {gap:.0f}")
            whole_and_formatted(window, desk, words)
            assert took <= 2.0
            assert work <= 4.0
            assert gap <= 100

    run(scenario())


def test_figures_of_a_chat_of_500_messages(run: Run[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chat, other = await keep(program, model)
            await desk.chats.refresh()
            await desk.chats.open(other)
            took = await walk(window, chat)
            figure("500 messages: " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in took.items()))
            assert took["open"] <= 400
            assert took["home"] <= 400
            assert took["find"] <= 300

    run(scenario())


def test_figures_of_a_key_in_the_list_of_412_models(run: Run[Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, _, server, _):
            server.route("GET /v1/models", json_reply({"data": [{"id": name} for name in NAMES]}))
            press(window, "Ctrl+M")
            picker = picker_of(window)
            await soon(lambda: len(listed(picker)) == 412, "the models are listed")
            waits = []
            for letter in "coder 14 maker writer 3":
                begun = time.monotonic()
                write(window, letter)
                picker.list.viewport().repaint()
                waits.append((time.monotonic() - begun) * 1000)
            key = percentile(waits, 0.95)
            figure(f"412 models: key to list p95 {key:.0f} ms")
            assert key <= 50

    run(scenario())
