"""The slips of almost-JSON between two marks: commas, quotes, words and comments, mended where one reading exists.

Sound stretches are passed in one jump (`patterns.SOUND`), so the work is in the slips. Each token is judged by its
neighbours alone; which bracket closes which is judged afterwards (`brackets`), and the whole is then read as JSON.
"""

from __future__ import annotations

import re
import sys
from typing import Literal

from conch_desktop.calls import patterns
from conch_desktop.calls.places import Ending
from conch_desktop.calls.record import Record, Unmendable
from conch_desktop.calls.texts import OPENING, Texts
from conch_desktop.domain.calls import MendKind

Before = Literal["{", "[", ",", ":", "key", "text", "bare", "closed"]
"""What stands before the next token."""


PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
_JSON_WORDS = frozenset({"true", "false", "null"})
_FEW = 64
"""Up to so many mends, the sound stretch after one is not passed with it: the caller may want to stop before."""
_BEFORE_ELEMENT = ("{", "[", ",")
_SOUND_AFTER = ("{", "[", ",", "closed")
_AFTER: dict[str, Before] = {"{": "{", "[": "[", ",": ",", "}": "closed", "]": "closed"}
_TAIL_STOPS = re.compile(r'[{}\[\]"]')
_PUNCTUATION = re.compile(r"[{}\[\],:]")
_BRACKET = re.compile(r"[{}\[\]]")
_MARKUP_ONLY = re.compile(r"(?:\s|```|~~~|</[\w:.-]+>|<\|[^|<>]*\|>)+\Z")
_WHOLE = ("text", "bare", "closed")
_SINGLE_QUOTES = (4, 5, 8)
_OTHERS: tuple[tuple[int, MendKind], ...] = (
    (2, "comment"),
    (3, "bare_key"),
    (6, "python_word"),
    (7, "missing_comma"),
    (9, "python_word"),
    (10, "comment"),
)
"""What the groups of `patterns.SLIP` mend."""
_COMMENT, _MISSING_COMMA = 2, 7
_NOT_AT_A_MARK = (_COMMENT, _MISSING_COMMA)
"""The groups after which no bracket and no comma stands: what stood before still does, or a comma was put there."""


class Slips:
    """Finds and mends the slips of one text, from a place where it was sound up to."""

    def __init__(self, text: str, ending: Ending) -> None:
        self.text = text
        self.ending = ending
        self.record = Record()
        self.texts = Texts(text, ending, self.record)
        self.hidden = False
        """Whether a comment to the end of its line holds brackets, which may have been meant."""
        self.comma = -1
        self._token = (0, 0)

    def run(self, at: int, before: Before, *, most: int = sys.maxsize) -> tuple[int, Before]:
        """Mends from `at` to the end of the brackets, or to the next sound place after `most` mends in all.

        Returns where it stopped. Raises `Unmendable`.
        """
        text = self.text
        while True:
            if before in _BEFORE_ELEMENT:
                at, before = self._jump(at, before, most)
            if len(self.record.marks) >= most and before in _SOUND_AFTER:
                return at, before
            begun = at
            at = self.blank(at)
            if at >= len(text) or (before == "closed" and words_follow(text, at)):
                return at, before
            if before in _WHOLE and text[at] in "`~<" and only_markup(text, at):
                return at, before
            at, before = self._step(at, before, begun)

    def _jump(self, at: int, before: Before, most: int) -> tuple[int, Before]:
        """Over all that is sound, and over slips that need no thought (they are most): the part that must be fast."""
        text, mark, comma = self.text, before[0], self.comma
        edit, note = self.record.edits.append, self.record.marks.append
        sound, slip = patterns.SOUND.match, (patterns.SLIP if most > _FEW else patterns.SLIP_ALONE).match
        found = sound(text, at)
        while found is not None:
            if (end := found.end()) > at:
                at = end
                comma = end - 1
                mark = text[comma]
            if mark == "}" or mark == "]" or len(self.record.marks) >= most:
                break
            found = slip(text, at)
            which = found.lastindex if found is not None else 0
            if which == 1:
                if mark == ",":
                    edit((comma, comma + 1, ""))
                    note(("trailing_comma", comma, comma + 1))
            elif which == 3 and found is not None:
                start, end = found.span(3)
                edit((start, end, f'"{found[3]}"'))
                note(("bare_key", start, end))
            elif which and found is not None:
                self._simple(found)
                if which in _NOT_AT_A_MARK:
                    at, mark = found.end(), "," if which == _MISSING_COMMA else mark
                    found = sound(text, at)
        self.comma = comma
        return at, _AFTER[mark]

    def _simple(self, found: re.Match[str]) -> None:
        """The slips of one element, by the groups of its pattern."""
        spans = found.regs
        for group in _SINGLE_QUOTES:
            start, end = spans[group]
            if end >= 0:
                self.record.edits += ((start - 1, start, '"'), (end, end + 1, '"'))
                self.record.marks.append(("single_quotes", start - 1, end + 1))
        for group, kind in _OTHERS:
            start, end = spans[group]
            if end >= 0:
                text = self.text[start:end]
                instead = f'"{text}"' if kind == "bare_key" else "," if kind == "missing_comma" else ""
                self.hidden |= kind == "comment" and _BRACKET.search(text) is not None
                self.record.change(start, end, PYTHON_WORDS.get(text, instead), kind)

    def blank(self, at: int) -> int:
        """The next place that is no space and no comment."""
        text = self.text
        while True:
            found = patterns.WHITES.match(text, at)
            at = found.end() if found else at
            mark = text[at : at + 1]
            if not mark or (mark.isascii() and mark not in "/#\\\x0b\x0c"):
                return at
            if found := patterns.ODD_SPACES.match(text, at):
                at = self.record.leave_out(*found.span(), "odd_space")
            elif found := patterns.COMMENT.match(text, at):
                at = self._comment(found)
            else:
                return at

    def _comment(self, found: re.Match[str]) -> int:
        if not found[0].startswith("/*") and _BRACKET.search(found[0]):
            self.hidden = True
        return self.record.leave_out(*found.span(), "comment")

    # --- one token, by what stands before it ---

    def _step(self, at: int, before: Before, begun: int) -> tuple[int, Before]:
        mark = self.text[at]
        if before in _BEFORE_ELEMENT:
            return self._element_or_end(at, before, mark)
        if before == ":":
            if mark in ",}]":
                raise Unmendable("a value is missing", at)
            return self._opened(at, mark) or self._element(at, before)
        if before == "key":
            if mark != ":":
                raise Unmendable("a name must be followed by a colon and its value", at)
            return at + 1, ":"
        if mark == ",":
            self.comma = at
            return at + 1, ","
        if mark in "}]":
            found = patterns.CLOSERS.match(self.text, at)
            return found.end() if found else at + 1, "closed"
        if before == "closed" and (opened := self._opened(at, mark)):
            return opened  # objects run together, or a list without its commas: the brackets will tell
        return self._without_comma(at, before, spaced=at > begun)

    def _element_or_end(self, at: int, before: Before, mark: str) -> tuple[int, Before]:
        if mark in "}]":
            if before == ",":
                self.record.leave_out(self.comma, self.comma + 1, "trailing_comma")
            return at + 1, "closed"
        if mark == ",":
            return self._extra_commas(at, before)
        if mark == ":":
            raise Unmendable("a name is missing before the colon", at)
        return self._opened(at, mark) or self._element(at, before)

    def _opened(self, at: int, mark: str) -> tuple[int, Before] | None:
        if mark == "{":
            return at + 1, "{"
        return (at + 1, "[") if mark == "[" else None

    def _extra_commas(self, at: int, before: Before) -> tuple[int, Before]:
        """Commas without a value between them: nothing is lost between fields, an item might be in a list."""
        found = patterns.COMMAS.match(self.text, at)
        end = found.end() if found else at
        closes = self.text[end : end + 1] == "}"
        if before == "[" or (closes and before == "{") or not (closes or patterns.KEY_AHEAD.match(self.text, end)):
            raise Unmendable("a value is missing between two commas", at)
        for comma in re.compile(",").finditer(self.text, at, end):
            self.record.leave_out(*comma.span(), "extra_comma")
        if not closes:
            return end, before
        if before == ",":
            self.record.leave_out(self.comma, self.comma + 1, "trailing_comma")
        return end + 1, "closed"

    def _without_comma(self, at: int, before: Before, *, spaced: bool) -> tuple[int, Before]:
        """A value that is followed by another without a comma between; one reading, or none."""
        mark = self.text[at]
        if self._one_reading(at, before, mark, spaced=spaced):
            self.record.change(at, at, ",", "missing_comma")
            return at, ","
        if mark == ":":
            raise Unmendable("a colon stands after a value", at)
        if mark == "=":
            raise Unmendable("a name must be followed by a colon, not by =", at)
        if before == "text":
            why = 'a text ends here and something else follows: a quote inside a text must be written \\"'
            raise Unmendable(why, at)
        raise Unmendable("a comma or a closing bracket was expected", at)

    def _one_reading(self, at: int, before: Before, mark: str, *, spaced: bool) -> bool:
        if key := patterns.KEY_AHEAD.match(self.text, at):
            if _PUNCTUATION.search(key[0], 1, len(key[0]) - 1):
                return False  # a quote is missing before it, and this is no name
            return (spaced or before == "closed") if mark in "\"'" else before != "text"
        if before == "text" or (before == "bare" and not spaced):
            return False
        if mark.isdigit():
            alone = patterns.THREE_DIGITS.match(self.text, at) is None
            return before == "bare" and (alone or not self.text[slice(*self._token)].isdigit())
        return mark in "\"'" or self._literal(at) is not None

    def _literal(self, at: int) -> str | None:
        word = patterns.WORD.match(self.text, at)
        return word[0] if word and (word[0] in _JSON_WORDS or word[0] in PYTHON_WORDS) else None

    # --- one element: a text, a number or a word, as a name or as a value ---

    def _element(self, at: int, before: Before) -> tuple[int, Before]:
        mark = self.text[at]
        if mark in OPENING:
            end = self.texts.quoted(at, mark)
            kind: Before = "text"
        elif found := patterns.NUMBER.match(self.text, at):
            end, kind = found.end(), "bare"
        elif found := patterns.WORD.match(self.text, at):
            return self._word(at, found.end(), before)
        else:
            raise Unmendable(self._unknown(at), at)
        self._token = (at, end)
        if before != ":" and self._is_name(end):
            if kind == "bare":
                self._name(at, end)
            return end, "key"
        return end, kind

    def _is_name(self, end: int) -> bool:
        """Whether a colon follows; comments between are met again, and mended, by the caller."""
        found = patterns.WHITES.match(self.text, end)
        end = found.end() if found else end
        if self.text[end : end + 1] in ("/", "#") or not self.text[end : end + 1].isascii():
            look = Slips(self.text, self.ending)
            end = look.blank(end)
        return self.text[end : end + 1] == ":"

    def _word(self, at: int, end: int, before: Before) -> tuple[int, Before]:
        word = self.text[at:end]
        if before != ":":
            if self.text[end : end + 1] in ('"', "'") and self._is_name(end + 1):
                self.record.change(at, end + 1, f'"{word}"', "missing_quote")
                return end + 1, "key"
            if self._is_name(end):
                self._name(at, end)
                return end, "key"
        self._token = (at, end)
        if word in _JSON_WORDS:
            return end, "bare"
        if word in PYTHON_WORDS:
            self.record.change(at, end, PYTHON_WORDS[word], "python_word")
            return end, "bare"
        raise Unmendable(self._unknown(at), at)

    def _name(self, at: int, end: int) -> None:
        name = self.text[at:end]
        if name in PYTHON_WORDS or not (name.isdigit() or patterns.WORD.fullmatch(name)):
            raise Unmendable("a name must stand in double quotes", at)
        self.record.change(at, end, f'"{name}"', "bare_key")

    def _unknown(self, at: int) -> str:
        found = re.compile(r"[^\s,{}\[\]\"']{1,40}").match(self.text, at)
        word = found[0] if found else self.text[at]
        if re.match(r"[-+.]?[0-9]|-?Infinity|-?inf|NaN|nan", word):
            return f"{word} is no JSON number"
        if word[0] == "`":
            return "a text must stand in double quotes, not in backticks"
        return f"{word} stands without quotes and is no value of JSON"


def only_markup(text: str, at: int) -> bool:
    """Whether all from `at` on closes what is around the arguments: a fence, a tag."""
    return _MARKUP_ONLY.match(text, at) is not None


def words_follow(text: str, at: int) -> bool:
    """Whether all from `at` on is words that follow the arguments: nothing in it could belong to them."""
    mark = text[at]
    if mark in '{}[],:"' or (text[at - 1] in "}]" and mark not in "<`);.!"):
        return False
    return _TAIL_STOPS.search(text, at) is None
