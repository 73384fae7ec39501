"""The toolbox: the tools of a turn, by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from conch_desktop.domain.tools import Tool


class Toolbox:
    """A fixed set of tools in a fixed order, so that what is sent is the same from turn to turn."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self.tools = tuple(tools)
        self._by_name = {tool.name: tool for tool in self.tools}
        if len(self._by_name) != len(self.tools):
            raise ValueError("two tools of one toolbox have the same name")

    def find(self, name: str) -> Tool | None:
        """The tool of that name."""
        return self._by_name.get(name)

    def nearest(self, name: str) -> str:
        """The name on offer that is most like `name`, "" when none is. Only ever named, never applied."""
        return next(iter(get_close_matches(name, self._by_name, n=1)), "")

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in order."""
        return tuple(tool.name for tool in self.tools)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups under which tools are switched on and off, in order."""
        return tuple(dict.fromkeys(tool.group for tool in self.tools))

    def only(self, groups: Collection[str]) -> Toolbox:
        """The tools of these groups."""
        return Toolbox(tool for tool in self.tools if tool.group in groups)

    def without(self, groups: Collection[str]) -> Toolbox:
        """The tools of all other groups."""
        return Toolbox(tool for tool in self.tools if tool.group not in groups)


def definition_of(tool: Tool) -> str:
    """The definition of a tool as JSON: what an allowance is given for."""
    whole = {
        "source": tool.source,
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "effect": tool.effect,
        "server": tool.pin,
    }
    return json.dumps(whole, sort_keys=True, ensure_ascii=False, default=str)


def digest(tool: Tool) -> str:
    """Tells one definition of a tool from another: an allowance holds only for the definition it was given for."""
    return hashlib.sha256(definition_of(tool).encode("utf-8", "replace")).hexdigest()
