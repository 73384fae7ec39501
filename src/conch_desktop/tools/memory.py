"""Memory: `remember`, `recall` and `forget`, one fact each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Protocol

from conch_desktop.domain.calls import Json
from conch_desktop.domain.memories import Memory
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer, object_schema, text_schema
from conch_desktop.domain.undo import Undo

UNDO = "memory"
"""The kind of what is kept to take a save or a deletion back."""

_FOUND_AT_MOST = 20


class MemoryBook(Protocol):
    """Where memories are kept."""

    async def add(self, content: str, source: str = "") -> Memory: ...

    async def search(self, words: str, limit: int = 10) -> list[Memory]: ...

    async def holds(self, content: str) -> bool: ...

    async def remove(self, memory_id: int) -> Memory | None: ...

    async def put_back(self, memory: Memory) -> None: ...


class UndoBook(Protocol):
    """Where is kept how a call can be taken back."""

    async def keep(self, undo: Undo) -> None: ...


async def take_back(book: MemoryBook, undo: Undo) -> str:
    """Takes a save or a deletion back; a sentence about it."""
    if "added" in undo.what:
        gone = await book.remove(undo.what["added"])
        return f"No longer remembered: {gone.content}" if gone is not None else "It was forgotten already."
    memory = Memory(**undo.what["removed"])
    await book.put_back(memory)
    return f"Remembered again: {memory.content}"


def memory_tools(book: MemoryBook, undos: UndoBook) -> tuple[Tool, ...]:
    """The three tools of memory, over `book`."""

    async def remember(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        content = " ".join(args["content"].split())
        if not content:
            return answer("There is nothing to remember in that.", is_error=True)
        known = await book.holds(content)
        memory = await book.add(content, context.chat)
        if not known:
            await undos.keep(Undo(context.call, UNDO, {"added": memory.id}))
        return answer(f"Remembered as number {memory.id}: {memory.content}")

    async def recall(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        found = await book.search(args.get("about", ""), _FOUND_AT_MOST)
        return answer(_listed(found) if found else "Nothing is remembered about that.")

    async def forget(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        memory = await book.remove(args["number"])
        if memory is None:
            return answer(f"There is no memory with the number {args['number']}.", is_error=True)
        await undos.keep(Undo(context.call, UNDO, {"removed": asdict(memory)}))
        return answer(f"Forgot number {memory.id}: {memory.content}")

    return (
        Tool(
            "remember",
            "Save one fact about the person, or one they asked to be remembered, for all later chats.",
            object_schema({"content": text_schema("The fact, in one short sentence.", least=1)}, "content"),
            "write",
            remember,
            group="memory",
            title="remember “{content}”",
        ),
        Tool(
            "recall",
            "Look up what was remembered. Without words it lists the newest facts.",
            object_schema({"about": text_schema("Words to look for.")}),
            "read",
            recall,
            group="memory",
            title="look up “{about}” in memory",
        ),
        Tool(
            "forget",
            "Delete one remembered fact by its number, as recall lists it.",
            object_schema({"number": {"type": "integer", "description": "The number of the fact."}}, "number"),
            "write",
            forget,
            group="memory",
            title="forget memory number {number}",
        ),
    )


def _listed(memories: Sequence[Memory]) -> str:
    return "\n".join(f"{memory.id}. {memory.content}" for memory in memories)
