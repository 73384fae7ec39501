"""Shapes: what one place of a schema takes, flat, with every reference and combinator of that place worked out.

A place that offers a choice has several. Whatever is done to them only ever widens: a call the schema takes is never
made impossible, and no field or option is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from conch_desktop.schemas.described import (
    BOUNDS,
    CHOICE,
    FORMAT,
    SHAPE,
    Said,
    counted,
    listed,
    one_of,
)
from conch_desktop.schemas.values import as_text, clean, is_count, is_number, kind_of, kinds_of, one_line

Bound = tuple[float, bool]
"""A bound of a number, and whether the number itself is left out."""

Trail = frozenset[int]
"""Which definitions were gone through on the way to a place (their identities), so that recursion is seen."""

_ENDLESS = 2**31 - 1
"""What some write for a length without a limit."""


class Place(NamedTuple):
    """Where a value stands: the schemas it has to fit, all of them, or (`either`) one of them. Read when needed."""

    nodes: tuple[Any, ...]
    trail: Trail = frozenset()
    either: bool = False
    weight: int = 1
    """How many schemas it is put together from."""


class Shape:
    """One alternative of a place. `kinds` None is any type; `cut` marks one that stands for what was left out."""

    __slots__ = (
        "cut", "extra", "fields", "form", "high", "items", "kinds", "least", "low", "most", "options", "prefix",
        "required", "said", "says",
    )  # fmt: skip

    def __init__(self) -> None:
        self.kinds: tuple[str, ...] | None = None
        self.options: list[Any] | None = None
        self.fields: dict[str, Place] = {}
        self.required: dict[str, None] = {}
        self.extra: Place | bool | None = None
        """Fields beside `fields`: what they take, or whether there may be any."""
        self.items: Place | None = None
        self.prefix: tuple[Place, ...] = ()
        self.low: Bound | None = None
        self.high: Bound | None = None
        self.least: int | None = None
        self.most: int | None = None
        """Bounds of a number, and of a list's length."""
        self.form: str | None = None
        self.says: list[str] = []
        self.said: list[Said] = []
        self.cut = False

    def copy(self) -> Shape:
        """The same shape again; what it holds is shared and never changed."""
        other = Shape.__new__(Shape)
        other.kinds, other.options, other.cut = self.kinds, self.options, self.cut
        other.fields, other.required, other.extra = self.fields, self.required, self.extra
        other.items, other.prefix, other.least, other.most = self.items, self.prefix, self.least, self.most
        other.low, other.high, other.form = self.low, self.high, self.form
        other.says, other.said = self.says, self.said
        return other

    @property
    def blank(self) -> bool:
        """Does it say nothing at all?"""
        return (
            self.kinds is None
            and self.options is None
            and not self.fields
            and not self.said
            and self.items is None
            and self.low is None
            and self.high is None
            and self.extra is None
            and self.most is None
            and not (self.required or self.prefix or self.least or self.form or self.says or self.cut)
        )

    def guessed(self) -> tuple[str, ...]:
        """The types of the shape; for one that names none, what it plainly means. Empty: any."""
        if self.kinds is not None:
            return self.kinds
        if self.options is not None:
            return tuple(dict.fromkeys(map(kind_of, self.options)))
        if self.fields or self.required or self.extra is not None:
            return ("object",)
        return ("array",) if self.items is not None or self.prefix else ()


# one node's own keywords --------------------------------------------------------------------------------------------


def own_shape(node: Mapping[str, Any], trail: Trail) -> Shape:
    """What a node says without its references and combinators."""
    shape = Shape()
    for key, value in node.items():
        read = _READERS.get(key)
        if read is not None:
            read(shape, value, trail)
    if "exclusiveMinimum" in node or "exclusiveMaximum" in node:
        shape.low = _bound(node.get("minimum"), node.get("exclusiveMinimum"), max)
        shape.high = _bound(node.get("maximum"), node.get("exclusiveMaximum"), min)
    if shape.prefix and (node.get("items") is False or node.get("additionalItems") is False):
        _say(shape, BOUNDS, counted(None, len(shape.prefix), "item", "items"), "array")
    if "const" in node and not shape.says and isinstance(node.get("title"), str):
        shape.says = [clean(node["title"])]  # how an option is labelled
    if node.get("nullable") is True and shape.kinds is not None and "null" not in shape.kinds:
        shape.kinds = (*shape.kinds, "null")  # OpenAPI's word for it
    if "minLength" in node or "maxLength" in node:
        _counts(shape, node, "Length", ("character", "characters"), "string")
    if "minProperties" in node or "maxProperties" in node:
        _counts(shape, node, "Properties", ("field", "fields"), "object")
    return shape


def _bound(value: Any, exclusive: Any, tighter: Callable[[float, float], float]) -> Bound | None:
    """A bound from both spellings: draft 4's flag beside the number, and the number of later drafts."""
    plain = value if is_number(value) else None
    if exclusive is True and plain is not None:
        return plain, True
    if not is_number(exclusive):
        return None if plain is None else (plain, False)
    if plain is not None and plain != exclusive and tighter(plain, exclusive) == plain:
        return plain, False
    return exclusive, True


def _counts(shape: Shape, node: Mapping[str, Any], what: str, words: tuple[str, str], kind: str) -> None:
    least, most = node.get(f"min{what}"), node.get(f"max{what}")
    least = int(least) if is_count(least) else None
    most = int(most) if is_count(most) and most < _ENDLESS else None
    text = counted(least, most, *words)
    if text:
        shape.said = [*shape.said, Said(BOUNDS, text, kind)]


def _read_type(shape: Shape, value: Any, trail: Trail) -> None:
    shape.kinds = kinds_of(value)


def _read_enum(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, list) and value and shape.options is None:
        shape.options = value


def _read_const(shape: Shape, value: Any, trail: Trail) -> None:
    shape.options = [value]


def _read_fields(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, dict):
        children = ((name, child) for name, child in value.items() if isinstance(name, str) and child is not False)
        shape.fields = {name: Place((child,), trail) for name, child in children}


def _read_required(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, list):
        shape.required = dict.fromkeys(name for name in value if isinstance(name, str))
    elif value is True:  # draft 3 said so in the field itself
        _say(shape, BOUNDS, "Required.")


def _read_extra(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, bool):
        shape.extra = value
    elif isinstance(value, dict):
        shape.extra = Place((value,), trail) if value else True


def _read_patterned(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, dict) and value and not isinstance(shape.extra, Place):
        nodes = tuple(node for node in value.values() if isinstance(node, dict))
        shape.extra = Place(nodes, trail, either=True) if nodes else True


def _read_items(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, list):  # the old drafts' tuple
        _read_prefix(shape, value, trail)
    elif isinstance(value, dict) or value is True:
        shape.items = Place((value,), trail)


def _read_prefix(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, list):
        shape.prefix = tuple(Place((node,), trail) for node in value if node is not False)


def _read_low(shape: Shape, value: Any, trail: Trail) -> None:
    shape.low = (value, False) if is_number(value) else None


def _read_high(shape: Shape, value: Any, trail: Trail) -> None:
    shape.high = (value, False) if is_number(value) else None


def _read_least(shape: Shape, value: Any, trail: Trail) -> None:
    shape.least = int(value) if is_count(value) else None


def _read_most(shape: Shape, value: Any, trail: Trail) -> None:
    shape.most = int(value) if is_count(value) else None


def _read_format(shape: Shape, value: Any, trail: Trail) -> None:
    shape.form = clean(value) if isinstance(value, str) else None


def _read_description(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, str) and value:
        shape.says = [clean(value)]


def _read_pattern(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, str):
        _say(shape, SHAPE, f"Pattern: {clean(value)}", "string")


def _read_multiple(shape: Shape, value: Any, trail: Trail) -> None:
    if is_number(value) and value > 0:
        _say(shape, BOUNDS, f"A multiple of {one_line(value)}.", "number")


def _read_unique(shape: Shape, value: Any, trail: Trail) -> None:
    if value is True:
        _say(shape, BOUNDS, "No item twice.", "array")


def _read_encoding(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, str):
        _say(shape, FORMAT, f"Encoding: {clean(value)}.", "string")


def _read_media(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, str):
        _say(shape, FORMAT, f"Media type: {clean(value)}.", "string")


def _read_not(shape: Shape, value: Any, trail: Trail) -> None:
    if value is True or value == {}:
        _say(shape, BOUNDS, "Leave this out.")
    elif isinstance(value, dict):
        options = [value["const"]] if "const" in value else value.get("enum")
        if isinstance(options, list) and options:
            _say(shape, BOUNDS, f"Not: {listed(_shown(options))}.")
        names = value.get("required")
        if isinstance(names, list) and names and len(value) == 1:
            _say(shape, CHOICE, f"Not together: {listed(_shown(names))}.", "object")


def _read_names(shape: Shape, value: Any, trail: Trail) -> None:
    if not isinstance(value, dict):
        return
    if isinstance(value.get("enum"), list):
        _say(shape, SHAPE, f"Names of fields: {listed(_shown(value['enum']))}.", "object")
    elif isinstance(value.get("pattern"), str):
        _say(shape, SHAPE, f"Names of fields: {clean(value['pattern'])}", "object")


def _read_together(shape: Shape, value: Any, trail: Trail) -> None:
    if isinstance(value, dict):
        for name, others in value.items():
            names = [other for other in others if isinstance(other, str)] if isinstance(others, list) else []
            if names:
                _say(shape, CHOICE, f"With {clean(name)} also give {clean(one_of(names, 'and'))}.", "object")


def _say(shape: Shape, rank: int, text: str, kind: str = "") -> None:
    shape.said = [*shape.said, Said(rank, text, kind)]


def _shown(options: Iterable[Any]) -> list[str]:
    return [clean(as_text(option)) if option != "" else '""' for option in options]


_READERS: Mapping[str, Callable[[Shape, Any, Trail], None]] = MappingProxyType(
    {
        "type": _read_type,
        "description": _read_description,
        "properties": _read_fields,
        "required": _read_required,
        "additionalProperties": _read_extra,
        "patternProperties": _read_patterned,
        "items": _read_items,
        "prefixItems": _read_prefix,
        "enum": _read_enum,
        "const": _read_const,
        "minimum": _read_low,
        "maximum": _read_high,
        "minItems": _read_least,
        "maxItems": _read_most,
        "format": _read_format,
        "pattern": _read_pattern,
        "multipleOf": _read_multiple,
        "uniqueItems": _read_unique,
        "contentEncoding": _read_encoding,
        "contentMediaType": _read_media,
        "not": _read_not,
        "propertyNames": _read_names,
        "dependentRequired": _read_together,
        "dependencies": _read_together,
    }
)
