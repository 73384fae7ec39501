"""Chats: made, listed, changed, deleted and brought back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.messages import Chat, Message, TextPart
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from tests.store.conftest import StillClock, count

ODD = "東京 \x00 half \ud83d"


def said(message_id: str, text: str = "words") -> Message:
    return Message(message_id, "user", (TextPart(text),))


async def titles(chats: Chats) -> list[str]:
    return [chat.title for chat in await chats.listing()]


async def test_a_new_chat_is_kept_at_once(chats: Chats, clock: StillClock) -> None:
    chat = await chats.create(model="local/small", title=ODD)
    assert chat == Chat(chat.id, ODD, "local/small", created=clock.time, updated=clock.time)
    assert await chats.get(chat.id) == chat
    assert await chats.listing() == [chat]
    assert await chats.messages(chat.id) == []


async def test_chats_are_listed_pinned_first_and_then_by_when_the_person_wrote_last(
    chats: Chats, clock: StillClock
) -> None:
    made = {}
    for title in ("a", "b", "c", "d"):
        clock.time += 1
        made[title] = (await chats.create(title=title)).id
    assert await titles(chats) == ["d", "c", "b", "a"]
    await chats.pin(made["b"], True)
    clock.time += 1
    await chats.put(made["a"], said("m"))
    assert await titles(chats) == ["b", "a", "d", "c"]
    await chats.pin(made["b"], False)
    assert await titles(chats) == ["a", "d", "c", "b"]


@pytest.mark.parametrize(
    "later",
    [said("m", "edited"), Message("answer", "assistant", (TextPart("words"),))],
    ids=["an edited message", "an answer"],
)
async def test_only_a_new_message_of_the_person_moves_the_chat(chats: Chats, clock: StillClock, later: Message) -> None:
    chat = await chats.create()
    clock.time += 1
    await chats.put(chat.id, said("m"))
    updated = clock.time
    clock.time += 1
    await chats.put(chat.id, later)
    found = await chats.get(chat.id)
    assert found is not None
    assert found.updated == updated


async def test_a_chat_keeps_what_is_set(chats: Chats) -> None:
    chat = await chats.create()
    await chats.rename(chat.id, ODD)
    await chats.choose_model(chat.id, "pier/big")
    await chats.save_draft(chat.id, ODD * 1000)
    await chats.pin(chat.id, True)
    kept = Chat(chat.id, ODD, "pier/big", True, chat.created, chat.updated, ODD * 1000)
    assert await chats.get(chat.id) == kept
    assert await chats.listing() == [kept]


async def test_a_deleted_chat_is_gone_and_comes_back_with_its_messages(chats: Chats) -> None:
    chat = await chats.create(title="Tea")
    await chats.put(chat.id, said("m", "kept"))
    await chats.delete(chat.id)
    assert await chats.get(chat.id) is None
    assert await chats.listing() == []
    await chats.restore(chat.id)
    assert await chats.listing() == [chat]
    assert await chats.messages(chat.id) == [said("m", "kept")]


async def test_deleted_chats_are_forgotten_for_good_at_the_next_start(
    path: Path, chats: Chats, database: Database
) -> None:
    gone, kept = await chats.create(title="gone"), await chats.create(title="kept")
    for chat in (gone, kept):
        await chats.put(chat.id, said("m", "words of it"))
    await chats.delete(gone.id)
    await chats.purge_deleted()
    with pytest.raises(StoreError, match="no longer there"):
        await chats.restore(gone.id)
    assert await titles(chats) == ["kept"]
    left = {
        table: await count(database, table) for table in ("chats", "messages", "parts", "chat_words", "message_words")
    }
    assert set(left.values()) == {1}


CALLS: list[Callable[[Chats], Awaitable[object]]] = [
    lambda chats: chats.rename("nowhere", "title"),
    lambda chats: chats.choose_model("nowhere", "model"),
    lambda chats: chats.save_draft("nowhere", "text"),
    lambda chats: chats.pin("nowhere", True),
    lambda chats: chats.delete("nowhere"),
    lambda chats: chats.restore("nowhere"),
    lambda chats: chats.messages("nowhere"),
    lambda chats: chats.put("nowhere", said("m")),
    lambda chats: chats.remove_from("nowhere", "m"),
]


@pytest.mark.parametrize("call", CALLS)
async def test_a_chat_that_is_not_there_is_told(chats: Chats, call: Callable[[Chats], Awaitable[object]]) -> None:
    with pytest.raises(StoreError, match="no longer there"):
        await call(chats)
    assert await chats.get("nowhere") is None


async def test_removing_from_a_message_on_leaves_what_was_before(chats: Chats) -> None:
    chat, other = await chats.create(), await chats.create()
    for message_id in ("1", "2", "3", "4"):
        await chats.put(chat.id, said(message_id))
        await chats.put(other.id, said(message_id))
    await chats.remove_from(chat.id, "3")
    assert await chats.messages(chat.id) == [said("1"), said("2")]
    await chats.remove_from(chat.id, "not there")
    assert await chats.messages(chat.id) == [said("1"), said("2")]
    await chats.put(chat.id, said("5"))
    assert [message.id for message in await chats.messages(chat.id)] == ["1", "2", "5"]
    assert [message.id for message in await chats.messages(other.id)] == ["1", "2", "3", "4"]


async def test_everything_is_there_after_a_restart(path: Path, clock: StillClock) -> None:
    database = await Database.open(path, clock)
    chat = await Chats(database, clock).create(title="Tea")
    await Chats(database, clock).put(chat.id, said("m", ODD))
    await database.aclose()
    database = await Database.open(path, clock)
    assert await Chats(database, clock).listing() == [chat]
    assert await Chats(database, clock).messages(chat.id) == [said("m", ODD)]
    await database.aclose()
