"""How a call can be taken back by the person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conch_desktop.domain.calls import Json


@dataclass(frozen=True, slots=True)
class Undo:
    """What it takes to take one call back.

    `call` is the call's id, `kind` says who knows how ("memory", "file"), `what` is theirs, and `before` is what a
    file held.
    """

    call: str
    kind: str
    what: Mapping[str, Json]
    before: bytes | None = None
