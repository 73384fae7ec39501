"""Copy as case: a call as one line for `conch-desktop check args`. Secrets are masked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord
    from conch_desktop.domain.tools import Tool

_SECRET_FIELD = re.compile(
    r"""(["']?[\w-]*(?:api_?-?key|token|secret|password|passwd|authorization)[\w-]*["']?\s*:\s*)"""
    r"""(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)')""",
    re.IGNORECASE,
)


def case_line(call: CallRecord, tool: Tool | None) -> str:
    """The line. Without the tool (its app was removed) the schema is empty: the text is still read the same way."""
    described = {"name": call.name, "schema": dict(tool.parameters) if tool is not None else {}}
    return json.dumps(
        {
            "id": call.id,
            "tool": described,
            "source": "builtin" if call.source == "builtin" else "integration",
            "raw": masked(call.raw),
            "finish": "length" if "were cut off before" in call.sent_back else "tool_calls",
        },
        ensure_ascii=False,
    )


def masked(raw: str) -> str:
    """The text a model sent, without keys and the values of fields that are named like a secret.

    A secret becomes as many asterisks, so that places in the text stay what they were.
    """

    from conch_desktop.providers.refusals import mask

    def hide(match: re.Match[str]) -> str:
        value = match[2] if match[2] is not None else match[3]
        quote = match[0][len(match[1])]
        return f"{match[1]}{quote}{'*' * len(value)}{quote}"

    return mask(_SECRET_FIELD.sub(hide, raw))
