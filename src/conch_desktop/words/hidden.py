"""Finds what in the words is no part of the answer: the model's thinking, and answers of tools that it made up."""

from __future__ import annotations

from dataclasses import dataclass

from conch_desktop.words.formats import RESPONSES, RESPONSES_AFTER_A_CALL, THOUGHTS
from conch_desktop.words.parts import MORE, Attributes, Look


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What came before: `called`: a call in this answer; `after_call`: nothing since one; `line_start`: no words."""

    called: bool
    after_call: bool
    line_start: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """Where the opening mark ends, `MORE`, or the place itself when nothing opens there; and what closes it."""

    end: int
    closer: str = ""
    is_thought: bool = False


def hidden_at(look: Look, at: int, around: Surroundings) -> Opened:
    """What opens at `at`."""
    if look.boundary:
        for opening, closer in THOUGHTS.items():
            if (end := _exactly(opening, look, at)) != at:
                return Opened(end, closer, is_thought=True)
    for opening, closer in _answers(look, around):
        if opening[0] not in "<[" and not around.line_start:
            continue
        end = _response(opening, look, at)
        if end > at and not (look.boundary or around.after_call):
            end = _if_meant(look, end, at)
        if end != at:
            return Opened(end, closer)
    return Opened(at)


def _answers(look: Look, around: Surroundings) -> tuple[tuple[str, str], ...]:
    if around.called:
        return (*RESPONSES.items(), *RESPONSES_AFTER_A_CALL.items())
    return () if look.watching else tuple(RESPONSES.items())


def _exactly(mark: str, look: Look, at: int) -> int:
    """Where `mark` ends that stands at `at`; `at` when it does not stand there, `MORE` when it still may."""
    if look.text.startswith(mark, at):
        return at + len(mark)
    return MORE if not look.final and mark.startswith(look.text[at:]) else at


def _response(opening: str, look: Look, at: int) -> int:
    """The same for the mark of an answer; a plain tag may have attributes."""
    if not opening.endswith(">") or not opening[1:-1].isidentifier():
        return _exactly(opening, look, at)
    tag = _exactly(opening[:-1], look, at)
    if tag <= at:
        return tag
    end = Attributes().match(look, tag)
    return end if end > 0 or end == MORE else at


def _if_meant(look: Look, end: int, at: int) -> int:
    """In the middle of a sentence the tag is only meant when an answer follows it, not the rest of the sentence."""
    after = look.text[end : end + 2]
    if len(after) < 2 and not look.final:
        return MORE
    first = after.lstrip(" \t")[:1]
    meant = after[:1] == "\n" or first in ("{", "[", '"') or first.isdigit() or after[:1].isalnum()
    return end if meant else at
