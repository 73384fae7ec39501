"""Memories: facts a person wants every model to know."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Memory:
    """One fact. `source` is the id of the chat it came from, "" when the person wrote it."""

    id: int
    content: str
    created: float
    source: str = ""
