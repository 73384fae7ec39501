"""Asks a server for its tools, page by page, within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conch_desktop.domain.integrations import LeftOut, ListedTool
from conch_desktop.tools.mcp.mending import Mender

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import Tool as ServerTool

MOST_TOOLS = 2_000
"""Tools of one server that are looked at."""

_MOST_PAGES = 100

INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]")
"""Characters nobody sees, in which instructions for a model can be hidden. The joiners of emoji are none of them."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a server, and what had to be left out."""

    tools: tuple[ListedTool, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


async def list_tools(session: ClientSession, mender: Mender) -> Listing:
    """The tools as they are now. A server without a list has none. Raises the library's errors."""
    from mcp import MCPError
    from mcp.types import METHOD_NOT_FOUND, PaginatedRequestParams

    mender.begin_list()
    tools: list[ListedTool] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_MOST_PAGES):
        try:
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor) if cursor else None)
        except MCPError as error:
            if error.error.code == METHOD_NOT_FOUND and not tools:
                break
            raise
        tools += [_listed(tool) for tool in page.tools]
        cursor = page.next_cursor
        if not cursor or cursor in seen or len(tools) >= MOST_TOOLS:
            break
        seen.add(cursor)
    return Listing(tuple(tools[:MOST_TOOLS]), (*mender.left_out, *_too_many(tools)))


def _too_many(tools: Sequence[ListedTool]) -> list[LeftOut]:
    if len(tools) <= MOST_TOOLS:
        return []
    return [LeftOut("", f"The server lists more than {MOST_TOOLS:,} tools; the first {MOST_TOOLS:,} are used.")]


def _listed(tool: ServerTool) -> ListedTool:
    hints = tool.annotations
    title = tool.title or (hints.title if hints else None) or ""
    return ListedTool(
        tool.name,
        INVISIBLE.sub("", title),
        INVISIBLE.sub("", tool.description or ""),
        tool.input_schema,
        reads=bool(hints and hints.read_only_hint),
        inside=bool(hints and hints.open_world_hint is False),
    )
