"""Text as it streams: thinking in tags at the start of an answer, and characters that arrive in halves."""

from __future__ import annotations


class ThinkSplitter:
    """Parts thinking in `<think>` tags at the start of an answer from its text, whatever the cuts.

    Anywhere else the tag is text: people write about templates too.
    """

    _OPEN, _CLOSE = "<think>", "</think>"

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""

    def feed(self, piece: str) -> tuple[str, str]:
        """The text and the thinking that are certain now."""
        if self._state == "text":
            return piece, ""
        self._held += piece
        thinking = ""
        if self._state == "start":
            start = self._held.lstrip()
            if not start.startswith(self._OPEN):
                return ("", "") if self._OPEN.startswith(start) else (self._text(), "")
            self._state, self._held = "thinking", start[len(self._OPEN) :]
        if self._state == "thinking":
            thinking, closer, rest = self._held.partition(self._CLOSE)
            if not closer:
                keep = _tail(thinking, self._CLOSE)
                self._held = thinking[len(thinking) - keep :]
                return "", thinking[: len(thinking) - keep]
            self._state, self._held = "after", rest
        self._held = self._held.lstrip()  # the blank lines between thinking and answer
        return (self._text() if self._held else ""), thinking

    def close(self) -> tuple[str, str]:
        """What was still held: the answer has ended."""
        held, state = self._held, self._state
        self._held = ""
        return ("", held) if state == "thinking" else (held, "")

    def _text(self) -> str:
        self._state, text, self._held = "text", self._held, ""
        return text


def _tail(text: str, word: str) -> int:
    """How many characters at the end of `text` may be the start of `word`."""
    return next((size for size in range(min(len(word) - 1, len(text)), 0, -1) if text.endswith(word[:size])), 0)


class Halves:
    """Joins characters that came in two halves: JSON writes some as a pair of escapes, and servers cut between them.

    A half without its other is no character: neither the window nor the database takes it.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        if not self._held and piece.isascii():
            return piece
        text = self._held + piece
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return whole_characters(text)

    def close(self) -> str:
        held, self._held = self._held, ""
        return whole_characters(held)


def whole_characters(text: str) -> str:
    """The text with halves joined where both are there, and replaced where one is missing."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
