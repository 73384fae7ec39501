"""S23: copy gives what was written.

Here, with pointer and keys: the Copy of a block (also while it is half scrolled away) gives the bytes between its
fences, that of a message its Markdown, and a selection drawn from the middle of one message to the middle of the third
after it all of the words between, off screen too, in order, without captions or the JSON of a call.
Elsewhere: selections of every shape, in any direction (`test_selection.py`), in tables and lists
(`test_text_block.py`), and over 300 messages (`test_chat_view.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.chat_view import ChatView
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.message_row import MessageRow
from conch_desktop.desktop.text_block import TextBlock
from tests.desktop.at_work import at_work, said
from tests.desktop.hands import Drag, click, go_to_chat, hover, press, settle, soon
from tests.desktop.test_scenario_streaming import ask
from tests.servers import call, say

Run = Callable[[Coroutine[Any, Any, Any]], Any]

CODE = (
    "def fares(boats):\n\t# tabs, and a line that is very long\n\n\ttotal = "
    + " + ".join(f"boats[{at}].fare" for at in range(80))
    + "\n\treturn total\n"
    + "".join(f"\n\tprint({at})" for at in range(60))
    + "\n"
)
OPEN = "x = 1\n\n\ty = 2"
"""The last line of this one has no end: the answer stops there."""
ANSWER = f"""The **fares** of all boats:

```python
{CODE}```

| Boat | Fare |
|---|--:|
| 07:40 | 62.50 |

- one way is `$12`
- energy is $E = mc^2$ as always

```python
{OPEN}"""


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def press_button(view: ChatView, button: Painted) -> None:
    """Presses a button where it is seen: it must be in view."""
    spot = button.mapTo(view.viewport(), button.rect().center())
    assert view.viewport().rect().contains(spot)
    assert button.isVisible()
    click(view.viewport(), spot)


def named(view: QWidget, name: str) -> Painted:
    return next(one for one in view.findChildren(Painted) if one.accessibleName() == name and one.isVisible())


def codes(view: ChatView) -> list[CodeBlock]:
    shown = [block.widget for _, row in view.live() for _, block in row.shown]
    return [one for one in shown if isinstance(one, CodeBlock)]


def row_of(view: ChatView, at: int) -> MessageRow:
    return dict(view.live())[at]


def middle_of(view: ChatView, at: int, words: str) -> QPoint:
    """The place before some words of a message, in the viewport."""
    for _, block in row_of(view, at).shown:
        if isinstance(block.widget, TextBlock) and words in block.widget.toPlainText():
            cursor = block.widget.textCursor()
            cursor.setPosition(block.widget.toPlainText().index(words))
            rect = block.widget.cursorRect(cursor)
            return block.widget.viewport().mapTo(view.viewport(), QPoint(rect.left(), rect.center().y()))
    raise AssertionError(words)


def test_copies_of_blocks_messages_and_selections_are_what_was_written(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            view = window.view
            server.then(say(ANSWER, pieces=90))
            await ask(window, "What are the fares of all boats?")
            await soon(lambda: said(desk) == ANSWER and not window.composer.send.running, "the first answer")
            server.then(call("recall", '{"query": "quay"}'), say("Nothing is kept, so ask at the quay."))
            await ask(window, "Which quay?")
            await soon(lambda: said(desk).startswith("Nothing") and not window.composer.send.running, "the second")
            await settle()

            go_to_chat(window)
            press(window, "Home")
            await settle()
            (long, *_) = codes(view)
            press_button(view, named(long, "Copy the code"))
            assert clipboard() == CODE
            bar = view.verticalScrollBar()
            bar.setValue(bar.value() + long.mapTo(view.viewport(), QPoint(0, long.height() // 2)).y())
            await settle()
            assert long.mapTo(view.viewport(), QPoint(0, 0)).y() < 0
            QGuiApplication.clipboard().clear()
            press_button(view, next(one for one in long.findChildren(Painted)))
            assert clipboard() == CODE
            bar.setValue(bar.value() + 300)
            await settle()
            press_button(view, codes(view)[-1].findChildren(Painted)[0])
            assert clipboard() == OPEN
            await hover(window, row_of(view, 1), QPoint(20, row_of(view, 1).height() - 12))
            press_button(view, named(row_of(view, 1), "Copy as Markdown"))
            assert clipboard() == ANSWER

            press(window, "End")
            await settle()
            press(window, "Home")
            await settle()
            hand = Drag(view.viewport(), middle_of(view, 0, "fares of all"))
            low = QPoint(view.viewport().width() // 2, view.viewport().height() + 60)
            hand.move(low)  # Below the window: it scrolls by itself.
            await soon(view.at_end, "the chat scrolls on under the pointer")
            hand.move(middle_of(view, 3, ", so ask"))
            hand.release()
            press(window, "Ctrl+C")
            parts = [
                "fares of all boats?",
                "The fares of all boats:",
                CODE.rstrip("\n"),
                "Boat\tFare\n07:40\t62.50",
                "- one way is $12\n- energy is $E = mc^2$ as always",
                OPEN,
                "Which quay?",
                "Nothing is kept",
            ]
            assert clipboard() == "\n\n".join(parts)

    run(scenario())
