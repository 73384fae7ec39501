"""An answer while it is being made: turn events go in, the message as it stands comes out."""

from __future__ import annotations

from dataclasses import replace

from conch_desktop.domain.calls import ENDED_STATES, CallRecord, CallState
from conch_desktop.domain.events import (
    CallMade,
    CallProgress,
    CallResult,
    CallStarted,
    Done,
    GuardDecided,
    LessonLearnt,
    Notice,
    PlanMade,
    ReasoningAdded,
    Refused,
    ReplayKept,
    RequestSent,
    TextAdded,
    Tried,
    TurnEvent,
    Usage,
)
from conch_desktop.domain.messages import (
    Failure,
    Message,
    MessageState,
    NoticePart,
    Part,
    ReasoningPart,
    ReplayPart,
    TextPart,
    TriedPart,
)
from conch_desktop.domain.models import Model
from conch_desktop.engine.history import taken_back
from conch_desktop.engine.spending import Tally

_MODES = {"native": "native", "strict": "native (strict)", "words": "in words"}
"""How calls that were made before the mode changed got there."""

_STATES: dict[str, MessageState] = {"error": "failed", "stopped": "stopped"}


class AnswerDraft:
    """Folds turn events into a message. `model` is the one that answers, for what it costs.

    Words are kept in pieces until the message is asked for, so that taking in a piece costs the same in a long answer
    as in a short one.
    """

    def __init__(self, message: Message, model: Model | None = None) -> None:
        self._message = message
        self._tally = Tally(message.usage, model)
        self._parts: list[Part] = list(message.parts)
        self._pieces: list[str] = []
        self._places: dict[str, int] = {
            part.id: place for place, part in enumerate(self._parts) if isinstance(part, CallRecord)
        }

    def message(self) -> Message:
        """The message as it stands."""
        self._join()
        return replace(self._message, parts=tuple(self._parts))

    def open_calls(self) -> list[CallRecord]:
        """The calls that have no answer yet."""
        return [part for part in self._parts if isinstance(part, CallRecord) and part.state not in ENDED_STATES]

    def apply(self, event: TurnEvent) -> None:
        """Takes in what happened."""
        match event:
            case TextAdded(text=text, step=step):
                self._words(TextPart, text, step)
            case ReasoningAdded(text=text, step=step):
                self._words(ReasoningPart, text, step)
            case CallProgress() | CallMade() | GuardDecided() | CallStarted() | CallResult():
                self._join()
                self._call(event)
            case Notice(text=text, step=step):
                self._add(NoticePart(text, step))
            case Tried():
                self._add(TriedPart(event.mode, event.ms, event.words, event.answered, event.step))
            case ReplayKept(data=data, step=step):
                self._add(ReplayPart(data, step))
            case LessonLearnt(text=text):
                self._add(NoticePart(text))
            case _:
                self._whole(event)

    def _whole(self, event: TurnEvent) -> None:
        """What is said of the message as a whole."""
        match event:
            case PlanMade(mode=mode, why=why):
                before = _MODES.get(self._message.mode, "") if self._places and self._message.mode != mode else ""
                told = ", ".join(filter(None, (why, f"before that {before}" if before else "")))
                self._message = replace(self._message, mode=mode, why=told)
            case Usage():
                self._message = replace(self._message, usage=self._tally.take(event))
            case Refused():
                failure = Failure(event.kind, event.text, event.advice)
                self._message = replace(self._message, failure=failure)
            case RequestSent(mode=mode):  # a refusal that was healed is no failure of the answer
                self._tally.settle()
                self._message = replace(self._message, mode=mode, failure=None)
            case Done(finish=finish):
                self._message = replace(self._message, state=_STATES.get(finish, "done"))
            case _:
                pass

    def _words(self, kind: type[TextPart] | type[ReasoningPart], text: str, step: int) -> None:
        last = self._parts[-1] if self._parts else None
        if not isinstance(last, kind) or last.step != step:
            self._add(kind("", step))
        self._pieces.append(text)

    def _add(self, part: Part) -> None:
        self._join()
        self._parts.append(part)

    def _join(self) -> None:
        if self._pieces:
            last = self._parts[-1]
            assert isinstance(last, TextPart | ReasoningPart)
            self._parts[-1] = replace(last, text=last.text + "".join(self._pieces))
            self._pieces = []

    def take_back(self, call: str) -> bool:
        """The person took back what a call of this answer did; False when it has no such call."""
        self._join()
        for place, part in enumerate(self._parts):
            if isinstance(part, CallRecord) and part.id == call:
                self._parts[place] = taken_back(part)
                return True
        return False

    def _call(self, event: CallProgress | CallMade | GuardDecided | CallStarted | CallResult) -> None:
        if event.id not in self._places:
            self._places[event.id] = len(self._parts)
            self._parts.append(_begun(event))
        place = self._places[event.id]
        record = self._parts[place]
        assert isinstance(record, CallRecord)
        self._parts[place] = changed(record, event)


def changed(record: CallRecord, event: CallProgress | CallMade | GuardDecided | CallStarted | CallResult) -> CallRecord:
    """The record of a call after something happened to it: the state machine of a call."""
    match event:
        case CallProgress(piece=piece):
            return replace(record, raw=record.raw + piece)
        case CallMade():
            return replace(
                record,
                name=event.name,
                raw=event.raw,
                args=event.args,
                mends=event.mends,
                dropped=event.dropped,
                source=event.source,
                extra=event.extra,
                wire_id=event.wire_id,
            )
        case GuardDecided(decision=decision, why=why):
            states: dict[str, CallState] = {"ask": "waiting", "refuse": "refused", "denied": "denied"}
            return replace(record, state=states.get(decision, record.state), why=why)
        case CallStarted(at=at):
            return replace(record, state="running", started=at)
        case CallResult():
            return replace(
                record,
                state=event.state,
                answer=event.text,
                is_error=event.is_error,
                sent_back=event.sent_back,
                ms=event.ms,
                why=event.why or record.why,
                pictures=event.pictures,
                outside=event.outside,
            )


def _begun(event: CallProgress | CallMade | GuardDecided | CallStarted | CallResult) -> CallRecord:
    name = event.name if isinstance(event, CallProgress | CallMade) else ""
    step = event.step if isinstance(event, CallProgress | CallMade) else 0
    return CallRecord(event.id, name, "", step)
