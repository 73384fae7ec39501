"""Mending a schema into well-formed JSON Schema (draft 2020-12): what is sound is sent as it came.

`anthropic` and `permissive` are written so. The root becomes one object without combinators; everywhere else only what
a validator refuses is mended: old drafts' spellings, values of the wrong kind, references that lead nowhere. What is
done with each keyword stands in `keywords`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from conch_desktop.schemas.branches import root_shape
from conch_desktop.schemas.described import Said, described, joined
from conch_desktop.schemas.inlining import TOO_MUCH, Reader, Union
from conch_desktop.schemas.keywords import KEYWORDS
from conch_desktop.schemas.names import FIELD_RULES, NameRule
from conch_desktop.schemas.shapes import Place, Shape, unlike
from conch_desktop.schemas.values import Dropped, as_schema, clean, cleaned, kinds_of, sendable
from conch_desktop.schemas.written import MOST_NODES, FieldNames, Written, check_width, shown

_LEVELS = 32
"""Schema levels below the root."""

_MOST_BRANCHES = 200
"""Branches looked at to see whether one leads back."""


@dataclass(frozen=True, slots=True)
class DraftRules:
    """What is asked beyond well-formedness.

    `root_without` are keywords refused at the root, `root_fields` the rule of its fields' names. `bound` is the largest
    number a bound may be. `grammars`: servers may make a grammar of the schema, and those are stricter than the draft.
    """

    root_without: frozenset[str]
    root_fields: NameRule
    bound: int | None = None
    grammars: bool = False


class Task(NamedTuple):
    """A node to be written. `listed`: somewhere inside a list, where repetitions multiply."""

    node: Mapping[str, Any]
    out: dict[str, Any]
    level: int
    listed: bool
    said: tuple[Said, ...]


def write_draft(root: Any, rules: DraftRules) -> Written:
    """Writes the schema. Raises `Unusable` for one that no call could fit, or that is too large."""
    return Writer(root, rules).write()


class Writer:
    """Writes one schema, level by level."""

    def __init__(self, root: Any, rules: DraftRules) -> None:
        self.rules = rules
        self._root = root
        self._reader = Reader(root)
        self.notes = self._reader.notes
        self._names = FieldNames(root, self.notes)
        self._tasks: deque[Task] = deque()
        self._nodes = 1
        self._definitions: dict[str, dict[str, Any]] = {}
        self._moved: dict[int, str] = {}

    def write(self) -> Written:
        """The whole of it."""
        out: dict[str, Any] = {}
        self._write(Task(self._one_object(), out, 0, False, ()))
        while self._tasks:
            self._write(self._tasks.popleft())
        fields = out.setdefault("properties", {})
        if self._definitions:
            out["$defs"] = {**out.get("$defs", {}), **self._definitions}
        return Written(out, self._names.changed, list(self.notes), not fields, self._nodes)

    def _one_object(self) -> dict[str, Any]:
        """The root as one object: what its combinators say is merged into it."""
        root = self._root if isinstance(self._root, dict) else {}
        union = self._reader.read(Place((self._root,)))
        shape = root_shape(union)
        check_width(len(shape.fields))
        if self.rules.root_without.isdisjoint(root):
            return root if root.get("type") == "object" else {"type": "object"} | root | {"type": "object"}
        kept = {key: value for key, value in root.items() if key not in self.rules.root_without}
        return {"type": "object"} | kept | _folded(union, shape)

    def _write(self, task: Task) -> None:
        node, out = task.node, task.out
        said = list(task.said)
        for key, value in node.items():
            write = KEYWORDS.get(key)
            if write is not None:
                said.extend(write(self, task, key, value) or ())
            elif isinstance(key, str):
                self.copy(out, key, value)
        self._mend(node, out)
        if said:
            out["description"] = described(out.get("description", ""), said)

    def _mend(self, node: Mapping[str, Any], out: dict[str, Any]) -> None:
        """What only the whole node shows."""
        for key, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if node.get(key) is True and plain in out:  # draft 4's flag
                out[key] = out.pop(plain)
        if self.rules.grammars:
            kinds = out.get("type")
            if "items" not in out and (kinds == "array" or (isinstance(kinds, list) and "array" in kinds)):
                out["items"] = {}  # "array schema missing items": spacelift-io/spacectl#402
            if "required" in out and "properties" not in out:
                out["properties"] = {}  # "'required' present but 'properties' is missing": usestrix/strix#1088

    # for the keywords -----------------------------------------------------------------------------------------------

    def note(self, text: str) -> None:
        """Says what could not be kept."""
        self.notes[text] = None

    def child(self, value: Any, task: Task, *, listed: bool = False, said: tuple[Said, ...] = ()) -> Any:
        """The mended schema that stands for `value`, filled in later; None for false, which nothing fits."""
        return self._child(value, task.level + 1, listed or task.listed, said)

    def _child(self, value: Any, level: int, listed: bool, said: tuple[Said, ...]) -> Any:
        value = as_schema(value)
        if value is False:
            return None
        out: dict[str, Any] = {}
        if not isinstance(value, dict):
            if value is None:
                self.note("What is no schema stands where one belongs; it takes any value.")
            return out
        self._nodes += 1
        if level > _LEVELS or self._nodes > MOST_NODES:
            self.note(TOO_MUCH)
            kinds = kinds_of(value.get("type"))
            if kinds:
                out["type"] = kinds[0] if len(kinds) == 1 else list(kinds)
                self._mend({}, out)
            return out
        self._tasks.append(Task(value, out, level, listed, said))
        return out

    def copy(self, out: dict[str, Any], key: str, value: Any) -> None:
        """Takes a keyword over as it is."""
        try:
            out[clean(key)] = cleaned(value)
        except Dropped:
            self.note(f"{shown(key)} holds what can't be sent; it is left out.")

    def name(self, name: str, task: Task) -> str:
        """The name to send for a field."""
        return self._names.sent(name, self.rules.root_fields if task.level == 0 else FIELD_RULES["any"])

    def reference(self, task: Task, ref: Any) -> str | None:
        """The reference to send; None for one that leads nowhere."""
        found, target = self._reader.references.follow(ref)
        if not found or self.comes_back({"$ref": ref}, task.node):
            self.note(f"The reference {shown(str(ref))} leads nowhere; it takes any value.")
            return None
        if _DEFINITION.fullmatch(ref) and sendable(ref):
            return str(ref)
        return f"#/$defs/{self._moved_to(ref, target)}"

    def _moved_to(self, ref: str, target: Any) -> str:
        """The definition that a reference to some other place is led to.

        There every server finds it (Moonshot looks nowhere else, MoonshotAI/kimi-cli#2531), also when what stood at the
        other place is written differently here.
        """
        if id(target) not in self._moved:
            stem = re.sub(r"[^A-Za-z0-9_]+", "_", ref.rpartition("/")[2]).strip("_")[:40] or "part"
            known = self._root.get("$defs")
            taken = {*self._definitions, *(known if isinstance(known, dict) else ())}
            name, number = stem, 2
            while name in taken:
                name, number = f"{stem}_{number}", number + 1
            self._moved[id(target)] = name
            child = self._child(target, 1, True, ())
            self._definitions[name] = {} if child is None else child
        return self._moved[id(target)]

    def comes_back(self, part: Any, node: Mapping[str, Any]) -> bool:
        """Does a branch lead to the schema it is a branch of, with nothing between? Then it has nothing to add."""
        if not isinstance(part, dict) or "$ref" not in part:
            return False
        rest = [self._reader.references.follow(part["$ref"])[1]]
        seen: set[int] = set()
        while rest and len(seen) < _MOST_BRANCHES:
            here = rest.pop()
            if here is node:
                return True
            if not isinstance(here, dict) or id(here) in seen or _JOINING.isdisjoint(here):
                continue
            seen.add(id(here))
            if "$ref" in here:
                rest.append(self._reader.references.follow(here["$ref"])[1])
            for key in ("anyOf", "oneOf", "allOf"):
                rest.extend(here[key] if isinstance(here.get(key), list) else ())
        return False


def _folded(union: Union, shape: Shape) -> dict[str, Any]:
    """The keywords of a root whose combinators were worked out."""
    folded: dict[str, Any] = {"properties": {name: _raw(place) for name, place in shape.fields.items()}}
    own = joined([*union.says, *(text for text in shape.says if text not in union.says)])
    text = described(own, [*union.said, *(entry for entry in shape.said if entry.kind in ("", "object"))])
    if text:
        folded["description"] = text
    if shape.required:
        folded["required"] = list(shape.required)
    if shape.extra is not None:
        folded["additionalProperties"] = _raw(shape.extra) if isinstance(shape.extra, Place) else shape.extra
    return {"type": "object", **folded}


def _raw(place: Place) -> Any:
    """A place as a schema again."""
    parts = [_raw(node) if isinstance(node, Place) else node for node in place.nodes]
    if len(parts) == 1:
        return parts[0]
    if not place.either:
        return {"allOf": parts}
    options = [_options(part) for part in parts]
    if all(options):  # a choice of constants is one list of options
        return {"type": "string", "enum": unlike(option for some in options for option in some)}
    return {"anyOf": parts}


def _options(node: Any) -> list[str]:
    """The options of a schema that only offers some, if all are text."""
    if not isinstance(node, dict) or node.keys() - {"type", "const", "enum"} or node.get("type", "string") != "string":
        return []
    options = [node["const"]] if "const" in node else node.get("enum")
    return options if isinstance(options, list) and all(isinstance(option, str) for option in options) else []


_DEFINITION = re.compile(r"#/(?:\$defs|definitions)/[^/]+")
_JOINING = frozenset(("$ref", "anyOf", "oneOf", "allOf"))
