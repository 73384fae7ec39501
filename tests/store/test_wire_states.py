"""What wires keep of chats: one text for each chat, provider and address; it goes with the chat and the provider."""

from __future__ import annotations

import pytest

from conch_desktop.domain.models import Provider
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.providers import Providers
from conch_desktop.store.wire_states import WireStates
from tests.store.conftest import count

HERE = ("pier", "http://127.0.0.1")


@pytest.fixture
def states(database: Database) -> WireStates:
    return WireStates(database)


async def test_a_state_comes_back_as_it_was_kept_and_a_new_one_takes_its_place(
    states: WireStates, chats: Chats, database: Database
) -> None:
    chat = (await chats.create()).id
    assert await states.read(chat, *HERE) == ""
    for value in ("one", "half \ud83d \x00"):
        await states.write(chat, *HERE, value)
        assert await states.read(chat, *HERE) == value
    assert await count(database, "wire_state") == 1
    await states.write(chat, *HERE, "")
    assert await count(database, "wire_state") == 0


async def test_chats_providers_and_addresses_have_their_own(states: WireStates, chats: Chats) -> None:
    one, other = [(await chats.create()).id for _ in range(2)]
    places = [(one, *HERE), (other, *HERE), (one, "quay", HERE[1]), (one, HERE[0], "http://localhost")]
    for number, place in enumerate(places):
        await states.write(*place, str(number))
    assert [await states.read(*place) for place in places] == ["0", "1", "2", "3"]


async def test_a_state_goes_with_its_chat(states: WireStates, chats: Chats, database: Database) -> None:
    one, other = [(await chats.create()).id for _ in range(2)]
    for chat in (one, other, "never there"):
        await states.write(chat, *HERE, chat)
    await chats.delete(one)
    assert await states.read(one, *HERE) == one, "it can still be brought back"
    await chats.purge_deleted()
    assert await count(database, "wire_state") == 1
    assert await states.read(other, *HERE) == other


@pytest.mark.parametrize("with_provider", [True, False], ids=["removed", "another key"])
async def test_a_state_goes_with_its_provider(
    states: WireStates, chats: Chats, database: Database, with_provider: bool
) -> None:
    chat = (await chats.create()).id
    providers = Providers(database)
    for name in ("pier", "quay"):
        await providers.add(Provider(name, "conol", name))
        await states.write(chat, name, HERE[1], name)
    await (providers.remove("pier") if with_provider else states.forget("pier"))
    assert await states.read(chat, *HERE) == ""
    assert await states.read(chat, "quay", HERE[1]) == "quay"
    assert len(await providers.all()) == (1 if with_provider else 2)
