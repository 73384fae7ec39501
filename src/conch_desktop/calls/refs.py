"""Browser refs: `e12`, also when it was copied from the page text with its frame, `[ref=e12]`."""

from __future__ import annotations

import re

FORMAT = "browser-ref"
"""The `format` of a field that holds a ref."""

_BARE = re.compile(r"[A-Za-z0-9]{1,16}")
_FRAMED = re.compile(r"\s*\[?(?:ref[=:])?[\"'`]?([A-Za-z0-9]{1,16})[\"'`]?\]?\s*")


def is_bare(text: str) -> bool:
    """Whether `text` is nothing but a ref."""
    return _BARE.fullmatch(text) is not None


def unwrap_ref(text: str) -> str:
    """The bare ref in `text`; a text that is anything but one ref in its frame comes back as it is."""
    framed = _FRAMED.fullmatch(text)
    return framed[1] if framed else text
