"""What the reader of tools in words says: words, calls, blocks that could not be read, answers made up."""

from __future__ import annotations

from dataclasses import dataclass

from conch_desktop.domain.calls import Json, Mend


@dataclass(slots=True)
class WordsText:
    """Words for the person. Not frozen: one is made for nearly every piece, which would take as long as reading it."""

    text: str


@dataclass(frozen=True, slots=True)
class WordsCall:
    """A call that was read.

    `arguments` is an object, or a text that holds one; its values may be texts still, to be read by the tool's own
    schema. `raw` is what stood between the marks, `mends` are repairs of it, by their places in `raw`.
    """

    name: str
    arguments: Json
    raw: str
    mends: tuple[Mend, ...] = ()


@dataclass(frozen=True, slots=True)
class WordsFailed:
    """A block that was meant as a call and could not be read; `why` is told to the model.

    `name` is the tool it was meant for, as far as that can be told.
    """

    raw: str
    why: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class WordsMadeUp:
    """The model wrote an answer of a tool itself; it was left out."""


WordsEvent = WordsText | WordsCall | WordsFailed | WordsMadeUp
