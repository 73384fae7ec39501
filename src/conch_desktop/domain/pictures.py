"""Pictures as tools answer them and as they are kept and sent: bytes of a kind that providers take."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

LARGEST = 5_000_000
"""Bytes of one picture: providers refuse larger ones (Anthropic 5 MB)."""

_BEGINNINGS: tuple[tuple[bytes, int, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF87a", 0, "image/gif"),
    (b"GIF89a", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
)
"""What the files of each kind begin with, and where. Every provider takes these four kinds."""


@dataclass(frozen=True, slots=True)
class PictureContent:
    """A picture. `media_type` is one of image/png, image/jpeg, image/gif, image/webp."""

    data: bytes
    media_type: str

    @property
    def hash(self) -> str:
        """Tells one picture from another: the same picture is kept once."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def base64(self) -> str:
        """The bytes as APIs take them."""
        return base64.b64encode(self.data).decode("ascii")

    @property
    def words(self) -> str:
        """What stands in the picture's place for a reader that can't see it."""
        return f"[A picture: {self.media_type}, {len(self.data):,} bytes]"


def kind_of(data: bytes) -> str:
    """The media type by the bytes themselves, "" when it is none that every provider takes.

    What a file is named, or a server says of it, is not looked at: a wrong type is refused by every provider.
    """
    for beginning, place, media_type in _BEGINNINGS:
        if data[place : place + len(beginning)] == beginning:
            return media_type
    return ""
