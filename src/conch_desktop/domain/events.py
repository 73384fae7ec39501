"""What happens while a model answers: wire events (from a provider) and turn events (for listeners; DESIGN 3, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from conch_desktop.domain.calls import CallState, Json, Mend
from conch_desktop.domain.pictures import PictureContent

RefusalKind = Literal[
    "schema",
    "tools",
    "generation",
    "auth",
    "quota",
    "rate",
    "context_length",
    "not_found",
    "overloaded",
    "content_policy",
    "bad_request",
    "network",
]
"""What a refusal means; the classes of `README-wires.md`."""

FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "error", "stopped", "paused"]
"""`stopped`: by the person. `paused`: a limit of the turn was reached. The others are the provider's."""


# Wire events --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More words of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class CallDelta:
    """More of a call that is being written: only a sign of life, the whole call comes with `Finish`.

    `key` tells the calls of one answer apart; `arguments` is the new piece.
    """

    key: int
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class WireCall:
    """A whole call as the stream gave it.

    `id` is the provider's own, "" when it gave none. `key` is that of the call's deltas. `extra` is the provider's
    opaque data as JSON text.
    """

    id: str
    name: str
    arguments: str
    extra: str = ""
    key: int = 0


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """A call the provider ran by itself: shown, never run. `key` is that of its deltas, None when it had none."""

    name: str
    arguments: str
    result: str | None
    key: int | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """What has to go back unchanged with this one answer, before its `Finish`.

    `data` is the provider's own as JSON text: an object with `blocks` (Anthropic's, in order), `reasoning_details`
    (OpenRouter) or `reasoning_content` (DeepSeek, Kimi). It goes to the model that made it and to no other.
    """

    data: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them, and what it says that they cost in US dollars; None where it told nothing."""

    type: ClassVar[str] = "usage"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The answer ended. `calls` are the calls to run, in order; empty after a cut."""

    reason: FinishReason
    calls: tuple[WireCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The provider did not answer, or broke off. It is always the last event of a stream.

    `words` are the provider's own, cut to a readable length; `what` says in a sentence what happened and `advice`
    what to do. `retry_after` is in seconds. `status` is the HTTP status, 0 when there was none. `names_tool` is the
    tool that a refused schema is of, "" when nobody says. `passing`: it may be over in a moment, so that the same
    request can succeed. `teaches` is a lesson and its value that a refusal of kind
    "bad_request" or "context_length" tells: ("window", tokens), ("effort", the levels it takes, parted by commas, or
    "none"), ("no_system_role", "") or ("blind", "").
    """

    kind: RefusalKind
    words: str
    what: str
    advice: str = ""
    status: int = 0
    retry_after: float | None = None
    names_tool: str = ""
    teaches: tuple[str, str] | None = None
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Notice:
    """A quiet line for the person, of a wire or of the turn."""

    type: ClassVar[str] = "notice"
    text: str
    step: int = 0


WireEvent = TextDelta | ReasoningDelta | CallDelta | ProviderCall | Replay | Usage | Notice | Finish | Refusal


# Turn events --------------------------------------------------------------------------------------------------------
# `type` is the name in `ask --json`; "" marks a sign of life that is not printed there.


@dataclass(frozen=True, slots=True)
class PlanMade:
    type: ClassVar[str] = "plan"
    mode: str
    why: str


@dataclass(frozen=True, slots=True)
class RequestSent:
    type: ClassVar[str] = "request"
    number: int
    mode: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextAdded:
    type: ClassVar[str] = "text"
    text: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class ReasoningAdded:
    type: ClassVar[str] = "reasoning"
    text: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """A provider's refusal. `text` is in words for the person."""

    type: ClassVar[str] = "refusal"
    kind: RefusalKind
    text: str
    words: str = ""
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """One of several requests for the same answer is over (see `messages.TriedPart`)."""

    type: ClassVar[str] = ""
    mode: str
    ms: int
    words: str = ""
    answered: bool = False
    step: int = 0


@dataclass(frozen=True, slots=True)
class LessonLearnt:
    type: ClassVar[str] = "lesson"
    kind: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class CallProgress:
    """A call is being written; the id is that of the later `CallMade`. `piece` is what is new of the raw text."""

    type: ClassVar[str] = ""
    id: str
    name: str
    piece: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call was read. When it does not fit the tool, `args` is None and a `CallResult` with the error follows.

    `id` is the program's own, `wire_id` the provider's.
    """

    type: ClassVar[str] = "call"
    id: str
    name: str
    raw: str
    args: Mapping[str, Json] | None
    mends: tuple[Mend, ...] = ()
    dropped: tuple[str, ...] = ()
    source: str = "builtin"
    step: int = 0
    extra: str = ""
    wire_id: str = ""


@dataclass(frozen=True, slots=True)
class ReplayKept:
    """What has to go back with this step's answer came (see `Replay`)."""

    type: ClassVar[str] = ""
    data: str
    step: int = 0


@dataclass(frozen=True, slots=True)
class GuardDecided:
    """`ask`: a question is open. `allow`, `refuse`: the guard's word. `allowed`, `denied`: the person's."""

    type: ClassVar[str] = "guard"
    id: str
    decision: Literal["allow", "ask", "refuse", "allowed", "denied"]
    why: str = ""


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call begins to run. `at` is in seconds since 1970."""

    type: ClassVar[str] = ""
    id: str
    at: float


@dataclass(frozen=True, slots=True)
class CallMoved:
    """A running call says how far it is. It is told to whoever looks on, and kept nowhere."""

    type: ClassVar[str] = ""
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CallResult:
    """A call has its answer. `state` is one of `ENDED_STATES`; `sent_back` is what the model is told."""

    type: ClassVar[str] = "result"
    id: str
    is_error: bool
    text: str
    ms: int | None = None
    state: CallState = "done"
    sent_back: str = ""
    why: str = ""
    pictures: tuple[PictureContent, ...] = ()
    outside: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The same request is sent again by itself in `seconds`, at `until` (seconds since 1970). `text` says why."""

    type: ClassVar[str] = "wait"
    seconds: float
    until: float
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    type: ClassVar[str] = "done"
    finish: FinishReason


TurnEvent = (
    PlanMade
    | RequestSent
    | TextAdded
    | ReasoningAdded
    | Refused
    | Tried
    | LessonLearnt
    | CallProgress
    | CallMade
    | ReplayKept
    | GuardDecided
    | CallStarted
    | CallMoved
    | CallResult
    | Usage
    | Notice
    | Waiting
    | Done
)
