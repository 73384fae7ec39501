"""What can begin something in the words of an answer, as patterns: how it is gone over fast."""

from __future__ import annotations

import re
from collections.abc import Callable

from conch_desktop.words.formats import (
    CALL_OPEN,
    CLOSERS,
    FENCE_LANGUAGES,
    FORMATS,
    RESPONSES,
    RESPONSES_AFTER_A_CALL,
    THOUGHTS,
)

Find = Callable[[str], object] | None
"""Finds in a piece what matters; None: every piece must be read."""

_HIDDEN = (*RESPONSES, *RESPONSES.values(), *RESPONSES_AFTER_A_CALL, *THOUGHTS)
_OPENINGS = (*(head for form in FORMATS for head in form.heads), *_HIDDEN)


def _begun(marks: tuple[str, ...], most: int) -> frozenset[str]:
    return frozenset(mark[:n].lower() for mark in marks for n in range(1, min(most, len(mark)) + 1))


HEAD = 6
HEADS = _begun(_OPENINGS, HEAD)
"""The first characters, or fewer, of everything that can open a call, an answer or thinking; small, as all here is."""
OPENINGS_BEGUN = frozenset(mark[:n].lower() for mark in _OPENINGS for n in range(1, len(mark)))
"""Openings of which something is missing."""
HIDDEN_HEAD = 7
HIDDEN_HEADS = _begun(_HIDDEN, HIDDEN_HEAD)
"""The same for answers and thinking alone."""

CLOSER = re.compile("|".join(map(re.escape, sorted(CLOSERS, key=len, reverse=True))), re.IGNORECASE)
CLOSERS_BEGUN = frozenset(mark[:n] for mark in (*CLOSERS, f"{CALL_OPEN} ") for n in range(1, len(mark)))

FENCE_OPEN = re.compile(
    rf"(`{{3,32}}|~{{3,32}})[ \t]{{0,4}}({'|'.join(FENCE_LANGUAGES[:-1])}|)[ \t]{{0,4}}\r?\n", re.IGNORECASE
)
"""The line that opens a fence which may hold nothing but a call."""
_FENCE_BEGUN = re.compile(r"(?:`{3,32}|~{3,32})[ \t]{0,4}(\w*)[ \t]{0,4}\r?\Z")

STOPS = re.compile(r"[<`\[\n]")
"""Where the reading of a line of words stops to look closer."""


def fence_may_open(text: str, at: int) -> bool:
    """Whether what stands at `at` may still become such a line."""
    found = _FENCE_BEGUN.match(text, at)
    return found is not None and any(language.startswith(found[1].lower()) for language in FENCE_LANGUAGES)


def _beginnings() -> str:
    """A pattern for the first characters of an opening, or as many of them as stand at the end of a piece."""
    marks = {opening[:3].lower() for opening in _OPENINGS if opening[0] in "<["}
    return "|".join(
        _in_any_case(mark[:n]) + (r"\Z" if n < 3 else "") for n in (3, 2, 1) for mark in sorted({m[:n] for m in marks})
    )


def _in_any_case(mark: str) -> str:
    """Written out: with a flag the search would not leap to the first character."""
    return "".join(f"[{one}{one.upper()}]" if one != one.upper() else re.escape(one) for one in mark)


# What matters in a piece, for each state: a piece in which none of it is found is words as it stands.
_MARK = _beginnings()
_NEXT_LINE = r"\n[ \t]*(?:\Z|[>~AO])"  # a quote, a fence, "Action:", "Observation:"
_NEXT_FENCE_LINE = r"\n[ \t]*(?:\Z|[`~])"
IN_LINE: Find = re.compile(rf"`|{_NEXT_LINE}|{_MARK}").search
AT_LINE: Find = re.compile(rf"\A[ \t]*(?:\Z|[>~AO])|`|{_NEXT_LINE}|{_MARK}").search
IN_CODE: Find = re.compile(r"[`\n]").search
IN_FENCE: Find = re.compile(_NEXT_FENCE_LINE).search
AT_FENCE: Find = re.compile(rf"\A[ \t]*(?:\Z|[`~])|{_NEXT_FENCE_LINE}").search
IN_QUOTE: Find = re.compile(r"\n").search
ANGLE = re.compile(r"[<\[]")
IN_THOUGHT: Find = ANGLE.search
