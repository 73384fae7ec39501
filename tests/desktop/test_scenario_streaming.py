"""S20: 5,000 pieces while the person reads and writes.

Here: what is read does not move by a pixel, the button tells how much is new, each key is seen at once, the answer is
the pieces joined and shown as such when it is all there; three answers in three chats; all pieces at once.
Elsewhere: the limits in milliseconds, with all 5,000 (`tests/benchmarks/test_scenarios.py`), the work of one frame in
a long chat (`tests/benchmarks/test_view.py`), the anchor under every kind of change (`test_chat_view.py`).
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from conch_desktop.desktop.chat_view import ChatView
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.pill import Pill
from conch_desktop.desktop.window import Window
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.engine.assembly import Program
from tests.benchmarks.chats import chat
from tests.desktop.at_work import at_work
from tests.desktop.hands import Paced, Typist, click, paced, press, settle, soon, write
from tests.servers import ScriptedServer

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
    click(view, button.geometry().center())
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
