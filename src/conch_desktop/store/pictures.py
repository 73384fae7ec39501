"""Pictures in the database: each kept once, by its hash, as long as something shows it (DESIGN 6)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from conch_desktop.domain.pictures import PictureContent


def put_pictures(connection: sqlite3.Connection, part: int, pictures: Sequence[PictureContent]) -> None:
    """Keeps the pictures of one call's answer, in their order, instead of those it had."""
    connection.execute("DELETE FROM call_pictures WHERE part = ?", (part,))
    for position, picture in enumerate(pictures):
        connection.execute(
            "INSERT INTO call_pictures (part, position, picture) VALUES (?, ?, ?)",
            (part, position, keep_picture(connection, picture)),
        )


def keep_picture(connection: sqlite3.Connection, picture: PictureContent) -> str:
    """Keeps a picture, once; its hash. Whoever shows it names it by that in the same transaction."""
    connection.execute(
        "INSERT OR IGNORE INTO pictures (hash, media_type, data) VALUES (?, ?, ?)",
        (picture.hash, picture.media_type, picture.data),
    )
    return picture.hash


def read_pictures(
    connection: sqlite3.Connection, inside: str, values: tuple[Any, ...]
) -> dict[int, tuple[PictureContent, ...]]:
    """The pictures of each call, by the number of its part. `inside` is a condition on that number."""
    found: dict[int, tuple[PictureContent, ...]] = {}
    for part, media_type, data in connection.execute(
        f"""
        SELECT part, media_type, data FROM call_pictures JOIN pictures ON pictures.hash = call_pictures.picture
        WHERE part {inside} ORDER BY part, position
        """,
        values,
    ):
        found[part] = (*found.get(part, ()), PictureContent(data, media_type))
    return found
