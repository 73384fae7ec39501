"""Memories: each fact once, found by any of its words."""

from __future__ import annotations

import pytest

from conch_desktop.domain.memories import Memory
from conch_desktop.store.database import Database
from conch_desktop.store.memories import Memories
from tests.store.conftest import StillClock, count

FACTS = ["I like green tea", "My sister is called Ada", "I live near the harbour", "我喜欢喝绿茶"]


@pytest.fixture
def memories(database: Database, clock: StillClock) -> Memories:
    return Memories(database, clock)


@pytest.fixture
async def facts(memories: Memories, clock: StillClock) -> list[Memory]:
    kept = []
    for content in FACTS:
        clock.time += 1
        kept.append(await memories.add(content, "chat"))
    return kept


async def contents(memories: Memories, words: str, limit: int = 10) -> list[str]:
    return [memory.content for memory in await memories.search(words, limit)]


async def test_a_fact_is_kept_with_its_source_and_time(memories: Memories, clock: StillClock) -> None:
    fact = await memories.add("half \ud83d \x00 東京", "chat 1")
    assert fact == Memory(fact.id, "half \ud83d \x00 東京", clock.time, "chat 1")
    assert await memories.all() == [fact]
    assert (await memories.add("by hand")).source == ""


async def test_all_facts_are_given_newest_first(memories: Memories, facts: list[Memory]) -> None:
    assert await memories.all() == facts[::-1]


@pytest.mark.parametrize("content", ["I like green tea", "half \ud83d"])
async def test_the_same_fact_becomes_the_newest_and_is_not_doubled(
    memories: Memories, clock: StillClock, content: str
) -> None:
    first = await memories.add(content, "chat 1")
    await memories.add("Another")
    clock.time += 10
    again = await memories.add(content, "chat 2")
    assert again == Memory(first.id, content, clock.time, "chat 1")
    assert [memory.content for memory in await memories.all()] == [content, "Another"]


SEARCHES = [
    ("tea", ["I like green tea"]),
    ("GREEN", ["I like green tea"]),
    ("What tea does she like?", ["I like green tea"]),
    ("teas", ["I like green tea"]),
    ("living", ["I live near the harbour"]),
    ("harb", ["I live near the harbour"]),
    ("绿茶", ["我喜欢喝绿茶"]),
    ("coffee", []),
    ("tea sister", ["I like green tea", "My sister is called Ada"]),
]


@pytest.mark.parametrize(("words", "found"), SEARCHES)
@pytest.mark.usefixtures("facts")
async def test_facts_are_found_by_any_word(memories: Memories, words: str, found: list[str]) -> None:
    assert sorted(await contents(memories, words)) == found


@pytest.mark.usefixtures("facts")
async def test_the_best_comes_first(memories: Memories) -> None:
    assert (await contents(memories, "near the green harbour"))[0] == "I live near the harbour"


@pytest.mark.parametrize("words", ["", "  ", "*", "?!"])
@pytest.mark.usefixtures("facts")
async def test_without_words_the_newest_are_found(memories: Memories, words: str) -> None:
    assert await contents(memories, words, 2) == FACTS[:1:-1]


@pytest.mark.usefixtures("facts")
async def test_no_more_is_found_than_was_asked_for(memories: Memories) -> None:
    assert len(await contents(memories, "I my", 1)) == 1


async def test_a_removed_fact_is_given_back_and_found_no_more(memories: Memories, facts: list[Memory]) -> None:
    assert await memories.remove(facts[0].id) == facts[0]
    assert await memories.remove(facts[0].id) is None
    assert await contents(memories, "tea") == []


async def test_the_id_of_a_removed_fact_never_comes_back(memories: Memories, facts: list[Memory]) -> None:
    await memories.remove(facts[-1].id)
    assert (await memories.add("new")).id > facts[-1].id


async def test_an_edited_fact_is_found_by_its_new_words(memories: Memories, facts: list[Memory]) -> None:
    await memories.edit(facts[0].id, "I like coffee")
    assert await contents(memories, "tea") == []
    (found,) = await memories.search("coffee")
    assert found == Memory(facts[0].id, "I like coffee", facts[0].created, "chat")


async def test_a_fact_edited_into_another_is_not_doubled(
    memories: Memories, facts: list[Memory], database: Database
) -> None:
    await memories.edit(facts[0].id, FACTS[1])
    assert [memory.id for memory in await memories.search("Ada")] == [facts[0].id]
    assert await count(database, "memories") == await count(database, "memory_words") == 3


async def test_editing_a_fact_that_is_gone_does_nothing(memories: Memories, database: Database) -> None:
    await memories.edit(7, "nothing")
    assert await count(database, "memories") == await count(database, "memory_words") == 0
