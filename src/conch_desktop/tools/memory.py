"""Memory: `remember`, `recall` and `forget`, one fact each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from conch_desktop.domain.calls import Json
from conch_desktop.domain.memories import Memory
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer

LONGEST_FACT = 2_000
"""Characters of one fact: memory is for facts, not for documents."""

_FOUND_AT_MOST = 20


class MemoryBook(Protocol):
    """Where memories are kept."""

    async def add(self, content: str, source: str = "") -> Memory: ...

    async def search(self, words: str, limit: int = 10) -> list[Memory]: ...

    async def remove(self, memory_id: int) -> Memory | None: ...


def memory_tools(book: MemoryBook) -> tuple[Tool, ...]:
    """The three tools of memory, over `book`."""

    async def remember(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        memory = await book.add(args["content"], context.chat)
        return answer(f"Remembered as number {memory.id}: {memory.content}")

    async def recall(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        found = await book.search(args.get("about", ""), _FOUND_AT_MOST)
        return answer(_listed(found) if found else "Nothing is remembered about that.")

    async def forget(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        memory = await book.remove(args["number"])
        if memory is None:
            return answer(f"There is no memory with the number {args['number']}.", is_error=True)
        return answer(f"Forgot number {memory.id}: {memory.content}")

    return (
        Tool(
            "remember",
            "Save one fact about the person, or one they asked to be remembered, for all later chats.",
            _object({"content": _text("The fact, in one short sentence.", least=1)}, "content"),
            "write",
            remember,
            group="memory",
            title="remember “{content}”",
        ),
        Tool(
            "recall",
            "Look up what was remembered. Without words it lists the newest facts.",
            _object({"about": _text("Words to look for.")}),
            "read",
            recall,
            group="memory",
            title="look up “{about}” in memory",
        ),
        Tool(
            "forget",
            "Delete one remembered fact by its number, as recall lists it.",
            _object({"number": {"type": "integer", "description": "The number of the fact."}}, "number"),
            "write",
            forget,
            group="memory",
            title="forget memory number {number}",
        ),
    )


def _text(description: str, least: int = 0) -> Json:
    text = {"type": "string", "description": description, "maxLength": LONGEST_FACT}
    return {**text, "minLength": least} if least else text


def _object(properties: Mapping[str, Json], *required: str) -> Mapping[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _listed(memories: Sequence[Memory]) -> str:
    return "\n".join(f"{memory.id}. {memory.content}" for memory in memories)
