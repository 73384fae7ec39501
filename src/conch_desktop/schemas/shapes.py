"""Shapes: what one place of a schema takes, flat, with every reference and combinator of that place worked out.

A place that offers a choice has several. Whatever is done to them only ever widens: a call the schema takes is never
made impossible, and no field or option is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from conch_desktop.schemas.described import (
    BOUNDS,
    CHOICE,
    FORMAT,
    OTHER,
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

_MOST_COMBINATIONS = 6
_ENDLESS = 2**31 - 1
"""What some write for a length without a limit."""


class Place(NamedTuple):
    """Where a value stands: the schemas it has to fit, all of them, or (`either`) one of them. Read when needed."""

    nodes: tuple[Any, ...]
    trail: Trail = frozenset()
    either: bool = False
    weight: int = 1
    """How many schemas it is put together from."""


_HEAVIEST = 500
"""A place put together from more schemas takes anything: joined over and over, they would multiply."""


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


# both must hold -----------------------------------------------------------------------------------------------------


def both(one: Shape, two: Shape, kinds: tuple[str, ...] | None = None) -> Shape | None:
    """What fits both shapes; None when nothing can. `kinds` decides on the types."""
    kinds = kinds or _common_kinds(one.kinds, two.kinds)
    if kinds == ():
        return None
    out = one.copy()
    out.kinds = kinds
    out.options = _common_options(one.options, two.options)
    if two.fields:
        out.fields = dict(one.fields)
        for name, place in two.fields.items():
            out.fields[name] = _all_of(out.fields[name], place) if name in out.fields else place
    out.required = {**one.required, **two.required}
    out.extra = two.extra if one.extra is None or two.extra is False else one.extra
    out.items = _all_of(one.items, two.items) if one.items and two.items else one.items or two.items
    out.prefix = one.prefix or two.prefix
    out.low = max((b for b in (one.low, two.low) if b), default=None)
    out.high = min((b for b in (one.high, two.high) if b), key=lambda b: (b[0], not b[1]), default=None)
    out.least = max((n for n in (one.least, two.least) if n is not None), default=None)
    out.most = min((n for n in (one.most, two.most) if n is not None), default=None)
    out.form = one.form or two.form
    out.says = [*one.says, *(text for text in two.says if text not in one.says)]
    out.said = [*one.said, *(text for text in two.said if text not in one.said)]
    out.cut = one.cut or two.cut
    return out


def _common_kinds(one: tuple[str, ...] | None, two: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if one is None or two is None:
        return two if one is None else one
    if one == two:
        return one
    wide_one, wide_two = (set(kinds) | ({"integer"} if "number" in kinds else set()) for kinds in (one, two))
    common = wide_one & wide_two
    if "number" in common:
        common.discard("integer")
    return tuple(kind for kind in dict.fromkeys((*one, *two)) if kind in common)


def _common_options(one: list[Any] | None, two: list[Any] | None) -> list[Any] | None:
    if one is None or two is None:
        return two if one is None else one
    texts = {as_text(option) for option in two}
    return [option for option in one if as_text(option) in texts] or one


def _all_of(one: Place, two: Place) -> Place:
    return one if _same(one, two) else _joined((one, two), either=False)


def _joined(places: Sequence[Place], *, either: bool) -> Place:
    weight = sum(place.weight for place in places)
    if weight > _HEAVIEST:
        return Place((True,))
    nodes = tuple(part for place in places for part in _parts(place, either))
    return Place(nodes, frozenset().union(*(place.trail for place in places)), either, weight)


# either may hold ----------------------------------------------------------------------------------------------------


def either(shapes: Sequence[Shape]) -> Shape:
    """One shape that takes what any of them takes."""
    first = shapes[0]
    if len(shapes) == 1:
        return first
    out = Shape()
    if all(shape.kinds is not None for shape in shapes):
        kinds = dict.fromkeys(kind for shape in shapes for kind in shape.kinds or ())
        out.kinds = tuple(kind for kind in kinds if kind != "integer" or "number" not in kinds)
    if all(shape.options is not None for shape in shapes):
        out.options = unlike(option for shape in shapes for option in shape.options or ())
    fields: dict[str, list[Place]] = {}
    for shape in shapes:
        for name, place in shape.fields.items():
            fields.setdefault(name, []).append(place)
    out.fields = {name: any_of(places) for name, places in fields.items()}
    out.required = {name: None for name in first.required if all(name in shape.required for shape in shapes[1:])}
    out.extra = _wider_extra(shapes)
    if all(shape.items or shape.prefix for shape in shapes):
        out.items = any_of([place for shape in shapes for place in (*shape.prefix, shape.items) if place])
    out.low = _widest([shape.low for shape in shapes], min)
    out.high = _widest([shape.high for shape in shapes], lambda bounds: max(bounds, key=lambda b: (b[0], not b[1])))
    out.least = _widest([shape.least for shape in shapes], min)
    out.most = _widest([shape.most for shape in shapes], max)
    if all(shape.form == first.form for shape in shapes):
        out.form = first.form
    out.said = [entry for entry in first.said if all(entry in shape.said for shape in shapes[1:])]
    out.said.extend(_combinations(shapes, out))
    _tell(out, shapes)
    out.cut = all(shape.cut for shape in shapes)
    return out


def _tell(out: Shape, shapes: Sequence[Shape]) -> None:
    """Descriptions of alternatives that are one now: the description if it is the same, else in words."""
    says = list(dict.fromkeys(" ".join(shape.says) for shape in shapes if shape.says))
    if len(says) < 2:
        out.says = says
    elif out.options is not None:
        told = [
            f"{clean(as_text(shape.options[0]))}: {' '.join(shape.says).rstrip('.')}"
            for shape in shapes
            if shape.says and shape.options
        ]
        out.said.append(Said(OTHER, f"{listed(told, 180)}."))
    else:
        out.said.append(Said(OTHER, f"Either: {listed([text.rstrip('.') for text in says], 160)}."))


def any_of(places: Sequence[Place]) -> Place:
    """A place that takes what any of them takes."""
    different = _different(places)
    return different[0] if len(different) == 1 else _joined(different, either=True)


def unlike(options: Iterable[Any]) -> list[Any]:
    """The options without doubles: 1 and true differ, 1 and 1.0 do too."""
    return list({(kind_of(option), as_text(option)): option for option in options}.values())


def _different(places: Sequence[Place]) -> list[Place]:
    different: list[Place] = []
    for place in places[:200]:
        if not any(_same(place, other) for other in different[:20]):
            different.append(place)
    return different


def _same(one: Place, two: Place) -> bool:
    """Are they plainly the same? Only flat schemas are compared: deep ones could be anything, loops too."""
    if one.either != two.either or len(one.nodes) != len(two.nodes):
        return False
    return all(mine is other or _flat_equal(mine, other) for mine, other in zip(one.nodes, two.nodes, strict=True))


def _flat_equal(one: Any, two: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(two, dict) or len(one) != len(two) or len(one) > 8:
        return False
    for key, value in one.items():
        other = two.get(key)
        if type(other) is not type(value) or isinstance(value, (dict, list)) or other != value:
            return False
    return True


def _parts(place: Place, either: bool) -> tuple[Any, ...]:
    """What a joined place takes over from `place`: its schemas if they are joined the same way, else itself."""
    return place.nodes if len(place.nodes) == 1 or place.either is either else (place,)


def _wider_extra(shapes: Sequence[Shape]) -> Place | bool | None:
    places = [shape.extra for shape in shapes if isinstance(shape.extra, Place)]
    if places:
        return any_of(places)
    if any(shape.extra is True for shape in shapes):
        return True
    return False if all(shape.extra is False for shape in shapes) else None


def _widest(bounds: Sequence[Any], wider: Callable[[Sequence[Any]], Any]) -> Any:
    return None if any(bound is None for bound in bounds) else wider(bounds)


def _combinations(shapes: Sequence[Shape], common: Shape) -> list[Said]:
    """Which fields belong together, where the alternatives of an object were folded into one."""
    mark = _discriminator(shapes, common)
    texts = []
    for shape in shapes:
        names = [clean(name) for name in shape.required if name not in common.required and name != mark]
        if mark:
            names = names or [clean(name) for name in shape.fields if name not in common.required and name != mark]
            texts.append(f"{_mark_of(shape, mark)}: {one_of(names, 'and')}" if names else "")
        else:
            texts.append(one_of(names, "and"))
    if mark and any(texts):
        return [Said(CHOICE, f"Fields by {clean(mark)}: {listed([text for text in texts if text], 150)}.", "object")]
    if not all(texts) or len(set(texts)) < 2:
        return []
    shown = list(dict.fromkeys(texts))
    if len(shown) > _MOST_COMBINATIONS:
        return [Said(CHOICE, f"Needs one of: {listed(shown)}.", "object")]
    return [Said(CHOICE, f"Needs {one_of([f'({t})' if ' ' in t else t for t in shown])}.", "object")]


def _discriminator(shapes: Sequence[Shape], common: Shape) -> str:
    """The field whose one option tells the alternatives apart, "" when there is none."""
    for name in common.fields:
        marks = {_mark_of(shape, name) for shape in shapes}
        if "" not in marks and len(marks) == len(shapes):
            return name
    return ""


def _mark_of(shape: Shape, name: str) -> str:
    place = shape.fields.get(name)
    node = place.nodes[0] if place is not None and len(place.nodes) == 1 else None
    if not isinstance(node, dict):
        return ""
    options = [node["const"]] if "const" in node else node.get("enum")
    if not isinstance(options, list) or len(options) != 1 or not isinstance(options[0], (str, int, float)):
        return ""
    return clean(json.dumps(options[0], ensure_ascii=False))
