"""The person's integrations: which there are, how they are, what they offer. Nothing here waits for a server to start.

Servers given for one run only (`ask --mcp FILE`) are kept here and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import uuid
import webbrowser
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Protocol, TypeAlias

from conch_desktop.domain.clock import Clock, SystemClock
from conch_desktop.domain.errors import ConchError, UsageError
from conch_desktop.domain.integrations import (
    Definition,
    Integration,
    PinnedTool,
    place_of,
)
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.held import Held, IntegrationView
from conch_desktop.tools.mcp.commands import Paths
from conch_desktop.tools.mcp.hiding import joined, split
from conch_desktop.tools.mcp.offering import Key, fitted_names, free_name, make_tool
from conch_desktop.tools.mcp.reading import FoundServer
from conch_desktop.tools.mcp.server import Server, Workshop
from conch_desktop.tools.mcp.sign_in import Opener

Switches: TypeAlias = Mapping[tuple[str, str], bool]
"""What one chat switches for itself, by integration and tool; "" is the whole integration."""


class Rows(Protocol):
    """Where integrations are kept."""

    async def all(self) -> list[Integration]: ...

    async def add(self, integration: Integration) -> None: ...

    async def update(self, integration: Integration) -> None: ...

    async def remove(self, integration_id: str) -> None: ...

    async def pinned(self, integration_id: str) -> dict[str, PinnedTool]: ...

    async def pin(self, integration_id: str, tools: Iterable[PinnedTool]) -> None: ...

    async def switches(self, chat_id: str) -> dict[tuple[str, str], bool]: ...

    async def switch(self, chat_id: str, integration_id: str, tool: str, is_on: bool | None) -> None: ...


class Keys(Protocol):
    """The key store."""

    async def read(self, account: str) -> str | None: ...

    async def keep(self, account: str, key: str, /) -> object: ...

    async def remove(self, account: str, /) -> None: ...


async def open_browser(address: str) -> None:
    """Opens an address in the person's browser."""
    await asyncio.to_thread(webbrowser.open, address)


class Integrations:
    """All integrations. `own_names` are those of the program's own tools, which no integration's tool ever has."""

    def __init__(
        self, rows: Rows, keys: Keys, own_names: Callable[[], Collection[str]], clock: Clock | None = None
    ) -> None:
        self._rows = rows
        self._keys = keys
        self._own_names = own_names
        self._workshop = Workshop(Paths(), keys, clock or SystemClock())
        self._held: dict[str, Held] = {}
        self._listeners: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def load(self) -> None:
        """Reads what the person added; starts nothing."""
        for integration in await self._rows.all():
            pinned = await self._rows.pinned(integration.id)
            self._held[integration.id] = Held(integration, pinned, saved=True)

    def start(self) -> None:
        """Starts everything that is switched on, behind what the person does."""
        for held in self._held.values():
            if held.integration.is_on and held.server is None:
                self._later(self._start(held))

    def rest(self) -> None:
        """Starts nothing: each waits until the person starts it."""
        for held in self._held.values():
            held.resting = held.integration.is_on and held.server is None

    async def settled(self) -> None:
        """Waits until it is known of each server whether it started."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        for held in tuple(self._held.values()):
            if held.server is not None and held.server.state == "starting":
                await held.server.settled()

    async def aclose(self) -> None:
        """Ends every server."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        servers = [held.server for held in self._held.values() if held.server is not None]
        self._listeners.clear()
        await asyncio.gather(*(server.stop() for server in servers))

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each change of any integration; call what comes back to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # What there is --------------------------------------------------------------------------------------------------

    def all(self) -> list[IntegrationView]:
        """Every integration with its state and tools."""
        names = self._names()
        return [held.view(names) for held in self._held.values()]

    def missing(self) -> list[str]:
        """A sentence for each integration that is switched on and whose tools are not there, or not all of them."""
        return [words for held in self._held.values() for words in held.missing()]

    def labels(self) -> dict[tuple[str, str], str]:
        """The servers' own names of all tools that are known, by integration and the name models are given."""
        return {(key.integration, name): key.tool for key, name in self._names().items()}

    async def switches(self, chat_id: str) -> Switches:
        """What a chat switches on or off for itself."""
        return await self._rows.switches(chat_id)

    def tools(self, switches: Switches | None = None) -> list[Tool]:
        """The tools of servers that run, as far as they are switched on. A turn keeps them as they are."""
        switches = switches or {}
        names = self._names()
        found: list[Tool] = []
        for held in self._held.values():
            whole = switches.get((held.integration.id, ""), held.integration.is_on)
            server = held.server
            for tool in held.listed if whole else ():
                if server is not None and switches.get((held.integration.id, tool.name), held.is_on(tool.name)):
                    key = Key(held.integration.name, tool.name)
                    found.append(make_tool(held.integration, tool, names[key], server))
        return found

    # What the person does -------------------------------------------------------------------------------------------

    async def add(self, definition: Definition, *, is_on: bool = True) -> str:
        """Adds a server and starts it; its id. Secrets go to the key store. Raises `UsageError` for an empty one."""
        public, secrets = split(_checked(definition))
        public = replace(public, name=free_name(public.name, self._taken()))
        integration = Integration(uuid.uuid4().hex, public, is_on)
        if secrets:
            await self._keys.keep(_account(integration.id), json.dumps(secrets))
        await self._rows.add(integration)
        self._hold(Held(integration, {}, saved=True, secrets=secrets))
        return integration.id

    async def add_found(self, servers: Iterable[FoundServer]) -> list[str]:
        """Adds servers of a file, without those that are there already; the ids of the new ones."""
        there = {place_of(held.integration.definition) for held in self._held.values() if held.saved}
        added: list[str] = []
        for found in servers:
            place = place_of(split(found.definition)[0])
            if not found.why and place not in there:
                there.add(place)
                added.append(await self.add(found.definition, is_on=found.is_on))
        return added

    def use(self, definition: Definition) -> str:
        """Adds a server for this run only; its id. Nothing of it is kept."""
        public, secrets = split(_checked(definition))
        public = replace(public, name=free_name(public.name, self._taken()))
        integration = Integration(f"run-{uuid.uuid4().hex}", public)
        self._hold(Held(integration, {}, saved=False, secrets=secrets))
        return integration.id

    async def change(self, integration_id: str, definition: Definition) -> None:
        """Changes how a server is reached, and starts it anew. A value that is left hidden stays the secret it was."""
        held = self._get(integration_id)
        before = held.integration.definition
        kept = await self._secrets_of(held)
        public, secrets = split(_checked(definition))
        secrets = {place: kept[place] for place in public.secrets if place in kept} | secrets
        others = [name for name in self._taken() if name != before.name]
        public = replace(public, name=free_name(public.name, others))
        held.integration = replace(held.integration, definition=public)
        held.secrets = secrets
        if place_of(before) != place_of(public) or secrets != dict(kept):
            held.moved |= set(held.pinned)
        if held.saved:
            await self._keys.keep(_account(integration_id), json.dumps(secrets))
            await self._rows.update(held.integration)
        await self.restart(integration_id)

    async def remove(self, integration_id: str) -> None:
        """Ends a server and forgets it with its secrets and its sign-in."""
        held = self._held.pop(integration_id, None)
        if held is None:
            return
        if held.server is not None:
            await held.server.stop()
        if held.saved:
            await self._rows.remove(integration_id)
            for account in (_account(integration_id), _tokens(integration_id)):
                await self._keys.remove(account)
        self._tell()

    async def switch(self, integration_id: str, is_on: bool) -> None:
        """Switches an integration on or off for every chat."""
        held = self._get(integration_id)
        held.integration = replace(held.integration, is_on=is_on)
        if held.saved:
            await self._rows.update(held.integration)
        if is_on:
            await self.restart(integration_id)
        elif held.server is not None:
            await held.server.stop()
        self._tell()

    async def switch_tool(self, integration_id: str, tool: str, is_on: bool) -> None:
        """Switches one tool, by the server's own name, on or off for every chat."""
        held = self._get(integration_id)
        before = held.pinned.get(tool, PinnedTool(tool, ""))
        held.pinned[tool] = replace(before, is_on=is_on)
        await self._pin(held)
        self._tell()

    async def accept_tool(self, integration_id: str, tool: str, seen: str) -> None:
        """A tool that changed, by the server's own name, is no longer told as changed. `seen` is the definition that
        was shown: when it has changed again since, nothing is accepted."""
        held = self._get(integration_id)
        if held.accept(tool, seen):
            await self._pin(held)
            self._tell()

    async def switch_in_chat(self, chat_id: str, integration_id: str, tool: str, is_on: bool | None) -> None:
        """Switches a tool ("" is the whole integration) for one chat; None follows the switch for every chat again."""
        await self._rows.switch(chat_id, integration_id, tool, is_on)
        self._tell()

    async def restart(self, integration_id: str, *, sign_in: Opener | None = None) -> None:
        """Ends a server and starts it again; returns before it runs. With `sign_in` the person may be sent there."""
        held = self._get(integration_id)
        if held.server is not None:
            await held.server.stop()
        held.server, held.resting = None, False
        if held.integration.is_on:
            self._later(self._start(held, sign_in))
        self._tell()

    async def stop(self, integration_id: str) -> None:
        """Ends a server until it is restarted."""
        held = self._get(integration_id)
        if held.server is not None:
            await held.server.stop()

    async def sign_in(self, integration_id: str, opener: Opener = open_browser) -> None:
        """Starts a server that wants a sign-in, and opens the browser for it."""
        await self.restart(integration_id, sign_in=opener)

    async def sign_out(self, integration_id: str) -> None:
        """Forgets the sign-in at a server, and starts it without."""
        held = self._get(integration_id)
        if held.server is not None:
            await held.server.stop()
        await self._keys.remove(_tokens(integration_id))
        await self.restart(integration_id)

    # Inside ---------------------------------------------------------------------------------------------------------

    def _hold(self, held: Held) -> None:
        self._held[held.integration.id] = held
        if held.integration.is_on:
            self._later(self._start(held))
        self._tell()

    async def _start(self, held: Held, opener: Opener | None = None) -> None:
        integration = held.integration
        held.secrets = await self._secrets_of(held)
        whole, lacking = joined(integration.definition, held.secrets)

        def told() -> None:
            self._noted(held)

        server = Server(whole, held.secrets, self._workshop, account=_tokens(integration.id), told=told)
        held.server = server
        if lacking:
            what = ", ".join(place.partition("/")[2] or place for place in lacking)
            server.refuse(f"Its secret is no longer in the key store: {what}.", "Enter it again.")
        else:
            server.start(opener)

    async def _secrets_of(self, held: Held) -> Mapping[str, str]:
        if held.secrets is not None or not held.integration.definition.secrets:
            return held.secrets or {}
        try:
            text = await self._keys.read(_account(held.integration.id))
            found = json.loads(text) if text else {}
        except (ConchError, ValueError):
            return {}
        return {place: value for place, value in found.items() if isinstance(value, str)}

    def _noted(self, held: Held) -> None:
        """A server changed: what it lists is remembered, and what is not as it was is told with the next question."""
        if self._held.get(held.integration.id) is held and held.note():
            self._later(self._pin(held))
        self._tell()

    async def _pin(self, held: Held) -> None:
        if held.saved:
            await self._rows.pin(held.integration.id, tuple(held.pinned.values()))

    def _names(self) -> dict[Key, str]:
        """Names for all tools that are known, of servers that don't run too: a name does not change with a crash."""
        keys = [
            Key(held.integration.name, tool)
            for held in self._held.values()
            if held.integration.is_on
            for tool in {*held.pinned, *(tool.name for tool in held.listed)}
        ]
        return fitted_names(keys, self._own_names())

    def _taken(self) -> list[str]:
        return [held.integration.name for held in self._held.values()]

    def _get(self, integration_id: str) -> Held:
        if integration_id not in self._held:
            raise UsageError("This integration is no longer there.", "Add it again.")
        return self._held[integration_id]

    def _later(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work, name="integrations")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()


def _account(integration_id: str) -> str:
    return f"integration {integration_id}"


def _tokens(integration_id: str) -> str:
    return f"sign-in {integration_id}"


def _checked(definition: Definition) -> Definition:
    if definition.kind == "stdio" and not definition.command.strip():
        raise UsageError("There is no command.", "Enter the program that starts the server.")
    if definition.kind == "http" and not definition.url.startswith(("http://", "https://")):
        raise UsageError("There is no address.", "Enter one that starts with https:// or http://.")
    return definition
