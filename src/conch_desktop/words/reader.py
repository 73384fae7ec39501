"""Reads a model that uses its tools in words: words go out at once, a call is held until it closes.

What is a call and what is only talked about follows from where it stands: nothing in a code fence, in inline code, in
a block quote, after a quotation mark or in the model's thinking is one (`words.place` keeps where the text is).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from conch_desktop.domain.tools import Tool
from conch_desktop.words import advice
from conch_desktop.words.blocks import Candidate, Hidden, Holder, Settled, Untagged
from conch_desktop.words.events import WordsCall, WordsEvent, WordsFailed, WordsMadeUp, WordsText
from conch_desktop.words.names import Names
from conch_desktop.words.place import Place

__all__ = ["WordsCall", "WordsEvent", "WordsFailed", "WordsMadeUp", "WordsReader", "WordsText"]

_CHUNK = 4096
"""Characters that are read at a time: cutting read text off a very long piece again and again would not be linear."""


_SURELY_HELD = 40
_WORD = re.compile(r"[\w|｜▁.:/]+\Z")


class WordsReader:
    """Fed with text as it streams, answers with words and calls; the result is the same however the text is cut.

    `tools` are the tools on offer, or their names; with the tools, the example for a failed call is one that fits.
    In `native` turns it only watches for calls a server let through as text: what is not wholly a call of a tool on
    offer is words.
    """

    def __init__(self, tools: Sequence[str | Tool], *, native: bool = False) -> None:
        self._place = Place(Names(tools), native=native)
        self._events: list[WordsEvent] = []
        self._held = ""
        self._answered_itself = False
        self._find: Callable[[str], object] | None = None
        self._then: Callable[[str], object] | None = None
        self._passed: list[str] = []  # pieces in which nothing mattered, not read yet
        self._silent = False

    def feed(self, text: str) -> list[WordsEvent]:
        """Reads the next piece."""
        piece, find = text, self._find
        if self._held:
            text = self._held + piece
            self._held = ""
        if find is not None and text and find(text) is None:
            self._passed.append(text)
            if self._silent:
                return []
            self._find = self._then
            return [WordsText(text)]
        if text is not piece and text[0] == "<" and len(text) < _SURELY_HELD and _WORD.match(piece):
            self._held = text  # a tag that goes on is looked at again when its name ends
            return []
        if self._passed:
            text = self._caught_up() + text
        place = self._place
        if self._silent or len(text) > _CHUNK:
            self._read(_chunks(text), final=False, cut=False)
            return self._told()
        at = place.read(text, final=False)
        if place.holder is not None:
            self._read(_chunks(text[at:]), final=False, cut=False)
            return self._told()
        self._held = text[at:]
        self._find, self._then = place.finds()
        said = place.said()
        return [WordsText(said)] if said else []

    def close(self, *, cut: bool = False) -> list[WordsEvent]:
        """The answer ended; `cut`: the provider cut it. A block without a closer is a call when its JSON is whole."""
        self._read(_chunks(self._caught_up() if self._passed else ""), final=True, cut=cut)
        self._place.close()
        return self._told()

    def _caught_up(self) -> str:
        """Takes in the pieces that went by: words are only noted, what is held still has to be read."""
        text = "".join(self._passed)
        self._passed.clear()
        if self._silent:
            return text
        self._place.passed(text)
        return ""

    def _read(self, waiting: list[str], *, final: bool, cut: bool) -> None:
        """Reads what waits, the next piece last: words until something holds the text, that until it is settled."""
        place = self._place
        while True:
            piece = waiting.pop() if waiting else ""
            ending = final and not waiting
            holder = place.holder
            if holder is not None:
                settled = holder.take(piece) if piece else None
                if settled is None and ending:
                    settled = holder.close(cut=cut)
                if settled is not None:
                    self._settle(settled, holder)
                    waiting += _chunks(settled.rest)
                elif not waiting:
                    break
                continue
            text = self._held + piece
            at = place.read(text, final=ending)
            self._held = "" if place.holder else text[at:]
            if place.holder:
                waiting += _chunks(text[at:])
            if not waiting and not (final and place.holder):
                break
        self._find, self._then = place.finds()
        self._silent = place.holder is not None

    def _settle(self, settled: Settled, holder: Holder) -> None:
        self._flush()
        for event in settled.events:
            if self._answered_itself and isinstance(event, WordsCall):
                event = WordsFailed(event.raw, advice.after_own_answer(event.name), event.name)
            self._events.append(event)
        if isinstance(holder, Hidden | Untagged) and settled.is_block and self._place.calls:
            self._answered_itself = True
        self._place.settle(settled, holder.fence if isinstance(holder, Candidate) else "")

    def _flush(self) -> None:
        if text := self._place.said():
            self._events.append(WordsText(text))

    def _told(self) -> list[WordsEvent]:
        self._flush()
        events, self._events = self._events, []
        return events


def _chunks(text: str) -> list[str]:
    """`text` in pieces, the first one last."""
    if len(text) <= _CHUNK:
        return [text] if text else []
    return [text[begin : begin + _CHUNK] for begin in range((len(text) - 1) // _CHUNK * _CHUNK, -1, -_CHUNK)]
