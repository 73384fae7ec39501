"""What a column holds: texts exactly as they came, also those SQLite has no text for, and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from conch_desktop.domain.calls import Json

Column: TypeAlias = str | bytes
"""A text in the database. Nearly always SQLite text; bytes when it holds a lone surrogate."""


def to_column(text: str) -> Column:
    """The text as a column holds it.

    A stream that is cut inside an emoji leaves half a surrogate pair, which is no UTF-8. Such a text is kept as
    bytes, so that nothing is lost and it comes back exactly as it was.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_column(value: Column) -> str:
    """The text of a column."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def to_json(value: Json) -> Column:
    """JSON as a column holds it; unescaped, so that two surrogates side by side do not become one character."""
    return to_column(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain))


def from_json(value: Column) -> Json:
    """The value of a JSON column."""
    return json.loads(from_column(value))


def _plain(value: object) -> Json:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
