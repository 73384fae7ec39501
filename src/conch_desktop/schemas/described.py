"""What a dialect can't say, in words at the end of a description."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from conch_desktop.schemas.values import as_json, one_line

MOST_ADDED = 200
"""Characters added to a node's description."""

_ENDS = frozenset(".!?:;…)]}>\"'”’`*。！？")
"""What a description may end with so that a sentence can follow."""


class Said(NamedTuple):
    """A sentence about a value of type `kind` ("": of any type). Lower `rank` is said first: options, then bounds."""

    rank: int
    text: str
    kind: str = ""


OPTIONS, BOUNDS, TYPES, CHOICE, NAME, SHAPE, FORMAT, DEFAULT, OTHER = range(9)
"""Ranks: what is said first, because there may be no room for the rest."""


def described(own: str, said: Iterable[Said]) -> str:
    """`own` with the sentences after it, as many as there is room for."""
    text, room = own.rstrip(), MOST_ADDED
    for sentence in dict.fromkeys(entry.text for entry in sorted(said)):
        between = _between(text) if text else ""
        if len(between) + len(sentence) <= room:
            room -= len(between) + len(sentence)
            text = f"{text}{between}{sentence}"
    return text


def joined(texts: Sequence[str]) -> str:
    """Descriptions one after the other, each ended like a sentence where another follows."""
    if len(texts) == 1:
        return texts[0]
    whole = ""
    for text in texts:
        whole = text if not whole else f"{whole}{'' if whole.endswith((' ', chr(10))) else _between(whole)}{text}"
    return whole


def listed(texts: Sequence[str], room: int = 120, count: int = 0) -> str:
    """`a, b, c`, with what doesn't fit counted: `a, b, … (12 in all)`. `count` says how many there are in truth."""
    count = max(count, len(texts))
    whole = ", ".join(texts[:room])
    if count <= room and len(whole) <= room:
        return whole
    shown: list[str] = []
    for text in texts[:room]:
        if len(text) + 2 > room - 20:
            break
        room -= len(text) + 2
        shown.append(text)
    return ", ".join([*shown, f"… ({count} in all)"])


def one_of(texts: Sequence[str], word: str = "or") -> str:
    """`a, b or c`."""
    return " ".join([", ".join(texts[:-1]), word, texts[-1]]) if len(texts) > 1 else "".join(texts)


def counted(least: Any, most: Any, one: str, many: str) -> str:
    """`3 to 5 characters.`, `At least 1 item.`; "" when there is nothing to say."""
    if least and most is not None:
        return f"{least} {one if most == 1 else many}." if least == most else f"{least} to {most} {many}."
    if least:
        return f"At least {least} {one if least == 1 else many}."
    if most is not None:
        return f"At most {most} {one if most == 1 else many}."
    return ""


def ranged(low: tuple[float, bool] | None, high: tuple[float, bool] | None) -> str:
    """`From 0 to 10.`, `More than 0.`; the flag of a bound says that the bound itself is not meant."""
    if low and high and not low[1] and not high[1]:
        return f"From {_number(low[0])} to {_number(high[0])}."
    parts = []
    if low:
        parts.append(f"{'more than' if low[1] else 'at least'} {_number(low[0])}")
    if high:
        parts.append(f"{'less than' if high[1] else 'at most'} {_number(high[0])}")
    text = " and ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _between(text: str) -> str:
    return " " if text[-1] in _ENDS else ". "


def _number(value: float) -> str:
    return one_line(as_json(value))
