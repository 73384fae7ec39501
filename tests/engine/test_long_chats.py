"""A long chat: only its end is read when it is opened; what is wanted comes later, and nothing is sent without all."""

from __future__ import annotations

from pathlib import Path

from conch_desktop.domain.clock import SystemClock
from conch_desktop.domain.messages import Message, Outline, TextPart
from conch_desktop.engine.session import FIRST_READ, Session
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database


def message(at: int) -> Message:
    return Message(f"m{at}", "assistant" if at % 2 else "user", (TextPart(f"words {at}"),))


async def take_back(call_id: str) -> str:
    return ""


async def opened(folder: Path, count: int, prepare: object = None) -> tuple[Database, Session]:
    database = await Database.open(folder / "conch.sqlite3", SystemClock())
    chats = Chats(database, SystemClock())
    chat = await chats.create(title="Long")
    for at in range(count):
        await chats.put(chat.id, message(at))
    session = Session(
        chat.id,
        book=chats,
        prepare=prepare,  # type: ignore[arg-type]
        clock=SystemClock(),
        take_back=take_back,
    )
    await session.load()
    return database, session


async def test_the_outline_has_lengths_and_no_texts(tmp_path: Path) -> None:
    database, session = await opened(tmp_path, 100)
    entries = session.entries
    assert len(entries) == 100
    assert entries[0] == Outline("m0", "user", len("words 0"), 0)
    assert sum(isinstance(entry, Message) for entry in entries) == FIRST_READ
    assert [one.id for one in session.messages] == [f"m{at}" for at in range(100 - FIRST_READ, 100)]
    await database.aclose()


async def test_a_part_is_read_when_it_is_wanted(tmp_path: Path) -> None:
    database, session = await opened(tmp_path, 100)
    await session.read(10, 20)
    assert session.entries[10:20] == [message(at) for at in range(10, 20)]
    assert isinstance(session.entries[9], Outline)
    assert len(session.messages) == FIRST_READ
    await session.read()
    assert session.messages == [message(at) for at in range(100)]
    await database.aclose()


async def test_a_turn_is_prepared_with_all_messages(tmp_path: Path) -> None:
    seen: list[int] = []

    async def prepare(session: Session, **_: object) -> None:
        seen.append(len(session.messages))
        raise RuntimeError

    database, session = await opened(tmp_path, 60, prepare)
    await session.send("And now?")
    assert seen == [62]
    await database.aclose()


async def test_an_edited_message_takes_the_place_of_what_came_after_it(tmp_path: Path) -> None:
    async def prepare(session: Session, **_: object) -> None:
        raise RuntimeError

    database, session = await opened(tmp_path, 10, prepare)
    await session.edit("m4", "other words")
    kept = session.messages
    assert [one.id for one in kept[:4]] == ["m0", "m1", "m2", "m3"]
    assert kept[4].text == "other words"
    assert len(kept) == 6
    again = Session(
        session.chat_id,
        book=session._book,
        prepare=prepare,  # type: ignore[arg-type]
        clock=SystemClock(),
        take_back=take_back,
    )
    await again.load()
    assert [one.text for one in again.messages] == [one.text for one in kept]
    await session.edit("none", "x")
    assert session.messages == kept
    await database.aclose()
