"""What a person attaches, in the database: kept with its message or draft, found by its words, gone with them."""

from __future__ import annotations

from dataclasses import replace

from conch_desktop.domain.messages import Attached, FilePart, Message, PicturePart, TextPart
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from tests.store.conftest import count

PIER = PicturePart(PictureContent(b"pier", "image/png"), "north-pier.png")
RULES = FilePart("mooring-rules.pdf", "Nobody may lie at the north pier.", outside="the downloaded file")
MESSAGE = Message("m", "user", (PIER, RULES, TextPart("Compare.")))


async def test_a_picture_goes_with_the_last_thing_that_shows_it(chats: Chats, database: Database) -> None:
    first, second, third = [(await chats.create()).id for _ in range(3)]
    await chats.put(first, MESSAGE)
    await chats.put(second, MESSAGE)
    await chats.save_attached(third, [PIER])
    for chat, left in ((first, 1), (second, 1), (third, 0)):
        assert await count(database, "pictures") == 1
        await chats.delete(chat)
        await chats.purge_deleted()
        assert await count(database, "pictures") == left
    assert (await count(database, "attachments"), await count(database, "draft_attachments")) == (0, 0)


async def test_a_removed_message_takes_its_picture_along(chats: Chats, database: Database) -> None:
    chat = (await chats.create()).id
    await chats.put(chat, MESSAGE)
    await chats.remove_from(chat, "m")
    assert await count(database, "pictures") == 0


async def test_a_message_is_found_by_the_words_and_the_name_of_a_file(chats: Chats) -> None:
    chat = (await chats.create()).id
    await chats.put(chat, MESSAGE)
    for words in ("nobody lie", "mooring-rules", "north-pier.png", "compare"):
        assert [found.message for found in await chats.search(words)] == ["m"], words


async def test_another_file_in_the_place_of_one_is_written(chats: Chats) -> None:
    chat = (await chats.create()).id
    await chats.put(chat, MESSAGE)
    for part in (replace(RULES, text=RULES.text + " Ever."), replace(RULES, name="a"), PIER):
        changed = replace(MESSAGE, parts=(PIER, part, TextPart("Compare.")))
        await chats.put(chat, changed)
        assert await chats.messages(chat) == [changed]


async def test_a_draft_keeps_what_is_attached(chats: Chats, database: Database) -> None:
    chat = (await chats.create()).id
    steps: list[list[Attached]] = [[PIER, RULES, PIER], [RULES, PIER], [PIER], []]
    for kept in steps:
        await chats.save_attached(chat, kept)
        assert await chats.draft_attached(chat) == kept
    assert await count(database, "pictures") == 0
