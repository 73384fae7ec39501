"""Mends what a server answers between the transport and the library's session.

The library checks a whole `tools/list` at once: one tool whose schema has no type costs all of them, and calls to the
good ones fail as well, because it lists again before it trusts an answer (`mcp` 2.3.0; seen with
@modelcontextprotocol/server-gitlab and mcp-obsidian). So each tool is mended alone, or taken out and named. Answers of
tools are carried past the library's models, which refuse a whole answer for one odd part of it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from conch_desktop.domain.calls import Json
from conch_desktop.domain.integrations import LeftOut

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

LARGEST_SCHEMA = 1_000_000
"""Characters of one schema as JSON; the largest of a real server has 88,000, and no provider takes this much."""

DEEPEST_SCHEMA = 100
"""Levels; the deepest of a real server has 13."""

LONGEST_DESCRIPTION = 16_000
"""Characters of one tool's description that are kept."""

RAW = "conch/raw"
"""Where a tool's answer as it came is carried in `_meta`, past the models of the library."""


@dataclass(slots=True)
class Mender:
    """Remembers which request asked for what, and mends the answers. `left_out` is what the last listing lost."""

    left_out: list[LeftOut] = field(default_factory=list)
    _asked: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def begin_list(self) -> None:
        """A listing begins anew."""
        self.left_out = []
        self._seen = set()

    def note(self, message: Any) -> None:
        """Takes in a message that is sent."""
        method, request = getattr(message, "method", ""), getattr(message, "id", None)
        if request is not None and method in {"tools/list", "tools/call"}:
            self._asked[str(request)] = method

    async def mend(self, message: Any) -> None:
        """Mends an answer in place."""
        result = getattr(message, "result", None)
        method = self._asked.pop(str(getattr(message, "id", None)), "")
        if not isinstance(result, dict):
            return
        if method == "tools/list":
            message.result = await asyncio.to_thread(self.listing, result)
        elif method == "tools/call" and result.get("resultType", "complete") == "complete":
            message.result = carried(result)

    def listing(self, result: dict[str, Any]) -> dict[str, Any]:
        """The answer to `tools/list` with each tool mended; what can't be is taken out and noted."""
        tools = result.get("tools")
        if not isinstance(tools, list):
            self.left_out.append(LeftOut("", "The server’s list of tools is no list."))
            tools = []
        kept = [tool for raw in tools if (tool := self._tool(raw)) is not None]
        mended = {**result, "tools": kept}
        if not isinstance(mended.get("nextCursor", ""), str):
            del mended["nextCursor"]
        if not isinstance(mended.get("_meta", {}), dict):
            del mended["_meta"]
        return mended

    def _tool(self, raw: Json) -> dict[str, Any] | None:
        name = raw.get("name") if isinstance(raw, dict) else None
        if not isinstance(name, str) or not name.strip():
            self.left_out.append(LeftOut("", "A tool without a name."))
            return None
        if name in self._seen:
            self.left_out.append(LeftOut(name, "The server lists this name twice; the first is used."))
            return None
        self._seen.add(name)
        schema = mended_root(raw.get("inputSchema"))
        if isinstance(schema, str):
            self.left_out.append(LeftOut(name, schema))
            return None
        tool: dict[str, Any] = {"name": name, "inputSchema": schema}
        if isinstance(raw.get("description"), str):
            tool["description"] = raw["description"][:LONGEST_DESCRIPTION]
        if isinstance(raw.get("title"), str):
            tool["title"] = raw["title"][:LONGEST_DESCRIPTION]
        annotations = raw.get("annotations")
        if isinstance(annotations, dict):
            tool["annotations"] = {key: value for key, value in annotations.items() if _FITS.get(key, _never)(value)}
        return tool  # without `outputSchema`: an answer that does not fit it is an answer all the same


def _is_switch(value: Json) -> bool:
    return isinstance(value, bool)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _never(value: Json) -> bool:
    return False


_FITS: dict[str, Callable[[Json], bool]] = {
    "title": _is_text,
    "readOnlyHint": _is_switch,
    "destructiveHint": _is_switch,
    "idempotentHint": _is_switch,
    "openWorldHint": _is_switch,
}


def mended_root(schema: Json) -> dict[str, Any] | str:
    """A schema whose root is an object as MCP demands, or why it is beyond help."""
    if schema is None or schema is True:
        return {"type": "object", "properties": {}}
    if not isinstance(schema, dict):
        return "Its schema is no schema."
    kind = schema.get("type", "object")
    if isinstance(kind, list) and "object" in kind:
        kind = "object"
    if kind != "object":
        return f"Its arguments are no object: its schema asks for {json.dumps(kind)[:60]}."
    if next((True for depth in _depths(schema) if depth > DEEPEST_SCHEMA), False):
        return f"Its schema is nested more than {DEEPEST_SCHEMA} levels deep."
    size = len(json.dumps(schema, ensure_ascii=False))
    if size > LARGEST_SCHEMA:
        return f"Its schema has {size:,} characters; {LARGEST_SCHEMA:,} are taken at most."
    properties = schema.get("properties", {})
    mended = {**schema, "type": "object"}
    if not isinstance(properties, dict):
        return "The properties of its schema are no table."
    required = schema.get("required", [])
    if not (isinstance(required, list) and all(isinstance(name, str) for name in required)):
        mended.pop("required")  # draft 3 wrote true and false here
    return mended


def _depths(value: Json) -> Iterator[int]:
    rest: list[tuple[Json, int]] = [(value, 1)]
    while rest:
        node, depth = rest.pop()
        yield depth
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        rest += [(item, depth + 1) for item in inner if isinstance(item, dict | list)]


def carried(result: dict[str, Any]) -> dict[str, Any]:
    """A tool's answer with everything in `_meta`, where the library looks at nothing."""
    about = {"resultType": result["resultType"]} if "resultType" in result else {}
    return {"content": [], "isError": False, "_meta": {RAW: result}, **about}


class MendedRead:
    """The library's side of a read stream; `on_end` is called when nothing more can come."""

    def __init__(
        self, inner: ReadStream[SessionMessage | Exception], mender: Mender, on_end: Callable[[], None]
    ) -> None:
        self._inner = inner
        self._mender = mender
        self._on_end = on_end

    async def receive(self) -> SessionMessage | Exception:
        """The next message, mended."""
        import anyio

        try:
            item = await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._on_end()
            raise
        if not isinstance(item, Exception):
            await self._mender.mend(item.message)
        return item

    @property
    def last_context(self) -> Any:
        """What the library reads for its tracing."""
        return getattr(self._inner, "last_context", None)

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class NotedWrite:
    """The library's side of a write stream: what is asked is noted."""

    def __init__(self, inner: WriteStream[SessionMessage], mender: Mender) -> None:
        self._inner = inner
        self._mender = mender

    async def send(self, item: SessionMessage, /) -> None:
        """Sends a message."""
        self._mender.note(item.message)
        await self._inner.send(item)

    async def aclose(self) -> None:
        """Closes the stream."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
