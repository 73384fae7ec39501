"""Makes text harmless that others wrote: no mark in it can close a block, open one, or be taken for a server's own.

A backslash after the first character of a mark takes it apart; all other text, also other markup, stays as it is.
"""

from __future__ import annotations

import re
import unicodedata

_WORDS = re.compile(r"<(?=(?:tool|function|invoke|think|thought|minimaxtool|seedtool|dsml))")
"""A mark of ours or of another format, after everything between its letters was left out."""

_SERVERS = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,64}[|｜]>)|<(?=/?s>|(?:start|end)_of_turn>|/?(?:bos|eos)>)"
    r"|\[(?=/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT|THINK)\])"
)
"""Marks by which chat templates tell who speaks. Servers read them also within a message."""


def harmless(text: str) -> str:
    """`text` without any mark that could be taken for one of the conversation's own."""
    if "<" not in text and "[" not in text:
        return text
    places = {found.start() for found in _SERVERS.finditer(text)} | set(_marks(text))
    if not places:
        return text
    parts: list[str] = []
    begin = 0
    for place in sorted(places):
        parts.append(text[begin : place + 1])
        begin = place + 1
    parts.append(text[begin:])
    return "\\".join(parts)


def _marks(text: str) -> list[int]:
    """Where a mark begins, also one with blanks, invisible characters or other letters' forms inside."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character == "<":
            kept.append("<")
            places.append(place)
        elif character == "＜" or character == "﹤":
            kept.append("<")
            places.append(place)
        else:
            for letter in _letters(character):
                kept.append(letter)
                places.append(place)
    return [places[found.start()] for found in _WORDS.finditer("".join(kept))]


def _letters(character: str) -> str:
    if character.isascii():
        return character.lower() if character.isalnum() else ""
    return "".join(letter for letter in unicodedata.normalize("NFKC", character).casefold() if letter.isalnum())


def harmless_json(text: str) -> str:
    """The same for JSON, which can write any character as an escape: its value stays what it was."""
    return harmless(text).replace("<\\", "\\u003c").replace("[\\", "\\u005b")
