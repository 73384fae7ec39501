"""The names of the tools on offer: which a model may write, and how."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conch_desktop.domain.tools import Tool

_COUNTED = re.compile(r":\d*\Z")
"""Kimi numbers its calls: functions.search:0."""

NAMESPACES = ("functions.", "default_api.", "tools.")
"""What models put before a name: OpenAI's and Kimi's, Gemini's, and what others make of them."""


class Names:
    """The tools of a turn by name. A name is taken as it is or not at all: no near name is the right one."""

    def __init__(self, tools: Sequence[str | Tool]) -> None:
        self.tools: dict[str, Tool | None] = {
            (tool if isinstance(tool, str) else tool.name): (None if isinstance(tool, str) else tool) for tool in tools
        }

    def find(self, said: str) -> str | None:
        """The tool that is meant by `said`, or None."""
        said = _COUNTED.sub("", said.strip())
        if said in self.tools:
            return said
        for namespace in NAMESPACES:
            if said.startswith(namespace) and said[len(namespace) :] in self.tools:
                return said[len(namespace) :]
        return None

    def may_begin(self, said: str) -> bool:
        """Whether a name on offer may begin like `said`."""
        said = _COUNTED.sub("", said.strip())
        for namespace in NAMESPACES:
            if namespace.startswith(said):
                return True
            if said.startswith(namespace) and self._begins(said[len(namespace) :]):
                return True
        return self._begins(said)

    def _begins(self, said: str) -> bool:
        return any(name.startswith(said) for name in self.tools)
