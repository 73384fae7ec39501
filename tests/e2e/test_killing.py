"""S22: the real program is killed (SIGKILL) while a reply streams in one chat and a tool runs in another.

Here: after each kill the store is sound, what had arrived a second before is there, the reply is interrupted with
*Continue* and *Try again*, the outcome of the call is not known, nothing runs again by itself, other chats are whole,
and what was typed is in the composer. The long tier kills ten times.
Elsewhere: kills at any moment of writing, also while a database is made or migrated (`tests/store/test_killing.py`).
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped, unused-ignore]
import pytest

from conch_desktop.desktop.call_line import CallLine
from conch_desktop.desktop.trouble import TroubleBlock
from conch_desktop.domain.integrations import Definition
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.engine.assembly import DATABASE, Program
from conch_desktop.store.settings import LAST_MODEL
from tests.desktop.at_work import at_work
from tests.desktop.conftest import run
from tests.desktop.hands import Paced, paced, soon
from tests.e2e.person import Person, screen, wait_until
from tests.servers import ScriptedServer, call, json_reply

__all__ = ["run"]

Run = Callable[[Coroutine[Any, Any, Any]], Any]
pytestmark = [pytest.mark.xvfb, pytest.mark.timeout(400)]

KEPT = [Message(f"k{at}", "user" if at % 2 else "assistant", (TextPart(f"words {at} " * 50),)) for at in range(8)]
WORDS = [f"word {at}, " for at in range(500)]
DRAFT = "typed and not sent"


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with screen() as found:
        yield found


async def prepare(folder: Path, url: str, marks: Path) -> str:
    """A profile with a provider, the tool that never ends, and a chat that nobody touches; that chat's id."""
    program = await Program.open(folder)
    try:
        provider, _ = await program.add_provider("openai", "Pier", url, "")
        await program.settings.set(LAST_MODEL, f"{provider.id}/demo")
        other = await program.chats.create(title="Nobody touches it")
        for message in KEPT:
            await program.chats.put(other.id, message)
        script = Path(__file__).with_name("harbour.py")
        await program.integrations.add(
            Definition("harbour", "stdio", command=sys.executable, args=(str(script), str(marks)))
        )
        await program.integrations.settled()
    finally:
        await program.aclose()
    return other.id


def began(marks: Path) -> int:
    """How often the tool began; or with `.listed`, how often tools were asked for."""
    return len(marks.read_text("utf-8").splitlines()) if marks.exists() else 0


def use_and_kill(display: str, folder: Path, server: ScriptedServer, marks: Path, later: float) -> tuple[Paced, float]:
    """Starts a call in one chat and a reply in another, types, and kills the program; the reply, and when."""
    ran, listed = began(marks), began(marks.with_suffix(".listed"))
    person = Person(display, folder)
    try:
        wait_until(lambda: began(marks.with_suffix(".listed")) > listed, "the app is connected")
        server.then(call("reserve_berth", '{"berth": 4}'))
        person.press("ctrl+n")
        person.type("Reserve berth 4")
        person.press("Return")
        if not ran:
            waiting = "SELECT state FROM calls WHERE state = 'waiting'"
            wait_until(lambda: bool(person.rows(waiting)), "the call waits for the person")
            person.press("ctrl+shift+j", "a")
        wait_until(lambda: began(marks) == ran + 1, f"the tool runs, {person.rows('SELECT state FROM calls')}")
        reply, body = paced(WORDS, 50)
        server.then(reply)
        person.press("ctrl+n")
        person.type("Tell me of boats")
        person.press("Return")
        wait_until(lambda: len(body.sent) > 75, "the reply streams")
        person.type(DRAFT)
        time.sleep(1.2 + later)  # The kill comes at a moment that nothing is waited for.
        assert not body.all_sent, "the reply still streams"
    finally:
        children = psutil.Process(person.program.pid).children(recursive=True)
        person.program.kill()
        at = time.monotonic()
        person.program.wait(20)
        psutil.wait_procs(children, 20)
    return body, at


async def look_again(folder: Path, body: Paced, before: float, other: str, marks: Path) -> None:
    """Starts again and looks at everything that must be there."""
    ran = began(marks)
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    async with at_work(folder, provider="") as (window, program, desk, _, _):
        session = desk.chats.session
        assert session is not None
        assert [one.role for one in session.messages] == ["user", "assistant"]
        last = session.messages[-1]
        there = "".join(word for word, at in zip(WORDS, body.sent, strict=False) if at <= before)
        assert there
        assert last.text.startswith(there)
        assert "".join(WORDS).startswith(last.text)
        assert last.state == "interrupted"
        await soon(lambda: window.view.findChildren(TroubleBlock), "the end of the reply says so")
        (block,) = window.view.findChildren(TroubleBlock)
        assert block.trouble.title == "Interrupted when the program closed"
        assert [words for _, words in block.trouble.actions] == ["Continue", "Try again"]
        assert window.composer.text() == DRAFT
        one = next(chat.id for chat in desk.chats.chats if chat.title == "Reserve berth 4")
        await desk.chats.open(one)
        await soon(lambda: [line for line in window.view.findChildren(CallLine) if line.isVisible()], "its call")
        (line,) = [line for line in window.view.findChildren(CallLine) if line.isVisible()]
        assert "outcome not known" in line.accessibleName()
        assert await program.chats.messages(other) == KEPT
        await program.integrations.settled()
        await asyncio.sleep(0.5)  # Long enough for something that would run by itself.
        assert began(marks) == ran
        # For the next time: nothing left to type over.
        await desk.chats.open(other)


def kill_often(run: Run, display: str, folder: Path, kills: int, slack: float) -> None:
    """Kills it so often; what had arrived `slack` seconds before must be there."""
    profile, marks = folder / "profile", folder / "marks"
    chance = random.Random()
    with ScriptedServer().in_thread() as server:
        server.route("GET /v1/models", json_reply({"object": "list", "data": [{"id": "demo", "object": "model"}]}))
        other = asyncio.run(prepare(profile, server.url, marks))
        for _ in range(kills):
            body, at = use_and_kill(display, profile, server, marks, chance.uniform(0, 1.5))
            asked = len(server.requests)
            run(look_again(profile, body, at - slack, other, marks))
            assert not [one for one in server.requests[asked:] if one.method == "POST"]
        assert began(marks) == kills


def test_what_was_there_is_there_after_a_kill(run: Run, display: str, tmp_path: Path) -> None:
    kill_often(run, display, tmp_path, 1, 2.0)


@pytest.mark.long
def test_ten_kills_lose_no_more_than_a_second(run: Run, display: str, tmp_path: Path) -> None:
    kill_often(run, display, tmp_path, 10, 1.0)
