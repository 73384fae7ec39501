"""Messages in the database: written while they stream, touching only what changed, and read back whole.

A text that grows (an answer's words, a call's raw text) is not written again with every piece: the pieces go into
`tails` and are joined to the text when the message ends. Every function runs on the store's thread, in a transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any, Literal, TypeAlias, cast

from conch_desktop.domain.calls import ENDED_STATES, CallRecord, CallState, Mend, MendKind
from conch_desktop.domain.messages import (
    Failure,
    FilePart,
    Message,
    MessageState,
    NoticePart,
    Outline,
    Part,
    PicturePart,
    ReasoningPart,
    ReplayPart,
    Role,
    TextPart,
    TriedPart,
    UsageCount,
)
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.store.attachments import made, put_attached, read_attached
from conch_desktop.store.columns import Column, from_column, from_json, to_column, to_json
from conch_desktop.store.pictures import put_pictures, read_pictures
from conch_desktop.store.search import index_message

Row: TypeAlias = tuple[Any, ...]
Kind: TypeAlias = Literal["text", "reasoning", "notice", "tried", "replay", "picture", "file", "call"]
PlainPart: TypeAlias = TextPart | ReasoningPart | NoticePart | ReplayPart

_PLAIN: dict[str, type[PlainPart]] = {
    "text": TextPart,
    "reasoning": ReasoningPart,
    "notice": NoticePart,
    "replay": ReplayPart,
}
_KINDS: dict[type[Part], Kind] = {
    TextPart: "text",
    ReasoningPart: "reasoning",
    NoticePart: "notice",
    TriedPart: "tried",
    ReplayPart: "replay",
    PicturePart: "picture",
    FilePart: "file",
    CallRecord: "call",
}

_HEADER = "role, created, state, asked, model, author, mode, why, usage, failure"
_CALL = (
    "id, name, source, state, is_error, started, ms, why, args, mends, dropped, answer, sent_back, extra, wire_id, "
    "outside"
)


# Writing -----------------------------------------------------------------------------------------------------------


def put_message(connection: sqlite3.Connection, chat: int, message: Message, written: Message | None) -> bool:
    """Inserts or updates; True when the message is new. `written` is the version that was written last."""
    number = number_of(connection, chat, message.id)
    if number is None:
        number = _insert(connection, chat, message)
        changed = new = True
    else:
        new = False
        changed = _update(connection, number, message, written or read_message(connection, number))
    if changed and message.state != "streaming":
        _join_tails(connection, number)
        index_message(connection, number, message)
    return new


def number_of(connection: sqlite3.Connection, chat: int, message_id: str) -> int | None:
    """The message's number in the database."""
    found = connection.execute(
        "SELECT number FROM messages WHERE chat = ? AND id = ?", (chat, to_column(message_id))
    ).fetchone()
    return None if found is None else int(found[0])


def _insert(connection: sqlite3.Connection, chat: int, message: Message) -> int:
    columns = (chat, to_column(message.id), *_header(message))
    added = connection.execute(
        f"INSERT INTO messages (chat, id, {_HEADER}) VALUES ({_places(columns)}) RETURNING number", columns
    ).fetchone()
    number = int(added[0])
    for position, part in enumerate(message.parts):
        _insert_part(connection, number, position, part)
    return number


def _update(connection: sqlite3.Connection, number: int, message: Message, written: Message) -> bool:
    header = _header(message)
    changed = header != _header(written)
    if changed:
        connection.execute(f"UPDATE messages SET ({_HEADER}) = ({_places(header)}) WHERE number = ?", (*header, number))
    for position, part in enumerate(message.parts):
        before = written.parts[position] if position < len(written.parts) else None
        if part is before:
            continue
        changed |= _put_part(connection, number, position, part, before)
    if len(message.parts) < len(written.parts):
        changed = True
        connection.execute("DELETE FROM parts WHERE message = ? AND position >= ?", (number, len(message.parts)))
    return changed


def _put_part(connection: sqlite3.Connection, message: int, position: int, part: Part, before: Part | None) -> bool:
    """Writes one part that may have changed; True when it had."""
    if before is None or type(part) is not type(before) or part.step != before.step:
        _replace_part(connection, message, position, part)
        return True
    if isinstance(part, PicturePart | FilePart):
        if part != before:
            _replace_part(connection, message, position, part)
        return part != before
    text, old = _growing(part), _growing(before)
    columns = _call_columns(part) if isinstance(part, CallRecord) else ()
    others_differ = isinstance(before, CallRecord) and columns != _call_columns(before)
    if text == old and not others_differ and _pictures(part) == _pictures(before):
        return False
    number = _part_of_length(connection, message, position, part, len(old)) if text.startswith(old) else None
    if number is None:
        _replace_part(connection, message, position, part)
        return True
    if len(text) > len(old):
        connection.execute(
            "INSERT INTO tails (part, upto, text) VALUES (?, ?, ?)", (number, len(text), to_column(text[len(old) :]))
        )
    if others_differ:
        connection.execute(f"UPDATE calls SET ({_CALL}) = ({_places(columns)}) WHERE part = ?", (*columns, number))
    if _pictures(part) != _pictures(before):
        put_pictures(connection, number, _pictures(part))
    return True


def _part_of_length(connection: sqlite3.Connection, message: int, position: int, part: Part, length: int) -> int | None:
    """The part's number if it is stored with that length: only then can a piece be added to it."""
    found = connection.execute(
        """
        SELECT number, coalesce(
            (SELECT upto FROM tails WHERE part = parts.number ORDER BY tails.number DESC LIMIT 1), length
        ) FROM parts WHERE message = ? AND position = ? AND kind = ?
        """,
        (message, position, _KINDS[type(part)]),
    ).fetchone()
    return int(found[0]) if found is not None and found[1] == length else None


def _replace_part(connection: sqlite3.Connection, message: int, position: int, part: Part) -> None:
    connection.execute("DELETE FROM parts WHERE message = ? AND position = ?", (message, position))
    _insert_part(connection, message, position, part)


def _insert_part(connection: sqlite3.Connection, message: int, position: int, part: Part) -> None:
    text = "" if isinstance(part, CallRecord) else to_column(_growing(part))
    added = connection.execute(
        """
        INSERT INTO parts (message, position, kind, step, length, text) VALUES (?, ?, ?, ?, ?, ?) RETURNING number
        """,
        (message, position, _KINDS[type(part)], part.step, len(_growing(part)), text),
    ).fetchone()
    if isinstance(part, CallRecord):
        columns = (added[0], *_call_columns(part), to_column(part.raw))
        connection.execute(f"INSERT INTO calls (part, {_CALL}, raw) VALUES ({_places(columns)})", columns)
        put_pictures(connection, added[0], part.pictures)
    elif isinstance(part, PicturePart | FilePart):
        put_attached(connection, added[0], part)


def _growing(part: Part) -> str:
    if isinstance(part, CallRecord):
        return part.raw
    if isinstance(part, PicturePart):
        return ""
    if isinstance(part, TriedPart):
        return json.dumps([part.mode, part.ms, part.words, part.answered])
    return part.data if isinstance(part, ReplayPart) else part.text


def _pictures(part: Part) -> tuple[PictureContent, ...]:
    return part.pictures if isinstance(part, CallRecord) else ()


def _places(columns: Row) -> str:
    return ", ".join("?" * len(columns))


def _header(message: Message) -> Row:
    return (
        message.role,
        message.created,
        message.state,
        to_column(message.asked),
        to_column(message.model),
        to_column(message.author),
        to_column(message.mode),
        to_column(message.why),
        None if message.usage is None else to_json(asdict(message.usage)),
        None if message.failure is None else to_json(asdict(message.failure)),
    )


def _call_columns(call: CallRecord) -> Row:
    return (
        to_column(call.id),
        to_column(call.name),
        to_column(call.source),
        call.state,
        call.is_error,
        call.started,
        call.ms,
        to_column(call.why),
        None if call.args is None else to_json(call.args),
        to_json([asdict(mend) for mend in call.mends]),
        to_json(call.dropped),
        to_column(call.answer),
        to_column(call.sent_back),
        to_column(call.extra),
        to_column(call.wire_id),
        to_column(call.outside),
    )


# Ending ------------------------------------------------------------------------------------------------------------


def end_streaming(connection: sqlite3.Connection) -> int:
    """Ends the messages that were streaming when the program ended, and their calls; how many messages."""
    numbers = [int(row[0]) for row in connection.execute("SELECT number FROM messages WHERE state = 'streaming'")]
    ended = sorted(ENDED_STATES)
    for number in numbers:
        connection.execute("UPDATE messages SET state = 'interrupted' WHERE number = ?", (number,))
        connection.execute(
            f"""
            UPDATE calls SET state = CASE state WHEN 'running' THEN 'unknown' ELSE 'stopped' END
            WHERE part IN (SELECT number FROM parts WHERE message = ?) AND state NOT IN ({_places(tuple(ended))})
            """,
            (number, *ended),
        )
        _join_tails(connection, number)
        index_message(connection, number, read_message(connection, number))
    return len(numbers)


def _join_tails(connection: sqlite3.Connection, message: int) -> None:
    grown = _tails(connection, "IN (SELECT number FROM parts WHERE message = ?)", (message,))
    for part, tail in grown.items():
        kind, text, raw = connection.execute(
            "SELECT kind, text, raw FROM parts LEFT JOIN calls ON calls.part = parts.number WHERE parts.number = ?",
            (part,),
        ).fetchone()
        whole = from_column(raw if kind == "call" else text) + tail
        connection.execute("UPDATE parts SET length = ? WHERE number = ?", (len(whole), part))
        if kind == "call":
            connection.execute("UPDATE calls SET raw = ? WHERE part = ?", (to_column(whole), part))
        else:
            connection.execute("UPDATE parts SET text = ? WHERE number = ?", (to_column(whole), part))
        connection.execute("DELETE FROM tails WHERE part = ?", (part,))


# Reading -----------------------------------------------------------------------------------------------------------


def read_messages(connection: sqlite3.Connection, chat: int) -> list[Message]:
    """The chat's messages in order, whole."""
    return _read(connection, "messages.chat = ?", (chat,))


def read_outline(connection: sqlite3.Connection, chat: int) -> list[Outline]:
    """The chat's messages in order, without their texts: those are not read from the disk."""
    rows = connection.execute(
        """
        SELECT messages.id, messages.role, sum(CASE parts.kind WHEN 'text' THEN parts.length ELSE 0 END),
            sum(parts.kind = 'call')
        FROM messages LEFT JOIN parts ON parts.message = messages.number
        WHERE messages.chat = ? GROUP BY messages.number ORDER BY messages.number
        """,
        (chat,),
    )
    return [Outline(from_column(number), role, length or 0, calls or 0) for number, role, length, calls in rows]


def read_between(connection: sqlite3.Connection, chat: int, first: int, last: int) -> list[Message]:
    """The chat's messages from one number to another, whole."""
    return _read(connection, "messages.chat = ? AND messages.number BETWEEN ? AND ?", (chat, first, last))


def read_message(connection: sqlite3.Connection, number: int) -> Message:
    """One message, whole."""
    return _read(connection, "messages.number = ?", (number,))[0]


def _read(connection: sqlite3.Connection, which: str, values: Row) -> list[Message]:
    """The messages that fit a condition on `messages`. Six queries, however many messages there are."""
    inside = f"IN (SELECT parts.number FROM parts JOIN messages ON messages.number = parts.message WHERE {which})"
    found = connection.execute(f"SELECT part, {_CALL}, raw FROM calls WHERE part {inside}", values)
    calls = {int(row[0]): row[1:] for row in found}
    pictures = read_pictures(connection, inside, values) if calls else {}
    attached = read_attached(connection, inside, values)
    tails = _tails(connection, inside, values)
    parts: dict[int, list[Part]] = {}
    for number, message, kind, step, text in connection.execute(
        f"SELECT number, message, kind, step, text FROM parts WHERE number {inside} ORDER BY message, position", values
    ):
        tail = tails.get(number, "")
        if kind == "call":
            part: Part = replace(_read_call(calls[number], step, tail), pictures=pictures.get(number, ()))
        elif number in attached:
            part = made(attached[number], from_column(text) + tail, step)
        elif kind == "tried":
            part = _read_tried(from_column(text) + tail, step)
        else:
            part = _PLAIN[kind](from_column(text) + tail, step)
        parts.setdefault(message, []).append(part)
    rows = connection.execute(f"SELECT number, id, {_HEADER} FROM messages WHERE {which} ORDER BY number", values)
    return [_read_header(row, parts.get(row[0], ())) for row in rows]


def _read_tried(text: str, step: int) -> TriedPart:
    mode, ms, words, answered = json.loads(text)
    return TriedPart(mode, ms, words, answered, step)


def _tails(connection: sqlite3.Connection, inside: str, values: Row) -> dict[int, str]:
    """What was added to each part, by the part's number."""
    pieces: dict[int, list[Column]] = {}
    for part, text in connection.execute(f"SELECT part, text FROM tails WHERE part {inside} ORDER BY number", values):
        pieces.setdefault(part, []).append(text)
    return {part: "".join(map(from_column, texts)) for part, texts in pieces.items()}


def _read_header(row: Row, parts: Iterable[Part]) -> Message:
    _, message_id, role, created, state, asked, model, author, mode, why, usage, failure = row
    return Message(
        id=from_column(message_id),
        role=cast(Role, role),
        parts=tuple(parts),
        created=created,
        state=cast(MessageState, state),
        asked=from_column(asked),
        model=from_column(model),
        author=from_column(author),
        mode=from_column(mode),
        why=from_column(why),
        usage=None if usage is None else UsageCount(**from_json(usage)),
        failure=None if failure is None else Failure(**from_json(failure)),
    )


def _read_call(row: Row, step: int, tail: str) -> CallRecord:
    call_id, name, source, state, is_error, started, ms, why, args, mends, dropped, *texts = row
    answer, sent_back, extra, wire_id, outside, raw = map(from_column, texts)
    return CallRecord(
        id=from_column(call_id),
        name=from_column(name),
        raw=raw + tail,
        step=step,
        source=from_column(source),
        state=cast(CallState, state),
        args=None if args is None else from_json(args),
        mends=tuple(_read_mend(mend) for mend in from_json(mends)),
        dropped=tuple(from_json(dropped)),
        answer=answer,
        is_error=bool(is_error),
        sent_back=sent_back,
        why=from_column(why),
        started=started,
        ms=ms,
        extra=extra,
        wire_id=wire_id,
        outside=outside,
    )


def _read_mend(mend: dict[str, Any]) -> Mend:
    span = mend["span"]
    return Mend(cast(MendKind, mend["what"]), mend["path"], None if span is None else (span[0], span[1]))
