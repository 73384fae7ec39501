"""Writing a schema in a plain dialect: every node typed by one type, no references, few keywords.

`gemini` and `strict` are written so; they differ in the rules below. What can't be said is put into words. The tree is
written level by level, so that a schema which is too large keeps its upper levels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from conch_desktop.schemas.branches import (
    ANY_VALUE,
    branches_of,
    chosen,
    kind_of_branch,
    narrowed,
    only,
    phrase,
    root_shape,
)
from conch_desktop.schemas.described import (
    BOUNDS,
    CHOICE,
    FORMAT,
    NAME,
    OPTIONS,
    SHAPE,
    TYPES,
    Said,
    counted,
    described,
    joined,
    listed,
    ranged,
)
from conch_desktop.schemas.inlining import QUIET, TOO_MUCH, Reader
from conch_desktop.schemas.names import NameRule
from conch_desktop.schemas.shapes import Bound, Place, Shape, any_of
from conch_desktop.schemas.values import SAFE_INTEGER, as_json, clean
from conch_desktop.schemas.written import MOST_NODES, FieldNames, Written, check_width, shown

_MOST_INLINED = 2_500
_LARGE = 400
_LARGE_LEVELS = 6
"""What references lead to ends earlier: it can be there many times over. From `_LARGE` nodes on it ends at a level
where a recursion usually starts again, and descriptions are not repeated."""

_LARGEST_BOUND = 2**31 - 1
_ROOM_FOR_OPTIONS = 150


@dataclass(frozen=True, slots=True)
class PlainRules:
    """What a plain dialect can say. `levels` counts from the root; `native` are keywords it has beside the six."""

    levels: int
    fields: NameRule
    unions: bool = False
    native: frozenset[str] = frozenset()
    formats: Mapping[str, frozenset[str]] = field(default_factory=dict)
    needs_fields: bool = False
    """An object without fields is refused at the root."""


class _Task(NamedTuple):
    """A node to be written: `needed` when it may not be left out."""

    place: Place
    out: dict[str, Any]
    level: int
    needed: bool
    said: tuple[Said, ...]


def _told(shape: Shape) -> Shape:
    """The shape with its options in words, if they fit: where null may stand too, nothing else may be ruled out."""
    told = listed(shape.options or [], _ROOM_FOR_OPTIONS)
    if not shape.options or "… (" in told:
        return shape
    return narrowed(shape, kind_of_branch(shape), Said(OPTIONS, f"Options: {told}."))


_LEAF_KINDS = frozenset(("string", "number", "integer", "boolean"))
_LEAF_KEYS = frozenset(("type", "description", "title"))


def _write_leaf(task: _Task) -> bool:
    """Writes a field that is as plain as most: there is nothing to work out."""
    node = task.place.nodes[0]
    if type(node) is not dict or not node.keys() <= _LEAF_KEYS or task.said or len(task.place.nodes) > 1:
        return False
    kind, text = node.get("type"), node.get("description")
    if type(kind) is not str or kind not in _LEAF_KINDS or QUIET in task.place.trail:
        return False
    task.out["type"] = kind
    if text and type(text) is str:
        task.out["description"] = clean(text)
    return True


STAND_IN = "no_arguments"
"""The field of an object that has none, where a dialect refuses one without."""


def write_plain(root: Any, rules: PlainRules) -> Written:
    """Writes the schema. Raises `Unusable` for one that no call could fit, or that is too large."""
    return _Writer(root, rules).write()


class _Writer:
    def __init__(self, root: Any, rules: PlainRules) -> None:
        self._root = root
        self._rules = rules
        self._reader = Reader(root)
        self._notes = self._reader.notes
        self._names = FieldNames(root, self._notes)
        self._tasks: deque[_Task] = deque()
        self._nodes = 1

    def write(self) -> Written:
        union = self._reader.read(Place((self._root,)))
        shape = root_shape(union)
        check_width(len(shape.fields))
        out: dict[str, Any] = {}
        self._shape(out, shape, union.says, union.said, 0)
        while self._tasks:
            self._place(self._tasks.popleft())
        if not shape.fields:
            stand_in = {"type": "string", "description": "There is nothing to give: leave it out."}
            out["properties"] = {STAND_IN: stand_in} if self._rules.needs_fields else {}
        return Written(out, self._names.changed, list(self._notes), not shape.fields, self._nodes)

    def _place(self, task: _Task) -> None:
        if _write_leaf(task):
            return
        union = self._reader.read(task.place)
        branches, nullable = branches_of(union.shapes, self._notes)
        said = [*union.said, *task.said]
        if not branches:
            branches = [only("Only null." if nullable else ANY_VALUE)]
        if len(branches) > 1 and not self._rules.unions:
            branch, others = chosen(branches)
            branches = [branch]
            said.extend(others)
        if nullable and task.needed and "nullable" not in self._rules.native:
            # An optional one is left out instead: told of null, models write it, and Groq refuses the call for it.
            said.append(Said(TYPES, "May be null."))
            branches = [_told(branches[0])]
        if len(branches) == 1:
            self._shape(task.out, branches[0], union.says, said, task.level, nullable)
            return
        # Nothing may stand beside anyOf (Vertex), so what is said of all of them stands in the first.
        self._nodes += len(branches)
        written: list[dict[str, Any]] = [{} for _ in branches]
        task.out["anyOf"] = written
        self._shape(written[0], branches[0], union.says, said, task.level, nullable)
        for out, branch in zip(written[1:], branches[1:], strict=True):
            self._shape(out, branch, (), (), task.level)

    def _shape(
        self,
        out: dict[str, Any],
        shape: Shape,
        says: Sequence[str],
        said: Iterable[Said],
        level: int,
        nullable: bool = False,
    ) -> None:
        """Writes a shape of one type; `says` and `said` come from around it."""
        kind = kind_of_branch(shape)
        out["type"] = kind
        out["description"] = ""  # its place; the words are known at the end
        if nullable and "nullable" in self._rules.native:
            out["nullable"] = True
        own_kind = "number" if kind == "integer" else kind
        words = list(said)
        if shape.said:
            words.extend(entry for entry in shape.said if entry.kind in ("", own_kind))
        if kind == "object":
            words.extend(self._object(out, shape, level))
        elif kind == "array":
            words.extend(self._array(out, shape, level))
        elif own_kind == "number":
            words.extend(self._number(out, shape, kind))
        elif shape.options:
            out["enum"] = shape.options
        if shape.form and not shape.options and kind not in ("object", "array"):
            if shape.form in self._rules.formats.get(kind, ()):
                out["format"] = shape.form
            else:
                words.append(Said(FORMAT, f"Format: {shape.form}."))
        own = joined([*says, *(text for text in shape.says if text not in says)]) if shape.says else joined(says)
        text = described(own, words) if words else own
        if text:
            out["description"] = text
        else:
            del out["description"]

    def _object(self, out: dict[str, Any], shape: Shape, level: int) -> Iterable[Said]:
        fields = shape.fields
        if fields and not self._room(level, len(fields), next(iter(fields.values()))):
            fields = {}
        if fields:
            self._nodes += len(fields)
            properties: dict[str, Any] = {}
            out["properties"] = properties
            for name, place in fields.items():
                child: dict[str, Any] = {}
                sent = self._names.sent(name, self._rules.fields)
                properties[sent] = child
                said = () if sent == name else (Said(NAME, f"Own name: {shown(name)}."),)
                self._tasks.append(_Task(place, child, level + 1, name in shape.required, said))
            required = [self._names.sent(name, self._rules.fields) for name in shape.required if name in fields]
            if required:
                out["required"] = required
        missing = [clean(name) for name in shape.required if name not in shape.fields]
        if missing:
            yield Said(CHOICE, f"Needs {listed(missing)}.")
        if isinstance(shape.extra, Place):
            yield Said(SHAPE, f"{'Other fields' if fields else 'Each field'}: {self._phrase(shape.extra)}.")
        elif shape.extra is True:
            yield Said(SHAPE, "Other fields may be given." if fields else "Any fields.")

    def _array(self, out: dict[str, Any], shape: Shape, level: int) -> Iterable[Said]:
        places = [*shape.prefix, *([shape.items] if shape.items else [])]
        items: dict[str, Any] = {}
        out["items"] = items
        if places and self._room(level, 1, places[0]):
            self._nodes += 1
            self._tasks.append(_Task(any_of(places), items, level + 1, True, ()))
        else:
            items["type"] = "string"
            if not places:
                items["description"] = ANY_VALUE
        if shape.prefix:
            yield Said(SHAPE, f"In order: {listed([self._phrase(place) for place in shape.prefix[:8]])}.")
        least, most = (
            count if count is None or count <= _LARGEST_BOUND else None for count in (shape.least, shape.most)
        )
        if "minItems" not in self._rules.native:
            if text := counted(least, most, "item", "items"):
                yield Said(BOUNDS, text)
            return
        if least:
            out["minItems"] = least
        if most is not None:
            out["maxItems"] = most

    def _number(self, out: dict[str, Any], shape: Shape, kind: str) -> Iterable[Said]:
        """Bounds: as keywords where they can stand exactly, else in words; where a wider one can stand, both."""
        low, high = (bound if bound and abs(bound[0]) < SAFE_INTEGER else None for bound in (shape.low, shape.high))
        if "minimum" in self._rules.native:
            low = self._bound(out, "minimum", low, 1, kind)
            high = self._bound(out, "maximum", high, -1, kind)
        if text := ranged(low, high):
            yield Said(BOUNDS, text)

    def _bound(self, out: dict[str, Any], key: str, bound: Bound | None, step: int, kind: str) -> Bound | None:
        """Writes a bound; what is returned has still to be told."""
        if bound is None or abs(bound[0]) >= _LARGEST_BOUND:
            return bound
        value, exclusive = bound
        exact = not exclusive or (kind == "integer" and value == int(value))
        out[key] = as_json(value + step if exclusive and exact else value)
        return None if exact else bound

    def _room(self, level: int, count: int, place: Place) -> bool:
        """May that many nodes be written below this level? `place` is one of them."""
        nodes = self._nodes + count
        if nodes > _LARGE and place.trail:
            self._reader.terse = True
            room = nodes <= _MOST_INLINED and level < min(_LARGE_LEVELS, self._rules.levels)
        else:
            room = nodes <= MOST_NODES and level < self._rules.levels
        if not room:
            self._notes[TOO_MUCH] = None
        return room

    def _phrase(self, place: Place) -> str:
        """What a place takes, in a few words."""
        return phrase(*branches_of(self._reader.read(place).shapes, self._notes))
