"""Chats in a file: everything comes back, twice brings no doubles, a file that can't be used changes nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conch_desktop.domain.archive import ArchivedChat
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.messages import Chat, FilePart, Message, PicturePart, TextPart
from conch_desktop.domain.models import Provider
from conch_desktop.domain.options import ChatOptions
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.engine.archiving import Archiving, Brought, parsed
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.json_lines import loaded
from conch_desktop.store.archives import Archives
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from tests.engine.chats_schema import FILE, schema
from tests.store.conftest import StillClock
from tests.store.test_columns import ANY_TEXT
from tests.store.test_messages import CALLS, MESSAGES, PARTS, SECONDS, SMALL

PNG = PictureContent(b"\x89PNG\r\n\x1a\nlittle", "image/png")
PICTURE = st.builds(PicturePart, st.just(PNG), ANY_TEXT, SMALL, ANY_TEXT)
WHOLE_PARTS = st.one_of(
    PARTS.filter(lambda part: not isinstance(part, PicturePart | CallRecord)),
    PICTURE,
    CALLS.map(lambda call: replace(call, pictures=(PNG,) * len(call.pictures))),
)
CHATS = st.builds(
    ArchivedChat,
    chat=st.builds(Chat, st.uuids().map(lambda one: one.hex), ANY_TEXT, ANY_TEXT, st.booleans(), SECONDS, SECONDS),
    messages=st.lists(
        st.builds(
            lambda message, parts: replace(message, parts=tuple(parts)), MESSAGES, st.lists(WHOLE_PARTS, max_size=4)
        ),
        max_size=4,
        unique_by=lambda message: message.id,
    ).map(tuple),
    options=st.builds(ChatOptions, ANY_TEXT, st.none() | st.floats(0, 2), st.none() | SMALL, ANY_TEXT),
    attached=st.lists(PICTURE | st.builds(FilePart, ANY_TEXT, ANY_TEXT, st.just(0), ANY_TEXT), max_size=2).map(tuple),
)


class Profiles:
    """Profiles for property tests, which are not async."""

    def __init__(self, folder: Path, runner: asyncio.Runner) -> None:
        self.folder, self._runner, self._made = folder, runner, 0

    def through(self, chats: list[ArchivedChat]) -> tuple[bytes, bytes]:
        """The file of these chats, and the file of what another profile made of it."""
        return self._runner.run(self._through(chats))

    async def _through(self, chats: list[ArchivedChat]) -> tuple[bytes, bytes]:
        self._made += 1
        files = [self.folder / f"{self._made}-{number}.json" for number in (1, 2)]
        for at, file in enumerate(files):
            database = await Database.open(self.folder / f"{self._made}-{at}.sqlite3", StillClock())
            archives = Archives(database)
            archiving = Archiving(archives, nobody)
            if at:
                await archiving.bring(files[0])
            else:
                await archives.add(chats)
            await archiving.export(file)
            await database.aclose()
        return files[0].read_bytes(), files[1].read_bytes()


async def nobody() -> list[Provider]:
    """No providers."""
    return []


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profiles]:
    with asyncio.Runner() as runner:
        yield Profiles(tmp_path_factory.mktemp("profiles"), runner)


@settings(max_examples=25, deadline=None)
@given(chats=st.lists(CHATS, max_size=3, unique_by=lambda one: one.chat.id))
def test_what_is_exported_and_brought_and_exported_again_is_the_same(
    profiles: Profiles, chats: list[ArchivedChat]
) -> None:
    first, second = profiles.through(chats)
    assert first == second
    assert len(json.loads(first)["chats"]) == len(chats)
    Draft202012Validator(schema()).validate(json.loads(first))


def test_the_schema_that_is_published_is_the_one_of_the_program() -> None:
    assert json.loads(FILE.read_text("utf-8")) == schema()


CALL = CallRecord("c1", "remember", "{'content': 'tea'}", args={"content": "tea"}, state="done", answer="Remembered.")
SAID = (
    Message("1", "user", (PicturePart(PNG, "a.png"), TextPart("I like tea"))),
    Message("2", "assistant", (CALL, TextPart("Noted.")), model="p1/m", author="M"),
)


def archived(**changes: Any) -> ArchivedChat:
    return ArchivedChat(replace(Chat("one", "Tea", "p1/m", draft="and"), **changes), SAID, ChatOptions("Be short"))


@pytest.fixture
async def archives(tmp_path: Path) -> Any:
    database = await Database.open(tmp_path / "conch.sqlite3", StillClock())
    yield Archives(database), Chats(database, StillClock())
    await database.aclose()


Books = tuple[Archives, Chats]


async def test_bringing_twice_makes_no_doubles_and_says_so(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    archiving = Archiving(archives[0], nobody)
    await archives[0].add([archived()])
    assert await archiving.export(file) == 1
    brought = await archiving.bring(file)
    assert (brought, brought.text) == (Brought(there=1), "1 chat here already, left untouched.")
    assert await archives[0].ids() == ["one"]


async def test_a_chat_that_went_on_since_is_left_as_it_is(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    archiving = Archiving(archives[0], nobody)
    await archives[0].add([archived()])
    await archiving.export(file)
    await archives[1].put("one", Message("3", "user", (TextPart("And cake"),)))
    assert await archiving.bring(file) == Brought(there=1)
    assert len(await archives[1].messages("one")) == 3


async def test_another_version_of_a_chat_stands_beside_it_once(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    archiving = Archiving(archives[0], nobody)
    await archives[0].add([archived()])
    await archiving.export(file)
    await archives[1].remove_from("one", "2")
    assert await archiving.bring(file) == Brought(beside=1)
    assert await archiving.bring(file) == Brought(there=1)
    first, beside = await archives[0].ids()
    assert [len(await archives[1].messages(one)) for one in (first, beside)] == [1, 2]
    assert (await archives[1].messages(beside))[1].calls[0].id != "c1"


async def test_a_deleted_chat_comes_back(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    archiving = Archiving(archives[0], nobody)
    await archives[0].add([archived()])
    await archiving.export(file)
    assert await archives[1].delete_all() == ["one"]
    assert await archives[0].ids() == []
    assert await archiving.bring(file) == Brought(there=1)
    assert [chat.title for chat in await archives[1].listing()] == ["Tea"]


async def test_the_same_provider_is_found_by_its_kind_and_name(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"

    def has(one: str) -> Archiving:
        async def providers() -> list[Provider]:
            return [Provider(one, "openai", "Pier", "http://user:password@pier.example/v1")]

        return Archiving(archives[0], providers)

    await archives[0].add([archived()])
    await has("p1").export(file)
    assert "pier.example" not in file.read_text("utf-8")
    await archives[1].delete_all()
    await archives[1].purge_deleted()
    assert await has("p2").bring(file) == Brought(added=1)
    chat = await archives[0].read("one")
    assert chat is not None
    assert {chat.chat.model, chat.messages[1].model} == {"p2/m"}
    assert (chat.chat.draft, chat.options.system, chat.messages[0]) == ("and", "Be short", SAID[0])


def broken(change: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], bytes]:
    """The file with a change."""

    def made(whole: dict[str, Any]) -> bytes:
        change(whole)
        return json.dumps(whole).encode()

    return made


async def test_a_file_is_read_in_any_layout_and_never_when_it_is_cut(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    await archives[0].add([archived(), replace(archived(id="two"), messages=()), archived(id="three", title="\u2028")])
    await Archiving(archives[0], nobody).export(file)
    data = file.read_bytes()
    whole = json.loads(data)
    assert len(data.splitlines()) > 10
    for layout in (
        json.dumps(whole),
        json.dumps(whole, indent=1),
        data.decode().replace("]}\n", "]\n}\n"),
        data.decode(),
    ):
        assert loaded(layout) == whole
        assert parsed(layout.encode()) == parsed(data)
    for end in range(len(data) - 2):
        with pytest.raises(ConchError, match="no JSON"):
            parsed(data[:end])
    lines = data.splitlines(keepends=True)
    for at, line in enumerate(lines[:-1]):
        if line.endswith(b",\n"):
            with pytest.raises(ConchError, match="no JSON"):
                parsed(b"".join([*lines[:at], line[:-2] + b"\n", *lines[at + 1 :]]))


MESSAGE = ("chats", 0, "messages", 1)


def put(value: object, *path: str | int) -> Callable[[dict[str, Any]], bytes]:
    """The file with another value at this place."""

    def change(whole: dict[str, Any]) -> None:
        inside: Any = whole
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = value

    return broken(change)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda whole: json.dumps(whole).encode()[:-20], "no JSON, or it is cut off"),
        (lambda _: b"\xff\xfe", "no JSON"),
        (lambda _: b"[" * 100_000, "no JSON"),
        (lambda _: b"[1]", "no chats that this program exported"),
        (put("conch-desktop memories", "kind"), "no chats that this program exported"),
        (put(2, "version"), "A newer version of Conch Desktop wrote this file"),
        (put("1", "version"), "version must be 1"),
        (put(None, "chats"), "chats must be a list"),
        (put(3, *MESSAGE, "mode"), r"chats\[0\].messages\[1\].mode must be a text"),
        (put("third", *MESSAGE, "role"), "role must be one of user, assistant"),
        (put(1, *MESSAGE, "colour"), "colour is no field of this format"),
        (put({"kind": "song"}, *MESSAGE, "parts", 0), "kind must be one of text, reasoning"),
        (put({"kind": "text"}, *MESSAGE, "parts", 0), "text is missing"),
        (put(True, *MESSAGE, "created"), "created must be a number"),
        (put(float("nan"), *MESSAGE, "created"), "created must be a number"),
        (put("1", *MESSAGE, "id"), "missing or there twice"),
        (put("", "chats", 0, "chat", "id"), "missing or there twice"),
        (put("AAAA", "chats", 0, "messages", 0, "parts", 0, "picture", "data"), "a picture in"),
        (put("!", "chats", 0, "messages", 0, "parts", 0, "picture", "data"), "bytes in base64"),
        (put([1], *MESSAGE, "parts", 0, "mends"), "must be an object"),
        (put(2**70, *MESSAGE, "parts", 0, "step"), "too large"),
    ],
)
async def test_a_file_that_cannot_be_used_is_told_and_changes_nothing(
    archives: Books, tmp_path: Path, made: Callable[[dict[str, Any]], bytes], words: str
) -> None:
    file = tmp_path / "chats.json"
    archiving = Archiving(archives[0], nobody)
    await archives[0].add([archived()])
    await archiving.export(file)
    await archives[1].delete_all()
    await archives[1].purge_deleted()
    whole = json.loads(file.read_text("utf-8"))
    whole["chats"].insert(0, json.loads(json.dumps(whole["chats"][0])) | {"chat": {"id": "before"}})
    whole["chats"].reverse()
    file.write_bytes(made(whole))
    with pytest.raises(ConchError, match=words) as told:
        await archiving.bring(file)
    assert "Nothing was changed." in str(told.value)
    assert await archives[0].ids() == []


async def test_an_export_that_fails_leaves_the_file_of_before(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    file.write_text("what was there")

    class Failing(Archives):
        async def read(self, chat_id: str) -> ArchivedChat | None:
            raise OSError(28, "No space left on device")

    await archives[0].add([archived()])
    with pytest.raises(ConchError, match=r"chats.json could not be written: No space left"):
        await Archiving(Failing(archives[0]._database), nobody).export(file)
    assert file.read_text() == "what was there"
    assert [one.name for one in tmp_path.iterdir() if "json" in one.name] == ["chats.json"]


async def test_no_key_is_in_an_export(tmp_path: Path) -> None:
    program = await Program.open(tmp_path)
    try:
        provider, _ = await program.add_provider("openai", "Pier", "http://127.0.0.1:9/v1", "sk-very-secret-1234")
        chat = await program.chats.create(model=f"{provider.id}/m")
        await program.chats.put(chat.id, SAID[1])
        await program.archiving.export(tmp_path / "chats.json")
    finally:
        await program.aclose()
    text = (tmp_path / "chats.json").read_text("utf-8")
    assert "Noted." in text
    assert "secret" not in text


async def test_an_answer_that_streams_is_exported_as_one_that_broke_off(archives: Books, tmp_path: Path) -> None:
    file = tmp_path / "chats.json"
    running = replace(SAID[1], state="streaming", parts=(replace(CALL, state="running"),))
    await archives[0].add([replace(archived(), messages=(running,))])
    await Archiving(archives[0], nobody).export(file)
    message = json.loads(file.read_text("utf-8"))["chats"][0]["messages"][0]
    assert (message["state"], message["parts"][0]["state"]) == ("interrupted", "unknown")
