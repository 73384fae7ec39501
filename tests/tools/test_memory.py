"""Memory: one fact each, by number."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from conch_desktop.calls.read import read_call
from conch_desktop.domain.clock import SystemClock
from conch_desktop.domain.tools import ToolContext
from conch_desktop.domain.undo import Undo
from conch_desktop.store.database import Database
from conch_desktop.store.memories import Memories
from conch_desktop.tools.memory import memory_tools, take_back
from conch_desktop.tools.toolbox import Toolbox

CONTEXT = ToolContext("chat-1", "call-1")


@pytest.fixture
async def memories(tmp_path: Path) -> AsyncIterator[Memories]:
    database = await Database.open(tmp_path / "conch.sqlite3", SystemClock())
    yield Memories(database, SystemClock())
    await database.aclose()


class NoUndos:
    """Undos nobody keeps."""

    def __init__(self) -> None:
        self.kept: list[Undo] = []

    async def keep(self, undo: Undo) -> None:
        self.kept.append(undo)

    async def forget(self, call: str) -> None:
        self.kept = [undo for undo in self.kept if undo.call != call]


async def test_a_fact_is_remembered_recalled_and_forgotten(memories: Memories) -> None:
    box = Toolbox(memory_tools(memories, NoUndos()))
    remember, recall, forget = box.tools
    said = await remember.run({"content": "Ana gets seasick"}, CONTEXT)
    (kept,) = await memories.all()
    assert (kept.content, kept.source) == ("Ana gets seasick", "chat-1")
    assert f"number {kept.id}" in said.text
    await remember.run({"content": "Takes the 07:40 ferry"}, CONTEXT)
    assert (await recall.run({"about": "ana"}, CONTEXT)).text == f"{kept.id}. Ana gets seasick"
    assert len((await recall.run({}, CONTEXT)).text.splitlines()) == 2
    assert (await recall.run({"about": "submarine"}, CONTEXT)).text == "Nothing is remembered about that."
    assert not (await forget.run({"number": kept.id}, CONTEXT)).is_error
    assert (await forget.run({"number": kept.id}, CONTEXT)).is_error
    assert [memory.content for memory in await memories.all()] == ["Takes the 07:40 ferry"]


async def test_a_save_and_a_deletion_can_be_taken_back(memories: Memories) -> None:
    undos = NoUndos()
    remember, _, forget = memory_tools(memories, undos)
    await remember.run({"content": "Likes  tea\n"}, CONTEXT)
    await remember.run({"content": "Likes tea"}, ToolContext("chat-1", "call-2"))
    (saved,) = undos.kept  # what was there already is not taken away with the second save
    (fact,) = await memories.all()
    assert await take_back(memories, saved) == "No longer remembered: Likes tea"
    assert await take_back(memories, saved) == "It was forgotten already."
    assert await memories.all() == []
    await memories.put_back(fact)
    await forget.run({"number": fact.id}, CONTEXT)
    await take_back(memories, undos.kept[-1])
    assert await memories.all() == [fact]
    assert await memories.search("tea") == [fact]


@pytest.mark.parametrize(
    ("tool", "raw", "fits"),
    [
        ("remember", '{"content": "a"}', True),
        ("remember", '{"content": ""}', False),
        ("remember", "{}", False),
        ("recall", "{}", True),
        ("forget", '{"number": "two"}', False),
        ("forget", '{"number": true}', False),
    ],
)
def test_arguments_are_checked(tool: str, raw: str, fits: bool) -> None:
    found = Toolbox(memory_tools(NoBook(), NoUndos())).find(tool)
    assert found is not None
    assert read_call(raw, found).ok is fits


def test_a_toolbox_names_the_nearest_tool_and_refuses_doubles() -> None:
    tools = memory_tools(NoBook(), NoUndos())
    assert Toolbox(tools).nearest("remembr") == "remember"
    assert Toolbox(tools).nearest("zzz") == ""
    assert Toolbox(tools).without(["memory"]).tools == ()
    assert Toolbox(tools).only(["memory"]).names == ("remember", "recall", "forget")
    with pytest.raises(ValueError, match="same name"):
        Toolbox([*tools, tools[0]])


class NoBook(Memories):
    """A book nobody writes in."""

    def __init__(self) -> None:
        pass
