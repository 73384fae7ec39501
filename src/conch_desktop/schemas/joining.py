"""Joining shapes: what fits both of two, and what takes all that several take."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conch_desktop.schemas.described import CHOICE, OTHER, Said, listed, one_of
from conch_desktop.schemas.shapes import Place, Shape
from conch_desktop.schemas.values import as_text, clean, kind_of

_HEAVIEST = 500
"""A place put together from more schemas takes anything: joined over and over, they would multiply."""

_MOST_COMBINATIONS = 6


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
