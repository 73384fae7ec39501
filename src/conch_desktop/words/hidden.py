"""Finds what in the words is no part of the answer: the model's thinking, and answers of tools that it made up."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conch_desktop.words.formats import RESPONSES, RESPONSES_AFTER_A_CALL, THOUGHTS
from conch_desktop.words.parts import MORE, NO, Attributes, Look, mark_end


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What came before: `called`: a call in this answer; `after_call`: nothing since one; `line_start`: no words."""

    called: bool
    after_call: bool
    line_start: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """Where the opening mark ends, `MORE`, or the place itself when nothing opens there; and what closes it.

    `is_closer`: it closes an answer that was never opened, and is left out by itself.
    """

    end: int
    closer: str = ""
    is_thought: bool = False
    is_closer: bool = False


def hidden_at(look: Look, at: int, around: Surroundings) -> Opened:
    """What opens at `at`."""
    if look.boundary:
        for opening, closer in THOUGHTS.items():
            if (end := mark_end(opening, look, at)) != NO:
                return Opened(end, _closer_of(opening, closer, look, at), is_thought=True)
    for opening, closer in _answers(look, around):
        if opening[0] not in "<[" and not around.line_start:
            continue
        end = _response(opening, look, at)
        if end > at and not around.after_call:
            end = _if_meant(look, end, at)
        if end != at:
            return Opened(end, _closer_of(opening, closer, look, at))
    for _, closer in _answers(look, around):
        if closer and (end := mark_end(closer, look, at)) != NO:
            return Opened(_if_alone(look, end, at), is_closer=True)
    return Opened(at)


def _if_alone(look: Look, end: int, at: int) -> int:
    """A closing mark is meant when its line ends with it, or a tag follows. Talked about, a sentence goes on."""
    if end == MORE:
        return MORE
    after = look.text[end : end + 2]
    if len(after) < 2 and not look.final:
        return MORE
    return end if not after.strip() or after[0] in "\r\n<" else at


_ANSWERED = re.compile(r"(?P<name>\w[\w .:/-]{0,98}?) (?:answered|failed):")
_SAID = ("answered:", "failed:")


def answered_at(look: Look, at: int) -> int:
    """Where the head of an answer ends that is written as the program writes it, without its tag (`words.transcript`).

    `at` when no such head of a tool on offer stands there, `MORE` while it still may.
    """
    line = look.text[at : at + 120].partition("\n")[0]
    if (found := _ANSWERED.match(line)) and _folded(found["name"]) in map(_folded, look.names.tools):
        return at + found.end()
    if look.final or "\n" in look.text[at : at + 120] or len(line) >= 120:
        return at
    return MORE if any(_may_begin(_folded(line), _folded(name)) for name in look.names.tools) else at


def _folded(name: str) -> str:
    return name.casefold().replace("_", " ")


def _may_begin(line: str, name: str) -> bool:
    """Whether a line that begins so may still become the head of an answer of this tool."""
    if len(line) <= len(name):
        return name.startswith(line)
    return any(f"{name} {said}".startswith(line) for said in _SAID)


def _closer_of(opening: str, closer: str, look: Look, at: int) -> str:
    """The closing tag in the letters of the opening one: capitals are not closed by small letters."""
    if not _is_plain_tag(opening):
        return closer
    return f"</{look.text[at + 1 : at + len(opening) - 1]}>"


def _is_plain_tag(mark: str) -> bool:
    return mark[0] == "<" and mark[1:-1].isidentifier()


def _answers(look: Look, around: Surroundings) -> tuple[tuple[str, str], ...]:
    if around.called:
        return (*RESPONSES.items(), *RESPONSES_AFTER_A_CALL.items())
    return () if look.watching else tuple(RESPONSES.items())


def _response(opening: str, look: Look, at: int) -> int:
    """The same for the mark of an answer; a plain tag may have attributes."""
    end = mark_end(opening[:-1] if _is_plain_tag(opening) else opening, look, at)
    if end > at and _is_plain_tag(opening):
        end = Attributes().match(look, end)
    return at if end == NO else end


def _if_meant(look: Look, end: int, at: int) -> int:
    """The tag is meant when an answer follows it. Talked about, a sentence goes on after it."""
    after = look.text[end : end + 2]
    if len(after) < 2 and not look.final:
        return MORE
    first, following = after[:1], after.strip()[:1]
    if first == "\n" or not following:
        meant = True
    elif not first.isspace():
        meant = following in '{["' or following.isalnum() or (look.boundary and following not in _GOES_ON)
    elif following.isalpha():
        meant = look.boundary and not following.islower()
    else:
        meant = following in '{["' or following.isalnum() or (look.boundary and following == "<")
    return end if meant else at


_GOES_ON = ".,:;!?)]}…/|`'’”»*_~-–—"
"""What a sentence, or a table, goes on with straight after a tag it names."""
