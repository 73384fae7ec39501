"""Where the text of an answer is: in words, code, a quote, a fence or thinking; and what begins there.

Only what stands in plain words can open a call. Each state reads on from a place in the text, says what is words, and
answers where it stopped; `MORE` when more must come to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import ClassVar

from conch_desktop.words.blocks import Block, Candidate, Hidden, Holder, InThought, Settled, Untagged
from conch_desktop.words.events import WordsMadeUp
from conch_desktop.words.formats import (
    QUOTATION_MARKS,
    RESPONSE_CLOSE,
    SENTENCE_ENDS,
    opened,
)
from conch_desktop.words.hidden import Surroundings, answered_at, hidden_at
from conch_desktop.words.names import Names
from conch_desktop.words.openings import (
    ANGLE,
    AT_FENCE,
    AT_LINE,
    CLOSER,
    CLOSERS_BEGUN,
    FENCE_OPEN,
    HEAD,
    HEADS,
    HIDDEN_HEAD,
    HIDDEN_HEADS,
    IN_CODE,
    IN_FENCE,
    IN_LINE,
    IN_QUOTE,
    IN_THOUGHT,
    OPENINGS_BEGUN,
    STOPS,
    Find,
    fence_may_open,
)
from conch_desktop.words.parts import MORE, WHITE, Look

_HELD = 60
"""Characters of white space, or of one mark in a row, that are held back at most."""
_PATIENCE = 8
"""How often held text is read a second time. Then a closing mark ends a call wherever it stands, and after as many
more nothing is held at all: so reading stays linear whatever is written."""

_BLANKS = re.compile(r"[ \t]*")
_ONE_WORD = re.compile(r"[ \t]*[\w+#.-]*[ \t]*\r?\Z")


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
        self._seam = False  # a line break was left out between calls that follow on words
        self._spoke = False
        self._only_calls = True  # no words yet: it may be a reply that is only calls
        self._after_call = False
        self._doubts = 0
        self._last = self._word = "\n"  # the last character of the words, and the last that is no blank
        self._after_run: State = Place._inline
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
        self._spoke = True
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
        if self._gap or self._seam or self._info is not None:
            return None, None
        if self._code and self._state is Place._inline:
            return IN_CODE, IN_CODE
        return Place._finds.get(self._state, (None, None))

    def settle(self, settled: Settled, fence: str) -> None:
        """Goes on after what held the text; `fence` are the marks of the fence it stood in."""
        self.holder = settled.then
        self._doubts += settled.doubtful
        if settled.is_block:
            self.calls += sum(not isinstance(event, WordsMadeUp) for event in settled.events)
            self._seam = self._seam or (self._spoke and "\n" in self._gap)
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
            self._state = Place._line if self._word == "\n" else Place._inline

    def _new_edge(self) -> None:
        self._last = self._word = "\n"
        self._code, self._info = 0, None
        self._state = Place._edge

    def _say(self, text: str) -> None:
        if text:
            if self._seam and "\n" not in self._gap:
                self._gap = f"\n{self._gap}"
            self._said.append(self._gap + text)
            self._gap = ""
            self._seam, self._spoke = False, True
            self.note(text)
            if not self._thought:
                self._only_calls = self._after_call = False

    # --- at the start of the answer, and after a call ---

    def _edge(self, text: str, at: int, final: bool) -> int:
        white = WHITE.match(text, at)
        assert white
        if white.group():
            self._gap += white.group()
            if self._after_call:
                self._gap = self._gap[:_HELD]
            elif len(self._gap) > _HELD:
                self._said.append(self._gap)
                self._gap = ""
            return white.end()
        if self._after_call and (step := self._stray(text, at, final)) != at:
            return step
        if text[at] in "{[" and self._only_calls and self._doubts < _PATIENCE:
            self.holder = Candidate(self._names, native=self._native)
            return at
        if not self._native and (step := self._untagged(text, at, final)) != at:
            return step
        self._state = Place._line
        return at

    def _untagged(self, text: str, at: int, final: bool) -> int:
        """An answer of the model's own that begins as the program writes one, without its tag."""
        end = answered_at(Look(text, final, self._names), at)
        if end > at:
            self.holder = Untagged(text[at:end], RESPONSE_CLOSE)
        return end

    def _stray(self, text: str, at: int, final: bool) -> int:
        """A closing mark after a call that is closed already is left out, also half of one at the end."""
        if closer := CLOSER.match(text, at):
            return closer.end()
        if text[at:].lower() not in CLOSERS_BEGUN:
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
        found = STOPS.search(text, at)
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
        if at + run == len(text) and run < _HELD and not final:
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
        return self._run_went_by(text, at, run)

    def _run_went_by(self, text: str, at: int, run: int) -> int:
        """Says a run of marks; what goes beyond the longest that is counted belongs to it."""
        self._say(text[at : at + run])
        if run == _HELD:
            self._after_run, self._state = self._state, Place._rest_of_run
        return at + run

    def _rest_of_run(self, text: str, at: int, final: bool) -> int:
        end = at
        while end < len(text) and text[end] == self._last:
            end += 1
        self._say(text[at:end])
        if end < len(text):
            self._state = self._after_run
        return end

    def _tildes(self, text: str, at: int, final: bool) -> int:
        run = _run(text, at)
        if at + run == len(text) and run < _HELD and not final:
            return MORE
        if run < 3:
            self._state = Place._inline
            return at
        if (step := self._fence_begins(text, at, final)) != at:
            return step
        self._fence, self._state = "~" * run, Place._fence_text
        return self._run_went_by(text, at, run)

    def _fence_begins(self, text: str, at: int, final: bool) -> int:
        """A fence that may hold nothing but a call; `at` when it is none."""
        if self._doubts >= _PATIENCE:
            return at
        if found := FENCE_OPEN.match(text, at):
            python = found[2].lower() == "tool_code"
            self.holder = Candidate(
                self._names, native=self._native, opening=found.group(), fence=found[1], python=python
            )
            return found.end()
        return MORE if not final and fence_may_open(text, at) else at

    # --- where nothing is a call ---

    def _quote(self, text: str, at: int, final: bool) -> int:
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
        closes = (
            len(line) >= len(self._fence) and not line.strip(mark) and (end if end >= 0 else len(text)) - at <= _HELD
        )
        if closes and (end >= 0 or final):
            self._say(text[at : end + 1] if end >= 0 else text[at:])
            self._fence, self._state = "", Place._line
            return end + 1 if end >= 0 else len(text)
        self._state = Place._fence_text
        return at

    def _fence_text(self, text: str, at: int, final: bool) -> int:
        end = text.find("\n", at) + 1
        self._say(text[at : end or len(text)])
        if end:
            self._state = Place._fence_line
        return end or len(text)

    def _thinking(self, text: str, at: int, final: bool) -> int:
        found = ANGLE.search(text, at)
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
        if text[at : at + HEAD].lower() in HEADS and not (self._code or self._deaf or self._quoted()):
            step = MORE if text[at:].lower() in OPENINGS_BEGUN and not final else self._opens(text, at, final)
            if step != at:
                return step
        self._say(text[at])
        return at + 1

    def _quoted(self) -> bool:
        """Straight after a quotation mark; French ones stand apart."""
        return self._last in QUOTATION_MARKS or (self._last.isspace() and self._word in "«‹")

    def _opens(self, text: str, at: int, final: bool) -> int:
        """What a mark opens; `at` when it opens nothing."""
        boundary = self._word == "\n" or self._word in SENTENCE_ENDS
        if not self._thought and text[at : at + HIDDEN_HEAD].lower() in HIDDEN_HEADS:
            step = self._opens_hidden(text, at, final, boundary)
            if step != at:
                return step
        if self._thought and self._native:
            return at
        look = Look(text, final, self._names, boundary, self._native)
        found = opened(look, at, line_start=self._word == "\n" and not self._native)
        if found is None:
            return at
        if found == "more":
            return MORE
        form, end = found
        opening = text[at:end]
        if self._doubts >= 2 * _PATIENCE:
            return at
        plainly = self._doubts >= _PATIENCE
        block = Block(form, opening, look.name, self._names, native=self._native, plainly=plainly)
        self.holder = InThought(block, opening, self._thought) if self._thought else block
        return end

    def _opens_hidden(self, text: str, at: int, final: bool, boundary: bool) -> int:
        """Thinking, which is shown, and an answer of the model's own, which is not."""
        found = hidden_at(Look(text, final, self._names, boundary, self._native), at, self._surroundings())
        if found.is_thought and found.end > at:
            self._thought, self._state = found.closer, Place._thinking
            self._say(text[at : found.end])
        elif found.end > at and not found.is_closer:
            self.holder = Hidden(found.closer)
        return found.end

    def _surroundings(self) -> Surroundings:
        return Surroundings(called=self.calls > 0, after_call=self._after_call, line_start=self._word == "\n")

    _finds: ClassVar[Mapping[Callable[..., int], tuple[Find, Find]]] = {
        _inline: (IN_LINE, IN_LINE),
        _line: (AT_LINE, IN_LINE),
        _fence_text: (IN_FENCE, IN_FENCE),
        _fence_line: (AT_FENCE, IN_FENCE),
        _quote: (IN_QUOTE, IN_QUOTE),
        _thinking: (IN_THOUGHT, IN_THOUGHT),
    }


State = Callable[[Place, str, int, bool], int]


def _run(text: str, at: int) -> int:
    """How often the character at `at` stands there in a row, as far as that is counted."""
    end = at + 1
    most = min(len(text), at + _HELD)
    while end < most and text[end] == text[at]:
        end += 1
    return end - at
