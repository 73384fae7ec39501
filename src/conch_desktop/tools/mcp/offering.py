"""Makes tools of what servers list: under names that fit every provider and are like none of our own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Integration, ListedTool, ServerKind, place_of
from conch_desktop.domain.tools import BUILTIN, Effect, Tool, ToolAnswer, ToolContext, answer
from conch_desktop.schemas.names import NAME_RULES, fit_name, fit_names
from conch_desktop.tools.mcp.server import Server

_RULE = NAME_RULES["strict"]


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """One tool of one integration, by the names both have for people."""

    integration: str
    tool: str


def fitted_names(keys: Iterable[Key], own: Collection[str]) -> dict[Key, str]:
    """The name each tool is offered under: its own, unless that is taken or does not fit.

    A name that two integrations have, or one of our tools (in whatever case), is given with its integration's name
    before it. The names depend on which tools there are and on nothing else, so they stay over restarts.
    """
    ordered = sorted(set(keys))
    shared = Counter(key.tool.casefold() for key in ordered) + Counter(name.casefold() for name in own)
    wanted = {key: key.tool if shared[key.tool.casefold()] == 1 else f"{key.integration}_{key.tool}" for key in ordered}
    fitted = fit_names([*own, *wanted.values()], _RULE)
    taken = set(own)
    names: dict[Key, str] = {}
    for key in ordered:
        name = fitted[wanted[key]]
        if name in taken:
            name = fit_name(f"{key.integration}\0{key.tool}", _RULE, taken)
        names[key] = name
        taken.add(name)
    return names


def effect_of(tool: ListedTool, kind: ServerKind) -> Effect:
    """What a call can change. A hint is only the server's word, so what it leaves unsaid counts as the worst."""
    if kind == "http" or not tool.inside:
        return "outside"
    return "read" if tool.reads else "write"


def make_tool(integration: Integration, listed: ListedTool, name: str, server: Server) -> Tool:
    """The tool as the toolbox holds it."""

    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        try:
            return await server.call(listed.name, args, context.progress)
        except IntegrationError as error:
            return answer(f"{integration.name}: {error}", is_error=True)

    return Tool(
        name,
        listed.description or listed.title,
        listed.schema,
        effect_of(listed, integration.definition.kind),
        run,
        source=integration.name,
        group=group_of(integration),
        limit=integration.definition.call_limit + integration.definition.start_limit,  # the server's own comes first
        pin=place_of(integration.definition),
        label=listed.name,
    )


def group_of(integration: Integration) -> str:
    """The group of an integration's tools: never that of tools of our own."""
    return f"app {integration.name}"


def free_name(name: str, taken: Collection[str]) -> str:
    """A name for an integration that no other has, and that is not the mark of our own tools."""
    name = " ".join(name.split())[:60] or "app"
    used = {BUILTIN, *(one.casefold() for one in taken)}
    number, free = 2, name
    while free.casefold() in used:
        free, number = f"{name} {number}", number + 1
    return free
