"""One integration as it is held while the program runs, and what people are shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conch_desktop.domain.integrations import (
    Definition,
    Integration,
    LeftOut,
    ListedTool,
    PinnedTool,
    ServerState,
    what_changed,
)
from conch_desktop.domain.tools import Effect
from conch_desktop.tools.mcp.offering import Key, effect_of
from conch_desktop.tools.mcp.server import Server

MOVED = "its server’s command or address changed"


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as the settings page lists it. `name` is what it is offered as, `label` the server's own name."""

    name: str
    label: str
    title: str
    description: str
    effect: Effect
    is_on: bool
    changed: str = ""


@dataclass(frozen=True, slots=True)
class IntegrationView:
    """An integration as the settings page shows it. The definition holds no secrets.

    `why` and `advice` say what is wrong when it failed; `left_out` are tools that can't be used; `saved` is False for
    one of this run only. `lost` are the tools it had when it ran last and has not now, by the server's own names.
    """

    id: str
    name: str
    definition: Definition
    state: ServerState
    why: str = ""
    advice: str = ""
    wants_sign_in: bool = False
    tools: tuple[ToolView, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    log: tuple[str, ...] = ()
    saved: bool = True
    lost: tuple[str, ...] = ()


@dataclass(slots=True)
class Held:
    """What is known of one integration in this run. `changed` are tools that are not as they were, in words."""

    integration: Integration
    pinned: dict[str, PinnedTool]
    saved: bool
    secrets: Mapping[str, str] | None = None
    server: Server | None = None
    changed: dict[str, str] = field(default_factory=dict)
    moved: bool = False

    @property
    def listed(self) -> tuple[ListedTool, ...]:
        """The tools the server lists while it runs."""
        return self.server.listing.tools if self.server is not None and self.server.state == "running" else ()

    def is_on(self, tool: str) -> bool:
        """Whether a tool is switched on."""
        return self.pinned[tool].is_on if tool in self.pinned else True

    @property
    def lost(self) -> tuple[str, ...]:
        """The tools that are switched on and were there when the server ran last; none while it runs."""
        running = self.server is not None and self.server.state == "running"
        return () if running else tuple(sorted(tool.tool for tool in self.pinned.values() if tool.is_on))

    def told_changed(self, tool: str) -> str:
        """What of a tool is not as it was when the person last saw it, in words."""
        return ", and ".join(filter(None, (self.changed.get(tool, ""), MOVED if self.moved else "")))

    def note(self) -> bool:
        """Takes in what the server lists now; whether that is anything new to remember."""
        if not self.listed:
            return False
        for tool in self.listed:
            before = self.pinned.get(tool.name)
            if before is not None and before.digest and (what := what_changed(before.digest, tool.digest)):
                self.changed[tool.name] = f"{what} since you last used it"
        seen = {tool.name: PinnedTool(tool.name, tool.digest, self.is_on(tool.name)) for tool in self.listed}
        off = {name: tool for name, tool in self.pinned.items() if name not in seen and not tool.is_on}
        before_this, self.pinned = self.pinned, {**off, **seen}
        return self.pinned != before_this

    def missing(self) -> list[str]:
        """A sentence for each thing that is switched on and not there."""
        server, name = self.server, self.integration.name
        if not self.integration.is_on:
            return []
        if server is None or server.state == "starting":
            return [f"{name} is still starting, so its tools are missing for now."]
        its_tools = f"its tools ({', '.join(self.lost)})" if self.lost else "its tools"
        told = [f"{out.name or 'A tool'} of {name} can’t be used: {out.why}" for out in server.listing.left_out]
        if server.state != "running":
            told = [f"{name} is not running, so {its_tools} are missing: {server.why or server.state}"]
        return told

    def view(self, names: Mapping[Key, str]) -> IntegrationView:
        """What the settings page shows. `names` are those under which tools are offered."""
        integration, server = self.integration, self.server
        if server is None:
            state: ServerState = "starting" if integration.is_on else "off"
            return IntegrationView(
                integration.id, integration.name, integration.definition, state, saved=self.saved, lost=self.lost
            )
        return IntegrationView(
            integration.id,
            integration.name,
            integration.definition,
            server.state if integration.is_on else "off",
            server.why,
            server.advice,
            server.wants_sign_in,
            tuple(self._tool_view(tool, names) for tool in self.listed),
            server.listing.left_out,
            server.log.lines,
            self.saved,
            self.lost,
        )

    def _tool_view(self, tool: ListedTool, names: Mapping[Key, str]) -> ToolView:
        return ToolView(
            names.get(Key(self.integration.name, tool.name), tool.name),
            tool.name,
            tool.title,
            tool.description,
            effect_of(tool, self.integration.definition.kind),
            self.is_on(tool.name),
            self.told_changed(tool.name),
        )
