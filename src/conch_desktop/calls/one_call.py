"""From what a model sent to the arguments of one call: texts within texts, frames around it, pieces of one call.

A frame (`{"arguments": …}`) is only taken off when the tool has no such field; one that names another tool is another
call. Pieces that agree are one call; otherwise the first counts, and the model is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conch_desktop.calls import wording
from conch_desktop.calls.origins import Origins, Place
from conch_desktop.calls.places import Ending, path_text
from conch_desktop.calls.repair import Repaired, Unreadable, repair
from conch_desktop.calls.shapes import Shape
from conch_desktop.calls.strict import Unfit, judge, same
from conch_desktop.domain.calls import Json

LAYERS = 4
"""Frames and texts within each other that are opened."""

_FRAMES = ("arguments", "parameters", "args", "input", "params", "properties", "action_input", "tool_input")
_LOOSE_FRAMES = ("kwargs", "data", "payload", "body", "request", "tool_args", "values")
"""Words that are only a frame when all that is in it are fields of the tool."""
_SURE_FRAMES = ("arguments", "parameters")
_CALLS = ("function", "function_call", "functionCall", "tool_call", "toolCall")
"""Words around a whole call: its name and its arguments."""
_NAMES = ("name", "tool", "tool_name", "function", "function_name", "action")
_BESIDE = frozenset({"type", "id", "call_id", "tool_call_id", "index", "jsonrpc"})
_PREFIX = re.compile(r"^(?:functions|default_api|tools)\.")
_NAMED_BEFORE = re.compile(
    r"<function=([\w.-]+)>|\b((?:functions|default_api)\.[\w-]+)"
    r"|(?:^|\s)(?:Action|[Tt]ool|tool_name|[Ff]unction|to)\s*[:=]\s*([\w.-]*\w)|([A-Za-z_][\w.-]*)\Z"
)
"""Words that name a tool; an identifier that touches the object is one, unless it only says what the object is."""
_PLAIN_WORDS = frozenset({"json", "args", "arguments", "parameters", "params", "input", "null", "none"})
_CALLED_BEFORE = re.compile(r"([\w.]*)\s*\(\s*\Z")
_FIELD_OUTSIDE = re.compile(r"(?:^|[,;({])\s*['\"]?([\w$-]+)['\"]?\s*[:=]", re.MULTILINE)
_NO_ARGUMENTS = ("", "null", "None")


class Refused(Exception):
    """What a model sent is no call of this tool, and why; `cut` when it only was cut off."""

    def __init__(self, why: str, *, cut: bool = False) -> None:
        super().__init__(why)
        self.cut = cut


class WrongKind(Exception):
    """Something else than an object was sent: where, and what."""

    def __init__(self, value: Json, path: str = "") -> None:
        super().__init__()
        self.value = value
        self.path = path


@dataclass(slots=True)
class Part:
    """An object of arguments, and for each field the place of the object it stands in."""

    args: dict[str, Json]
    owners: dict[str, Place] = field(default_factory=dict)


@dataclass(slots=True)
class OneCall:
    """Finds the arguments of one call of the tool `name`, whose schema is `shape`."""

    name: str
    shape: Shape
    ending: Ending
    origins: Origins
    notes: list[str] = field(default_factory=list)

    def arguments(self, raw: Json) -> Part:
        """The arguments in `raw`. Raises `Refused` and `WrongKind`."""
        if raw is None:
            return Part({})
        if isinstance(raw, str):
            return self._of_text(raw, None, LAYERS)
        try:
            judge(raw)
        except Unfit as unfit:
            raise Refused(_at(path_text(unfit.steps), str(unfit))) from None
        return self._of_value(raw, self.origins.add(None), LAYERS)

    # --- texts ---

    def _of_text(self, text: str, inside: Place | None, layers: int) -> Part:
        bare = text.strip().strip("\ufeff\u200b")
        if bare in _NO_ARGUMENTS:
            if not bare and inside is None and self.ending == "cut":
                raise Refused("nothing had been sent yet", cut=True)
            return Part({})
        read = repair(text, ending="open" if inside is not None and self.ending == "whole" else self.ending)
        if isinstance(read, Unreadable):
            raise Refused(_described(read, text), cut=read.cut)
        self._check_words(read)
        places = [self.origins.add(value, inside) for value in read.values]
        self.origins.marked(places[0], read.marks)
        if len(places) == 1 and not read.lost:
            return self._of_value(read.values[0].value, places[0], layers)
        return self._of_several(read, places, layers)

    def _check_words(self, read: Repaired) -> None:
        """Words before the arguments may name the tool; they may not name another, or a field."""
        for words in (read.before, read.after):
            outside = [name for name in _FIELD_OUTSIDE.findall(words) if name in self.shape.fields]
            if outside:
                raise Refused(f"the field {outside[0]} seems to stand outside the object")
        if not read.before:
            return
        for found in _NAMED_BEFORE.finditer(read.before):
            named = next(name for name in found.groups() if name)
            if not self._is_name(named) and named.lower() not in _PLAIN_WORDS:
                raise Refused(self._another(named))
        called = _CALLED_BEFORE.search(read.before)
        if called and called[1] and not (self._is_name(called[1]) and read.after.startswith(")")):
            raise Refused(f"they stand in program code ({called[1]}(…)), which is never run")

    # --- values ---

    def _of_value(self, value: Json, place: Place, layers: int) -> Part:
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            inner = Place(place, 0, "hidden")
            self.origins.mended("envelope", place, inner)
            value, place = value[0], inner
        if isinstance(value, dict):
            return self._unframed(value, place, layers)
        if value is None:
            return Part({})
        if isinstance(value, str) and layers and _may_be_arguments(value):
            self.origins.mended("json_text", place)
            return self._of_text(value, place, layers - 1)
        raise WrongKind(value, place.path())

    def _of_several(self, read: Repaired, places: Sequence[Place], layers: int) -> Part:
        """Values run together: one call, when they agree in what they share."""
        parts: list[tuple[Part, Place]] = []
        others: list[Place] = []
        for value, place in zip(read.values, places, strict=True):
            try:
                part = self._of_value(value.value, place, layers)
            except (Refused, WrongKind):
                if not parts:
                    raise
                others.append(place)  # whatever it is, it is not a piece of this call
                continue
            if part.args or not parts:
                parts.append((part, place))
        parts = [each for each in parts if each[0].args] or parts[:1]
        whole = parts[0][0]
        joined = Part(dict(whole.args), dict(whole.owners))
        for part, place in parts[1:]:
            if not all(same(joined.args[name], value) for name, value in part.args.items() if name in joined.args):
                others.append(place)
            joined.args.update(part.args)
            joined.owners = {**part.owners, **joined.owners}
        if not others and not read.lost:
            for _, place in parts[1:]:
                self.origins.mended("joined", place)
            return joined
        for place in others:
            self.origins.mended("first_of_several", place)
        self._tell_of_others(len(read.values) + read.lost)
        return whole

    def _tell_of_others(self, count: int) -> None:
        note = f"Only the first of {count} calls that came at once was used; call {self.name} once for each."
        self.notes.append(note)

    # --- frames ---

    def _unframed(self, value: dict[str, Any], place: Place, layers: int) -> Part:
        frame = self._frame(value) if layers else None
        if frame is None:
            self._check_alone(value)
            return Part(value, dict.fromkeys(value, place))
        inner = Place(place, frame, "hidden")
        part = self._inside(value[frame], inner, place, layers)
        if part is None:
            return Part(value, dict.fromkeys(value, place))
        for name, beside in value.items():
            if name != frame and name not in part.args and not self._is_beside(name, value):
                part.args = {**part.args, name: beside}  # no field of the tool: it will be left out by name
                part.owners[name] = place
        return part

    def _frame(self, value: dict[str, Any]) -> str | None:
        """The field of `value` that frames the arguments, if one does. Raises `Refused` when it names another tool."""
        shape = self.shape
        if not shape.closed:
            return None  # a tool that takes any field takes this one
        for frame in (*_CALLS, "tool_calls", self.name, *_FRAMES, *_LOOSE_FRAMES):
            if frame in value and frame not in shape.known and self._frames(frame, value):
                others = [
                    (key, value[key]) for key in _names(value) if key != frame and isinstance(value.get(key), str)
                ]
                wrong = [(key, named) for key, named in others if not self._is_name(named)]
                if any(key not in shape.known or frame in _SURE_FRAMES for key, _ in wrong):
                    raise Refused(self._another(wrong[0][1]))
                if not wrong:
                    return frame
        return None

    def _frames(self, frame: str, value: dict[str, Any]) -> bool:
        """Whether nothing of the tool's own stands beside `frame`."""
        inner = value[frame]
        if frame in _CALLS and not (isinstance(inner, dict) and set(inner) & {*_FRAMES, "name"}):
            return False
        if frame in _LOOSE_FRAMES and not (isinstance(inner, dict) and inner and self.shape.known.issuperset(inner)):
            return False
        if frame == "tool_calls" and not (isinstance(inner, list) and inner and isinstance(inner[0], dict)):
            return False
        beside = [name for name in value if name != frame and not self._is_beside(name, value)]
        if not beside:
            return True
        return frame == "arguments" and not any(name in self.shape.known for name in beside)

    def _is_beside(self, name: str, among: Mapping[str, Json]) -> bool:
        """Whether a field belongs to a frame: the tool's name, the kind of call, an id."""
        value = among[name]
        if name in _names(among) and isinstance(value, str):
            return name not in self.shape.known or self._is_name(value) or name == "name"
        return name in _BESIDE and name not in self.shape.known

    def _check_alone(self, value: dict[str, Any]) -> None:
        """Arguments in a frame nobody knows: left out as an unknown field, the tool would run without any of them."""
        shape = self.shape
        if len(value) != 1 or not shape.closed or shape.required:
            return
        name, inner = next(iter(value.items()))
        if name not in shape.known and isinstance(inner, dict) and inner and shape.known.issuperset(inner):
            raise Refused(
                f"they stand within {wording.name(name)}, which {self.name} doesn't have: send them without it"
            )

    def _inside(self, inner: Json, here: Place, outer: Place, layers: int) -> Part | None:
        """The arguments in a frame; None when what it holds shows that it is none."""
        sure = here.step in _SURE_FRAMES
        if isinstance(inner, str) and inner.strip() and not sure and not _may_be_arguments(inner):
            return None
        if not isinstance(inner, dict | str | None) and not sure and here.step != "tool_calls":
            return None
        before = self.origins.count()
        if isinstance(inner, list) and len(inner) > 1 and here.step == "tool_calls":
            self._tell_of_others(len(inner))
            inner = inner[:1]
        self.origins.mended("envelope", outer, here)
        try:
            return self._of_value(inner, here, layers - 1)
        except WrongKind as wrong:
            if not sure:
                self.origins.back_to(before)
                return None
            raise WrongKind(wrong.value, str(here.step)) from None

    def _is_name(self, name: str) -> bool:
        """Whether `name` names this tool, as an API or an integration may write it."""
        name = _PREFIX.sub("", name)
        if name == self.name:
            return True
        return ("__" in name) != ("__" in self.name) and name.split("__")[-1] == self.name.split("__")[-1]

    def _another(self, named: str) -> str:
        return f"they name another tool, {named}: call that one itself, or send only the arguments of {self.name}"


def _names(value: Mapping[str, Json]) -> tuple[str, ...]:
    """The fields that name the tool where `value` is a frame."""
    return (*_NAMES, "method") if "jsonrpc" in value else _NAMES


def _may_be_arguments(text: str) -> bool:
    """Whether a text may hold arguments, so that a fault in it is worth telling."""
    bare = text.strip()
    return bare in _NO_ARGUMENTS or bare[0] in "{[\"'`" or "{" in bare


def _described(fault: Unreadable, text: str) -> str:
    """What was found, and where."""
    if fault.at is None or (fault.at >= len(text) and not fault.path):
        return _at(fault.path, fault.why)
    start, end = max(0, fault.at - 20), fault.at + 20
    near = " ".join(text[start:end].split())
    return f"{_at(fault.path, fault.why)} (near `{'…' if start else ''}{near}{'…' if end < len(text) else ''}`)"


def _at(path: str, why: str) -> str:
    return f"at {wording.clipped(path, 120)}, {why}" if path else why
