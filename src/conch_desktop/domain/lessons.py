"""Lessons: something a model taught us, remembered across sessions (DESIGN 3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing a model taught.

    `endpoint` is the address it was learnt at, `fingerprint` what tells that the model behind the name is still the
    same ("" where nothing tells). `words` are those that taught it, `digest` that of the tool definitions it was
    about ("" when it is about none). Times are in seconds since 1970; `expires` None means it stays.
    `held` counts the requests it was right for.
    """

    provider: str
    endpoint: str
    model: str
    kind: str
    value: str
    words: str = ""
    fingerprint: str = ""
    digest: str = ""
    learnt: float = 0.0
    expires: float | None = None
    held: int = 0
