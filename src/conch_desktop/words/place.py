"""Where the text of an answer is: in words, code, a quote, a fence or thinking; and where something begins that holds it.

Only what stands in plain words can open a call. Each state reads on from a place in the text, says what is words, and
answers where it stopped; `MORE` when more must come to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from conch_desktop.words.blocks import Block, Candidate, Hidden, Holder, InThought, Settled
from conch_desktop.words.formats import (
    CALL_OPEN,
    CLOSERS,
    FENCE_LANGUAGES,
    FORMATS,
    QUOTATION_MARKS,
    RESPONSES,
    RESPONSES_AFTER_A_CALL,
    SENTENCE_ENDS,
    THOUGHTS,
    opened,
)
from conch_desktop.words.names import Names
from conch_desktop.words.parts import MORE, Attributes, Look

_HELD = 60
"""Characters of white space that are held back at most."""
_PATIENCE = 8
"""How often held text is read a second time; then a closing mark ends a call wherever it stands."""
_LONG_MARKS = 32

_STOPS = re.compile(r"[<`\[\n]")
_CODE_STOPS = re.compile(r"[`\n]")
_ANGLE = re.compile(r"[<\[]")
_WHITE = re.compile(r"\s*")
_BLANKS = re.compile(r"[ \t]*")
_FENCE_OPEN = re.compile(
    rf"(`{{3,32}}|~{{3,32}})[ \t]{{0,4}}({'|'.join(FENCE_LANGUAGES[:-1])}|)[ \t]{{0,4}}\r?\n", re.IGNORECASE
)
_FENCE_BEGUN = re.compile(r"(?:`{3,32}|~{3,32})[ \t]{0,4}(\w*)[ \t]{0,4}\r?\Z")
_ONE_WORD = re.compile(r"[ \t]*[\w+#.-]*[ \t]*\r?\Z")
_HEAD = 6
_OPENINGS = (*(head for form in FORMATS for head in form.heads), *RESPONSES, *RESPONSES_AFTER_A_CALL, *THOUGHTS)
_HEADS = frozenset(opening[:n] for opening in _OPENINGS for n in range(1, _HEAD + 1))
"""The first characters, or fewer, of everything that can open a call, an answer or thinking."""
_BEGUN = frozenset(opening[:n] for opening in _OPENINGS for n in range(1, len(opening)))
"""Openings of which something is missing."""


_HIDDEN_HEAD = 7
_HIDDEN_HEADS = frozenset(
    opening[:n] for opening in (*RESPONSES, *RESPONSES_AFTER_A_CALL, *THOUGHTS) for n in range(1, _HIDDEN_HEAD + 1)
)
_CLOSER = re.compile("|".join(map(re.escape, sorted(CLOSERS, key=len, reverse=True))))
_CLOSERS_BEGUN = frozenset(mark[:n] for mark in (*CLOSERS, f"{CALL_OPEN} ") for n in range(1, len(mark)))


def _beginnings() -> str:
    """A pattern for the first characters of an opening, or as many of them as stand at the end of a piece."""
    marks = {opening[:3] for opening in _OPENINGS if opening[0] in "<["}
    return "|".join(
        re.escape(mark[:n]) + (r"\Z" if n < 3 else "") for n in (3, 2, 1) for mark in sorted({m[:n] for m in marks})
    )


_MARK = _beginnings()
# What matters in a piece, for each state: a piece in which none of it is found is words as it stands.
_IN_LINE = re.compile(rf"`|\n(?:\Z|[ \t>~`AO])|{_MARK}").search
_IN_CODE = _CODE_STOPS.search
_AT_LINE = re.compile(rf"\A[ \t>~AO\n]|`|\n(?:\Z|[ \t>~`AO])|{_MARK}").search
_IN_FENCE = re.compile(r"\n[ \t]*(?:\Z|[`~])").search
_AT_FENCE = re.compile(r"\A[ \t`~\n]|\n[ \t]*(?:\Z|[`~])").search
_IN_QUOTE = re.compile(r"\n").search
_IN_THOUGHT = _ANGLE.search


Find = Callable[[str], object] | None


class Place:
    """Where the text is. `holder` is what holds the text from here on; `calls` counts the calls so far."""

    def __init__(self, names: Names, *, native: bool) -> None:
        self.holder: Holder | None = None
        self.calls = 0
        self._names = names
        self._native = native
        self._said: list[str] = []
        self._state: State = Place._edge
        self._gap = ""  # white space at the start or after a call: left out unless words follow
        self._only_calls = True  # no words yet: it may be a reply that is only calls
        self._after_call = False
        self._doubts = 0
        self._last = self._word = "\n"  # the last character of the words, and the last that is no blank
        self._code = 0  # how many backticks opened the inline code
        self._fence = ""
        self._info: str | None = None  # what follows marks that may open a fence
        self._info_free = False
        self._thought = ""  # what closes the thinking
        self._deaf = False  # nothing in this thinking is held any more

    def read(self, text: str, *, final: bool) -> int:
        """Reads words up to where something begins that holds the text, or to where more must come."""
        at = 0
        while at < len(text) and self.holder is None:
            step = self._state(self, text, at, final)
            if step == MORE:
                break
            at = step
        return at

    def said(self) -> str:
        """The words since this was asked last."""
        said = self._said
        text = said[0] if len(said) == 1 else "".join(said)
        said.clear()
        return text

    def note(self, text: str) -> None:
        """Keeps how the words end."""
        last = text[-1]
        self._last = last
        if last > " ":
            self._word = last
        elif stripped := text.rstrip(" \t\r"):
            self._word = stripped[-1]

    def close(self) -> None:
        """The answer ended."""
        if self._gap and not self._after_call:
            self._said.append(self._gap)

    def passed(self, text: str) -> None:
        """A piece went by in which `find` found nothing."""
        self.note(text)
        if not self._thought:
            self._only_calls = self._after_call = False
        state = self._state
        if state is Place._line:
            self._state = Place._inline
        elif state is Place._fence_line:
            self._state = Place._fence_text

    def finds(self) -> tuple[Find, Find]:
        """What finds in the next piece what matters, and in those after it; None: every piece must be read.

        A piece in which nothing matters is words as it is, or kept for what holds the text.
        """
        if self.holder is not None:
            return self.holder.quiet, self.holder.quiet
        if self._gap or self._info is not None:
            return None, None
        if self._code and self._state is Place._inline:
            return _IN_CODE, _IN_CODE
        return _FINDS.get(self._state, (None, None))

    def settle(self, settled: Settled, fence: str) -> None:
        """Goes on after what held the text; `fence` are the marks of the fence it stood in."""
        self.holder = None
        self._doubts += settled.doubtful
        if settled.is_block:
            self.calls += len(settled.events)
            self._gap = ""
            self._after_call = True
            self._new_edge()
            return
        self._say(settled.words)
        if self._thought:
            self._deaf = self._deaf or settled.doubtful
        elif fence:
            self._fence, self._state = fence, Place._fence_line
        else:
            self._only_calls = False
            self._state = Place._inline if settled.words else Place._line

    def _new_edge(self) -> None:
        self._last = self._word = "\n"
        self._code, self._info = 0, None
        self._state = Place._edge

    def _say(self, text: str) -> None:
        if text:
            self._said.append(self._gap + text)
            self._gap = ""
            self.note(text)
            if not self._thought:
                self._only_calls = self._after_call = False

    # --- at the start of the answer, and after a call ---

    def _edge(self, text: str, at: int, final: bool) -> int:
        white = _WHITE.match(text, at)
        assert white
        if white.group():
            self._gap += white.group()
            if len(self._gap) > _HELD and not self._after_call:
                self._said.append(self._gap)
                self._gap = ""
            return white.end()
        if self._after_call and (step := self._stray(text, at, final)) != at:
            return step
        if text[at] in "{[" and self._only_calls and self._doubts < _PATIENCE:
            self.holder = Candidate(self._names, native=self._native)
            return at
        self._state = Place._line
        return at

    def _stray(self, text: str, at: int, final: bool) -> int:
        """A closing mark after a call that is closed already is left out, also half of one at the end."""
        if closer := _CLOSER.match(text, at):
            return closer.end()
        if text[at:] not in _CLOSERS_BEGUN:
            return at
        return len(text) if final else MORE

    # --- words ---

    def _line(self, text: str, at: int, final: bool) -> int:
        """At the start of a line."""
        blanks = _BLANKS.match(text, at)
        assert blanks
        if blanks.group():
            self._say(blanks.group())
            return blanks.end()
        character = text[at]
        if character == "~":
            return self._tildes(text, at, final)
        self._state = Place._quote if character == ">" else Place._inline
        step = self._mark(text, at, final) if character in "AO" else at
        if step == MORE:
            self._state = Place._line
        return step

    def _inline(self, text: str, at: int, final: bool) -> int:
        found = _STOPS.search(text, at)
        stop = found.start() if found else len(text)
        if stop > at:
            if self._info is not None:
                self._note_info(text[at:stop])
            self._say(text[at:stop])
            if not found:
                return stop
        character = text[stop]
        if character == "\n":
            return self._line_ends(stop)
        step = self._ticks(text, stop, final) if character == "`" else self._mark(text, stop, final)
        return stop if step == MORE and stop > at else step

    def _note_info(self, text: str) -> None:
        if self._info is not None and not self._info_free:
            self._info += text
            if len(self._info) > _HELD:
                self._info = None

    def _line_ends(self, at: int) -> int:
        self._say("\n")
        if self._info is not None and (self._info_free or _ONE_WORD.match(self._info)):
            self._fence, self._state = "`" * self._code, Place._fence_line
        else:
            self._state = Place._line
        self._code, self._info = 0, None
        return at + 1

    def _ticks(self, text: str, at: int, final: bool) -> int:
        run = _run(text, at)
        if at + run == len(text) and not final:
            return MORE
        if self._code:
            self._info = None
            if run == self._code:
                self._code = 0
        elif self._last != "\\":
            if run >= 3 and (step := self._fence_begins(text, at, final)) != at:
                return step
            self._code = run
            self._info, self._info_free = ("" if run >= 3 else None), self._word == "\n"
        self._say(text[at : at + run])
        return at + run

    def _tildes(self, text: str, at: int, final: bool) -> int:
        run = _run(text, at)
        if at + run == len(text) and not final:
            return MORE
        if run < 3:
            self._state = Place._inline
            return at
        if (step := self._fence_begins(text, at, final)) != at:
            return step
        self._say(text[at : at + run])
        self._fence, self._state = "~" * run, Place._fence_text
        return at + run

    def _fence_begins(self, text: str, at: int, final: bool) -> int:
        """A fence that may hold nothing but a call; `at` when it is none."""
        if self._doubts >= _PATIENCE:
            return at
        if found := _FENCE_OPEN.match(text, at):
            python = found[2].lower() == "tool_code"
            self.holder = Candidate(
                self._names, native=self._native, opening=found.group(), fence=found[1], python=python
            )
            return found.end()
        begun = None if final else _FENCE_BEGUN.match(text, at)
        if begun and any(language.startswith(begun[1].lower()) for language in FENCE_LANGUAGES):
            return MORE
        return at

    # --- where nothing is a call ---

    def _quote(self, text: str, at: int, final: bool) -> int:  # noqa: ARG002
        end = text.find("\n", at) + 1
        self._say(text[at : end or len(text)])
        if end:
            self._state = Place._line
        return end or len(text)

    def _fence_line(self, text: str, at: int, final: bool) -> int:
        """At the start of a line within a fence: it may be the one that closes it."""
        end = text.find("\n", at)
        line = (text[at:end] if end >= 0 else text[at:]).strip(" \t\r")
        mark = self._fence[0]
        if end < 0 and not final and not line.strip(mark) and len(text) - at <= _HELD:
            return MORE
        if len(line) >= len(self._fence) and not line.strip(mark) and (end >= 0 or final):
            self._say(text[at : end + 1] if end >= 0 else text[at:])
            self._fence, self._state = "", Place._line
            return end + 1 if end >= 0 else len(text)
        self._state = Place._fence_text
        return at

    def _fence_text(self, text: str, at: int, final: bool) -> int:  # noqa: ARG002
        end = text.find("\n", at) + 1
        self._say(text[at : end or len(text)])
        if end:
            self._state = Place._fence_line
        return end or len(text)

    def _thinking(self, text: str, at: int, final: bool) -> int:
        found = _ANGLE.search(text, at)
        stop = found.start() if found else len(text)
        if stop > at:
            self._say(text[at:stop])
            return stop
        rest = text[at : at + len(self._thought)]
        if rest == self._thought:
            self._say(rest)
            self._thought, self._deaf = "", False
            self._new_edge()
            return at + len(rest)
        if self._thought.startswith(rest) and not final:
            return MORE
        return self._mark(text, at, final)

    # --- marks ---

    def _mark(self, text: str, at: int, final: bool) -> int:
        """At a character that may begin a mark: opens what it opens, or says it."""
        if text[at : at + _HEAD] in _HEADS and not self._code and self._last not in QUOTATION_MARKS and not self._deaf:
            step = MORE if text[at:] in _BEGUN and not final else self._opens(text, at, final)
            if step != at:
                return step
        self._say(text[at])
        return at + 1

    def _opens(self, text: str, at: int, final: bool) -> int:
        """What a mark opens; `at` when it opens nothing."""
        boundary = self._word == "\n" or self._word in SENTENCE_ENDS
        if not self._thought and text[at : at + _HIDDEN_HEAD] in _HIDDEN_HEADS:
            step = self._opens_hidden(text, at, final, boundary)
            if step != at:
                return step
        look = Look(text, final, self._names, boundary, self._native)
        found = opened(look, at, line_start=self._word == "\n" and not self._native)
        if found is None:
            return at
        if found == "more":
            return MORE
        form, end = found
        opening = text[at:end]
        plainly = self._doubts >= _PATIENCE
        block = Block(form, opening, look.name, self._names, native=self._native, plainly=plainly)
        self.holder = InThought(block, opening, self._thought) if self._thought else block
        return end

    def _opens_hidden(self, text: str, at: int, final: bool, boundary: bool) -> int:
        """Thinking, which is shown, and an answer of the model's own, which is not."""
        for opening, closer in THOUGHTS.items():
            step = _exactly(opening, text, at, final)
            if step != at and boundary:
                if step != MORE:
                    self._thought, self._state = closer, Place._thinking
                    self._say(opening)
                return step
        marks = {**RESPONSES, **RESPONSES_AFTER_A_CALL} if self.calls else {} if self._native else RESPONSES
        for opening, closer in marks.items():
            step = self._response(opening, text, at, final)
            if step > at and not (boundary or self._after_call):
                step = _means_answer(text, step, at, final)
            if step > at:
                self.holder = Hidden(closer)
            if step != at:
                return step
        return at

    def _response(self, opening: str, text: str, at: int, final: bool) -> int:
        if opening[0] not in "<[":
            return _exactly(opening, text, at, final) if self._word == "\n" else at
        if not opening.endswith(">") or "|" in opening or "｜" in opening:
            return _exactly(opening, text, at, final)
        step = _exactly(opening[:-1], text, at, final)
        if step <= at:
            return step
        end = Attributes().match(Look(text, final, self._names), step)
        return end if end > 0 else MORE if end == MORE else at


State = Callable[[Place, str, int, bool], int]
_FINDS: dict[State, tuple[Find, Find]] = {
    Place._inline: (_IN_LINE, _IN_LINE),
    Place._line: (_AT_LINE, _IN_LINE),
    Place._fence_text: (_IN_FENCE, _IN_FENCE),
    Place._fence_line: (_AT_FENCE, _IN_FENCE),
    Place._quote: (_IN_QUOTE, _IN_QUOTE),
    Place._thinking: (_IN_THOUGHT, _IN_THOUGHT),
}


def _exactly(mark: str, text: str, at: int, final: bool) -> int:
    """Where `mark` ends that stands at `at`; `at` when it does not stand there, `MORE` when it still may."""
    if text.startswith(mark, at):
        return at + len(mark)
    return MORE if not final and mark.startswith(text[at:]) else at


def _means_answer(text: str, end: int, at: int, final: bool) -> int:
    """Whether the tag of an answer in the middle of a sentence is meant: an answer follows it, not a sentence."""
    after = text[end : end + 2]
    if len(after) < 2 and not final:
        return MORE
    first = after.lstrip(" \t")[:1]
    meant = after[:1] == "\n" or first in ("{", "[", '"') or first.isdigit() or after[:1].isalnum()
    return end if meant else at


def _run(text: str, at: int) -> int:
    """How often the character at `at` stands there in a row."""
    end = at + 1
    while end < len(text) and text[end] == text[at]:
        end += 1
    return end - at
