"""Reads the JSON of a call in words: valid JSON as it is, almost-JSON where only one reading exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conch_desktop.domain.calls import Json, Mend

Ending = Literal["whole", "open", "cut"]
"""How a block ends: at its closing mark, with the answer, or where the provider cut the answer."""


@dataclass(frozen=True, slots=True)
class BlockJson:
    """The values of a block, side by side.

    `closed`: brackets that were missing at the end are taken as written. `lost`: a further value cannot be read.
    """

    values: tuple[Json, ...]
    mends: tuple[Mend, ...] = ()
    closed: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class NoJson:
    """Why a block holds no JSON. `cut`: it only ends too early."""

    why: str
    cut: bool = False


def read_block_json(text: str, ending: Ending) -> BlockJson | NoJson:
    """Reads `text`, in which words may stand around the values."""
    from conch_desktop.calls.repair import Repaired, repair

    read = repair(text, ending=ending)
    doubled = text.strip()
    if not isinstance(read, Repaired) and doubled.startswith("{{") and doubled.endswith("}}"):
        # Small models copy the doubled braces of a template.
        inner = repair(doubled[1:-1], ending=ending)
        if isinstance(inner, Repaired):
            return BlockJson(tuple(value.value for value in inner.values))
    if not isinstance(read, Repaired):
        return NoJson(read.why, read.cut)
    mends = tuple(read.mends())
    closed = any(mend.what == "closed" for mend in mends)
    return BlockJson(tuple(value.value for value in read.values), mends, closed, read.lost)
