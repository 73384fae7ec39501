"""What a person attaches, in the database: to a message, and to one that is not sent yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conch_desktop.domain.messages import Attached, FilePart, PicturePart
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.store.columns import Column, from_column, to_column
from conch_desktop.store.pictures import keep_picture

Shown = tuple[str, str, PictureContent | None]
"""The name of an attachment, where it came from, and its picture; None for a file."""


def put_attached(connection: sqlite3.Connection, part: int, attached: Attached) -> None:
    """Keeps what belongs to the new part of an attachment; the text of a file is the part's own."""
    connection.execute(
        "INSERT INTO attachments (part, name, outside, picture) VALUES (?, ?, ?, ?)",
        (part, to_column(attached.name), to_column(attached.outside), _picture(connection, attached)),
    )


def read_attached(connection: sqlite3.Connection, inside: str, values: tuple[Any, ...]) -> Mapping[int, Shown]:
    """What belongs to attachments, by the number of the part. `inside` is a condition on that number."""
    rows = connection.execute(
        f"""
        SELECT part, name, outside, media_type, data FROM attachments LEFT JOIN pictures ON hash = picture
        WHERE part {inside}
        """,
        values,
    )
    return {part: _shown(*row) for part, *row in rows}


def made(shown: Shown, text: str, step: int) -> Attached:
    """The attachment again."""
    name, outside, picture = shown
    if picture is None:
        return FilePart(name, text, step, outside)
    return PicturePart(picture, name, step, outside)


def put_draft(connection: sqlite3.Connection, chat: int, attached: Sequence[Attached]) -> None:
    """Keeps the attachments of what is not sent yet, instead of those before."""
    rows: Iterable[tuple[Any, ...]] = [
        (
            chat,
            position,
            to_column(one.name),
            to_column(one.outside),
            _picture(connection, one),
            to_column(one.text if isinstance(one, FilePart) else ""),
        )
        for position, one in enumerate(attached)
    ]
    # A picture that stays must not go with the row it was in.
    connection.execute("UPDATE draft_attachments SET position = -1 - position WHERE chat = ?", (chat,))
    connection.executemany(
        "INSERT INTO draft_attachments (chat, position, name, outside, picture, text) VALUES (?, ?, ?, ?, ?, ?)", rows
    )
    connection.execute("DELETE FROM draft_attachments WHERE chat = ? AND position < 0", (chat,))


def read_draft(connection: sqlite3.Connection, chat: int) -> list[Attached]:
    """The attachments of what is not sent yet, in order."""
    rows = connection.execute(
        """
        SELECT name, outside, media_type, data, text FROM draft_attachments LEFT JOIN pictures ON hash = picture
        WHERE chat = ? ORDER BY position
        """,
        (chat,),
    )
    return [made(_shown(*row), from_column(text), 0) for *row, text in rows]


def _picture(connection: sqlite3.Connection, attached: Attached) -> str | None:
    return keep_picture(connection, attached.picture) if isinstance(attached, PicturePart) else None


def _shown(name: Column, outside: Column, media_type: str | None, data: bytes | None) -> Shown:
    picture = None if media_type is None or data is None else PictureContent(data, media_type)
    return from_column(name), from_column(outside), picture
