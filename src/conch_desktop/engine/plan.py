"""Decides how a turn gives the model its tools (DESIGN 3).

Tools in words exist so far for one case: a tool the person asked for by name, on a server that writes under a grammar.
"""

from __future__ import annotations

from dataclasses import dataclass

from conch_desktop.domain.models import Mode, Model
from conch_desktop.domain.tools import Tool
from conch_desktop.providers.wire import Wire
from conch_desktop.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class Plan:
    """The mode of a turn and why. `asked` is the tool the first request has to call, when the person named one."""

    mode: Mode
    why: str
    asked: Tool | None = None


async def make_plan(wire: Wire, model: Model, toolbox: Toolbox, asked: str) -> Plan:
    """The plan for one turn. `asked` is a tool's name, "" when the person named none."""
    tool = toolbox.find(asked) if asked else None
    if not toolbox.tools:
        return Plan("none", "no tools are switched on")
    if tool is not None and await wire.takes_grammar(model):
        return Plan("words", f"{tool.name} was asked for, and this server writes the call under a grammar", tool)
    able = await wire.tools_for(model)
    if able is False:
        return Plan("none", "this model takes no tools natively; name a tool with / and it is called")
    why = "because the provider says it takes tools" if able else "because nobody says this model can’t"
    return Plan("native", why, tool)
