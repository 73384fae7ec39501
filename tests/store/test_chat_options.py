"""What was set for a chat is kept with it, and what was spent is summed."""

from __future__ import annotations

import pytest

from conch_desktop.domain.messages import Message, UsageCount
from conch_desktop.domain.options import AS_USUAL, ChatOptions
from conch_desktop.store.chat_options import ChatOptionsBook
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.spending import DAY, Spending
from tests.store.conftest import StillClock, count

FULL = ChatOptions("Answer in Italian \ud83d", 0.0, 400, "high", 0.5)


@pytest.mark.parametrize("options", [FULL, AS_USUAL, ChatOptions(temperature=1.5)])
async def test_what_was_set_comes_back_and_can_be_changed(
    database: Database, chats: Chats, options: ChatOptions
) -> None:
    book, chat = ChatOptionsBook(database), await chats.create()
    other = await chats.create()
    assert await book.of(chat.id) == AS_USUAL
    await book.set(chat.id, FULL)
    await book.set(chat.id, options)
    assert await book.of(chat.id) == options
    assert await book.of(other.id) == AS_USUAL


async def test_options_go_with_their_chat(database: Database, chats: Chats) -> None:
    book, chat = ChatOptionsBook(database), await chats.create()
    await book.set(chat.id, FULL)
    await book.set("not there", FULL)
    assert await count(database, "chat_options") == 1
    await chats.delete(chat.id)
    await chats.purge_deleted()
    assert await count(database, "chat_options") == 0


async def test_what_a_chat_and_a_day_took_is_summed(database: Database, chats: Chats, clock: StillClock) -> None:
    spending = Spending(database, clock)
    chat, other = await chats.create(), await chats.create()
    assert await spending.of_chat(chat.id) == UsageCount()
    assert await spending.of_day() == 0.0
    rows = [
        (chat.id, "a", UsageCount(100, 10), clock.now() - 2 * DAY),  # from before turns were counted
        (chat.id, "b", UsageCount(5, 5, turn_in=1000, turn_out=100, cost=0.25), clock.now() - 2 * DAY),
        (chat.id, "c", UsageCount(5, 5, turn_in=200, turn_out=20, cost=0.5), clock.now()),
        (other.id, "d", UsageCount(1, 1, turn_in=1, turn_out=1, cost=1.0), clock.now() - DAY / 2),
        (other.id, "e", None, clock.now()),
    ]
    for where, message, usage, created in rows:
        await chats.put(where, Message(message, "assistant", (), created, usage=usage))
    assert await spending.of_chat(chat.id) == UsageCount(turn_in=1300, turn_out=130, cost=0.75)
    assert await spending.of_chat(chat.id, without="c") == UsageCount(turn_in=1100, turn_out=110, cost=0.25)
    assert await spending.of_day() == pytest.approx(1.5)
    assert await spending.of_day(without="d") == pytest.approx(0.5)
