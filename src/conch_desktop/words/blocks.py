"""What holds text back: a call until it closes, JSON while it may be a call, and answers a model made up."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from conch_desktop.words import advice
from conch_desktop.words.block_json import Ending
from conch_desktop.words.bodies import Body, Reading, read_body
from conch_desktop.words.body_scan import BodyScan
from conch_desktop.words.events import WordsCall, WordsFailed, WordsMadeUp
from conch_desktop.words.formats import CALL_OPEN, OPENERS, Format
from conch_desktop.words.names import Names
from conch_desktop.words.promise import WINDOW, may_be_call
from conch_desktop.words.scan import plain_end
from conch_desktop.words.tags import FUNCTION

_OPENERS = re.compile("|".join(map(re.escape, OPENERS)), re.IGNORECASE)

LONG = 4 * WINDOW
"""Characters from which text that was held in vain counts: what held it is read a second time."""

UNTAGGED = 4000
"""Characters an answer without its opening mark may have."""

Quiet = Callable[[str], object] | None
"""Finds in a piece what matters; None when every piece must be read."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of held text: calls and failed blocks, or `words` when it was none; and what comes after it.

    `doubtful`: the end was found at second sight, and what follows is read a second time. `then` holds on to what
    comes next.
    """

    events: Sequence[WordsCall | WordsFailed | WordsMadeUp] = ()
    words: str = ""
    rest: str = ""
    is_block: bool = True
    doubtful: bool = False
    then: Holder | None = None


class Holder(Protocol):
    """Something that takes text until it is settled what it is."""

    quiet: Quiet

    def take(self, piece: str) -> Settled | None:
        """Reads the next piece; None while nothing is settled."""

    def close(self, *, cut: bool) -> Settled:
        """The answer ended; `cut`: the provider cut it."""


class Block:
    """A call from its opening to its end. `opening` is the text that opened it."""

    def __init__(self, form: Format, opening: str, name: str, names: Names, *, native: bool, plainly: bool) -> None:
        self._form = form
        self._opening = opening
        self._name = name
        self._names = names
        self._native = native
        self._plainly = plainly
        self._function = form.until == "function"
        function = name if self._function else ""
        self._scan = BodyScan(form.until, function=function, plainly=plainly)
        self._pieces: list[str] = []
        self._begin = ""
        self._sure = not native
        self._plain = plain_end(form.closers) if form.until == "closer" and not native and not plainly else None
        self.quiet: Quiet = None

    def take(self, piece: str) -> Settled | None:
        """Reads the next piece."""
        self._pieces.append(piece)
        if self._plain is not None and (settled := self._plainly_ended(piece)):
            return settled
        self._scan.take(piece)
        if not self._sure:
            self._begin += piece
            ended = self._scan.end
            if not self._may_be_ours(self._begin if ended < 0 else self._begin[:ended]):
                return self._no_call()
        if self._scan.end >= 0:
            return self._ended(self._text())
        self.quiet = self._scan.quiet if self._sure else None
        return None

    def _plainly_ended(self, piece: str) -> Settled | None:
        """Only the first piece is looked at; it goes up to the first bracket, for all before it was kept."""
        assert self._plain is not None
        found = self._plain(piece)
        self._plain = None
        return self._read(piece, found.end(1), found.end(), "whole") if found else None

    def _may_be_ours(self, text: str) -> bool:
        """In a native turn: whether it may still become a call of a tool on offer."""
        body = text[:WINDOW].lstrip()
        while body.startswith(CALL_OPEN):
            body = body.removeprefix(CALL_OPEN).lstrip()
        may: bool | None = True
        if body.startswith(("{", "[")) and not self._name:
            may = may_be_call(body, self._names, native=True)
        elif body.startswith("<") or not body:
            found = FUNCTION.match(body)
            may = self._names.find(found[2]) is not None if found else None
        if may is None and len(text) >= WINDOW:
            may = False
        self._sure = may is True
        return may is not False

    def close(self, *, cut: bool) -> Settled:
        """The answer ended within the block, or straight after what it holds."""
        scan = self._scan
        scan.take("", final=True)
        text = self._text()
        if scan.end >= 0:
            return self._ended(text)
        if scan.whole >= 0 and not scan.within:
            return self._read(text, scan.whole, scan.whole, "whole")
        return self._read(text, len(text), len(text), "cut" if cut else "open")

    def _text(self) -> str:
        return "".join(self._pieces)

    def _ended(self, text: str) -> Settled:
        scan = self._scan
        body_end, end, whole = scan.body_end, scan.end, scan.whole
        after = text[whole:body_end].lstrip() if 0 <= whole < body_end else ""
        spoken = after and not after.startswith(("<", "}", "]", ")", "```", "~~~"))
        if after[:1].isalnum() or (spoken and (scan.functions or body_end == end)):
            # words follow the call: its own closing mark is missing, or comes after them
            if body_end == end:
                return self._read(text, whole, whole, "whole")
            if scan.functions:
                words = text[whole : end if "`" in text[whole:body_end] else body_end]  # in code the mark is named
                settled = self._read(text, whole, end, "whole")
                return replace(settled, rest=words + settled.rest) if settled.is_block else settled
        return self._read(text, body_end, end, "open" if self._plainly else "whole")

    def _read(self, text: str, body_end: int, end: int, ending: Ending) -> Settled:
        name = "" if self._function else self._name
        reading = read_body(Body(text[:body_end], ending, self._scan, name), self._names)
        if self._native and not reading.plain:
            return self._no_call()
        if reading.definition and not self._form.asked:
            return Settled(words=self._opening + text[:end], rest=text[end:], is_block=False)
        scan = self._scan
        mixed = bool(scan.functions or scan.fields) and not self._function and text.lstrip()[:1] == "{"
        doubtful = not reading.readable or mixed or (body_end == end and scan.whole < 0)
        if doubtful and (inner := self._inner_end(text, body_end, end)):
            failed = WordsFailed(text[:inner].strip(), advice.unreadable(self._names, "a text in it is never closed"))
            return Settled((failed,), rest=text[inner:], doubtful=True)
        return Settled(reading.events, rest=text[end:])

    def _no_call(self) -> Settled:
        """In a native turn: words after all. What stands in its texts and values opens no call either."""
        settled = Passing(self._scan, self._text()).settled()
        return replace(settled, words=self._opening + settled.words)

    def _inner_end(self, text: str, body_end: int, end: int) -> int:
        """Where a closing mark ends that stood within a text and is the real one; 0 without.

        It is when no closing mark stood outside a text, when the one that did closes another call, or when it stands
        on a line of its own and no call was opened before it: then a text of this one was never closed.
        """
        marks = "|".join(map(re.escape, self._form.closers))
        found = re.compile(rf"(?:{marks})(?=\r?\n|<|\Z)", re.IGNORECASE).search(text, 0, body_end) if marks else None
        if found is None:
            return 0
        if end > body_end and not _stands_alone(text, found):
            openers = list(_OPENERS.finditer(text, found.end(), body_end))
            last = Body(text[openers[-1].end() if openers else body_end : body_end], "whole", BodyScan("closer"))
            if not openers or not read_body(last, self._names).readable:
                return 0
        return found.end()


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether nothing else is on the line, and no call was opened before."""
    before = text[: found.start()]
    after = text[found.end() : found.end() + 2]
    line = before[before.rfind("\n") + 1 :]
    return "\n" in before and not line.strip() and after[:1] in "\r\n" and not _OPENERS.search(before)


class Passing:
    """Words that look like a call and are none: they go out, and up to the end of the block nothing in them counts."""

    quiet: Quiet = None

    def __init__(self, scan: BodyScan, text: str) -> None:
        self._scan = scan
        self._waiting = text
        self._sent = 0

    def settled(self) -> Settled:
        """The words so far, as far as it is told that they lie within the block."""
        end = self._scan.end
        told = max(0, (end if end >= 0 else self._scan.decided) - self._sent)
        words, self._waiting = self._waiting[:told], self._waiting[told:]
        self._sent += told
        if end >= 0:
            return Settled(words=words, rest=self._waiting, is_block=False)
        return Settled(words=words, is_block=False, then=self)

    def take(self, piece: str) -> Settled:
        """Reads the next piece."""
        self._waiting += piece
        self._scan.take(piece)
        return self.settled()

    def close(self, *, cut: bool) -> Settled:
        """The answer ended within the block."""
        self._scan.take("", final=True)
        settled = self.settled()
        return settled if settled.then is None else Settled(words=settled.words + self._waiting, is_block=False)


class Candidate:
    """JSON in the place of an answer or alone in a fence, while it may be a call.

    `opening` is the fence's line, "" without; `fence` the marks of the fence.
    """

    def __init__(self, names: Names, *, native: bool, opening: str = "", fence: str = "", python: bool = False) -> None:
        self._names = names
        self._native = native
        self._opening = opening
        self.fence = fence
        self._python = python
        self._begin = ""
        self._decided = False
        self._pieces: list[str] = []
        self._scan = BodyScan("value", only=True, fence=fence)
        self.quiet: Quiet = None

    def take(self, piece: str) -> Settled | None:
        """Reads the next piece."""
        self._pieces.append(piece)
        if not self._decided:
            self._begin += piece
            may = may_be_call(self._begin, self._names, native=self._native, python=self._python)
            if may is False:
                return self._words()
            self._decided = bool(may)
            if self._decided and self._begin.lstrip()[:1] not in ("{", "["):
                self._scan = BodyScan("closer", fence=self.fence)
                piece = self._begin
        self._scan.take(piece)
        if self._scan.alien:
            return self._words()
        if self._scan.end >= 0:
            return self._read(self._scan.body_end, self._scan.end)
        self.quiet = self._scan.quiet if self._decided else None
        return None

    def close(self, *, cut: bool) -> Settled:
        """The answer ended: a call if its value is whole."""
        self._scan.take("", final=True)
        if self._scan.alien:
            return self._words()
        text = "".join(self._pieces)
        if self._scan.end >= 0:
            return self._read(self._scan.body_end, self._scan.end)
        return self._read(len(text), len(text)) if self._scan.whole >= 0 else self._words()

    def _words(self) -> Settled:
        text = "".join(self._pieces)
        return Settled(words=self._opening, rest=text, is_block=False, doubtful=len(text) > LONG)

    def _read(self, body_end: int, end: int) -> Settled:
        text = "".join(self._pieces)
        body = text[:body_end].strip()
        reading: Reading = read_body(Body(_without_closers(body), "whole", self._scan), self._names)
        if not reading.plain:
            return self._words()
        return Settled(reading.events, rest=text[end:])


def _without_closers(body: str) -> str:
    """A reply that is only a call may close what it never opened."""
    while body.endswith(">") and (begin := body.rfind("<")) > 0:
        body = body[:begin].rstrip()
    return body


class Hidden:
    """An answer of a tool that the model made up, up to its exact closing mark; without one to the end."""

    def __init__(self, closer: str) -> None:
        self._closer = closer
        self._rest = ""
        self.quiet: Quiet = None

    def take(self, piece: str) -> Settled | None:
        """Drops the next piece."""
        text = self._rest + piece
        place = text.find(self._closer) if self._closer else -1
        if place >= 0:
            return Settled((WordsMadeUp(),), rest=text[place + len(self._closer) :])
        self._rest = text[-len(self._closer) :] if self._closer else ""
        return None

    def close(self, *, cut: bool) -> Settled:
        """The answer ended within it."""
        return Settled((WordsMadeUp(),))


class Untagged:
    """An answer of a tool that the model made up, its opening mark forgotten: it is one if its closing mark comes.

    `head` is what it began with. What goes on for longer than any short answer is words.
    """

    quiet: Quiet = None

    def __init__(self, head: str, closer: str) -> None:
        self._text, self._closer = head, closer

    def take(self, piece: str) -> Settled | None:
        """Keeps the next piece."""
        looked = max(0, len(self._text) - len(self._closer))
        self._text += piece
        place = self._text.find(self._closer, looked)
        if 0 <= place <= UNTAGGED:
            return Settled((WordsMadeUp(),), rest=self._text[place + len(self._closer) :])
        return self.close(cut=False) if len(self._text) > UNTAGGED + len(self._closer) else None

    def close(self, *, cut: bool) -> Settled:
        """No closing mark came: words."""
        return Settled(rest=self._text, is_block=False, doubtful=len(self._text) > LONG)


class InThought:
    """A call within thinking: it is words, unless the thinking never ends and the call is the last thing in it."""

    def __init__(self, block: Block, opening: str, closer: str) -> None:
        self._block = block
        self._opening = opening
        self._closer = closer
        self._settled: Settled | None = None
        self._pieces: list[str] = []
        self._tail = ""
        self._after = ""
        self.quiet: Quiet = None

    def take(self, piece: str) -> Settled | None:
        """Reads the next piece."""
        self._pieces.append(piece)
        self._tail = self._tail[-len(self._closer) :] + piece
        if self._closer in self._tail:
            return Settled(rest=self._opening + "".join(self._pieces), is_block=False, doubtful=True)
        if self._settled is None:
            self._settled = self._block.take(piece)
            self._after = self._settled.rest if self._settled else ""
        else:
            self._after += piece
        after = self._after.strip()
        ended = after and not self._closer.startswith(after)
        return self._as_words() if ended or len(self._after) > WINDOW else None

    def _as_words(self) -> Settled:
        text = self._opening + "".join(self._pieces)
        return Settled(words=text[: len(text) - len(self._after)], rest=self._after, is_block=False)

    def close(self, *, cut: bool) -> Settled:
        """The answer ended within the thinking."""
        settled = self._settled or self._block.close(cut=cut)
        after = self._after if self._settled else settled.rest
        calls = settled.events and all(isinstance(event, WordsCall) for event in settled.events)
        if calls and not after.strip():
            return Settled(settled.events)
        self._after = ""
        return self._as_words()
