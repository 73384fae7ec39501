"""The dialect of Anthropic: JSON Schema, draft 2020-12, with one object at the root.

"input_schema does not support oneOf, allOf, or anyOf at the top level" (anomalyco/opencode#46628); nested ones are
fine, and so are references.
"""

from __future__ import annotations

from typing import Any

from conch_desktop.schemas.draft import DraftRules, write_draft
from conch_desktop.schemas.names import FIELD_RULES
from conch_desktop.schemas.written import Written

ANTHROPIC = DraftRules(
    root_without=frozenset({"$ref", "anyOf", "oneOf", "allOf"}),
    root_fields=FIELD_RULES["anthropic"],
    # Through Bedrock, larger ones are refused: tailcallhq/forgecode#3307.
    bound=2**31 - 1,
)


def to_anthropic(schema: Any) -> Written:
    """The schema in Anthropic's dialect. Raises `Unusable`."""
    return write_draft(schema, ANTHROPIC)
