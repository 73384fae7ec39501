"""One integration as it is held while the program runs, and what people are shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conch_desktop.domain.integrations import (
    Definition,
    Integration,
    LastCall,
    LeftOut,
    ListedTool,
    PinnedTool,
    ServerState,
    what_changed,
)
from conch_desktop.domain.tokens import estimate
from conch_desktop.domain.tools import Effect
from conch_desktop.tools.mcp.listing import Listing
from conch_desktop.tools.mcp.offering import Key, effect_of
from conch_desktop.tools.mcp.server import Server

MOVED = "its server’s command or address changed"


@dataclass(frozen=True, slots=True)
class ToolView:
    """A tool as the settings page lists it. `name` is what it is offered as, `label` the server's own name.

    `changed` says what is not as the person accepted it; `before` and `now` are then its definitions as JSON, `before`
    "" where it is not known. `tokens` is an estimate of what its definition takes in a request.
    """

    name: str
    label: str
    title: str
    description: str
    effect: Effect
    is_on: bool
    changed: str = ""
    before: str = ""
    now: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class IntegrationView:
    """An integration as the settings page shows it. The definition holds no secrets.

    `why` and `advice` say what is wrong when it failed; `left_out` are tools that can't be used; `log` has lines with
    their times; `saved` is False for one of this run only. `since` is when the state began. Times are in seconds since
    1970. `signing_in`: the person is waited for in their browser. `looked_in` are the folders its command is not in.
    `lost` are the tools it had when it ran last and has not now, by the server's own names.
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
    log: tuple[tuple[float, str], ...] = ()
    saved: bool = True
    since: float = 0.0
    last_call: LastCall | None = None
    signed_in: bool = False
    signing_in: bool = False
    looked_in: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


@dataclass(slots=True)
class Held:
    """What is known of one integration in this run.

    `changed` are tools that are not as they were accepted, in words; `moved` those whose server is reached otherwise.
    `resting`: it was not started, because apps do not start with the program.
    """

    integration: Integration
    pinned: dict[str, PinnedTool]
    saved: bool
    secrets: Mapping[str, str] | None = None
    server: Server | None = None
    changed: dict[str, str] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)
    tokens: dict[str, int] = field(default_factory=dict)
    noted: Listing | None = None
    resting: bool = False

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
        """What of a tool is not as the person accepted it, in words."""
        return ", and ".join(filter(None, (self.changed.get(tool, ""), MOVED if tool in self.moved else "")))

    def note(self) -> bool:
        """Takes in what the server lists now; whether that is anything new to remember.

        A tool that changed stays remembered as it was until the person accepts it as it is.
        """
        listing = self.server.listing if self.server is not None else None
        if not self.listed or listing is self.noted:
            return False
        self.noted, self.changed = listing, {}
        self.tokens = {tool.name: estimate(tool.definition) for tool in self.listed}
        seen: dict[str, PinnedTool] = {}
        for tool in self.listed:
            before = self.pinned.get(tool.name)
            if before is not None and before.digest and (what := what_changed(before.digest, tool.digest)):
                self.changed[tool.name] = f"{what} since you accepted it"
                seen[tool.name] = before
            else:
                seen[tool.name] = self._pinned_now(tool)
        off = {name: tool for name, tool in self.pinned.items() if name not in seen and not tool.is_on}
        before_this, self.pinned = self.pinned, {**off, **seen}
        return self.pinned != before_this

    def accept(self, tool: str, seen: str) -> bool:
        """From now on the tool is remembered as it is now, if that is the definition that was seen; whether it is."""
        for listed in self.listed:
            if listed.name == tool and listed.definition == seen:
                self.pinned[tool] = self._pinned_now(listed)
                self.changed.pop(tool, None)
                self.moved.discard(tool)
                return True
        return False

    def _pinned_now(self, tool: ListedTool) -> PinnedTool:
        return PinnedTool(tool.name, tool.digest, self.is_on(tool.name), tool.definition)

    def missing(self) -> list[str]:
        """A sentence for each thing that is switched on and not there."""
        server, name = self.server, self.integration.name
        if not self.integration.is_on:
            return []
        if server is None and self.resting:
            return [f"{name} is not started, so its tools are missing."]
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
            state: ServerState = "off" if not integration.is_on else "stopped" if self.resting else "starting"
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
            server.log.timed,
            self.saved,
            server.since,
            server.last_call,
            server.signed_in,
            server.signing_in,
            server.looked_in,
            self.lost,
        )

    def _tool_view(self, tool: ListedTool, names: Mapping[Key, str]) -> ToolView:
        pinned, changed = self.pinned.get(tool.name), self.told_changed(tool.name)
        return ToolView(
            names.get(Key(self.integration.name, tool.name), tool.name),
            tool.name,
            tool.title,
            tool.description,
            effect_of(tool, self.integration.definition.kind),
            self.is_on(tool.name),
            changed,
            pinned.definition if changed and pinned is not None else "",
            tool.definition if changed else "",
            self.tokens.get(tool.name, 0),
        )
