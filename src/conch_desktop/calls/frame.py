"""What stands around the arguments: words before and after, a fence, a model's thinking, tags.

Only words may be left out. Where they hold brackets or quotes, something that belongs to the arguments may be among
them, and the text is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conch_desktop.calls import patterns
from conch_desktop.calls.places import Mark
from conch_desktop.calls.record import Unmendable
from conch_desktop.calls.slips import Slips, words_follow

_FENCE = re.compile(r"(?:```|~~~)[\w+-]*+")
_THINKING = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL)
_UNENDED = re.compile(r"<(?:think|thinking|reasoning|thought)>")
_STARTS = re.compile(r"[{\[]")
_LEADING_STOPS = re.compile(r'["}\]]')
_CLOSERS = re.compile(r"[\s,}\]]++")


@dataclass(frozen=True, slots=True)
class Words:
    """Words around the arguments: what they are, where the arguments begin or the words end, and what is left out."""

    text: str
    at: int
    marks: tuple[Mark, ...] = ()


def leading(text: str, at: int) -> Words:
    """What stands before the first bracket from `at` on. Raises `Unmendable` when there is none, or more than words."""
    look = Slips(text, "whole")
    begun = at
    if text[at : at + 1] == "<" and (found := _THINKING.match(text, at)):
        at = found.end()
        look.record.note("words_around", begun, at)
        begun = at  # what a model thought says nothing about the call
    elif found := _UNENDED.match(text, at):
        raise Unmendable("the thinking before it has no end, so it can't be told whether the call was meant", at)
    at = look.blank(at)
    if text[at : at + 1] in ("{", "["):
        return Words(text[begun:at], at, tuple(look.record.marks))
    found = _STARTS.search(text, at)
    if not found:
        raise Unmendable("there is no JSON object in it", at)
    start = found.start()
    if stop := _LEADING_STOPS.search(text, at, start):
        raise Unmendable("something stands before the object that may belong to it", stop.start())
    _note_words(look, text, at, start)
    return Words(text[begun:start], start, tuple(look.record.marks))


def trailing(text: str, at: int) -> Words:
    """What stands after the arguments that end at `at`. Raises `Unmendable` when it is more than words."""
    look = Slips(text, "whole")
    if found := _CLOSERS.match(text, at):
        marks = found[0].strip()
        if marks:
            start = at + found[0].index(marks[0])
            look.record.note("trailing_comma" if marks == "," else "stray_closer", start, start + len(marks))
        at = found.end()
    at = look.blank(at)
    if at >= len(text):
        return Words("", at, tuple(look.record.marks))
    if not words_follow(text, at) or (found and "," in found[0]):
        raise Unmendable("something stands after the object that may belong to it", at)
    _note_words(look, text, at, len(text))
    return Words(text[at:], len(text), tuple(look.record.marks))


def _note_words(look: Slips, text: str, start: int, end: int) -> None:
    """Records a fence and words, each by its place, the white around them left out."""
    at = start
    fences = _FENCE.finditer(text, start, end) if "```" in text or "~~~" in text else ()
    for fence in fences:
        _note_some(look, text, at, fence.start())
        look.record.note("fence", *fence.span())
        at = fence.end()
    _note_some(look, text, at, end)


def _note_some(look: Slips, text: str, start: int, end: int) -> None:
    words = text[start:end]
    if words.strip(patterns.SPACES):
        first = start + len(words) - len(words.lstrip())
        look.record.note("words_around", first, first + len(words.strip()))
