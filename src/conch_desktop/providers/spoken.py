"""The words and the thinking of one answer, from the pieces they come in, and what they tell of how far it is."""

from __future__ import annotations

from conch_desktop.domain.events import ReasoningDelta, TextDelta
from conch_desktop.providers.texts import Halves, ThinkSplitter

Said = list[TextDelta | ReasoningDelta]


class Spoken:
    """Turns pieces into events: whole characters, and thinking in tags at the start parted from the text.

    `characters` counts both so far.
    """

    def __init__(self) -> None:
        self.characters = 0
        self._think = ThinkSplitter()
        self._text = Halves()
        self._reasoning = Halves()

    def say(self, text: str, thinking: str = "") -> Said:
        """The events of one piece; thinking that came beside text comes first."""
        said = self._made("", thinking) if thinking else []
        return [*said, *self._made(*self._think.feed(text))] if text else said

    def close(self) -> Said:
        """What was still held: the answer has ended."""
        said = self._made(*self._think.close())
        thinking, text = self._reasoning.close(), self._text.close()
        return [*said, *self._events(text, thinking)]

    def _made(self, text: str, thinking: str) -> Said:
        return self._events(text and self._text.feed(text), thinking and self._reasoning.feed(thinking))

    def _events(self, text: str, thinking: str) -> Said:
        self.characters += len(thinking) + len(text)
        said: Said = [ReasoningDelta(thinking)] if thinking else []
        if text:
            said.append(TextDelta(text))
        return said


class SpokenAnswer:
    """How far an answer of `Spoken` words is (see `wire_answer.WireAnswer`). A wire’s own says what a call is."""

    def __init__(self) -> None:
        self.taken = False
        self.done = False
        self._spoken = Spoken()

    @property
    def characters(self) -> int:
        """How much text and thinking there is so far."""
        return self._spoken.characters

    @property
    def started(self) -> bool:
        """Has a word or a call come?"""
        return bool(self.characters) or self.calling

    @property
    def calling(self) -> bool:
        """Has a call begun?"""
        raise NotImplementedError
