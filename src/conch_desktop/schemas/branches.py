"""Branches: the shapes of a place sorted out into alternatives that are each of one type.

Options are text here, because Gemini takes no others; those that are no text are written as their JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from conch_desktop.schemas.described import FORMAT, OPTIONS, TYPES, Said, listed, one_of
from conch_desktop.schemas.inlining import Union
from conch_desktop.schemas.joining import either, unlike
from conch_desktop.schemas.shapes import Place, Shape
from conch_desktop.schemas.values import as_text, clean, kind_of, sendable
from conch_desktop.schemas.written import Unusable

MOST_OPTIONS = 1_000
"""Options of one field; more are only told."""

ANY_VALUE = "Any value."
_FREE = Said(TYPES, ANY_VALUE)

_PHRASES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def branches_of(shapes: Iterable[Shape], notes: dict[str, None]) -> tuple[list[Shape], bool]:
    """The alternatives, and whether null is one of them. An alternative has one type; options only as text."""
    branches: list[Shape] = []
    nullable = False
    shapes = list(shapes)
    any_text = any(shape.options is None and "string" in shape.guessed() for shape in shapes)
    for shape in shapes:
        kinds = shape.guessed()
        if len(kinds) == 1 and shape.options is None and kinds[0] != "null":  # as most are
            branches.append(narrowed(shape, kinds[0]))
            continue
        if "null" in kinds or (shape.options and None in shape.options):
            nullable = True
            kinds = tuple(kind for kind in kinds if kind != "null")
            if not kinds:
                continue
        if shape.options is not None:
            numbers, left = _beside_text(shape) if any_text else ([], shape)
            branches += numbers
            branches.extend(_optional(left, kinds, notes))
        elif kinds:
            branches.extend(narrowed(shape, kind) for kind in kinds)
        else:  # text carries whatever it is
            branches.append(narrowed(shape, "string", _FREE))
    return (_merged(branches) if len(branches) > 1 else branches), nullable


def only(text: str) -> Shape:
    """A text of which no more is known than `text` says."""
    shape = Shape()
    shape.kinds = ("string",)
    shape.said = [Said(TYPES, text)]
    return shape


def root_shape(union: Union) -> Shape:
    """The root as one object. Raises `Unusable` when a call's arguments, an object, could never fit."""
    objects = []
    for shape in union.shapes:
        kinds = shape.guessed()
        if not kinds or "object" in kinds or shape.fields:
            objects.append(narrowed(shape, "object"))
    if not objects:
        found = dict.fromkeys(_PHRASES[kind] for shape in union.shapes for kind in shape.guessed())
        wants = one_of(list(found)[:4]) if found else "nothing at all"
        raise Unusable(f"it wants {wants}, and the arguments of a call are always an object")
    return either(objects)


def chosen(branches: Sequence[Shape]) -> tuple[Shape, list[Said]]:
    """The one alternative that carries most, and the others in words."""
    kinds = [kind_of_branch(branch) for branch in branches]
    rich = [kind for kind, branch in zip(kinds, branches, strict=True) if _is_rich(kind, branch)]
    order = [*rich[:1], "string", "number", "integer", "object", "boolean"]
    kind = next(kind for kind in order if kind in kinds)
    same = [branch for branch, its in zip(branches, kinds, strict=True) if its == kind]
    others = [branch for branch, its in zip(branches, kinds, strict=True) if its != kind]
    said = []
    one = _merge(same)
    if others:
        one = narrowed(one, kind)  # without its options: the others may have to be written as text
        said.append(Said(TYPES, f"May also be {phrase(others)}."))
    known = [option for branch in same for option in branch.options or ()]
    if known and not one.options:
        said.append(Said(OPTIONS, f"Known options: {listed(as_shown(known))}."))
    return one, said


def phrase(branches: Sequence[Shape], nullable: bool = False) -> str:
    """What the alternatives take, in a few words."""
    texts = dict.fromkeys(_phrase(branch) for branch in branches)
    if nullable:
        texts["null"] = None
    return one_of(list(texts)[:5]) if texts else "any value"


def kind_of_branch(branch: Shape) -> str:
    """Its one type."""
    return branch.kinds[0] if branch.kinds else "string"


def narrowed(shape: Shape, kind: str, *said: Said) -> Shape:
    """The shape as one of a single type, without its options."""
    if not said and shape.options is None and shape.kinds == (kind,):
        return shape
    out = shape.copy()
    out.kinds = (kind,)
    out.options = None
    if said:
        out.said = [*shape.said, *said]
    return out


def _optional(shape: Shape, kinds: Sequence[str], notes: dict[str, None]) -> Iterable[Shape]:
    """A shape with options as one whose options are text, or as one that tells them."""
    given = shape.options or []
    options = unlike(option for option in given[: 2 * MOST_OPTIONS] if option is not None)
    found = {kind_of(option) for option in options}
    if not options:
        return
    if found == {"boolean"}:
        always = [] if len(options) > 1 else [Said(OPTIONS, f"Always {as_text(options[0])}.")]
        yield narrowed(shape, "boolean", *always)
        return
    texts = list(dict.fromkeys(text for option in options if sendable(text := as_text(option))))
    if not all(sendable(as_text(option)) for option in options):
        notes["Options that can't be sent as text are left out."] = None
    if kinds and not found & set(kinds) and set(kinds) <= {"array", "object"}:
        # Options of a list's items, written beside the list.
        yield narrowed(shape, kinds[0], Said(OPTIONS, f"Options: {listed(as_shown(texts), 180)}."))
    elif len(texts) > MOST_OPTIONS:
        notes[f"{len(given):,} options are more than can be sent; the first are told."] = None
        yield narrowed(shape, "string", Said(OPTIONS, f"Options: {listed(as_shown(texts), 180, len(given))}."))
    else:
        out = shape.copy()
        out.kinds = ("string",)
        out.options = texts or None
        yield out


def _beside_text(shape: Shape) -> tuple[list[Shape], Shape]:
    """Options that are numbers, where any text may stand too: as text, "5" would come back and never mean 5.

    They are told instead; what else there is stays as options.
    """
    options = shape.options or []
    numbers = [option for option in options if kind_of(option) in ("integer", "number")]
    if not numbers:
        return [], shape
    rest = shape.copy()
    rest.options = [option for option in options if kind_of(option) not in ("integer", "number")]
    told = Said(OPTIONS, f"Options: {listed([as_text(number) for number in numbers], 180)}.")
    return [narrowed(shape, "number", told)], rest


def as_shown(options: Iterable[str]) -> list[str]:
    """Options as they are written into a sentence."""
    return [option or '""' for option in options]


def _merged(branches: Sequence[Shape]) -> list[Shape]:
    """The alternatives with those in one that lose nothing by it."""
    groups: dict[Any, list[Shape]] = {}
    numbers = any(branch.kinds == ("number",) for branch in branches)
    for number, branch in enumerate(branches):
        groups.setdefault(_likeness(branch, number, numbers), []).append(branch)
    return [_merge(group) for group in groups.values()]


def _likeness(branch: Shape, number: int, numbers: bool) -> Any:
    """Branches of the same likeness are one: those of a simple type, and those with the very same schemas inside."""
    kind = kind_of_branch(branch)
    if kind == "object":
        if branch.fields:
            return kind, branch.cut, *((name, *map(id, place.nodes)) for name, place in branch.fields.items())
        return kind
    if kind == "array":
        return (kind, *map(id, branch.items.nodes)) if branch.items and not branch.prefix else (kind, number)
    return "number" if kind == "integer" and numbers else kind, branch.options is not None


def _merge(group: Sequence[Shape]) -> Shape:
    merged = either(group)
    forms = list(dict.fromkeys(branch.form for branch in group if branch.form))
    if len(group) > 1 and any(_FREE in branch.said for branch in group):
        return merged if _FREE in merged.said else narrowed(merged, kind_of_branch(merged), _FREE)
    if len(group) > 1 and merged.form is None and forms and not merged.options:
        merged.said = [*merged.said, Said(FORMAT, f"Format: {one_of(forms)}.")]
    return merged


def _is_rich(kind: str, branch: Shape) -> bool:
    """Does it say what stands inside?"""
    return kind == "array" or (kind == "object" and bool(branch.fields or isinstance(branch.extra, Place)))


def _phrase(branch: Shape) -> str:
    kind = kind_of_branch(branch)
    if branch.options:
        return f"text (one of {listed(as_shown(branch.options), 60)})"
    if kind == "object" and branch.fields:
        return f"an object with {listed([clean(name) for name in branch.fields], 60)}"
    if kind == "number" and (told := [said.text for said in branch.said if said.rank == OPTIONS]):
        return f"a number ({told[0].rstrip('.').lower()})"
    return "any value" if _FREE in branch.said else _PHRASES[kind]
