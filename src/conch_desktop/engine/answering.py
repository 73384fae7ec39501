"""A tool's answer as a model is told it: what nobody can see taken out, cut to its room, with words for both."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.tokens import estimate

LONGEST_KEPT = 4_000_000
"""Characters of one answer that are kept and shown; the rest is gone."""

SHARE = 0.4
"""How much of the window the answers of one step may take together."""

MOST_TOKENS = 16_000
"""Tokens one answer may take in any window."""

LEAST_TOKENS = 150
"""Tokens every answer gets, however many there are."""

_LOOKED_AT = 10
"""Characters a token of room that are looked at: an answer of any length takes the same time."""

_UNSEEN = re.compile(
    # Control characters other than tab and line ends; half characters; blanks without a width; marks that turn the
    # direction of writing; and the two blocks of characters that are never drawn: text in them is read by models and
    # by nobody else. Joiners stay, scripts and emoji need them.
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_COLOURS = re.compile(r"\x1b\[[0-9;:]{0,32}[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Told:
    """`text` is what the model is told of an answer; `notice` what the person is told of that, "" for nothing."""

    text: str
    notice: str = ""


def kept(text: str) -> str:
    """The answer as it is kept and shown."""
    if len(text) <= LONGEST_KEPT:
        return text
    return f"{text[:LONGEST_KEPT]}\n[Cut here: the answer had {len(text):,} characters.]"


def room_for(window: int, answers: int) -> int:
    """Tokens one of so many answers of a step may take in a window of so many tokens."""
    return max(LEAST_TOKENS, min(MOST_TOKENS, int(window * SHARE / max(1, answers))))


def told(name: str, text: str, room: int) -> Told:
    """What the model is told of an answer, in at most `room` tokens."""
    whole = len(text)
    text = text[: room * _LOOKED_AT]  # the rest would be cut anyway
    plain = _COLOURS.sub("", text)
    seen = clear(plain)
    hidden = len(plain) - len(seen)
    shown = cut(seen, room)
    notes = []
    said = []
    if hidden:
        characters = "1 hidden character" if hidden == 1 else f"{hidden:,} hidden characters"
        notes.append(f"{characters} of this answer left out.")
        said.append(f"{characters} of its answer did not go to the model.")
    if len(shown) < len(seen) or whole > len(text):
        notes.append(
            f"Cut here: this is {len(shown):,} of {whole:,} characters. "
            "Ask for less, or for a later part, if the tool can do that."
        )
        said.append(f"the model was given {len(shown):,} of {whole:,} characters.")
    body = "\n\n".join([shown, *(f"[{note}]" for note in notes)])
    return Told(body, f"{name}: {' '.join(said)}" if said else "")


_CUT = re.compile(r"\[Cut here: this is ([\d,]+) of ([\d,]+) characters\.")
_NOTES = 2_000
"""Characters at the end of what the model was told that are looked at: only our own notes stand there."""


def share_told(call: CallRecord) -> tuple[int, int] | None:
    """How many characters of a call's answer the model was told, and of how many; None when it was told them all."""
    if len(call.sent_back) >= len(call.answer):
        return None
    found = list(_CUT.finditer(call.sent_back, max(0, len(call.sent_back) - _NOTES)))
    if not found:
        return None
    given, whole = (int(number.replace(",", "")) for number in found[-1].groups())
    return given, whole


def clear(text: str) -> str:
    """The text without what nobody can see."""
    return _UNSEEN.sub("", text)


def cut(text: str, room: int) -> str:
    """The beginning of a text that takes at most `room` tokens."""
    if estimate(text) <= room:
        return text
    least, most = 0, min(len(text), room * 4)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if estimate(text[:middle]) <= room else (least, middle - 1)
    return text[:least]
