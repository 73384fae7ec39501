"""A call as a case: one line of `check args` in, one out (DESIGN 4.1). Copy as case writes such lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import Json, Mend
from conch_desktop.domain.tools import BUILTIN, Tool, ToolAnswer, ToolContext, answer

_INTEGRATION = "integration"


def read_case(case: Mapping[str, Any]) -> dict[str, Any]:
    """What reading the call of `case` comes to."""
    described = case.get("tool")
    tool: Mapping[str, Any] = described if isinstance(described, Mapping) else {"name": described}
    schema = tool.get("schema", case.get("schema"))
    source = _INTEGRATION if case.get("source") == _INTEGRATION else BUILTIN
    known = Tool(
        str(tool.get("name") or "tool"), "", schema if isinstance(schema, Mapping) else {}, "read", _run, source=source
    )
    read = read_call(case.get("raw"), known, finish=case.get("finish") or "stop")
    if not read.ok:
        return {"ok": False, "error": read.error}
    mends = [_mend(mend) for mend in read.mends]
    return {"ok": True, "args": read.args, "dropped": list(read.dropped), "mends": mends, "notes": list(read.notes)}


def _mend(mend: Mend) -> dict[str, Any]:
    told: dict[str, Any] = {"what": mend.what}
    if mend.path:
        told["path"] = mend.path
    if mend.span is not None:
        told["span"] = list(mend.span)
    return told


async def _run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("")  # a case is read, never run
