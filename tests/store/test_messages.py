"""Messages in the database: every shape comes back, and a change touches only what changed."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conch_desktop.domain.calls import ENDED_STATES, CallRecord, CallState, Mend, MendKind
from conch_desktop.domain.messages import (
    Failure,
    FilePart,
    Message,
    MessageState,
    NoticePart,
    Part,
    PicturePart,
    ReasoningPart,
    ReplayPart,
    Role,
    TextPart,
    TriedPart,
    UsageCount,
)
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from tests.store.conftest import StillClock, count
from tests.store.test_columns import ANY_TEXT, JSON

SMALL = st.integers(0, 2**31)
TOKENS = st.none() | st.integers(0, 2**80)
SECONDS = st.floats(0, 1e11)

PICTURES = st.builds(PictureContent, st.binary(max_size=8), st.just("image/png"))
CALLS = st.builds(
    CallRecord,
    id=ANY_TEXT,
    name=ANY_TEXT,
    raw=ANY_TEXT,
    step=SMALL,
    source=ANY_TEXT,
    state=st.sampled_from(get_args(CallState)),
    args=st.none() | st.dictionaries(ANY_TEXT, JSON, max_size=3),
    mends=st.lists(
        st.builds(Mend, st.sampled_from(get_args(MendKind)), path=ANY_TEXT, span=st.none() | st.tuples(SMALL, SMALL)),
        max_size=3,
    ).map(tuple),
    dropped=st.lists(ANY_TEXT, max_size=3).map(tuple),
    answer=ANY_TEXT,
    is_error=st.booleans(),
    sent_back=ANY_TEXT,
    why=ANY_TEXT,
    started=st.none() | SECONDS,
    ms=st.none() | SMALL,
    extra=ANY_TEXT,
    wire_id=ANY_TEXT,
    outside=ANY_TEXT,
    pictures=st.lists(PICTURES, max_size=3).map(tuple),
)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, ANY_TEXT, SMALL),
    st.builds(ReasoningPart, ANY_TEXT, SMALL),
    st.builds(NoticePart, ANY_TEXT, SMALL),
    st.builds(TriedPart, st.sampled_from(["native", "words"]), SMALL, ANY_TEXT, st.booleans(), SMALL),
    st.builds(ReplayPart, ANY_TEXT, SMALL),
    st.builds(FilePart, ANY_TEXT, ANY_TEXT, SMALL, ANY_TEXT),
    st.builds(PicturePart, PICTURES, ANY_TEXT, SMALL, ANY_TEXT),
    CALLS,
)
MESSAGES = st.builds(
    Message,
    id=ANY_TEXT,
    role=st.sampled_from(get_args(Role)),
    parts=st.lists(PARTS, max_size=5).map(tuple),
    created=SECONDS,
    state=st.sampled_from(get_args(MessageState)),
    asked=ANY_TEXT,
    model=ANY_TEXT,
    author=ANY_TEXT,
    mode=ANY_TEXT,
    why=ANY_TEXT,
    usage=st.none() | st.builds(UsageCount, TOKENS, TOKENS, TOKENS, TOKENS),
    failure=st.none() | st.builds(Failure, ANY_TEXT, ANY_TEXT, ANY_TEXT),
)

CALL = CallRecord("c1", "remember", '{"content": "I like tea"}', started=1.5)


class Waiting:
    """A store for property tests, which are not async: every example uses the same one."""

    def __init__(self, runner: asyncio.Runner, database: Database) -> None:
        self._runner = runner
        self._chats = Chats(database, StillClock())

    def new_chat(self) -> str:
        return self._runner.run(self._chats.create()).id

    def put(self, chat: str, message: Message, written: Message | None = None) -> None:
        self._runner.run(self._chats.put(chat, message, written=written))

    def messages(self, chat: str) -> list[Message]:
        return self._runner.run(self._chats.messages(chat))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    path = tmp_path_factory.mktemp("messages") / "conch.sqlite3"
    with asyncio.Runner() as runner:
        database = runner.run(Database.open(path, StillClock()))
        yield Waiting(runner, database)
        runner.run(database.aclose())


@given(st.lists(MESSAGES, max_size=3, unique_by=lambda message: message.id))
def test_messages_come_back_as_they_were_put_and_in_order(store: Waiting, messages: list[Message]) -> None:
    chat = store.new_chat()
    for message in messages:
        store.put(chat, message)
    assert store.messages(chat) == messages
    assert repr(store.messages(chat)) == repr(messages)


def grown(part: Part, piece: str) -> Part:
    if isinstance(part, CallRecord):
        return replace(part, raw=part.raw + piece)
    if isinstance(part, ReplayPart):
        return replace(part, data=part.data + piece)
    if isinstance(part, TriedPart):
        return replace(part, words=part.words + piece)
    if isinstance(part, PicturePart):
        return replace(part, name=part.name + piece)
    return replace(part, text=part.text + piece)


@st.composite
def versions(draw: st.DrawFn) -> list[Message]:
    """A message as it is at several moments: parts grow, change, come and go."""
    message = draw(MESSAGES)
    history = [message]
    for _ in range(draw(st.integers(1, 5))):
        parts = list(message.parts)
        match draw(st.sampled_from(["grow", "change", "add", "drop", "header"])):
            case "grow" if parts:
                at = draw(st.integers(0, len(parts) - 1))
                parts[at] = grown(parts[at], draw(ANY_TEXT))
            case "change" if parts:
                parts[draw(st.integers(0, len(parts) - 1))] = draw(PARTS)
            case "add":
                parts.append(draw(PARTS))
            case "drop":
                parts = parts[: draw(st.integers(0, len(parts)))]
            case _:
                message = replace(draw(MESSAGES), id=message.id)
                parts = list(message.parts) if draw(st.booleans()) else parts
        message = replace(message, parts=tuple(parts))
        history.append(message)
    return history


@given(versions(), st.data())
@settings(max_examples=200, deadline=None)
def test_a_message_that_changes_comes_back_as_its_last_version(
    store: Waiting, history: list[Message], data: st.DataObject
) -> None:
    chat = store.new_chat()
    written: Message | None = None
    for message in history:
        store.put(chat, message, data.draw(st.sampled_from([written, None])))
        written = message
        assert store.messages(chat) == [message]


async def put_versions(chats: Chats, *versions: Message) -> str:
    chat = await chats.create()
    written = None
    for message in versions:
        await chats.put(chat.id, message, written=written)
        written = message
    return chat.id


def streaming(*parts: Part) -> Message:
    return Message("m", "assistant", parts, state="streaming")


GROWING: list[tuple[str, Callable[[str], Part]]] = [
    ("text", TextPart),
    ("reasoning", ReasoningPart),
    ("call", partial(CallRecord, "c1", "write_file")),
]


@pytest.mark.parametrize(("kind", "part"), GROWING)
async def test_a_text_that_grows_is_added_to_and_joined_when_the_message_ends(
    database: Database, chats: Chats, kind: str, part: Callable[[str], Part]
) -> None:
    texts = ["", "One", "One two", "One two \ud83d", "One two \ud83d\x00 three"]
    chat = await put_versions(chats, *(streaming(part(text)) for text in texts))
    assert await count(database, "tails") == len(texts) - 1
    assert await chats.messages(chat) == [streaming(part(texts[-1]))]
    done = replace(streaming(part(texts[-1])), state="done")
    await chats.put(chat, done, written=streaming(part(texts[-1])))
    assert await count(database, "tails") == 0
    assert await chats.messages(chat) == [done]


@pytest.mark.parametrize(("kind", "part"), GROWING)
async def test_adding_to_a_long_text_writes_little(
    path: Path, database: Database, chats: Chats, kind: str, part: Callable[[str], Part]
) -> None:
    log = path.with_name(f"{path.name}-wal")
    begin = streaming(TextPart("Here it is."), part("w" * 300_000), TextPart("tail" * 20_000))
    more = streaming(begin.parts[0], part("w" * 300_000 + " and more"), begin.parts[2])
    chat = await put_versions(chats, begin)
    size = log.stat().st_size
    await chats.put(chat, more, written=begin)
    assert log.stat().st_size - size <= 4 * (4096 + 24)  # pages, each with its header
    assert await chats.messages(chat) == [more]


ENDED = replace(CALL, state="done", args={"content": "I like tea"}, answer="Remembered.", ms=3)

CHANGES: list[tuple[str, Message, Message]] = [
    ("a call gets its answer", streaming(TextPart("a"), CALL), streaming(TextPart("a"), ENDED)),
    ("a call grows and is read at once", streaming(replace(CALL, raw="{")), streaming(ENDED)),
    ("true where there was 1", streaming(replace(ENDED, args={"n": 1})), streaming(replace(ENDED, args={"n": True}))),
    ("a text is not a beginning", streaming(TextPart("abc")), streaming(TextPart("abd"))),
    ("a text gets shorter", streaming(TextPart("abc")), streaming(TextPart("ab"))),
    ("another kind of part", streaming(TextPart("abc")), streaming(ReasoningPart("abc"))),
    ("words become a call", streaming(TextPart("abc")), streaming(CALL)),
    ("a call becomes words", streaming(CALL), streaming(TextPart("abc"))),
    ("another step", streaming(TextPart("abc", 0)), streaming(TextPart("abcd", 1))),
    ("a part goes", streaming(TextPart("abc"), CALL), streaming(TextPart("abc"))),
    ("it failed", streaming(TextPart("abc")), replace(streaming(TextPart("abc")), failure=Failure("network", "Gone."))),
    ("it ended", streaming(TextPart("abc")), replace(streaming(TextPart("abc")), state="done", usage=UsageCount(1))),
    ("it goes on", replace(streaming(TextPart("abc")), state="interrupted"), streaming(TextPart("abcd"))),
]


@pytest.mark.parametrize(("before", "after"), [change[1:] for change in CHANGES], ids=[change[0] for change in CHANGES])
@pytest.mark.parametrize("told", [True, False], ids=["told what was written", "not told"])
async def test_a_change_is_kept(chats: Chats, before: Message, after: Message, told: bool) -> None:
    chat = await put_versions(chats, before)
    await chats.put(chat, after, written=before if told else None)
    assert repr(await chats.messages(chat)) == repr([after])


@pytest.mark.parametrize(
    "written",
    [
        streaming(TextPart("On")),
        streaming(TextPart("One two three")),
        streaming(TextPart("One"), CALL),
        streaming(),
    ],
    ids=["an earlier version", "a later version", "with a part more", "without parts"],
)
async def test_a_version_that_was_not_written_last_does_no_harm(chats: Chats, written: Message) -> None:
    """A cancelled writer does not know that its last version was written after all."""
    chat = await put_versions(chats, streaming(), streaming(TextPart("One")), streaming(TextPart("One two")))
    after = streaming(TextPart("One two three four"))
    await chats.put(chat, after, written=written)
    assert await chats.messages(chat) == [after]


async def test_a_message_that_was_removed_meanwhile_is_written_whole(chats: Chats) -> None:
    before, after = streaming(TextPart("One")), streaming(TextPart("One two"))
    chat = await put_versions(chats, before)
    await chats.remove_from(chat, "m")
    await chats.put(chat, after, written=before)
    assert await chats.messages(chat) == [after]


async def test_nothing_is_written_when_nothing_changed(database: Database, chats: Chats) -> None:
    message = Message("m", "assistant", (TextPart("words"), ENDED))
    chat = await put_versions(chats, message)

    def changes(connection: sqlite3.Connection) -> int:
        return connection.total_changes

    before = await database.run(changes)
    await chats.put(chat, message, written=message)
    await chats.put(chat, replace(message, parts=(TextPart("words"), replace(ENDED))), written=message)
    await chats.put(chat, message)
    assert await database.run(changes) == before


async def test_a_huge_text_comes_back(chats: Chats) -> None:
    text = "東京 and a line\n" * 400_000
    chat = await put_versions(chats, Message("m", "assistant", (TextPart(text),)))
    assert (await chats.messages(chat))[0].text == text


async def test_ids_need_be_unique_only_in_their_chat(chats: Chats) -> None:
    one = await put_versions(chats, Message("m", "user", (TextPart("one"),)))
    other = await put_versions(chats, Message("m", "user", (TextPart("other"),)))
    assert [[message.text for message in await chats.messages(chat)] for chat in (one, other)] == [["one"], ["other"]]


@pytest.mark.parametrize("state", get_args(CallState))
async def test_a_call_of_an_interrupted_answer_tells_what_became_of_it(chats: Chats, state: CallState) -> None:
    call = replace(CALL, state=state)
    other = Message("u", "user", (TextPart("Remember that"),))
    chat = await put_versions(chats, streaming(), streaming(TextPart("Yes"), replace(call, raw="{"), call))
    await chats.put(chat, other)
    assert await chats.mark_interrupted() == 1
    expected = state if state in ENDED_STATES else "unknown" if state == "running" else "stopped"
    answer, question = await chats.messages(chat)
    assert (answer.state, answer.text, question) == ("interrupted", "Yes", other)
    assert [call.state for call in answer.calls] == [expected, expected]
    assert await chats.mark_interrupted() == 0


@pytest.mark.parametrize("state", [state for state in get_args(MessageState) if state != "streaming"])
async def test_an_answer_that_ended_is_not_marked_as_interrupted(chats: Chats, state: MessageState) -> None:
    message = Message("m", "assistant", (replace(CALL, state="running"),), state=state)
    chat = await put_versions(chats, message)
    assert await chats.mark_interrupted() == 0
    assert await chats.messages(chat) == [message]


async def test_what_was_interrupted_is_joined_and_goes_on(database: Database, chats: Chats) -> None:
    chat = await put_versions(chats, streaming(TextPart("One")), streaming(TextPart("One two")))
    await chats.mark_interrupted()
    assert await count(database, "tails") == 0
    (message,) = await chats.messages(chat)
    on = replace(message, state="streaming", parts=(TextPart("One two three"),))
    await chats.put(chat, on, written=message)
    assert await chats.messages(chat) == [on]
    assert await count(database, "tails") == 1


async def test_a_picture_is_kept_once_and_goes_with_the_last_call_that_shows_it(
    chats: Chats, database: Database
) -> None:
    picture = PictureContent(b"the same", "image/png")
    calls = [replace(CALL, id=f"c{n}", raw="{}", pictures=(picture,) * (n + 1)) for n in range(2)]
    one = await put_versions(chats, Message("m", "assistant", (calls[0],)))
    await put_versions(chats, Message("m", "assistant", (calls[1],)))
    assert await count(database, "pictures") == 1
    await chats.delete(one)
    await chats.purge_deleted()
    assert await count(database, "pictures") == 1
    for chat in await chats.listing():
        await chats.delete(chat.id)
    await chats.purge_deleted()
    assert (await count(database, "pictures"), await count(database, "call_pictures")) == (0, 0)
