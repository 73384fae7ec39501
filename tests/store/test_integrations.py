"""Integrations come back as they were added, without their secrets; switches follow their chat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.integrations import Definition, Integration, PinnedTool
from conch_desktop.store.chats import Chats
from conch_desktop.store.database import Database
from conch_desktop.store.integrations import IntegrationRows
from tests.store.conftest import count

HARBOUR = Integration(
    "one",
    Definition(
        "Harbour",
        "stdio",
        command="npx",
        args=("-y", "harbour", "half \ud83d"),
        env={"BERTH": "seven", "TOKEN": "•••"},
        cwd="/tmp",
        call_limit=5,
        start_limit=7.5,
        secrets=frozenset({"env/TOKEN"}),
    ),
)
PIER = Integration("two", Definition("Pier", "http", url="https://pier.example/mcp", headers={"X": "•••"}), is_on=False)


@pytest.fixture
async def rows(database: Database) -> IntegrationRows:
    rows = IntegrationRows(database)
    for integration in (HARBOUR, PIER):
        await rows.add(integration)
    return rows


async def test_what_was_added_comes_back_in_order(rows: IntegrationRows) -> None:
    assert await rows.all() == [HARBOUR, PIER]


async def test_a_change_replaces_and_what_is_gone_can_not_be_changed(rows: IntegrationRows) -> None:
    changed = replace(PIER, is_on=True)
    await rows.update(changed)
    assert await rows.all() == [HARBOUR, changed]
    with pytest.raises(StoreError, match="no longer there"):
        await rows.update(replace(PIER, id="three"))


async def test_tools_are_remembered_exactly(rows: IntegrationRows) -> None:
    tools = [PinnedTool("echo", "d1"), PinnedTool("half \ud83d", "d2", is_on=False, definition="{\ud83d}")]
    await rows.pin("one", [PinnedTool("gone", "d0")])
    await rows.pin("one", tools)
    assert await rows.pinned("one") == {tool.tool: tool for tool in tools}
    assert await rows.pinned("two") == {}


async def test_a_chat_switches_for_itself_until_it_follows_again(rows: IntegrationRows, chats: Chats) -> None:
    chat, other = await chats.create(), await chats.create()
    await rows.switch(chat.id, "one", "echo", False)
    await rows.switch(chat.id, "one", "echo", True)
    await rows.switch(chat.id, "two", "", False)
    assert await rows.switches(chat.id) == {("one", "echo"): True, ("two", ""): False}
    assert await rows.switches(other.id) == {}
    await rows.switch(chat.id, "two", "", None)
    assert await rows.switches(chat.id) == {("one", "echo"): True}


async def test_removing_takes_everything_along(rows: IntegrationRows, chats: Chats, database: Database) -> None:
    chat = await chats.create()
    await rows.pin("one", [PinnedTool("echo", "d1")])
    await rows.switch(chat.id, "one", "echo", False)
    await rows.remove("one")
    assert await rows.all() == [PIER]
    assert await count(database, "integration_tools") == 0
    assert await count(database, "chat_switches") == 0
