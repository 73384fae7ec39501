"""Chats and messages, as people see them and as they are sent to a provider."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from conch_desktop.domain.calls import ENDED_STATES, CallRecord, Json
from conch_desktop.domain.pictures import PictureContent

Role = Literal["user", "assistant"]

MessageState = Literal["streaming", "done", "stopped", "failed", "interrupted"]
"""`interrupted`: the program ended while the message was streaming."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Words. `step` counts the requests of a turn from 0."""

    text: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """A model's thinking, folded away by default and never sent to another provider."""

    text: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class NoticePart:
    """A quiet line of the program's own in the activity panel; never sent to a model."""

    text: str
    step: int = 0


MADE_UP = "The model wrote a tool’s answer itself. It was left out: no tool said that."
"""A notice about what was taken out of an answer; it does not say that the turn is paused."""


@dataclass(frozen=True, slots=True)
class TriedPart:
    """A request of an answer that took more than one: the activity panel tells them together. Never sent to a model.

    `mode` is how tools went with it, `ms` how long the first word or the refusal took, `words` the provider's own
    about a refusal. The last one `answered`.
    """

    mode: str
    ms: int
    words: str = ""
    answered: bool = False
    step: int = 0


@dataclass(frozen=True, slots=True)
class ReplayPart:
    """What goes back unchanged with this step when the model that made it is asked again (`events.Replay`).

    JSON text. Never shown, searched or counted, and never sent to another model.
    """

    data: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A picture that the person attached. `name` is its file's, "" for one without; `outside` where somebody else's
    file came from, "" for the person's own."""

    picture: PictureContent
    name: str = ""
    step: int = 0
    outside: str = ""


@dataclass(frozen=True, slots=True)
class FilePart:
    """The text of a file that the person attached, whole. `outside` is as for a picture."""

    name: str
    text: str
    step: int = 0
    outside: str = ""


Attached = PicturePart | FilePart

Part = TextPart | ReasoningPart | NoticePart | TriedPart | ReplayPart | PicturePart | FilePart | CallRecord


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an answer did not end well, in words for the person.

    `kind` is one of `domain.events.RefusalKind`; `what` happened, in a sentence; `advice` is what can be done.
    """

    kind: str
    what: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class UsageCount:
    """Tokens as the provider counts them.

    The first four are of the last request of the turn. `turn_in` and `turn_out` are of all its requests together.
    `cost` is what those came to in US dollars: what the provider says, else by the prices in its list (an upper bound,
    because tokens from its cache are counted at the full price); None where it tells neither.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    turn_in: int = 0
    turn_out: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat. An assistant's message is a whole turn: every step's words and calls, in order.

    `asked` is the tool a person named for this message with `/`. `model` is the id of the model that answered,
    `author` the name shown above the answer. `mode` and `why` tell how the model was given its tools.
    """

    id: str
    role: Role
    parts: tuple[Part, ...] = ()
    created: float = 0.0
    state: MessageState = "done"
    asked: str = ""
    model: str = ""
    author: str = ""
    mode: str = ""
    why: str = ""
    usage: UsageCount | None = None
    failure: Failure | None = None

    @property
    def text(self) -> str:
        """All words of the message, without thinking, notices and calls."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, TextPart) and part.text)

    @property
    def attached(self) -> tuple[Attached, ...]:
        """The pictures and files of the message, in order."""
        return tuple(part for part in self.parts if isinstance(part, PicturePart | FilePart))

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls of the message, in order."""
        return tuple(part for part in self.parts if isinstance(part, CallRecord))


def broken_off(message: Message) -> Message:
    """A message that was streaming, as it is when the program ends; any other stays what it is.

    Every open call of it is ended: one that ran may have done what it does, any other did nothing.
    """
    if message.state != "streaming":
        return message
    parts = tuple(
        replace(part, state="unknown" if part.state == "running" else "stopped")
        if isinstance(part, CallRecord) and part.state not in ENDED_STATES
        else part
        for part in message.parts
    )
    return replace(message, state="interrupted", parts=parts)


@dataclass(frozen=True, slots=True)
class Outline:
    """A message that was not read yet: how long its words are, and how many calls it has."""

    id: str
    role: Role
    length: int = 0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat as the sidebar lists it. `model` is the id of the model chosen for it, "" when none was."""

    id: str
    title: str = ""
    model: str = ""
    pinned: bool = False
    created: float = 0.0
    updated: float = 0.0
    draft: str = ""


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call as it goes back to a provider. `extra` is that provider's own opaque data, as JSON text."""

    id: str
    name: str
    arguments: Mapping[str, Json]
    extra: str = ""


def with_words(text: str, pictures: Iterable[PictureContent], why: str = "") -> str:
    """The text with words in the place of pictures. `why` says what keeps them from being seen."""
    words = (f"{picture.words} {why}".rstrip() for picture in pictures)
    return "\n".join(part for part in (text, *words) if part)


@dataclass(frozen=True, slots=True)
class SentResult:
    """The answer to one call as it goes back to a provider.

    `pictures` are only there when the model may see them: a wire sends every one, in its API's own way.
    """

    id: str
    name: str
    text: str
    is_error: bool = False
    pictures: tuple[PictureContent, ...] = ()

    @property
    def in_words(self) -> str:
        """The answer for an API that takes no pictures in it."""
        return with_words(self.text, self.pictures)


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message as it is sent: a person's words, one step of an answer, or the results of that step's calls.

    `pictures` are a person's, and only there when the model may see them. `replay` is what the asked model itself
    attached to that step (`ReplayPart`), "" when another one answered.
    """

    role: Literal["user", "assistant", "results"]
    text: str = ""
    calls: tuple[SentCall, ...] = ()
    results: tuple[SentResult, ...] = ()
    replay: str = ""
    pictures: tuple[PictureContent, ...] = ()

    @property
    def in_words(self) -> str:
        """The words for an API that takes no pictures."""
        return with_words(self.text, self.pictures)
