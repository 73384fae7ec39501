"""Makes text harmless that others wrote: no mark in it can close a block, open one, or be taken for a server's own.

A backslash after the first character of a mark takes it apart; all other text, also other markup, stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_MARKS = (
    "toolcall", "toolresponse", "toolresult", "tooloutput", "tooluse", "toolcode", "toolsection", "functioncall",
    "functionresult", "argkey", "argvalue", "minimaxtoolcall", "seedtoolcall", "dsml", "think", "thought",
    "attachedfile",
)  # fmt: skip
"""Marks of ours (`words.attached`) and of other formats, as they are without anything between their letters."""
_BEGUN = frozenset(mark[:n] for mark in _MARKS for n in range(1, len(mark)))

_EXACT = re.compile(
    r"<(?=[|｜][^|｜<>\s]{1,64}[|｜]>)|<(?=/?s>|/?(?:start|end)_of_turn>|/?(?:bos|eos)>|</?SYS>>)"
    r"|<(?=\s{0,8}/?\s{0,8}(?:function\s{0,8}=|(?:\w{1,16}:)?invoke\s))"
    r"|\[(?=/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|THINK|ARGS)\])"
)
"""Marks by which chat templates tell who speaks, which servers read within a message too, and tags of functions."""

_BRACKETS = re.compile(r"[<＜﹤]")


def harmless(text: str) -> str:
    """`text` without any mark that could be taken for one of the conversation's own."""
    return _apart(text, lambda character: f"{character}\\")


def harmless_json(text: str) -> str:
    """The same for JSON, which can write any character as an escape: its value stays what it was."""
    return _apart(text, lambda character: f"\\u{ord(character):04x}")


def _apart(text: str, written: Callable[[str], str]) -> str:
    places = {found.start() for found in _EXACT.finditer(text)}
    places.update(found.start() for found in _BRACKETS.finditer(text) if _begins_mark(text, found.start()))
    parts: list[str] = []
    begin = 0
    for place in sorted(places):
        parts += (text[begin:place], written(text[place]))
        begin = place + 1
    parts.append(text[begin:])
    return "".join(parts)


def _begins_mark(text: str, at: int) -> bool:
    """Whether a mark begins at `at`, also one with blanks, invisible characters or letters of other forms inside.

    It looks no further than the next bracket: all looks together go over the text once.
    """
    letters = ""
    for place in range(at + 1, len(text)):
        character = text[place]
        if _BRACKETS.match(character):
            return False
        letters += _letters(character)
        if letters and letters not in _BEGUN:
            return any(letters.startswith(mark) for mark in _MARKS)
    return False


def _letters(character: str) -> str:
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    return "".join(letter for letter in unicodedata.normalize("NFKC", character).casefold() if letter.isalnum())
