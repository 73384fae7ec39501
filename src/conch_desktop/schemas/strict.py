"""The dialect of the retry: type, description, enum, items, properties and required, and nothing else.

It is sent to every family after a schema was refused, so it also keeps what any of them asks: options are text and go
with text only, no object is empty below the root, names fit Gemini and Anthropic.
"""

from __future__ import annotations

from typing import Any

from conch_desktop.schemas.names import FIELD_RULES
from conch_desktop.schemas.plain import PlainRules, write_plain
from conch_desktop.schemas.written import Written

STRICT = PlainRules(
    # Depth is refused too (zereight/gitlab-mcp#223), and a retry should not fail for it again.
    levels=6,
    fields=FIELD_RULES["gemini"],
)


def to_strict(schema: Any) -> Written:
    """The schema in the plainest dialect. Raises `Unusable`."""
    return write_plain(schema, STRICT)
