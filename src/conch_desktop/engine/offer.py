"""The tools of a request as a provider takes them, and the way back to their own names."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from conch_desktop.domain.calls import Json
from conch_desktop.domain.models import Family
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.way import Way
from conch_desktop.schemas.dialects import Converted, Dialect, convert, name_rule
from conch_desktop.schemas.names import fit_names
from conch_desktop.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered natively. `tools` have the names and schemas that are sent; `fields` are the renamed fields of a
    tool, {name sent: original}; `unusable` says why a tool can't be sent at all."""

    tools: tuple[Tool, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unusable: Mapping[str, str] = field(default_factory=dict)

    def sent(self, name: str) -> str:
        """What a tool is called where it is sent; a tool that is not offered keeps its name."""
        return next((sent for sent, own in self.names.items() if own == name), name)

    def own(self, sent: str) -> str:
        """The tool's own name; one that was never sent stays as it is."""
        return self.names.get(sent, sent)


def make_offer(tools: Iterable[Tool], family: Family, way: Way) -> Offer:
    """The offer for one way. A tool whose schema can't be sent in any form is left out and named."""
    offered = [tool for tool in tools if tool.name not in way.aside]
    names = fit_names([tool.name for tool in offered], name_rule(family))
    made: list[Tool] = []
    fields: dict[str, Mapping[str, str]] = {}
    unusable: dict[str, str] = {}
    for tool in offered:
        strict = way.mode == "strict" or tool.name in way.simple
        dialect: Dialect = "strict" if strict else family
        converted = convert(dialect, tool.name, tool.parameters)
        if isinstance(converted, Converted):
            made.append(replace(tool, name=names[tool.name], parameters=_parameters(converted, family)))
            if converted.names:
                fields[tool.name] = converted.names
        else:
            unusable[tool.name] = converted.reason
    return Offer(tuple(made), {sent: own for own, sent in names.items()}, fields, unusable)


def _parameters(converted: Converted, family: Family) -> Mapping[str, Json]:
    """What is sent of a schema. Of a tool that takes nothing Gemini gets none: it refuses an object without fields."""
    return {} if family == "gemini" and converted.takes_nothing else converted.schema


MOST_TOOLS = 128
"""Tools one request takes: the limit of OpenAI's API, which others copied."""


def within_limit(toolbox: Toolbox, asked: str) -> tuple[Toolbox, tuple[str, ...]]:
    """The first tools up to what a request takes, with the one that was asked for; a sentence for each source cut."""
    if len(toolbox.tools) <= MOST_TOOLS:
        return toolbox, ()
    kept = list(toolbox.tools[:MOST_TOOLS])
    tool = toolbox.find(asked)
    if tool is not None and tool not in kept:
        kept[-1] = tool
    names = {tool.name for tool in kept}
    lost = Counter(tool.source for tool in toolbox.tools if tool.name not in names)
    told = tuple(
        f"{count:,} tools of {source} are left out: a request takes {MOST_TOOLS} at most. Switch off some."
        for source, count in lost.items()
    )
    return Toolbox(kept), told


def digest_of(tools: Iterable[Tool]) -> str:
    """Tells one set of definitions from another: a lesson about schemas holds only while they are offered."""
    definitions = sorted(json.dumps([tool.name, tool.description, tool.parameters], sort_keys=True) for tool in tools)
    return hashlib.sha256("\n".join(definitions).encode("utf-8", "surrogatepass")).hexdigest()[:32]
