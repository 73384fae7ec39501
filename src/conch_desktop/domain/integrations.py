"""Integrations: MCP servers as a person set them up, and what is known of them (DESIGN 2, 7)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conch_desktop.domain.calls import Json

ServerKind = Literal["stdio", "http"]
"""A program on this computer that is started, or an address that speaks streamable HTTP."""

ServerState = Literal["off", "starting", "running", "failed", "stopped"]
"""`off`: switched off. `failed`: it did not start or ended by itself. `stopped`: the person stopped it."""

CALL_LIMIT = 120.0
"""Seconds a call may take, unless a server's definition says otherwise."""

START_LIMIT = 30.0
"""Seconds a server has to start and list its tools."""

HIDDEN = "•••"
"""Stands where a secret was taken out."""


@dataclass(frozen=True, slots=True)
class Definition:
    """How a server is reached: `command`, `args`, `env`, `cwd` of a program, or `url` and `headers` of an address.

    `secrets` are the places of values that are kept in the key store alone ("env/TOKEN", "headers/Authorization",
    "args/2", "url"); a definition that is shown or stored has `HIDDEN` there. The limits are in seconds.
    """

    name: str
    kind: ServerKind
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    call_limit: float = CALL_LIMIT
    start_limit: float = START_LIMIT
    secrets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Integration:
    """A server a person added. `id` never changes; the definition holds no secrets."""

    id: str
    definition: Definition
    is_on: bool = True

    @property
    def name(self) -> str:
        """The person's name for it."""
        return self.definition.name


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as a server lists it, mended where the list had faults. `name` is the server's own.

    `reads`: the server says that it only reads; `inside`: that it reaches nothing beyond the server. Both are only
    the server's word. `digest` tells one definition from another.
    """

    name: str
    title: str
    description: str
    schema: Mapping[str, Json]
    reads: bool = False
    inside: bool = False

    @property
    def digest(self) -> str:
        """The same for two listings exactly when all that a model or a person is told is the same.

        Three marks, so that it can be told what changed: the words, the arguments, what the server says of its effect.
        """
        told = ([self.name, self.title, self.description], self.schema, [self.reads, self.inside])
        return "-".join(_mark(part) for part in told)

    @property
    def definition(self) -> str:
        """Everything the digest is of, as JSON: what a later definition is laid beside."""
        told = {"title": self.title, "description": self.description, "arguments": self.schema}
        return json.dumps({**told, "reads": self.reads, "inside": self.inside}, ensure_ascii=False, sort_keys=True)


def what_changed(before: str, now: str) -> str:
    """What differs between two digests of a tool, in words; "" when nothing does."""
    parts = zip(before.split("-"), now.split("-"), ("its description", "its arguments", "what it may do"), strict=False)
    changed = [what for old, new, what in parts if old != new]
    return f"{' and '.join(changed)} changed" if changed else ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tool (or a whole part of a list) that could not be used, and why in a sentence."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class PinnedTool:
    """What is remembered of a tool: how it was defined when the person accepted it, and whether it is switched on.

    Adding a server accepts its tools. `definition` is `ListedTool.definition`, "" where only the digest is known.
    """

    tool: str
    digest: str
    is_on: bool = True
    definition: str = ""


@dataclass(frozen=True, slots=True)
class LastCall:
    """The last call a server ended: when it began (seconds since 1970), how long it took, and whether it went well."""

    at: float
    ms: int
    went_well: bool


def place_of(definition: Definition) -> str:
    """Tells where a definition leads: what is started or asked. The name and the limits are no part of it."""
    told = [definition.kind, definition.command, list(definition.args), definition.cwd, definition.url]
    named = [sorted(definition.env.items()), sorted(definition.headers.items()), sorted(definition.secrets)]
    return _mark([told, named])


def _mark(value: Json) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[:24]
