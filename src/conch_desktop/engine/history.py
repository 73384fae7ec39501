"""The stored transcript as it is sent: each step of an answer, with its calls and their results directly after.

What a provider attached for itself goes back to it and to no other: signatures of calls to the same provider, the rest
only to the very model that made it (THU-MAIC/OpenMAIC #1556, huggingface/tau PR #557).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from conch_desktop.domain.calls import WHY_TAKEN_BACK, CallRecord
from conch_desktop.domain.messages import (
    FilePart,
    Message,
    Part,
    PicturePart,
    ReplayPart,
    SentCall,
    SentMessage,
    SentResult,
    TextPart,
)
from conch_desktop.domain.models import Model
from conch_desktop.words.attached import written_file, written_picture

NO_ANSWER = "This call has no answer: the program ended while it ran. It may or may not have run."
TAKEN_BACK = "[The person took this back afterwards.]"
STOPPED = "The person stopped the turn before this call had an answer."


def as_sent(messages: Iterable[Message], model: Model) -> tuple[SentMessage, ...]:
    """What `model` is sent of a chat. Every call has exactly one result; empty messages are left out."""
    sent: list[SentMessage] = []
    taken: set[str] = set()
    for message in messages:
        if message.role == "user":
            sent.append(_said(message))
            continue
        own = without_attached(message, model)
        for _, parts in groupby(own.parts, key=lambda part: part.step):
            sent += _step(list(parts), taken)
    return tuple(one for one in sent if one.text or one.calls or one.results or one.replay or one.pictures)


def _said(message: Message) -> SentMessage:
    """A person's message: what is attached stands before the words about it."""
    told = [written_file(part.name, part.text) for part in message.parts if isinstance(part, FilePart)]
    pictures = [part for part in message.parts if isinstance(part, PicturePart)]
    told += [written_picture(part.name) for part in pictures if part.name]
    text = "\n\n".join(part for part in (*told, message.text) if part)
    return SentMessage("user", text, pictures=tuple(part.picture for part in pictures))


def taken_back(record: CallRecord) -> CallRecord:
    """The record of a call whose doing the person took back: the model is told with its answer from then on."""
    return replace(record, sent_back=f"{record.sent_back}\n\n{TAKEN_BACK}", why=WHY_TAKEN_BACK)


def without_attached(message: Message, model: Model) -> Message:
    """The answer without what its provider attached for itself, as far as `model` must not see it."""
    if message.model == model.id:
        return message
    parts = tuple(part for part in message.parts if not isinstance(part, ReplayPart))
    if not message.model.startswith(f"{model.provider}/"):
        parts = tuple(replace(part, extra="") if isinstance(part, CallRecord) else part for part in parts)
    return replace(message, parts=parts)


def _step(parts: Sequence[Part], taken: set[str]) -> list[SentMessage]:
    text = "\n\n".join(part.text for part in parts if isinstance(part, TextPart) and part.text.strip())
    replay = next((part.data for part in reversed(parts) if isinstance(part, ReplayPart)), "")
    records = [part for part in parts if isinstance(part, CallRecord) and part.state != "provider"]
    ids = [_id(record, taken) for record in records]
    calls = tuple(
        SentCall(call_id, record.name, record.args or {}, record.extra)
        for call_id, record in zip(ids, records, strict=True)
    )
    answer = SentMessage("assistant", text, calls, replay=replay)
    if not records:
        return [answer]
    results = (_result(call_id, record) for call_id, record in zip(ids, records, strict=True))
    return [answer, SentMessage("results", results=tuple(results))]


def _id(record: CallRecord, taken: set[str]) -> str:
    """The provider's own id while it is the only one of that name in the chat, else ours."""
    call_id = record.wire_id if record.wire_id and record.wire_id not in taken else record.id
    taken.add(call_id)
    return call_id


def _result(call_id: str, record: CallRecord) -> SentResult:
    text = record.sent_back or record.answer
    if not text and record.state != "done":
        text = STOPPED if record.state == "stopped" else NO_ANSWER
    return SentResult(call_id, record.name, text, record.is_error or record.state != "done", record.pictures)
