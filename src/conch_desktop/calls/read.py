"""Reading one call: what a model sent becomes arguments that may run, or words it can act on."""

from __future__ import annotations

import json
from typing import Any

from conch_desktop.calls.check import faults, quoted, refusal
from conch_desktop.calls.signature import signature
from conch_desktop.domain.calls import Json, ReadCall
from conch_desktop.domain.tools import Tool

LONGEST = 1_000_000
"""Characters of arguments that are read; a longer text is refused."""


def read_call(raw: str | Json | None, tool: Tool, *, finish: str = "stop") -> ReadCall:
    """Reads the arguments `raw` of a call of `tool`.

    `raw` is what the model sent: text, an object a provider had already read, or nothing. `finish` is "length" when
    the provider cut the answer: a call that was cut never runs.
    """
    value = _value(raw)
    if isinstance(value, _Unreadable):
        return ReadCall(ok=False, error=_unreadable(tool, value, cut=finish == "length"))
    if not isinstance(value, dict):
        return ReadCall(ok=False, error=refusal(tool, [f"(the arguments): expected an object, got {quoted(value)}."]))
    lines = faults(tool, value)
    if lines:
        return ReadCall(ok=False, error=refusal(tool, lines))
    return ReadCall(ok=True, args=value)


class _Unreadable:
    """Why a text is no JSON, and where."""

    def __init__(self, why: str) -> None:
        self.why = why


def _value(raw: Any) -> Any:
    if raw is None:
        return {}
    if not isinstance(raw, str):
        return raw
    if not raw.strip():
        return {}
    if len(raw) > LONGEST:
        return _Unreadable(f"they are {len(raw):,} characters long, and at most {LONGEST:,} are read")
    try:
        return json.loads(raw, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        return _Unreadable(f"{error.msg[0].lower()}{error.msg[1:]} at character {error.pos}")
    except (ValueError, RecursionError) as error:
        return _Unreadable("they are nested too deeply" if isinstance(error, RecursionError) else str(error))


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON number")


def _unreadable(tool: Tool, fault: _Unreadable, *, cut: bool) -> str:
    if cut:
        what = "were cut off before they were whole, so nothing ran. Send less in one call."
    else:
        what = f"could not be read as JSON: {fault.why}. Send one JSON object and call it again."
    return f"The arguments for {tool.name} {what}\nIt takes: {signature(tool.parameters)}"
