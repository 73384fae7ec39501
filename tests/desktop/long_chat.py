"""A stored chat of 500 messages as a person has it after a month, and what is done in it.

Run as `python -m tests.desktop.long_chat FOLDER`: opens it in a window, does all of it, switches to another chat and
back 50 times, and prints the resident memory (bytes): idle, with the chat open and walked through, after the switches.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTextEdit

from conch_desktop.desktop.chat_view import ChatView
from conch_desktop.desktop.loop import Loop
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, Outline, Part, TextPart
from conch_desktop.engine.assembly import Program
from tests.desktop.at_work import at_work
from tests.desktop.hands import go_to_chat, press, settle, soon, write

MESSAGES, CALLS, RARE, PLACE = 500, 60, "lighthouse", 12

_ANSWER = """Boat {n} is the calm one, see [the timetable](https://example.org/times/{n}).

- Ana sits outside, at the stern
- tickets are sold on board

```python
def share(fares: list[float], people: int) -> float:
    return round(sum(fares) / people, {n})
```

Take the way over *Mill Lane* if the wind turns to the west{rare}.
"""


def month(count: int = MESSAGES) -> list[Message]:
    """The messages: half of them answers with a list, a block of code and a link; 60 calls; one word in one of them."""
    found: list[Message] = []
    for at in range(1, count + 1):
        if at % 2:
            found.append(Message(f"u{at}", "user", (TextPart(f"And boat {at}?"),), float(at)))
            continue
        rare = f", past the {RARE}" if at == PLACE else ""
        parts: list[Part] = [TextPart(_ANSWER.format(n=at, rare=rare))]
        if at // 2 <= CALLS:
            call = CallRecord(f"c{at}", "read_file", f'{{"path": "boats/{at}.md"}}', source="files", state="done")
            parts.insert(0, call)
        found.append(Message(f"a{at}", "assistant", tuple(parts), float(at), "done", author="Gemini 2.5 Flash"))
    return found


async def keep(program: Program, model: str) -> tuple[str, str]:
    """Keeps the chat and another one; their ids."""
    whole, short = [await program.chats.create(model=model, title=title) for title in ("A month of boats", "Short")]
    for message in month():
        await program.chats.put(whole.id, message)
    for message in month(2):
        await program.chats.put(short.id, Message(f"s{message.id}", message.role, message.parts, message.created))
    return whole.id, short.id


def click_chat(window: Window, chat: str) -> None:
    """Presses a chat's row in the sidebar."""
    rows = window.sidebar.list
    spot = rows.visualRect(rows.rows.place(chat)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=spot)


def filled(view: ChatView) -> bool:
    """Whether what is seen is messages from the top to the bottom, none of them still to be read."""
    last = 0
    for _, row in view.live():
        if row.geometry().bottom() < 0 or row.y() > view.viewport().height():
            continue
        if isinstance(row.message, Outline) or row.y() > last + 60:
            return False
        last = row.geometry().bottom()
    return last >= min(view.viewport().height(), view.verticalScrollBar().maximum()) - 60


def seen(view: ChatView) -> list[int]:
    """The messages of which something is in view, counted from 1."""
    high = view.viewport().height()
    return [at + 1 for at, row in view.live() if row.geometry().bottom() > 0 and row.y() < high]


async def walk(window: Window, chat: str) -> dict[str, float]:
    """Opens the chat, goes to its top and its end, and finds the rare word; the milliseconds each took."""
    view, took = window.view, {}

    async def timed(name: str, begun: float, there: object) -> None:
        await soon(there, name)  # type: ignore[arg-type]
        view.viewport().repaint()
        took[name] = (time.monotonic() - begun) * 1000

    begun = time.monotonic()
    click_chat(window, chat)
    await timed("open", begun, lambda: seen(view)[-1:] == [MESSAGES] and view.at_end() and filled(view))
    go_to_chat(window)
    begun = time.monotonic()
    press(window, "Home")
    await timed("home", begun, lambda: seen(view)[:1] == [1] and filled(view))
    press(window, "End")
    await timed("end", begun, lambda: seen(view)[-1:] == [MESSAGES] and filled(view))
    press(window, "Ctrl+F")
    write(window, RARE[:-1])
    begun = time.monotonic()
    write(window, RARE[-1])
    await timed("find", begun, lambda: PLACE in seen(view) and view.rows and found(view))
    return took


def found(view: ChatView) -> list[str]:
    """The words that are marked, in what is seen."""
    blocks = [block.widget for _, row in view.live() for _, block in row.shown]
    return [
        str(place.cursor.selectedText())
        for block in blocks
        if isinstance(block, QTextEdit)
        for place in block.extraSelections()
    ]


async def _memory(folder: Path) -> None:
    process = psutil.Process()
    async with at_work(folder) as (window, program, desk, _, model):
        chat, other = await keep(program, model)
        await desk.chats.refresh()
        click_chat(window, other)
        await soon(lambda: seen(window.view) == [1, 2])
        press(window, "Ctrl+F", "Escape")
        await settle()
        gc.collect()
        idle = process.memory_info().rss
        await walk(window, chat)
        press(window, "Escape")
        await settle()
        open_ = process.memory_info().rss
        for _ in range(50):
            click_chat(window, other)
            await soon(lambda: seen(window.view) == [1, 2])
            click_chat(window, chat)
            await soon(lambda: seen(window.view)[-1:] == [MESSAGES] and filled(window.view))
        await settle()
        sys.stdout.write(f"{idle} {open_} {process.memory_info().rss}\n")


if __name__ == "__main__":
    _app = QApplication([])
    look.install(_app)
    _loop = Loop(_app)
    asyncio.set_event_loop(_loop)
    _loop.run_until_complete(_memory(Path(sys.argv[1])))
