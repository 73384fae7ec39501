"""Calls written as Python: `[search(query="tea", limit=3)]`, `print(default_api.search(query="tea"))`.

Nothing is evaluated: each call's arguments become an object that is read as almost-JSON. A value without a name, or
one that is an expression, makes the call unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.words.block_json import BlockJson, Ending, read_block_json

_CALLEE = re.compile(r"\s*([A-Za-z_][\w.-]*)\s*\(")
_PRINT = re.compile(r"\s*print\s*\(")
_KEY = re.compile(r"\s*([A-Za-z_]\w*)\s*[=:]")
_BETWEEN = re.compile(r"[\s,;]*")
_TOKEN = re.compile(r"\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'|[()\[\]{},]", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class PythonCall:
    """One call. `arguments` is None when they cannot be read."""

    name: str
    arguments: dict[str, Json] | None
    raw: str


def python_calls(text: str, ending: Ending) -> list[PythonCall] | None:
    """The calls of which `text` consists, in brackets or not; None when it is anything else."""
    text = text.strip()
    if text.startswith("["):
        if not text.endswith("]"):
            return None
        text = text[1:-1]
    calls: list[PythonCall] = []
    at = 0
    while at < len(text):
        read = _call(text, at, ending)
        if read is None:
            return None
        call, at = read
        calls.append(call)
        between = _BETWEEN.match(text, at)
        assert between
        at = between.end()
    return calls or None


def _call(text: str, at: int, ending: Ending) -> tuple[PythonCall, int] | None:
    begin = at
    printed = _PRINT.match(text, at)
    at = printed.end() if printed else at
    callee = _CALLEE.match(text, at)
    if not callee:
        return None
    places = list(_commas(text, callee.end()))
    if not places or text[places[-1]] != ")":
        return None
    end = places[-1] + 1
    arguments = _arguments(text, callee.end(), places, ending)
    name = callee[1].removesuffix(".call")
    if printed:
        closed = re.compile(r"\s*\)").match(text, end)
        if not closed:
            return None
        end = closed.end()
    return PythonCall(name, arguments, text[begin:end].strip()), end


def _commas(text: str, at: int) -> Iterator[int]:
    """The places of the commas between the arguments, and of the bracket that closes them."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        mark = token.group()
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            if not depth:
                yield token.start()
                return
            depth -= 1
        elif mark == "," and not depth:
            yield token.start()


def _arguments(text: str, begin: int, places: list[int], ending: Ending) -> dict[str, Json] | None:
    fields = []
    for place in places:
        part = text[begin:place]
        begin = place + 1
        if not part.strip():
            continue  # `f()` and a comma at the end
        key = _KEY.match(part)
        if not key:
            return None
        fields.append(f'"{key[1]}": {part[key.end() :].strip()}')
    if not fields:
        return {}
    read = read_block_json("{" + ", ".join(fields) + "}", ending)
    if not isinstance(read, BlockJson) or len(read.values) != 1 or not isinstance(read.values[0], dict):
        return None
    return read.values[0] if len(read.values[0]) == len(fields) else None
