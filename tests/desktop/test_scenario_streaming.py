"""S20: 5,000 pieces while the person reads and writes.

Here: what is read does not move by a pixel, the button tells how much is new, each key is seen at once, the answer is
the pieces joined and shown as such when it is all there; three answers in three chats; all pieces at once. The short
forms hold the same with a tenth of the pieces and generous limits, the figures with the limits of the scenario.
Elsewhere: the work of one frame in a long chat (`tests/benchmarks/test_view.py`), the anchor under every kind of
change (`test_chat_view.py`).
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from conch_desktop.desktop.chat_view import ChatView
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.pill import Pill
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.engine.assembly import Program
from tests.benchmarks.chats import chat
from tests.benchmarks.conftest import figure
from tests.desktop.at_work import at_work
from tests.desktop.hands import Frames, Paced, Typist, drag, press, settle, soon, write
from tests.servers import Reply, ScriptedServer, json_reply

Run = Callable[[Coroutine[Any, Any, Any]], Any]
CHAT = "/v1/chat/completions"

_PART = """## Part {n}

The early boat is calmer: **07:40** out, the last one back, and swell stays under `0.6 m` until noon.

"""
_LIST = "- Ana sits outside, at the stern\n- tickets are sold on board\n  - only in coins\n\n"
_TABLE = "| Boat | From | Arrives |\n|---|---|--:|\n" + "| 07:40 | Quay 4 | 08:25 |\n" * 6 + "\n"
_CODE = "```python\ndef share(fares: list[float], people: int) -> float:\n    return sum(fares) / people\n```\n\n"


def pieces(count: int) -> list[str]:
    """An answer in so many pieces: two lists, a table, four blocks of code, and words around them."""
    parts: list[str] = []
    marks = [_LIST, _CODE, _TABLE, _CODE, _LIST, _CODE, _CODE]
    size = given = 0
    for number in range(5 * count):
        parts.append(_PART.format(n=number))
        if given < len(marks) and size >= 5 * count * given / len(marks):
            parts.append(marks[given])
            given += 1
        size = sum(map(len, parts))
        if size >= 5 * count and given == len(marks):
            break
    text = "".join(parts)
    size = -(-len(text) // count)
    made = [text[at : at + size] for at in range(0, len(text), size)]
    while len(made) < count:  # The longest are halved until there are enough.
        at = max(range(len(made)), key=lambda one: len(made[one]))
        half = len(made[at]) // 2
        made[at : at + 1] = [made[at][:half], made[at][half:]]
    return made


def paced(words: list[str], a_second: float) -> tuple[Reply, Paced]:
    """The pieces as an answer, so many a second."""
    body = Paced(words, a_second)
    return Reply(200, {"content-type": "text/event-stream"}, body, "chunked"), body


async def ask(window: Window, text: str) -> None:
    """Writes a message and sends it."""
    window.composer.setFocus()
    write(window, text)
    press(window, "Enter")


def top_of(view: ChatView) -> QImage:
    """The upper half of what is seen of the chat, without its bar."""
    port = view.viewport()
    return port.grab(QRect(0, 0, port.width() - 24, port.height() // 2)).toImage()


def pill(view: ChatView) -> Pill:
    (found,) = view.findChildren(Pill)
    return found


async def earlier(program: Program, desk: Desk, model: str) -> None:
    """Opens a chat in which something was said before."""
    made = await program.chats.create(model=model, title="Boats")
    for message in chat(12):
        await program.chats.put(made.id, message)
    await desk.chats.refresh()
    await desk.chats.open(made.id)
    await settle()


def last(desk: Desk) -> Message:
    session = desk.chats.session
    assert session is not None
    return session.messages[-1]


def whole_and_formatted(window: Window, desk: Desk, words: list[str]) -> None:
    """The answer is the pieces joined, and is shown as an answer that was read from the store."""
    message = last(desk)
    assert message.state == "done"
    assert "".join(part.text for part in message.parts if isinstance(part, TextPart)) == "".join(words)
    kinds = [block.kind for block in window.view.blocks_of(len(window.view.entries) - 1)]
    assert kinds.count("code") == 4
    assert kinds.count("table") == 1
    window.view.selecting.choose_all()
    streamed = window.view.selecting.text()
    assert "- Ana sits outside, at the stern\n" in streamed
    assert "**" not in streamed.replace(_CODE, "")
    entries = list(window.view.entries)
    other = ChatView()
    other.resize(window.view.size())
    other.show_chat("read again", entries)
    other.selecting.choose_all()
    assert other.selecting.text() == streamed
    other.deleteLater()


async def read_and_write(
    window: Window, desk: Desk, words: list[str], body: Paced, *, up: float, writes: float, jump: float
) -> Typist:
    """Scrolls up two screens after `up` seconds, writes 40 letters, and goes to the newest words at `jump`."""
    view = window.view
    await soon(lambda: body.began, "the answer begins")

    async def at(seconds: float) -> None:
        await asyncio.sleep(max(0.0, body.began + seconds - time.monotonic()))

    await at(up)
    await soon(lambda: len(last(desk).text) > 200, "words arrive")
    assert view.at_end()
    for key in ("PageUp", "PageUp"):
        view.setFocus()
        press(window, key)
    await settle()
    read, place = top_of(view), view.verticalScrollBar().value()
    assert not view.at_end()
    shown = len(last(desk).text)
    await soon(lambda: len(last(desk).text) > shown + 200, "more comes")
    await settle()
    assert top_of(view) == read
    assert pill(view).isVisible()
    assert "new line" in pill(view).accessibleName()
    await at(writes)
    window.composer.setFocus()
    writing = window.composer.writing
    typist = Typist(writing, writing.viewport(), lambda: len(window.composer.text()))
    await typist.type("the fortieth letter of this note is here"[:40], 0.05)
    assert len(typist.waits) == 40
    assert top_of(view) == read
    assert view.verticalScrollBar().value() == place
    await at(jump)
    assert top_of(view) == read
    button = pill(view)
    drag(view, button.geometry().center(), button.geometry().center())
    await settle()
    assert view.at_end()
    assert not button.isVisible()
    return typist


def test_what_is_read_stays_and_what_is_typed_is_seen_while_pieces_arrive(run: Run, tmp_path: Path) -> None:
    words = pieces(700)

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, model):
            await earlier(program, desk, model)
            reply, body = paced(words, 150)
            server.then(reply)
            await ask(window, "Tell me of boats")
            typist = await read_and_write(window, desk, words, body, up=0.5, writes=1.2, jump=3.8)
            assert statistics.median(typist.waits) < 250
            await soon(lambda: not window.composer.send.running, "the answer ends")
            await settle()
            whole_and_formatted(window, desk, words)
            assert window.view.at_end()

    run(scenario())


def test_three_answers_in_three_chats_at_once_are_each_whole(run: Run, tmp_path: Path) -> None:
    words = pieces(400)

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            await three_at_once(window, desk, server, words, 150)

    run(scenario())


async def three_at_once(
    window: Window, desk: Desk, server: ScriptedServer, words: list[str], a_second: float
) -> list[float]:
    """Begins three answers in three chats, writes in the last; ends when all are whole. The waits for each letter."""
    bodies = []
    for number in range(3):
        press(window, "Ctrl+N")
        reply, body = paced(words, a_second)
        bodies.append(body)
        server.then(reply)
        await ask(window, f"Boats, part {number}")
        await soon(lambda body=body: body.began, "the answer begins")  # type: ignore[misc]
        await soon(lambda: desk.chats.session is not None and desk.chats.session.running)
    writing = window.composer.writing
    typist = Typist(writing, writing.viewport(), lambda: len(window.composer.text()))
    await typist.type("written while three answers arrive", 0.05)
    assert not any(body.all_sent for body in bodies), "all three still stream"
    chats = [one.id for one in desk.chats.chats]
    assert len(chats) == 3
    await soon(lambda: all(body.all_sent for body in bodies), "all pieces are sent", 120)
    for one in chats:
        await desk.chats.open(one)
        await soon(lambda: not window.composer.send.running, "the answer ends")
        assert last(desk).text == "".join(words)
    return typist.waits


def test_all_pieces_at_once_are_shown_without_a_stall(run: Run, tmp_path: Path) -> None:
    words = pieces(1500)

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, model):
            await earlier(program, desk, model)
            reply, _ = paced(words, 1e9)
            server.then(reply)
            await ask(window, "All of it")
            await soon(lambda: server.of(CHAT) and not window.composer.send.running, "the answer ends")
            await settle()
            whole_and_formatted(window, desk, words)

    run(scenario())


# The figures of the scenario ----------------------------------------------------------------------------------------


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def thread_time(ident: int) -> float:
    return time.clock_gettime(time.pthread_getcpuclockid(ident))


@pytest.fixture
def apart() -> Any:
    """A server on a thread of its own, with one model; and the processor time of that thread so far."""
    import threading

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


@pytest.mark.long
@pytest.mark.figures
def test_figures_of_5000_pieces_at_250_a_second(run: Run, tmp_path: Path, apart: Any) -> None:
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


@pytest.mark.long
@pytest.mark.figures
def test_figures_of_three_such_answers_in_three_chats(run: Run, tmp_path: Path, apart: Any) -> None:
    words, (server, _) = pieces(5000), apart

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            await with_model(window, program, desk, server)
            key = percentile(await three_at_once(window, desk, server, words, 250), 0.95)
            figure(f"three answers of 5,000 pieces at once: key to picture p95 {key:.0f} ms")
            assert key <= 100

    run(scenario())


@pytest.mark.long
@pytest.mark.figures
def test_figures_of_5000_pieces_at_once(run: Run, tmp_path: Path, apart: Any) -> None:
    words, (server, used) = pieces(5000), apart

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            model = await with_model(window, program, desk, server)
            await earlier(program, desk, model)
            reply, body = paced(words, 1e9)
            server.then(reply)
            frames = Frames(window)
            await ask(window, "All of it")
            await soon(lambda: body.began, "the answer begins")
            before = used()
            await soon(lambda: server.of(CHAT) and not window.composer.send.running, "the answer ends")
            ended = time.monotonic()
            took, gap, work = ended - body.began, frames.gap(body.began, ended), used() - before
            frames.stop()
            figure(f"5,000 pieces at once: {took:.2f} s, {work:.2f} s of work, longest time between pictures {gap:.0f}")
            whole_and_formatted(window, desk, words)
            assert took <= 2.0
            assert work <= 4.0
            assert gap <= 100

    run(scenario())
