"""Reading one call: what a model sent becomes arguments that may run, or words it can act on.

Three steps: read (`one_call`, `repair`), normalise by the tool's schema, check. Nothing here widens what a call may
do: what comes out has passed the check as it is, and it is what the guard sees and the tool gets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conch_desktop.calls.check import faults, refusal, takes
from conch_desktop.calls.nearest import nearest
from conch_desktop.calls.normalise import Dropped, Normaliser
from conch_desktop.calls.one_call import OneCall, Refused, WrongKind
from conch_desktop.calls.origins import Origins
from conch_desktop.calls.repair import LONGEST
from conch_desktop.calls.shapes import Shape, shape_of
from conch_desktop.calls.strict import Unfit, judge_depth, scan
from conch_desktop.calls.wording import ROOT, name, quoted
from conch_desktop.domain.calls import Json, ReadCall
from conch_desktop.domain.tools import Tool

__all__ = ["LONGEST", "read_call"]

CUT = frozenset({"length", "cut", "content_filter", "error"})
"""What `finish` is when the model did not end its answer by itself."""

_TRIALS = 20_000
_NAMED = 12


def read_call(raw: str | Json | None, tool: Tool, *, finish: str = "stop") -> ReadCall:
    """Reads the arguments `raw` of a call of `tool`.

    `raw` is what the model sent: text, an object a provider had already read, or nothing. `finish` is "length" when
    the provider cut the answer: a call that was cut never runs.
    """
    shape = shape_of(tool.parameters)
    if (args := _simply_right(raw, shape)) is not None:
        lines = faults(tool, args)
        return ReadCall(ok=False, error=refusal(tool, lines)) if lines else ReadCall(ok=True, args=args)
    origins = Origins()
    one = OneCall(tool.name, shape, "cut" if finish in CUT else "whole", origins)
    try:
        part = one.arguments(raw)
    except Refused as refused:
        return ReadCall(ok=False, error=_unreadable(tool, refused))
    except WrongKind as wrong:
        line = f"{wrong.path or ROOT}: expected an object, got {quoted(wrong.value)}."
        return ReadCall(ok=False, error=refusal(tool, [line]))
    dropped: Sequence[Dropped] = ()
    args = part.args
    if not shape.takes(args):
        normaliser = Normaliser(origins, _TRIALS + (len(raw) if isinstance(raw, str) else 0))
        args = normaliser.arguments(part.args, shape, part.owners)
        dropped = normaliser.dropped
        try:
            judge_depth(args)
        except Unfit as unfit:
            return ReadCall(ok=False, error=refusal(tool, [f"{ROOT}: {unfit}."]))
    lines = faults(tool, args)
    notes = [*one.notes, *_left_out(dropped)]
    if lines:
        return ReadCall(ok=False, error=refusal(tool, lines, notes))
    paths = tuple(each.path for each in dropped)
    return ReadCall(ok=True, args=args, dropped=paths, mends=origins.mends(), notes=tuple(notes))


def _simply_right(raw: Json, shape: Shape) -> Mapping[str, Json] | None:
    """The arguments, when they are one valid JSON object in which nothing needs a change; most calls are."""
    if not isinstance(raw, str) or raw[:1] != "{" or len(raw) > LONGEST:
        return None
    try:
        value, end = scan(raw, 0)
    except ValueError:
        return None
    return value if end == len(raw) and shape.takes(value) else None


def _left_out(dropped: Sequence[Dropped]) -> list[str]:
    """One sentence that names the fields which were left out, and the field of the tool that comes nearest."""
    if not dropped:
        return []
    named = [f"{name(each.path)} ({_why(each)})" for each in dropped[:_NAMED]]
    more = [f"and {len(dropped) - _NAMED} more"] if len(dropped) > _NAMED else []
    what = "This field was" if len(dropped) == 1 else "These fields were"
    return [f"{what} left out: {', '.join([*named, *more])}."]


def _why(dropped: Dropped) -> str:
    if dropped.why == "null":
        return "it takes no null"
    near = nearest(dropped.name, dropped.fields)
    return f"there is no such field; the nearest is {name(near)}" if near else "there is no such field"


def _unreadable(tool: Tool, refused: Refused) -> str:
    if refused.cut:
        what = f"were cut off before they were whole, so nothing ran: {refused}. Send less in one call."
    else:
        what = f"could not be read: {refused}. Send one JSON object and call it again."
    # The text is shown where it could not be read; half a character of it can't be sent.
    return f"The arguments for {tool.name} {what}\n{takes(tool)}".encode(errors="replace").decode()
