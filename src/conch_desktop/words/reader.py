"""Reads a model that uses its tools in words: text goes out at once, a call block is held until it closes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.words.formats import CALL_CLOSE, CALL_OPEN


@dataclass(frozen=True, slots=True)
class WordsText:
    """Words for the person."""

    text: str


@dataclass(frozen=True, slots=True)
class WordsCall:
    """A call that was read. `arguments` is what stood under that key, `raw` the whole block without its marks."""

    name: str
    arguments: Json
    raw: str


@dataclass(frozen=True, slots=True)
class WordsFailed:
    """A block that could not be read as a call; `why` is told to the model."""

    raw: str
    why: str


WordsEvent = WordsText | WordsCall | WordsFailed

EXAMPLE = f'{CALL_OPEN}\n{{"name": "the tool", "arguments": {{"field": "value"}}}}\n{CALL_CLOSE}'


class WordsReader:
    """Fed with text as it streams, answers with words and calls; the result is the same however the text is cut.

    `tools` are the names on offer. A block that names another tool is a failed call.
    """

    def __init__(self, tools: Sequence[str]) -> None:
        self._tools = frozenset(tools)
        self._outside = ""
        self._block: list[str] | None = None
        self._ending = ""
        self._in_text = False
        self._escaped = False

    def feed(self, text: str) -> list[WordsEvent]:
        """Reads the next piece."""
        events: list[WordsEvent] = []
        while text:
            if self._block is None:
                found, text = self._read_outside(text)
            else:
                found, text = self._read_block(text)
            events += found
        return events

    def close(self) -> list[WordsEvent]:
        """The answer ended. A block without a closer is a call when its JSON is whole, else a failed one."""
        if self._block is not None:
            return [self._finished()]
        rest, self._outside = self._outside, ""
        return [WordsText(rest)] if rest else []

    def _read_outside(self, text: str) -> tuple[list[WordsEvent], str]:
        text = self._outside + text
        self._outside = ""
        place = text.find(CALL_OPEN)
        if place >= 0:
            self._block, self._ending, self._in_text, self._escaped = [], "", False, False
            return ([WordsText(text[:place])] if place else []), text[place + len(CALL_OPEN) :]
        held = _begun(text, CALL_OPEN)
        self._outside = text[len(text) - held :]
        out = text[: len(text) - held]
        return ([WordsText(out)] if out else []), ""

    def _read_block(self, text: str) -> tuple[list[WordsEvent], str]:
        """Takes characters until the closing mark stands outside a JSON text."""
        assert self._block is not None
        for place, character in enumerate(text):
            if self._in_text:
                self._inside_text(character)
            elif character == '"':
                self._in_text = True
                self._ending = ""
            else:
                self._ending = (self._ending + character)[-len(CALL_CLOSE) :]
                if self._ending == CALL_CLOSE:
                    self._block.append(text[: place + 1])
                    return [self._finished()], text[place + 1 :]
        self._block.append(text)
        return [], ""

    def _inside_text(self, character: str) -> None:
        if self._escaped:
            self._escaped = False
        elif character == "\\":
            self._escaped = True
        elif character == '"':
            self._in_text = False

    def _finished(self) -> WordsCall | WordsFailed:
        assert self._block is not None
        raw = "".join(self._block).removesuffix(CALL_CLOSE).strip()
        self._block = None
        return self._call(raw)

    def _call(self, raw: str) -> WordsCall | WordsFailed:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            return WordsFailed(raw, f"The call could not be read. Write it exactly like this:\n{EXAMPLE}")
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            return WordsFailed(raw, f"The call names no tool. Write it exactly like this:\n{EXAMPLE}")
        if value["name"] not in self._tools:
            names = ", ".join(sorted(self._tools)) or "none"
            return WordsFailed(raw, f"There is no tool {value['name']}. The tools are: {names}.")
        return WordsCall(value["name"], value.get("arguments"), raw)


def _begun(text: str, mark: str) -> int:
    """How many characters at the end of `text` may be the beginning of `mark`."""
    return next((n for n in _lengths(text, mark) if mark.startswith(text[len(text) - n :])), 0)


def _lengths(text: str, mark: str) -> Iterator[int]:
    return iter(range(min(len(mark) - 1, len(text)), 0, -1))
