"""Finds where the body of a call ends while it still arrives: outside JSON texts and outside the values between tags.

A closing mark inside a text or a value is data. The scan goes over every character once, whatever the pieces are,
and keeps of what it read only where it is and what a tag may still become. Each state reads on from a place in the
text and answers where it stopped, `MORE` when more must come to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from conch_desktop.words.formats import Until, closes
from conch_desktop.words.parts import MORE
from conch_desktop.words.tags import (
    TAG,
    Field,
    Function,
    begun,
    between_calls,
)

_ENDS: dict[Until, re.Pattern[str]] = {
    "closer": re.compile("[>`~]"),
    "function": re.compile(">"),
    "value": re.compile("[>`~})\\]]"),
    "line": re.compile("\n"),
}
"""What may be the last character of a body's end."""
_QUOTES = re.compile("[\"'`]")
_STOPS = re.compile(r"[\"'`~{}\[\]()</#]")
_IN_TEXT = {quote: re.compile(rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+", re.DOTALL) for quote in "\"'`"}
_LETTER = re.compile(r"[^\W_]")
_WHITE = re.compile(r"[ \t\r\n]*")
_OPENS_AFTER = "{[(,:="
"""What stands before a text in single quotes; elsewhere the mark is an apostrophe."""
_LONG_RUN = 60
"""So many marks in a row are no fence."""
_FENCE_LINE = re.compile(r"(?:`{3,}|~{3,})[ \t]{0,40}(?:\r?\n|\Z)")
_FENCE_LINE_BEGUN = re.compile(r"[ \t]{0,40}\r?\Z")


@lru_cache
def plain_end(closers: tuple[str, ...]) -> Callable[[str], re.Match[str] | None]:
    """Matches a body that is plain JSON with one of `closers`, the most frequent one, without going through states."""
    marks = "|".join(map(re.escape, closers))
    text = r"\"(?:[^\"\\]++|\\.)*+\""
    body = rf"(?:[^\"'`~<>/#\\{{\[,:]++|[{{\[,:]\s*+(?:{text})?)*+"
    return re.compile(rf"({body})(?:{marks})", re.DOTALL).match


class Scan:
    """The scan of one body: its texts, comments, brackets and fences; `BodyScan` adds its tags.

    `end`: where the block ends with its closing mark, `body_end` without, both -1 while it does not.
    `whole`: up to where the body was last whole. `alien`: something follows the value that does not belong to it
    (`only` values). `fence`: the marks of the code fence the body stands in. `plainly`: a closing mark ends it
    wherever it stands.
    """

    def __init__(
        self,
        until: Until,
        *,
        function: str = "",
        only: bool = False,
        fence: str = "",
        plainly: bool = False,
    ) -> None:
        self.end = self.body_end = self.whole = -1
        self.alien = False
        self.values: list[tuple[int, int]] = []  # where values that stand side by side begin and end
        self._value_at = 0
        self.functions: list[Function] = []
        self.fields: list[Field] = []
        self._until = until
        self._only = only
        self._fence = fence
        if until == "function":
            self.functions.append(Function(function, 0))
        self._base = 0
        self._rest = ""
        self._before = ""  # the last character that is no white space, outside texts and values
        self._last = "\n"  # the last character
        self._line_begins = True  # nothing but blanks since the last line break
        self._fenced = False  # a fence stands open in the body
        self._depth = 0
        self._apart = False  # words stand before that fence
        self.told = False  # a call stands in it that is only told of
        self._inner = 0  # how many calls stand open that are only told of
        self._tags = 0  # how many tags of others
        self._spoken = False  # words follow what was whole
        self._quote = ""
        self._closer = ""  # what closes the value that is being read
        self._close_at = -1  # where it may have been closed
        self._nested = 0
        self._state: Callable[[str, int, bool], int] = self._outside
        if plainly or until == "line":
            self._state = self._plainly if plainly else self._to_line_end

    def take(self, piece: str, *, final: bool = False) -> None:
        """Reads the next piece."""
        text = self._rest + piece
        at = 0
        while at < len(text) and self.end < 0 and not self.alien:
            step = self._state(text, at, final)
            if step < 0:
                break
            if step > at:
                self._last = text[step - 1]
            at = step
        self._line_begins = self._at_line_start(text, at)
        self._rest = text[at:]
        self._base += at
        if final:
            self._text_ended()

    def _at_line_start(self, text: str, at: int) -> bool:
        """Whether only blanks stand before `at` on its line."""
        line = text.rfind("\n", 0, at) + 1
        return (line > 0 or self._line_begins) and not text[line:at].strip(" \t")

    @property
    def decided(self) -> int:
        """Up to where it is told what the text is."""
        return self._base

    @property
    def within(self) -> bool:
        """Whether something in the body has begun and not ended."""
        return self._depth > 0 or (bool(self.fields) and self.fields[-1].end < 0)

    @property
    def quiet(self) -> Callable[[str], object] | None:
        """Finds what may end the body. A piece without may be kept and read with the next; None: read each."""
        if self._rest or self._state == self._after_whole:
            return None
        if self._state == self._in_text and self._until == "value":
            return _QUOTES.search
        return _ENDS[self._until].search

    def _to_line_end(self, text: str, at: int, final: bool) -> int:
        end = text.find("\n", at)
        if end >= 0:
            self._finish(end, end)
        return end if end >= 0 else len(text)

    def _plainly(self, text: str, at: int, final: bool) -> int:
        """Only looks for what ends the call, whatever stands around it."""
        stop = text.find("<", at)
        if stop < 0:
            return len(text)
        found = TAG.match(text, stop)
        if not found:
            return (MORE if stop == at else stop) if not final and begun(text, stop) else stop + 1
        if closes(found.group()):
            self._finish(stop, found.end())
        elif between_calls(found.group()):
            self._finish(stop, stop)
            return stop
        return found.end()

    # --- outside texts and values ---

    def _outside(self, text: str, at: int, final: bool) -> int:
        found = _STOPS.search(text, at)
        stop = found.start() if found else len(text)
        if words := text[at:stop].rstrip():
            self._before = words[-1]
            self._spoken = self._spoken or (self.whole >= 0 and not self._depth and bool(_LETTER.search(words)))
        if not found:
            return stop
        if stop:
            self._last = text[stop - 1]
        character = text[stop]
        if character in "{[(":
            self._depth += 1
        elif character in "}])":
            return self._closed_bracket(stop + 1)
        else:
            step = self._mark(text, stop, final)
            return stop if step < 0 and stop > at else step
        self._before = character
        return stop + 1

    def _mark(self, text: str, at: int, final: bool) -> int:
        if text[at] == "<":
            return self._tag(text, at, final)
        if text[at] in "/#":
            return self._comment_begins(text, at, final)
        return self._quote_begins(text, at, final)

    def _closed_bracket(self, after: int) -> int:
        self._before = "}"
        if self._depth:
            self._depth -= 1
            if not self._depth and not self._spoken and not self._function_over():
                self.whole = self._base + after
                if self._until == "value":
                    self.values.append((self._value_at, self.whole))
                    self._state = self._after_whole
        return after

    def _function_over(self) -> bool:
        """Whether a function's call is whole: what follows is no part of it."""
        return bool(self.functions) and self.whole > self.functions[-1].start

    def _quote_begins(self, text: str, at: int, final: bool) -> int:
        """A quote opens a text where a value or a key may stand, not within a word; three are a fence."""
        quote = text[at]
        if quote in "`~":
            run = _run(text, at)
            if at + run == len(text) and run < _LONG_RUN and not final:
                return MORE
            if run > 1 or quote == "~":
                return self._fence_mark(text, at, run, final, self._at_line_start(text, at))
        opens = self._before in _OPENS_AFTER if quote != '"' else not (self._before.isalnum() or self._before == "_")
        if opens and self._last != "\\":
            self._quote = quote
            self._state = self._in_text
        self._before = quote
        return at + 1

    def _fence_mark(self, text: str, at: int, run: int, final: bool, may_close: bool) -> int:
        closes = self._fence and text[at] == self._fence[0] and len(self._fence) <= run < _LONG_RUN
        if closes and may_close:
            found = _FENCE_LINE.match(text, at)
            if found and (found.group().endswith("\n") or final):
                end = at + len(found.group().rstrip("\r\n"))
                self._finish(at, end)
                return end
            if found and not final:
                return MORE
            if not final and _FENCE_LINE_BEGUN.match(text, at + run):
                return MORE
        elif not self._fence and run > 2 and may_close and self._breaks_off():
            self._finish(at, at)
            return at
        self._before = text[at]
        return at + run

    def _breaks_off(self) -> bool:
        """Whether a fence is no part of the body: it may only stand around the whole value."""
        if self._fenced or (not self._depth and self.whole < 0):
            self._fenced = not self._fenced
            self._apart = bool(self._before)
            return False
        return True

    def _comment_begins(self, text: str, at: int, final: bool) -> int:
        if text[at] == "/":
            if at + 1 == len(text) and not final:
                return MORE
            if text[at + 1 : at + 2] not in ("/", "*"):
                self._before = "/"
                return at + 1
            if text[at + 1] == "*":
                self._state = self._in_long_comment
                return at + 2
        self._state = self._in_comment
        return at + 1

    def _in_comment(self, text: str, at: int, final: bool) -> int:
        return self._within_comment(text, at, final, "\n")

    def _in_long_comment(self, text: str, at: int, final: bool) -> int:
        return self._within_comment(text, at, final, "*/")

    def _within_comment(self, text: str, at: int, final: bool, end: str) -> int:
        """In a comment a quote means nothing, and a closing mark still ends the call."""
        stop = text.find(end, at)
        tag = text.find("<", at, stop if stop >= 0 else len(text))
        if tag >= 0:
            return self._tag(text, tag, final) if tag == at else tag
        if stop >= 0:
            self._state = self._outside
            return stop + len(end)
        if end == "*/" and text.endswith("*") and not final:
            return MORE if at == len(text) - 1 else len(text) - 1
        return len(text)

    def _text_ended(self) -> None:
        """The answer ended within the body."""

    def _tag(self, text: str, at: int, final: bool) -> int:
        """What stands at a `<` outside texts."""
        raise NotImplementedError

    def _finish(self, body_end: int, end: int) -> None:
        self._state = self._outside
        self.body_end, self.end = self._base + body_end, self._base + end
        if self.functions and self.functions[-1].end < 0:
            self.functions[-1].end = self.body_end

    # --- texts ---

    def _in_text(self, text: str, at: int, final: bool) -> int:
        found = _IN_TEXT[self._quote].match(text, at)
        assert found
        stop = found.end()
        if stop < len(text) and text[stop] == self._quote:
            self._state = self._outside
            return stop + 1
        if stop < len(text) and not final:
            return stop if stop > at else MORE  # a backslash that is the last character so far
        return len(text)

    # --- after a value that ends the call ---

    def _after_whole(self, text: str, at: int, final: bool) -> int:
        """What follows a whole value: another one, a closing mark, or something that does not belong to it."""
        if (begin := after_white(text, at)) > at:
            return begin
        character = text[at]
        if character in ";," and self._before != ",":
            self._before = ","
            return at + 1
        if character == "{":
            self._value_at = self._base + at
            self._state = self._outside
            return at
        if character == "<" and not final and not TAG.match(text, at) and begun(text, at):
            return MORE
        if self._only:
            return self._only_value(text, at, final)
        if self._fenced and character in "`~":
            run = _run(text, at)
            if at + run == len(text) and run < _LONG_RUN and not final:
                return MORE
            self.body_end, self.end = self.whole, self._base + at + run
            return at
        self.body_end = self.end = self.whole
        return at

    def _only_value(self, text: str, at: int, final: bool) -> int:
        tag = TAG.match(text, at)
        if tag and closes(tag.group()) and not self._fence:
            return tag.end()
        if self._fence and text[at] == self._fence[0]:
            run = _run(text, at)
            if at + run == len(text) and run < _LONG_RUN and not final:
                return MORE
            step = self._fence_mark(text, at, run, final, may_close=True)
            if step < 0 or self.end >= 0:
                return step
        self.alien = True
        return at


def after_white(text: str, at: int) -> int:
    found = _WHITE.match(text, at)
    return found.end() if found else at


def _run(text: str, at: int) -> int:
    """How often the character at `at` stands there in a row."""
    end = at + 1
    most = min(len(text), at + _LONG_RUN)
    while end < most and text[end] == text[at]:
        end += 1
    return end - at
