"""S21: a chat with 500 messages.

Here: its end is shown first, Home and End leave nothing blank, the word that occurs once is marked and in view, 50
switches leave it as it was and take no memory. The limits in milliseconds are figures.
Elsewhere: 10,000 messages, and every place of a long chat (`test_chat_view.py`, `tests/benchmarks/test_view.py`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from conch_desktop.desktop.theme import look
from tests.desktop.at_work import at_work
from tests.desktop.hands import press, settle, soon
from tests.desktop.long_chat import MESSAGES, PLACE, RARE, click_chat, filled, found, keep, seen, walk

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def test_a_chat_of_500_messages_is_walked_searched_and_left_and_opened_again(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chat, other = await keep(program, model)
            await desk.chats.refresh()
            await walk(window, chat)
            view = window.view
            assert found(view) == [RARE]
            place = dict(view.live())[PLACE - 1]
            assert place.geometry().bottom() >= 0
            assert place.y() < view.viewport().height()
            image = view.grab().toImage()
            colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
            assert look.colour("accL").rgb() in colours
            press(window, "Escape")
            await settle()
            assert not found(view)
            counts = []
            for _ in range(12):
                click_chat(window, other)
                await soon(lambda: seen(view) == [1, 2], "the other chat")
                click_chat(window, chat)
                await soon(lambda: seen(view)[-1:] == [MESSAGES] and view.at_end() and filled(view), "back again")
                counts.append(len(QApplication.allWidgets()))
            assert counts[-1] <= counts[2]

    run(scenario())


@pytest.mark.long
@pytest.mark.timeout(300)
def test_50_switches_take_no_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.desktop.long_chat", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=Path(__file__).parents[2],
        env=dict(os.environ),
    )
    assert done.returncode == 0, done.stderr
    idle, opened, switched = (int(one) / 1e6 for one in done.stdout.split())
    assert opened - idle <= 80
    assert switched - opened <= 20
