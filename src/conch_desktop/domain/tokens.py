"""An estimate of how many tokens a text takes, for deciding what fits a window."""

from __future__ import annotations

import re

CHARS_PER_TOKEN = 3.5
"""Characters a token in mixed English and JSON; low, so that the estimate errs towards more tokens."""

WIDE_CHARS_PER_TOKEN = 1.0
"""Characters a token outside Latin, Greek and Cyrillic script."""

_NARROW = re.compile("[\x00-\u08ff]+")


def estimate(text: str) -> int:
    """Tokens of `text`, rounded up. An estimate: providers count in their own ways."""
    if text.isascii():
        return -int(-len(text) // CHARS_PER_TOKEN)
    wide = len(_NARROW.sub("", text))
    return -int(-((len(text) - wide) / CHARS_PER_TOKEN + wide / WIDE_CHARS_PER_TOKEN) // 1)
