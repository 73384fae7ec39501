"""The dialect of Gemini: its own `parameters`, its OpenAI endpoint, and Google's models at OpenRouter.

Which of Google's two back ends serves a request isn't ours to choose, so this is what both take: AI Studio's rules of
formats and options, Vertex's rule that nothing stands beside anyOf.
"""

from __future__ import annotations

from typing import Any

from conch_desktop.schemas.names import FIELD_RULES
from conch_desktop.schemas.plain import PlainRules, write_plain
from conch_desktop.schemas.written import Written

GEMINI = PlainRules(
    # "exceeds the maximum allowed nesting depth": the number isn't published (google-gemini/gemini-cli#5923).
    levels=16,
    fields=FIELD_RULES["gemini"],
    # Branches may be of any type, but anyOf must be the only field set: anomalyco/opencode#15795.
    unions=True,
    # A list of types is refused, nullable is taken: n8n-io/n8n#15553, aoci-spec/aoci-code#61.
    native=frozenset({"nullable", "minItems", "maxItems", "minimum", "maximum"}),
    # "only 'enum' and 'date-time' are supported for STRING type": google-gemini/gemini-cli#3178.
    formats={
        "string": frozenset({"date-time"}),
        "number": frozenset({"float", "double"}),
        "integer": frozenset({"int32", "int64"}),
    },
    # "properties: should be non-empty for OBJECT type": vercel/ai#3371.
    needs_fields=True,
)


def to_gemini(schema: Any) -> Written:
    """The schema in Gemini's dialect. Raises `Unusable`."""
    return write_plain(schema, GEMINI)
