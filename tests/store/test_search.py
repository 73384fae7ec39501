"""Search finds words in titles, messages and calls, in any script, and forgets what is gone."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, NoticePart, Part, ReasoningPart, ReplayPart, TextPart
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.memories import Memories
from conch_desktop.store.search import all_of, any_of, indexable, readable
from tests.store.conftest import StillClock, count
from tests.store.test_columns import ANY_TEXT


def answer(*parts: Part, message_id: str = "m") -> Message:
    return Message(message_id, "assistant", parts)


async def found(chats: Chats, words: str) -> list[tuple[str, str]]:
    return [(hit.chat.title, hit.message) for hit in await chats.search(words)]


CALL = CallRecord(
    "c1",
    "write_file",
    '{"path": "notes.txt", "content": "first\\nsecond", "tags": [["deep"], {"kind": 42}]}',
    args={"path": "notes.txt", "content": "first\nsecond", "tags": [["deep"], {"kind": 42}], "more": None},
    answer="Written: 12 bytes",
)

PLACES: list[tuple[str, Part, str]] = [
    ("a word", TextPart("The harbour at dawn"), "harbour"),
    ("a beginning", TextPart("The harbour at dawn"), "harb"),
    ("all words in any order", TextPart("The harbour at dawn"), "dawn harbour"),
    ("any case", TextPart("The Harbour at dawn"), "hARBOUR"),
    ("without accents", TextPart("Une crème brûlée"), "creme brulee"),
    ("with accents", TextPart("Une creme brulee"), "crème"),
    ("Greek", TextPart("Καλημέρα κόσμε"), "κόσμε"),
    ("Cyrillic", TextPart("Доброе утро"), "утро"),
    ("Korean with an ending", TextPart("도서관에서 만나요"), "도서관"),
    ("Chinese inside a sentence", TextPart("我想知道东京的天气怎么样"), "天气"),
    ("one Chinese character", TextPart("我想知道东京的天气怎么样"), "京"),
    ("Japanese", TextPart("明日は東京へ行きます"), "東京へ"),
    ("Thai", TextPart("สวัสดีครับ"), "ครับ"),
    ("a word of code", TextPart("call max_tokens(here)"), "max_tokens"),
    ("a call's tool", CALL, "write_file"),
    ("a call's argument", CALL, "notes.txt"),
    ("a word at the start of a line in an argument", CALL, "second"),
    ("deep in an argument", CALL, "deep"),
    ("a number in an argument", CALL, "42"),
    ("a call's answer", CALL, "bytes"),
    ("a call that was not read", replace(CALL, args=None, raw="{broken: harbour"), "harbour"),
    ("after half a pair", TextPart("a \ud83d harbour"), "harbour"),
    ("after a NUL", TextPart("a\x00harbour"), "harbour"),
]


@pytest.mark.parametrize(("part", "words"), [place[1:] for place in PLACES], ids=[place[0] for place in PLACES])
async def test_a_message_is_found_by(chats: Chats, part: Part, words: str) -> None:
    chat = await chats.create(title="T")
    await chats.put(chat.id, answer(TextPart("Well."), part))
    assert await found(chats, words) == [("T", "m")]


NOT_FOUND = [
    ("a word that is not there", TextPart("The harbour at dawn"), "dusk"),
    ("only one of two words", TextPart("The harbour at dawn"), "harbour dusk"),
    ("Chinese in another order", TextPart("天气"), "气天"),
    ("a quiet notice", NoticePart("The harbour"), "harbour"),
    ("what goes back unseen", ReplayPart('{"blocks": ["harbour"]}'), "harbour"),
    ("a model's thinking", ReasoningPart("The harbour"), "harbour"),
    ("no words", TextPart("The harbour"), ""),
    ("only signs", TextPart("The harbour!"), "! ?"),
]


@pytest.mark.parametrize(("part", "words"), [place[1:] for place in NOT_FOUND], ids=[place[0] for place in NOT_FOUND])
async def test_a_message_is_not_found_by(chats: Chats, part: Part, words: str) -> None:
    chat = await chats.create()
    await chats.put(chat.id, answer(part))
    assert await found(chats, words) == []


@pytest.mark.parametrize(
    "words",
    [
        '"',
        '"harbour',
        "harbour*",
        "harbour OR dusk NOT",
        "NEAR(harbour)",
        "text:harbour",
        "^harbour",
        "-harbour",
        "{a}:",
    ],
)
async def test_nothing_a_person_writes_is_an_operator(chats: Chats, words: str) -> None:
    chat = await chats.create()
    await chats.put(chat.id, answer(TextPart(f"They said {words} to me")))
    await chats.put(chat.id, answer(TextPart("dusk"), message_id="other"))
    assert await found(chats, words) == ([("", "m")] if all_of(words) else [])


@given(ANY_TEXT, ANY_TEXT)
def test_any_words_make_a_query_that_sqlite_can_read(words: str, text: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(text)")
        connection.execute("INSERT INTO t VALUES (?)", (indexable(text),))
        for query in filter(None, (all_of(words), any_of(words))):
            connection.execute("SELECT snippet(t, 0, '', '', '', 9) FROM t WHERE t MATCH ?", (query,)).fetchall()


@given(ANY_TEXT)
def test_a_text_is_readable_again_without_its_breaks(text: str) -> None:
    text = text.replace("\u200b", "")
    assert readable(indexable(text)).split() == re.sub("[\ud800-\udfff\x00]", " ", text).split()


async def test_the_query_of_a_pasted_page_stays_small() -> None:
    assert all_of("word " * 100_000).count('"word"') == 32


async def test_titles_come_first_with_the_chat_as_it_is_listed(chats: Chats) -> None:
    said = await chats.create(title="Other")
    await chats.put(said.id, answer(TextPart("On the harbour " * 50)))
    named = await chats.create(title="The harbour")
    hits = await chats.search("harbour")
    assert [(hit.chat, hit.message) for hit in hits] == [(named, ""), (said, "m")]
    assert hits[0].snippet == "The harbour"
    assert "harbour" in hits[1].snippet
    assert len(hits[1].snippet) < 300


async def test_a_snippet_is_one_line_around_the_word_in_its_own_script(chats: Chats) -> None:
    chat = await chats.create()
    await chats.put(chat.id, answer(TextPart("begin " * 100 + "\n\n我想知道东京的天气怎么样\nand\tso on")))
    (hit,) = await chats.search("天气")
    assert "东京的天气怎么样 and so on" in hit.snippet
    assert hit.snippet.startswith("…")


async def test_no_more_is_found_than_was_asked_for(chats: Chats) -> None:
    for number in range(4):
        chat = await chats.create(title="harbour")
        await chats.put(chat.id, answer(TextPart("harbour"), message_id=str(number)))
    assert [len(await chats.search("harbour", limit)) for limit in (1, 4, 6, 50)] == [1, 4, 6, 8]


async def test_a_new_title_is_found_and_the_old_one_is_not(chats: Chats) -> None:
    chat = await chats.create(title="harbour")
    await chats.rename(chat.id, "market")
    assert await found(chats, "harbour") == []
    assert await found(chats, "market") == [("market", "")]


async def test_an_edited_message_is_found_by_its_new_words_only(chats: Chats) -> None:
    chat = await chats.create()
    await chats.put(chat.id, answer(TextPart("harbour")))
    await chats.put(chat.id, answer(TextPart("market")), written=answer(TextPart("harbour")))
    assert await found(chats, "harbour") == []
    assert await found(chats, "market") == [("", "m")]


async def test_a_removed_message_is_not_found(chats: Chats) -> None:
    chat = await chats.create()
    await chats.put(chat.id, answer(TextPart("harbour")))
    await chats.remove_from(chat.id, "m")
    assert await found(chats, "harbour") == []
    await chats.put(chat.id, answer(TextPart("market"), message_id="next"))
    assert await found(chats, "harbour") == []


async def test_a_deleted_chat_is_not_found_until_it_is_back(chats: Chats) -> None:
    chat = await chats.create(title="harbour")
    await chats.put(chat.id, answer(TextPart("harbour")))
    await chats.delete(chat.id)
    assert await found(chats, "harbour") == []
    await chats.restore(chat.id)
    assert len(await found(chats, "harbour")) == 2


async def test_a_streaming_message_is_found_when_it_ends_or_was_interrupted(chats: Chats) -> None:
    chat = await chats.create()
    one, two = replace(answer(TextPart("har")), state="streaming"), answer(TextPart("harbour"))
    await chats.put(chat.id, one)
    await chats.put(chat.id, two, written=one)
    assert await found(chats, "harbour") == [("", "m")]
    broken = replace(answer(TextPart("mark"), message_id="n"), state="streaming")
    await chats.put(chat.id, broken)
    await chats.put(chat.id, replace(broken, parts=(TextPart("market"),)), written=broken)
    await chats.mark_interrupted()
    assert await found(chats, "market") == [("", "n")]


async def test_the_index_is_sound_after_all_kinds_of_changes(chats: Chats, database: Database) -> None:
    for number in range(5):
        chat = await chats.create(title=f"chat {number}")
        for text in ("one", "two", "three"):
            await chats.put(chat.id, answer(TextPart(text), message_id=text))
        await chats.put(chat.id, answer(TextPart("changed"), message_id="two"))
        await chats.remove_from(chat.id, "three")
        await chats.rename(chat.id, "renamed")
        if number % 2:
            await chats.delete(chat.id)
    await chats.purge_deleted()

    def check(connection: sqlite3.Connection) -> None:
        for table in ("chat_words", "message_words"):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")

    await database.run(check)
    assert (await count(database, "chat_words"), await count(database, "message_words")) == (3, 6)


async def test_memories_are_searched_in_the_same_way(database: Database, clock: StillClock) -> None:
    memories = Memories(database, clock)
    await memories.add("我喜欢喝绿茶")
    assert [memory.content for memory in await memories.search("绿茶 or coffee")] == ["我喜欢喝绿茶"]
