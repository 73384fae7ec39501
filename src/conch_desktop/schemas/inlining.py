"""Reading a place of a schema: references followed within limits, combinators worked out into shapes.

Nothing outside the schema is ever fetched. A reference that comes back to itself, leads nowhere or lies too deep
becomes a shape that is `cut`: it takes anything of its type, and nothing more is known of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conch_desktop.schemas.described import DEFAULT, OTHER, SHAPE, Said, listed
from conch_desktop.schemas.joining import both, either
from conch_desktop.schemas.references import find
from conch_desktop.schemas.shapes import Place, Shape, Trail, own_shape
from conch_desktop.schemas.values import Dropped, as_schema, branches_in, clean, cleaned, kinds_of, one_line

_DEEPEST = 24
"""Combinators and references within one place."""

_MOST_STEPS = 20_000
_MOST_JOINED = 3_000
"""Schemas looked at in one conversion: in all, and as parts of a place."""

_MOST_PARTS = 200
_MOST_SHAPES = 32
"""Alternatives of one place; more are folded, those of one type into one."""

_LONGEST_DEFAULT = 60
_LONGEST_NOTE = 80

_COMBINING = frozenset(("$ref", "allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"))
_HINTS = frozenset(("default", "examples", "example", "deprecated"))


TOO_MUCH = "Parts of the schema are nested too deep or too many; they take any value."

QUIET = -1
"""In a trail: what was read here was written before, so its descriptions need not be written again."""


class Union:
    """What a place takes: its shapes, and what is said about all of them together."""

    __slots__ = ("said", "says", "shapes")

    def __init__(self, shapes: list[Shape], says: list[str] | None = None, said: list[Said] | None = None) -> None:
        self.shapes = shapes
        self.says = says or []
        self.said = said or []


class References:
    """The references of one schema, all of them into itself."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._found: dict[str, tuple[bool, Any]] = {}
        self._ends: dict[str, tuple[bool, Any]] = {}
        self._unending: dict[int, bool] = {}
        identity = root.get("$id") if isinstance(root, dict) else None
        self._base = identity.rstrip("#") if isinstance(identity, str) else ""

    def find(self, ref: Any) -> tuple[bool, Any]:
        """Whether the reference leads somewhere, and what stands there."""
        if not isinstance(ref, str):
            return False, None
        if ref not in self._found:
            self._found[ref] = self._look_up(ref)
        return self._found[ref]

    def follow(self, ref: Any) -> tuple[bool, Any]:
        """As `find`, past schemas that are only a reference themselves. A loop leads nowhere."""
        ending: tuple[bool, Any] = False, None
        passed: set[str] = set()
        while isinstance(ref, str) and ref not in passed:
            if ref in self._ends:
                ending = self._ends[ref]
                break
            passed.add(ref)
            found, node = self.find(ref)
            if not isinstance(node, dict) or len(node) > 1 or "$ref" not in node:
                ending = found, node
                break
            ref = node["$ref"]
        self._ends.update(dict.fromkeys(passed, ending))
        return ending

    def unending(self, part: Any) -> bool:
        """Would whoever puts this part of an allOf in its place never come to an end?

        References anywhere else are followed only when needed; what such a reader puts in its place at once are the
        references of allOf's parts, and of the choices among them.
        """
        return any(self._contains_itself(target) for target in self._put_in_place(part))

    def _contains_itself(self, target: Mapping[str, Any]) -> bool:
        if id(target) not in self._unending:
            self._unending[id(target)] = False
            rest: list[Any] = [target]
            seen: set[int] = set()
            while rest and len(seen) < _MOST_JOINED:
                node = rest.pop()
                if id(node) in seen:
                    continue
                seen.add(id(node))
                parts = node.get("allOf") if isinstance(node, dict) else None
                onward = [found for part in branches_in(parts) for found in self._put_in_place(part)]
                if any(found is target for found in onward):
                    self._unending[id(target)] = True
                    break
                rest.extend(onward)
                children = node.values() if isinstance(node, dict) else node
                rest.extend(child for child in children if isinstance(child, (dict, list)))
        return self._unending[id(target)]

    def _put_in_place(self, part: Any) -> list[dict[str, Any]]:
        """Where the references of a part lead, and those of its choices."""
        rest, seen = [part], 0
        found = []
        while rest and seen < _MOST_PARTS:
            node = rest.pop()
            seen += 1
            if isinstance(node, dict):
                found.append(self.follow(node.get("$ref"))[1])
                rest.extend(choice for key in ("allOf", "anyOf", "oneOf") for choice in branches_in(node.get(key)))
        return [target for target in found if isinstance(target, dict)]

    def _look_up(self, ref: str) -> tuple[bool, Any]:
        if self._base and ref.startswith(f"{self._base}#"):
            ref = ref[len(self._base) :]
        node = find(self._root, ref)
        return isinstance(node, (dict, bool)), node


class Reader:
    """Reads the places of one schema, with one budget for all of them. `notes` says what could not be kept."""

    def __init__(self, root: Any) -> None:
        self.references = References(root)
        self.notes: dict[str, None] = {}
        self.terse = False
        """Leave out the descriptions of what was read before."""
        self._steps = _MOST_STEPS
        self._joined = _MOST_JOINED
        self._read: set[int] = set()
        self._inlined: dict[tuple[int, Trail, Trail], Union] = {}

    def read(self, place: Place) -> Union:
        """What the place takes."""
        return self._place(place, 0, frozenset())

    def _place(self, place: Place, depth: int, here: Trail) -> Union:
        """`here` are the definitions gone through since the place began: one that comes again has nothing to add."""
        nodes, trail = place.nodes, place.trail
        if len(nodes) == 1:
            return self._at(nodes[0], trail, depth, here)
        parts = [self._at(node, trail, depth + 1, here) for node in nodes]
        return _one_of(parts) if place.either else _all_of(parts)

    def _at(self, node: Any, trail: Trail, depth: int, here: Trail) -> Union:
        if isinstance(node, Place):
            return self._place(node, depth, here)
        return self._node(node, trail, depth, here)

    def _node(self, node: Any, trail: Trail, depth: int, here: Trail) -> Union:
        self._steps -= 1
        self._joined -= depth > 0
        if depth > _DEEPEST or self._steps < 0 or self._joined < 0:
            self.notes[TOO_MUCH] = None
            return Union([_cut(node)])
        if not isinstance(node, dict):
            return self._no_object(node, trail)
        shape = own_shape(node, trail)
        union = Union([shape], [] if QUIET in trail else shape.says, _hints(node))
        shape.says = []
        if not _COMBINING.isdisjoint(node):
            self._combine(union, node, trail, depth, here)
        return union

    def _no_object(self, node: Any, trail: Trail) -> Union:
        schema = as_schema(node)
        if schema is False:
            return Union([])
        if isinstance(schema, dict):
            return Union([own_shape(schema, trail)])
        if schema is None:
            self.notes[f"{one_line(_short(node))} stands where a schema belongs; it takes any value."] = None
        return Union([Shape()])

    def _combine(self, union: Union, node: Mapping[str, Any], trail: Trail, depth: int, here: Trail) -> None:
        if "$ref" in node:
            _join(union, self._referred(node["$ref"], trail, depth, here))
        for part in branches_in(node.get("allOf")) if self._joined > 0 else ():
            _join(union, self._at(part, trail, depth + 1, here))
        for key in ("anyOf", "oneOf"):
            branches = [
                self._at(part, trail, depth + 1, here) for part in branches_in(node.get(key)) if self._joined > 0
            ]
            if branches:
                _join(union, _one_of(branches))
        others = node.get("dependentSchemas")
        conditional = [node[key] for key in ("then", "else") if isinstance(node.get(key), dict)]
        conditional.extend(branches_in(list(others.values()) if isinstance(others, dict) else None))
        for part in conditional:
            _offer(union, self._at(part, trail, depth + 1, here))

    def _referred(self, ref: Any, trail: Trail, depth: int, here: Trail) -> Union:
        found, target = self.references.follow(ref)
        if not found:
            self.notes[f"The reference {_short(ref)} leads nowhere; it takes any value."] = None
            return Union([_cut(None)])
        if id(target) in here:
            return Union([])
        if id(target) in trail:
            self.notes[f"{_short(ref)} is part of itself; the inner one takes any value."] = None
            return Union([self._again(target)])
        trail = trail | {id(target)}
        if self.terse and id(target) in self._read:
            trail = trail | {QUIET}
        self._read.add(id(target))
        key = id(target), trail, here
        if key not in self._inlined:
            self._inlined[key] = self._at(target, trail, depth + 1, here | {id(target)})
        return self._inlined[key]

    def _again(self, target: Mapping[str, Any]) -> Shape:
        """What stands for a schema within itself: a value of its types, told that it is the same once more."""
        shape = _cut(target)
        branches = [self._branch(part) for key in ("anyOf", "oneOf") for part in branches_in(target.get(key))]
        if shape.kinds is None and branches:
            kinds = [_plain_kinds(branch) for branch in branches]
            if None not in kinds and not any("enum" in branch or "const" in branch for branch in branches):
                shape.kinds = tuple(dict.fromkeys(kind for found in kinds for kind in found or ()))
        named = [part.get("properties") for part in (target, *branches)]
        fields = dict.fromkeys(clean(str(name)) for names in named if isinstance(names, dict) for name in names)
        if fields:
            shape.said = [Said(SHAPE, f"Again with {listed(list(fields))}.", "object")]
        return shape

    def _branch(self, part: Any) -> Mapping[str, Any]:
        """A branch of a union, and where its reference leads."""
        if isinstance(part, dict) and "$ref" in part:
            part = self.references.follow(part["$ref"])[1]
        return part if isinstance(part, dict) else {}


def _join(union: Union, other: Union) -> None:
    """Makes `union` what fits both."""
    one, two = union.shapes, other.shapes
    if len(one) * len(two) > 2 * _MOST_SHAPES:
        one, two = folded(one), folded(two)
    if len(one) == 1 and one[0].blank:
        one, two = two, one
    if len(two) == 1 and two[0].blank:
        joined = one
    else:
        pairs = [(x, y) for x in one for y in two]
        joined = [shape for x, y in pairs if (shape := both(x, y)) is not None]
        # Where all contradict themselves, what was said first counts.
        joined = joined or [shape for x, y in pairs if (shape := both(x, y, kinds=x.kinds)) is not None]
    union.shapes = joined
    union.says = [*union.says, *(text for text in other.says if text not in union.says)]
    union.said = [*union.said, *(entry for entry in other.said if entry not in union.said)]


def _all_of(parts: Sequence[Union]) -> Union:
    union = Union([Shape()])
    for part in parts:
        _join(union, part)
    return union


def _one_of(parts: Iterable[Union]) -> Union:
    """What fits one of `parts`; what was said about a part goes with its first shape."""
    shapes: list[Shape] = []
    for part in parts:
        if part.shapes and (part.says or part.said):
            first = part.shapes[0].copy()
            first.says = [*part.says, *first.says]
            first.said = [*first.said, *part.said]
            shapes.append(first)
            shapes.extend(part.shapes[1:])
        else:
            shapes.extend(part.shapes)
    return Union(folded(shapes) if len(shapes) > _MOST_SHAPES else shapes)


def folded(shapes: Sequence[Shape]) -> list[Shape]:
    """Those of one type in one shape."""
    groups: dict[tuple[tuple[str, ...], bool], list[Shape]] = {}
    for shape in shapes:
        groups.setdefault((shape.guessed(), shape.options is not None), []).append(shape)
    return [either(group) for group in groups.values()]


def _offer(union: Union, other: Union) -> None:
    """Adds the fields that only a condition defines; whether it holds isn't known, so none is required."""
    fields = {name: place for shape in other.shapes for name, place in shape.fields.items()}
    shapes = []
    for shape in union.shapes:
        new = {name: child for name, child in fields.items() if name not in shape.fields}
        if new and (not (kinds := shape.guessed()) or "object" in kinds):
            shape = shape.copy()  # the other one is shared
            shape.fields = {**shape.fields, **new}
        shapes.append(shape)
    union.shapes = shapes


def _cut(node: Any) -> Shape:
    """What stands for a schema that is left out: anything of its type."""
    shape = Shape()
    shape.cut = True
    if isinstance(node, dict):
        shape.kinds = _plain_kinds(node)
        items = node.get("items")
        if isinstance(items, dict) and (kinds := _plain_kinds(items)):
            shape.items = Place(({"type": list(kinds)},))
        if isinstance(node.get("description"), str):
            shape.says = [clean(node["description"])]
    return shape


def _plain_kinds(node: Mapping[str, Any]) -> tuple[str, ...] | None:
    kinds = kinds_of(node.get("type"))
    return ("object",) if kinds is None and isinstance(node.get("properties"), dict) else kinds


def _hints(node: Mapping[str, Any]) -> list[Said]:
    if _HINTS.isdisjoint(node):
        return []
    return [said for key in node if key in _HINTS and (said := _hint(key, node[key]))]


def _hint(key: str, value: Any) -> Said | None:
    if key == "deprecated":
        return Said(OTHER, "Deprecated.") if value is True else None
    if key == "examples":
        value = value[0] if isinstance(value, list) and value else None
    if value is None:
        return None
    try:
        text = one_line(cleaned(value))
    except Dropped:
        return None
    if len(text) > _LONGEST_DEFAULT:
        return None
    return Said(DEFAULT, f"Default: {text}.") if key == "default" else Said(OTHER, f"Example: {text}.")


def _short(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else one_line(cleaned(value))
    except Dropped:
        text = "something"
    text = clean(text)
    return text if len(text) <= _LONGEST_NOTE else text[:_LONGEST_NOTE] + "…"
