"""What is marked in a call's texts: places of the mends in *Sent*, changed values in *Ran*. Plain functions, no Qt."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord

Mark = Literal["read", "value"]
"""Read forgivingly (quotes, keys, commas), or a value that changed."""

VALUES = {"number", "boolean", "list_of_one", "option_case", "json_text", "ref"}


def sent_marks(call: CallRecord) -> list[tuple[int, int, Mark]]:
    """Places in the raw text: (start, end, kind)."""
    return [
        (mend.span[0], mend.span[1], "value" if mend.what in VALUES else "read")
        for mend in call.mends
        if mend.span is not None
    ]


def ran_marks(call: CallRecord, shown: str) -> list[tuple[int, int]]:
    """Places of changed values in `shown`, the arguments over several lines; those of the top level."""
    found: list[tuple[int, int]] = []
    for mend in call.mends:
        if mend.what not in VALUES or not mend.path or call.args is None or mend.path not in call.args:
            continue
        key = json.dumps(mend.path, ensure_ascii=False)
        at = re.search(rf"^  {re.escape(key)}: ", shown, re.MULTILINE)
        if at is None:
            continue
        value = json.dumps(call.args[mend.path], ensure_ascii=False, indent=2).replace("\n", "\n  ")
        found.append((at.end(), at.end() + len(value)))
    return found
