"""Schema dialects: what a tool's schema becomes for the family of providers it is sent to.

    converted = convert("gemini", "plan_route", schema)

Converting never changes its input, is bounded for any schema, and is done once for a definition and a dialect.
"""

from __future__ import annotations

import hashlib
import marshal
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from conch_desktop.schemas.anthropic import to_anthropic
from conch_desktop.schemas.described import MOST_ADDED
from conch_desktop.schemas.gemini import to_gemini
from conch_desktop.schemas.names import NAME_RULES, NameRule, renamed_back
from conch_desktop.schemas.permissive import to_permissive
from conch_desktop.schemas.sizes import LARGEST, fitted
from conch_desktop.schemas.strict import to_strict
from conch_desktop.schemas.written import Unusable, Written

Dialect = Literal["gemini", "anthropic", "strict", "permissive"]
SchemaFamily = Literal["gemini", "anthropic", "permissive"]

MOST_NOTES = 12
_MOST_KEPT = 2_048


@dataclass(frozen=True, slots=True)
class Converted:
    """A schema in a dialect. It is shared: read it, don't change it.

    `names` are the renamed fields, {name sent: original}; one sent name stands for one original at every level.
    `notes` say what could not be kept. `takes_nothing`: the tool has no fields; Gemini's wire then leaves `parameters`
    out, since an object without fields is refused there, and what stands in `schema` is only a stand-in.
    """

    schema: Mapping[str, Any]
    names: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    takes_nothing: bool = False

    def renamed_back(self, args: Any) -> Any:
        """A call's arguments with the fields' own names."""
        return renamed_back(args, self.names)


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a schema can't be sent in any form, in a sentence for the person."""

    reason: str


_WRITERS: Mapping[str, Callable[[Any], Written]] = MappingProxyType(
    {"gemini": to_gemini, "anthropic": to_anthropic, "strict": to_strict, "permissive": to_permissive}
)
DIALECTS = tuple(_WRITERS)
"""Every dialect."""


def convert(dialect: Dialect, name: str, schema: Any) -> Converted | Refused:
    """The schema of the tool `name` in a dialect, or why it can't be used."""
    try:
        data = marshal.dumps((dialect, name, schema), 2)  # only to be told apart; it takes a fifth of JSON's time
    except ValueError:  # no JSON at all: converted anew each time
        return _convert(dialect, name, schema, None)
    key = hashlib.blake2b(data, digest_size=16).digest()
    if key in _kept:
        _kept.move_to_end(key)
        return _kept[key]
    converted = _kept[key] = _convert(dialect, name, schema, len(data))
    if len(_kept) > _MOST_KEPT:
        _kept.popitem(last=False)
    return converted


_kept: OrderedDict[bytes, Converted | Refused] = OrderedDict()


def _convert(dialect: Dialect, name: str, schema: Any, size: int | None) -> Converted | Refused:
    """`size` is how many bytes the schema has, None when it isn't known."""
    if isinstance(schema, Mapping) and not isinstance(schema, dict):
        schema = dict(schema)
    notes = []
    if schema is None:
        schema = {}
        notes.append("The tool has no schema; it is offered as one without arguments.")
    if not isinstance(schema, dict) and schema is not True:
        return Refused(f"The schema of {name} is {_kind(schema)} and no object.")
    try:
        written = _WRITERS[dialect](schema)
    except Unusable as error:
        return Refused(f"The schema of {name} can't be used: {error}.")
    # A node holds at most what the whole schema said (a letter can take six in JSON), and the words added to it.
    small = size is not None and written.nodes * (6 * size + 2 * MOST_ADDED) < LARGEST
    shortened = False if small else fitted(written.schema)
    if shortened is None:
        return Refused(f"The schema of {name} is too large: more than {LARGEST:,} characters without its descriptions.")
    if shortened:
        notes.append("Descriptions were shortened: the schema is very large.")
    notes.extend(written.notes)
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"… and {len(notes) - MOST_NOTES} more."]
    return Converted(written.schema, MappingProxyType(written.names), tuple(notes), written.takes_nothing)


def _kind(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case _:
            return "a list"


# families -----------------------------------------------------------------------------------------------------------

_FAMILY_OF_KIND: Mapping[str, SchemaFamily] = MappingProxyType(
    {
        "gemini": "gemini",
        "gemini-native": "gemini",
        "anthropic": "anthropic",
        "conol": "anthropic",
        "conol-gateway": "anthropic",
    }
)
_FAMILY_OF_VENDOR: Mapping[str, SchemaFamily] = MappingProxyType({"google": "gemini", "anthropic": "anthropic"})
_GEMINI_NAME = re.compile(r"(^|/)gemini", re.IGNORECASE)


def family_of(kind: str, model: str) -> SchemaFamily:
    """Which dialect a model takes: `kind` is the kind of its provider, `model` what the provider calls it."""
    if kind in _FAMILY_OF_KIND:
        return _FAMILY_OF_KIND[kind]
    if kind == "openrouter":
        return _FAMILY_OF_VENDOR.get(model.partition("/")[0].lstrip("~").lower(), "permissive")
    return "gemini" if _GEMINI_NAME.search(model) else "permissive"


_NAME_RULE_OF: Mapping[str, str] = MappingProxyType(
    {"gemini": "gemini", "anthropic": "anthropic", "strict": "strict", "permissive": "openai"}
)


def name_rule(dialect: Dialect) -> NameRule:
    """What a tool's name may look like where a dialect is sent."""
    return NAME_RULES[_NAME_RULE_OF[dialect]]
