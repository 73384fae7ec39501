"""The parts the opening of a call is made of, matched on a text that may still go on.

Each part answers where it ends, `MORE` when the text ends too early to tell, or `NO`. So an opening is recognised at
the same place however the text is cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from conch_desktop.words.names import Names

NO, MORE = -2, -1

_WORD = re.compile(r"[\w.:/-]*")
_IDENTIFIER = re.compile(r"[^\W\d][\w.:/-]*")
BLANK = " \t\r\n\f\v\u00a0\u2028\u2029\u3000\u200b\u200c\u200d\u2060\ufeff"
"""White space, also what has no width."""
WHITE = re.compile(rf"[\s{BLANK}]*")
_ATTRIBUTES = re.compile(r"(?:\s[^<>]{0,48})?>")
_ATTRIBUTES_BEGUN = re.compile(r"(?:\s[^<>]{0,48})?\Z")


@dataclass(slots=True)
class Look:
    """A look at `text`: whether it is all there is, the tools on offer, and the name that was met on the way.

    `boundary`: a sentence could begin here. `watching`: in a native turn only calls of tools on offer count.
    """

    text: str
    final: bool
    names: Names
    boundary: bool = True
    watching: bool = False
    name: str = ""


def mark_end(written: str, look: Look, at: int) -> int:
    """Where the mark `written` ends that stands at `at`, or `MORE`, or `NO`. Tags are the same in any case."""
    stands = look.text[at : at + len(written)]
    if written[0] == "<":
        stands, written = stands.lower(), written.lower()
    if stands == written:
        return at + len(written)
    return MORE if not look.final and written.startswith(stands) and at + len(stands) == len(look.text) else NO


class Part(Protocol):
    """One part of an opening."""

    def match(self, look: Look, at: int) -> int:
        """Where the part ends that begins at `at`, or `MORE`, or `NO`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One of several exact texts. None may begin with another one."""

    options: tuple[str, ...]
    optional: bool = False

    def match(self, look: Look, at: int) -> int:
        """Takes the one that stands there."""
        for option in self.options:
            if (end := mark_end(option, look, at)) != NO:
                return end
        return at if self.optional else NO


def mark(*options: str) -> Mark:
    """Exactly one of `options`."""
    return Mark(options)


def maybe(*options: str) -> Mark:
    """One of `options`, or nothing."""
    return Mark(options, optional=True)


@dataclass(frozen=True, slots=True)
class Blank:
    """White space, at most `most` of it."""

    characters: str = " \t\r\n"
    most: int = 16

    def match(self, look: Look, at: int) -> int:
        """Takes all of it; too much of it is no part of an opening."""
        end = at
        while end < len(look.text) and look.text[end] in self.characters:
            end += 1
        if end - at > self.most:
            return NO
        return MORE if end == len(look.text) and not look.final else end


@dataclass(frozen=True, slots=True)
class Word:
    """A word. A tool's name is kept; where `known`, only one that is on offer."""

    name: bool = True
    known: bool = False
    optional: bool = False
    most: int = 80

    def match(self, look: Look, at: int) -> int:
        """Takes the whole word."""
        found = _WORD.match(look.text, at, at + self.most + 1)
        word = found.group() if found else ""
        end = at + len(word)
        if len(word) > self.most:
            return NO
        if end == len(look.text) and not look.final:
            return MORE if not self.known or look.names.may_begin(word) else NO
        if not word:
            return at if self.optional else NO
        if self.known and look.names.find(word) is None:
            return NO
        if self.name:
            look.name = word
        return end


@dataclass(frozen=True, slots=True)
class Attributes:
    """The end of a tag, after attributes if there are any."""

    def match(self, look: Look, at: int) -> int:
        """Takes all up to the bracket."""
        if found := _ATTRIBUTES.match(look.text, at):
            if name := re.search(r"\bname\s*=\s*[\"']?([\w.:-]+)", found.group()):
                look.name = name[1]
            return found.end()
        return MORE if not look.final and _ATTRIBUTES_BEGUN.match(look.text, at) else NO


@dataclass(frozen=True, slots=True)
class Ahead:
    """What must come next, without being taken."""

    characters: str
    or_fence: bool = False

    def match(self, look: Look, at: int) -> int:
        """Only looks."""
        if self.or_fence and (end := mark_end("```", look, at)) != NO:
            return MORE if end == MORE else at
        if at < len(look.text):
            return at if look.text[at] in self.characters else NO
        return NO if look.final else MORE


DSML = ("｜DSML｜", "|DSML|", "｜｜DSML｜｜", "‖DSML‖")
"""What DeepSeek's own tags begin with, and how its bars are written elsewhere (lsdefine/GenericAgent#804)."""

INNER = (
    "<function",
    "<invoke",
    "<tool_call",
    "<name>",
    "<tool_name>",
    *(f"<{dsml.lower()}invoke" for dsml in DSML),
    "<antml:invoke",
)
"""Tags that may come first within a call's own tag."""

_PRINT = "print("
WINDOW = 50
"""Characters after a tag that tell whether it opens a call. With the longest tag of words they stay within 64."""


@dataclass(frozen=True, slots=True)
class Body:
    """What must come next, without being taken, for a tag to open a call and not to be talked about.

    `asked`: the tag is the one models are asked for. There an unknown name, and words in the place of a call, are a
    call that failed, unless the tag stands in the middle of a sentence. After any other tag only JSON, a tag that
    belongs into a call, or the name of a tool on offer open one.
    """

    asked: bool = False
    closers: tuple[str, ...] = ()

    def match(self, look: Look, at: int) -> int:
        """Only looks."""
        window = look.text[at : at + WINDOW]
        opens = self._opens(look, window, look.final or len(window) == WINDOW)
        return MORE if opens is None else at if opens else NO

    def _opens(self, look: Look, window: str, final: bool) -> bool | None:
        """Whether what stands in the window is a call; None when more must come to tell."""
        body = WHITE.sub("", window, count=1)
        firmly = self.asked and look.boundary and not look.watching
        if not body:
            return firmly if final else None
        if body[0] in "{[" or body.startswith("```"):
            return True
        if any(begun.startswith(body) for begun in ("```", _PRINT)) and not final:
            return None
        if body[0] == "<":
            return self._tag(body, final, firmly)
        return self._words(look, window, body.removeprefix(_PRINT), final)

    def _tag(self, body: str, final: bool, firmly: bool) -> bool | None:
        body = body.lower()
        if any(body.startswith(inner) for inner in INNER):
            return True
        begun = any(known.startswith(body) for known in (*INNER, *self.closers))
        return None if begun and not final else firmly

    def _words(self, look: Look, window: str, body: str, final: bool) -> bool | None:
        """Words after the tag: a tool's name, a call that failed, or a sentence about the tag."""
        found = _IDENTIFIER.match(body)
        word = found.group() if found else ""
        after = body[len(word) : len(word) + 1]
        if word and not after and not final:
            return None
        cut = len(window) == WINDOW and not after and look.names.may_begin(word)
        known = cut or look.names.find(word.removesuffix(".call")) is not None
        if known and (look.boundary or after in "\n\r{(<["):
            return True
        if not self.asked or look.watching:
            return False
        direct = len(body) == len(window)
        if direct and word and after and after in "<({":
            return True
        line = "\n" in window[: len(window) - len(body)]
        if not look.boundary:
            return self._closed_below(window, final) if line else False
        return True if line or (direct and word) else self._alone(window, final)

    def _closed_below(self, window: str, final: bool) -> bool | None:
        """Both tags on lines of their own, though the first follows on words: a call that failed, if it is short."""
        if any(f"\n{closer}" in window for closer in self.closers):
            return True
        return False if final else None

    def _alone(self, window: str, final: bool) -> bool | None:
        """`<tool_call> find it </tool_call>` with nothing else on its line is a call that failed."""
        line, broken, _ = window.partition("\n")
        for closer in self.closers:
            words, closed, after = line.partition(closer)
            if closed and words:
                if after.strip():
                    return False
                return True if broken or final else None
        return False if broken or final else None


@dataclass(frozen=True, slots=True)
class Inside:
    """What must come next, without being taken, for a function's tag to be meant: its arguments.

    Where a tag may open a call that cannot be read, words are taken, too.
    """

    def match(self, look: Look, at: int) -> int:
        """Only looks."""
        body = look.text[at : at + WINDOW].lstrip()
        if not body:
            short = not look.final and len(look.text) - at < WINDOW
            return MORE if short else at if look.boundary and not look.watching else NO
        return at if body[0] in "{<" or (look.boundary and not look.watching) else NO


def match_parts(parts: Sequence[Part], look: Look, at: int) -> int:
    """Where all `parts` together end, or `MORE`, or `NO`."""
    for part in parts:
        at = part.match(look, at)
        if at < 0:
            return at
    return at
