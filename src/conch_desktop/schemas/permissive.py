"""The dialect of everybody else: as sent, with what is mended that one or another of them refuses a request for.

OpenAI and the servers that copy its checks want `properties` at the root, `items` on every list and no combinator at
the root (github/github-mcp-server#1548, langchain-ai/langchainjs#9804); llama.cpp and what is built on it make a
grammar of every tool and refuse all of them for one pattern or reference (lmstudio-ai/lmstudio-bug-tracker#2247).
"""

from __future__ import annotations

from typing import Any

from conch_desktop.schemas.draft import DraftRules, write_draft
from conch_desktop.schemas.names import FIELD_RULES
from conch_desktop.schemas.written import Written

PERMISSIVE = DraftRules(
    root_without=frozenset({"$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const"}),
    root_fields=FIELD_RULES["any"],
    grammars=True,
)


def to_permissive(schema: Any) -> Written:
    """The schema as sent, well-formed. Raises `Unusable`."""
    return write_draft(schema, PERMISSIVE)
