"""What converting ends in, and what every dialect's writer keeps: the names of fields, and limits."""

from __future__ import annotations

from typing import Any, NamedTuple

from conch_desktop.schemas.names import NameRule, fit_name
from conch_desktop.schemas.values import clean

MOST_NODES = 6_000
"""Nodes written for one schema."""

_MOST_LOOKED_AT = 60_000
_LONGEST_SHOWN = 80


class Written(NamedTuple):
    """A schema in its dialect. `names` are the renamed fields, {name sent: original}."""

    schema: dict[str, Any]
    names: dict[str, str]
    notes: list[str]
    takes_nothing: bool
    nodes: int


class Unusable(Exception):
    """Why a schema can't be used at all."""


class FieldNames:
    """The names to send for the fields of one schema: the same one wherever an original stands."""

    def __init__(self, root: Any, notes: dict[str, None]) -> None:
        self.changed: dict[str, str] = {}
        """{name sent: original}"""
        self._root = root
        self._notes = notes
        self._sent: dict[str, str] = {}
        self._taken: set[str] | None = None

    def sent(self, name: str, rule: NameRule) -> str:
        """The name to send for the field `name`."""
        if rule.fits(name):
            return name
        if name not in self._sent:
            if self._taken is None:
                self._taken = _names_in(self._root)
            sent = fit_name(name, rule, self._taken)
            self._taken.add(sent)
            self._sent[name] = sent
            self.changed[sent] = name
            self._notes[f"The field {shown(name)} is sent as {sent}."] = None
        return self._sent[name]


def shown(name: str) -> str:
    """A name as it is written into a sentence."""
    name = clean(name)
    return name if len(name) <= _LONGEST_SHOWN else name[:_LONGEST_SHOWN] + "…"


def check_width(count: int) -> None:
    """Raises `Unusable` for a root with more fields than are ever sent: none of them may be lost."""
    if count > MOST_NODES:
        raise Unusable(f"it has {count:,} fields, and at most {MOST_NODES:,} can be sent")


def _names_in(root: Any) -> set[str]:
    """Every name of a field anywhere in the schema, so that a made-up one is none of them."""
    names: set[str] = set()
    rest, seen = [root], 0
    while rest and seen < _MOST_LOOKED_AT:
        node = rest.pop()
        seen += 1
        if isinstance(node, dict):
            fields = node.get("properties")
            if isinstance(fields, dict):
                names.update(name for name in fields if isinstance(name, str))
            needed = node.get("required")
            if isinstance(needed, list):
                names.update(name for name in needed if isinstance(name, str))
            rest.extend(child for child in node.values() if isinstance(child, (dict, list)))
        elif isinstance(node, list):
            rest.extend(child for child in node[:_MOST_LOOKED_AT] if isinstance(child, (dict, list)))
    return names
