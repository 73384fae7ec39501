"""What a schema says about a value as far as normalising needs it: kinds, options, fields, items, branches.

References (`$ref` within the document) and `allOf` are followed. Nothing here judges a call; see `check`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

from conch_desktop.calls.refs import FORMAT, is_bare
from conch_desktop.calls.strict import Written, same
from conch_desktop.domain.calls import Json
from conch_desktop.schemas.references import Schema, followed

Seen = dict[tuple[int, int], bool]
KINDS = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_KIND_OF: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    Written: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
_MOST_PARTS = 200
_MOST_LEVELS = 4
"""Unions directly within unions that are followed; one that contains itself would have no end."""
_OPENERS = ("additionalProperties", "unevaluatedProperties")


def kind_of(value: Json) -> str:
    """The JSON Schema type of a value; a whole number is "integer", also when it is written 4.0."""
    if isinstance(value, float) and value.is_integer():
        return "integer"
    return _KIND_OF.get(type(value), "unknown")


class _Document:
    """A whole schema, and the shapes of its nodes: each is made once, also where a schema contains itself."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._shapes: dict[tuple[int, ...], Shape] = {}
        self._without: dict[tuple[int, str], Schema] = {}

    def shape(self, *nodes: object) -> Shape:
        """The shape of what holds where all of `nodes` do."""
        return self.of_parts([part for node in nodes for part in _parts(self.root, node)])

    def of_parts(self, parts: Sequence[Schema], level: int = 0) -> Shape:
        """The shape of schemas in which references have been followed."""
        return self._shapes.setdefault((level, *map(id, parts)), Shape(self, parts, level))

    def without(self, part: Schema, key: str) -> Schema:
        """`part` without one of its keywords."""
        found = self._without.get((id(part), key))
        if found is None:
            found = {name: value for name, value in part.items() if name != key}
            self._without[id(part), key] = found
        return found


class Shape:
    """One node of a schema: all the schemas that hold for it at once. `level` counts unions within unions."""

    def __init__(self, document: _Document, parts: Sequence[Schema], level: int) -> None:
        self.document = document
        self.parts = parts
        self.level = level

    @cached_property
    def branches(self) -> tuple[Shape, ...]:
        """The branches of a union, each with what holds beside it; empty when there is none."""
        owners = [(part, key) for part in self.parts for key in ("anyOf", "oneOf") if _several(part.get(key))]
        if len(owners) != 1 or self.level >= _MOST_LEVELS:
            return ()
        owner, key = owners[0]
        rest = [self.document.without(part, key) if part is owner else part for part in self.parts]
        branches = [branch for branch in owner[key] if isinstance(branch, Mapping)]
        parts = ([*rest, *_parts(self.document.root, branch)] for branch in branches)
        return tuple(self.document.of_parts(each, self.level + 1) for each in parts)

    @cached_property
    def kinds(self) -> frozenset[str] | None:
        """The types a value may have; None when the schema says nothing about it."""
        said = [kinds for part in self.parts if (kinds := _kinds(part)) is not None]
        if said:
            kinds = said[0]
            for others in said[1:]:
                kinds = frozenset(kind for kind in kinds | others if _in(kind, kinds) and _in(kind, others))
            return kinds
        if self.options is not None:
            return frozenset(kind_of(option) for option in self.options)
        if self.branches:
            each = [branch.kinds for branch in self.branches]
            return None if None in each else frozenset().union(*(kinds for kinds in each if kinds))
        if self.fields:
            return frozenset({"object"})
        return frozenset({"array"}) if self.items is not None else None

    @cached_property
    def options(self) -> tuple[Json, ...] | None:
        """The values it may have, when they are listed."""
        lists = [_options(part) for part in self.parts]
        said = [options for options in lists if options is not None]
        if not said:
            return None
        return tuple(option for option in said[0] if all(any(same(option, o) for o in other) for other in said[1:]))

    @cached_property
    def is_ref(self) -> bool:
        """Whether it holds a browser ref."""
        return any(part.get("format") == FORMAT for part in self.parts)

    @cached_property
    def fields(self) -> dict[str, Shape]:
        """The fields an object has, in the schema's order."""
        named: dict[str, list[object]] = {}
        for part in self.parts:
            properties = part.get("properties")
            if isinstance(properties, Mapping):
                for name, schema in properties.items():
                    named.setdefault(name, []).append(schema)
        return {name: self.document.shape(*schemas) for name, schemas in named.items()}

    @cached_property
    def required(self) -> frozenset[str]:
        """The fields that must be there."""
        return frozenset(name for part in self.parts for name in _names(part.get("required")))

    @cached_property
    def known(self) -> frozenset[str]:
        """Every name the schema mentions as a field, also where it only does so on a condition."""
        found = set(self.fields) | self.required
        todo = [inner for part in self.parts for inner in _conditional(part)]
        for _ in range(_MOST_PARTS):
            if not todo:
                break
            for part in _parts(self.document.root, todo.pop()):
                properties = part.get("properties")
                found.update(properties if isinstance(properties, Mapping) else (), _names(part.get("required")))
                todo += _conditional(part)
        return frozenset(found)

    @cached_property
    def closed(self) -> bool:
        """Whether an object takes no other fields: unless its schema opens it, an own tool's or an integration's."""
        if any(part.get("patternProperties") for part in self.parts):
            return False
        if any(part.get(key) is False for part in self.parts for key in _OPENERS):
            return True
        further = [part.get(key) for part in self.parts for key in _OPENERS]
        if any(said is True or isinstance(said, Mapping) for said in further):
            return False
        objects = [branch for branch in self.branches if branch.may_be("object")]
        if any(not branch.closed for branch in objects):
            return False
        return bool(objects) or any(isinstance(part.get("properties"), Mapping) for part in self.parts)

    @cached_property
    def further(self) -> Shape | None:
        """What the fields of an open object are that it doesn't name."""
        schemas = [part["additionalProperties"] for part in self.parts if _is_schema(part.get("additionalProperties"))]
        patterned = any(part.get("patternProperties") for part in self.parts)
        return self.document.shape(schemas[0]) if len(schemas) == 1 and not patterned else None

    @cached_property
    def first_items(self) -> tuple[Shape, ...]:
        """What the first places of a list hold, each for itself (`prefixItems`; `items` as a list in old drafts)."""
        lists = [part.get("prefixItems", part.get("items")) for part in self.parts]
        found = [list(_listed(each)) for each in lists if isinstance(each, Sequence) and not isinstance(each, str)]
        return tuple(self.document.shape(schema) for schema in found[0]) if len(found) == 1 else ()

    @cached_property
    def items(self) -> Shape | None:
        """What a list holds, when that is one schema for all of it."""
        schemas = [part["items"] for part in self.parts if isinstance(part.get("items"), Mapping)]
        if not schemas or any("prefixItems" in part for part in self.parts):
            return None
        return self.document.shape(*schemas)

    def may_be(self, kind: str) -> bool:
        """Whether a value of this type may stand here."""
        return self.kinds is None or kind in self.kinds or (kind == "integer" and "number" in self.kinds)

    @cached_property
    def says_kinds(self) -> bool:
        """Whether the schema states what may stand here."""
        return self.kinds is not None

    def takes(self, value: Json, seen: Seen | None = None) -> bool:
        """Whether `value` is sure to stay as it is: normalising has nothing to do for it.

        `seen` remembers, within one value, what was found for parts that several branches look at.
        """
        kinds = self.kinds
        if kinds is None and not self.branches:
            return True
        if type(value) is str:
            if kinds is None or "string" not in kinds:
                return False
            return self._plain_text or self._takes_text(value)
        if type(value) is int or type(value) is bool or value is None or isinstance(value, float):
            kind = _KIND_OF[type(value)]
            fits = kinds is None or kind in kinds or (kind == "integer" and "number" in kinds)
            return fits and (self.options is None or self._is_option(value))
        seen = {} if seen is None else seen
        if not self.branches:
            return self._takes_members(value, seen)
        key = (id(self), id(value))
        if key not in seen:
            seen[key] = any(branch.takes(value, seen) for branch in self.branches)
        return seen[key]

    @cached_property
    def _plain_text(self) -> bool:
        return self.options is None and not self.is_ref and not self.branches

    def _takes_text(self, value: str) -> bool:
        if self.options is not None and not self._is_option(value):
            return False
        if self.branches:
            return any(branch.takes(value) for branch in self.branches)
        return not self.is_ref or is_bare(value)

    def _takes_members(self, value: Json, seen: Seen) -> bool:
        if isinstance(value, list):
            items, first = self.items, self.first_items
            if not all(shape.takes(item, seen) for shape, item in zip(first, value, strict=False)):
                return False
            return self.may_be("array") and (items is None or all(items.takes(item, seen) for item in value))
        if not self.may_be("object"):
            return False
        fields, closed, further = self.fields, self.closed, self.further
        for name, inner in value.items():
            field = fields.get(name)
            if field is not None:
                if not field.takes(inner, seen):
                    return False
            elif (closed and name not in self.known) or (further is not None and not further.takes(inner, seen)):
                return False
        return True

    def _is_option(self, value: Json) -> bool:
        return any(same(value, option) for option in self.options or ())


class SameSchema:
    """A schema as a key: two are the same only when they are one object, which costs nothing to compare."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameSchema) and other.schema is self.schema


def shape_of(schema: Schema) -> Shape:
    """The shape of a tool's parameters; kept for the schemas used last."""
    return _shape(SameSchema(schema))


@lru_cache(maxsize=256)
def _shape(key: SameSchema) -> Shape:
    return _Document(key.schema).shape(key.schema)


def _parts(root: Schema, node: object) -> list[Schema]:
    """All the schemas that hold at once where `node` does: references and `allOf` followed, circles ended."""
    found: list[Schema] = []
    todo = [node]
    while todo and len(found) < _MOST_PARTS:
        for link in followed(root, todo.pop(0)):
            if any(link is part for part in found):
                continue
            found.append(link)
            todo += _listed(link.get("allOf"))
    return found


def _conditional(part: Schema) -> Iterator[Any]:
    """The schemas that may hold where `part` does: branches, and what depends on the value."""
    for key in ("anyOf", "oneOf"):
        yield from _listed(part.get(key))
    for key in ("if", "then", "else", "not"):
        yield part.get(key)
    dependent = part.get("dependentSchemas")
    yield from dependent.values() if isinstance(dependent, Mapping) else ()


def _listed(value: object) -> Iterator[Any]:
    return iter(value) if isinstance(value, Sequence) and not isinstance(value, str) else iter(())


def _several(value: object) -> bool:
    return any(isinstance(branch, Mapping) for branch in _listed(value))


def _is_schema(value: object) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _names(value: object) -> Iterator[str]:
    return (name for name in _listed(value) if isinstance(name, str))


def _kinds(part: Schema) -> frozenset[str] | None:
    said = part.get("type")
    kinds = {said} if isinstance(said, str) else set(_names(said))
    if not kinds & KINDS:
        return None
    if part.get("nullable") is True:
        kinds.add("null")
    return frozenset(kinds & KINDS)


def _in(kind: str, kinds: frozenset[str]) -> bool:
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _options(part: Schema) -> tuple[Json, ...] | None:
    if "const" in part:
        return (part["const"],)
    options = part.get("enum")
    return tuple(options) if isinstance(options, Sequence) and not isinstance(options, str) and options else None
