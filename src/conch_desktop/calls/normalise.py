"""Normalises arguments by the tool's own schema and nothing else: "3" becomes 3 where a number is wanted.

Only a value that could not stay is changed, and only into the one thing it can mean there. No text is rewritten,
nothing is invented, nothing is split or unpacked. The depth of values is limited before (`strict.DEEPEST`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from conch_desktop.calls.origins import Origins, Place
from conch_desktop.calls.refs import is_bare, unwrap_ref
from conch_desktop.calls.repair import Repaired, Unreadable, repair
from conch_desktop.calls.shapes import Shape, kind_of
from conch_desktop.calls.strict import Written, same
from conch_desktop.domain.calls import Json, MendKind

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False}
_EXACT = 2**53
"""Below it every whole float is the number that was written."""


@dataclass(slots=True)
class Dropped:
    """A field that was left out."""

    path: str
    name: str
    why: str  # "unknown" or "null"
    fields: tuple[str, ...] = ()  # what there is in its place


@dataclass(slots=True)
class Normaliser:
    """Normalises the arguments of one call."""

    origins: Origins
    trials: int
    """Values that may still be looked at while branches of unions are tried; then values stay as they are."""
    dropped: list[Dropped] = field(default_factory=list)
    _trying: int = 0
    _tried_before: dict[tuple[int, int], tuple[Json, Json]] = field(default_factory=dict)
    """By shape and value: the value (so that it lives on) and what it became there, for parts many branches share."""

    def arguments(self, args: dict[str, Any], shape: Shape, owners: Mapping[str, Place]) -> Mapping[str, Json]:
        """The arguments of a call; `owners` says for each field in which object it stood."""
        place = next(iter(owners.values()), None) or self.origins.add(None)
        if shape.branches or shape.kinds is None or "object" not in shape.kinds:
            settled = self.settled(args, shape, place)
            return settled if isinstance(settled, dict) else args
        return self._object(args, shape, place, owners)

    def settled(self, value: Json, shape: Shape, place: Place) -> Json:
        """`value` as `shape` wants it, or as it is."""
        if self._trying:
            self.trials -= 1
            if self.trials < 0:
                return value
        if shape.branches:
            return self._union(value, shape, place)
        return self._plain(value, shape, place)

    def _plain(self, value: Json, shape: Shape, place: Place) -> Json:
        kinds = shape.kinds
        if kinds is None:
            return value
        if isinstance(value, dict) and "object" in kinds:
            return self._object(value, shape, place)
        if isinstance(value, list) and "array" in kinds:
            if shape.first_items:
                return self._tuple(value, shape.first_items, place)
            return value if shape.items is None else self._list(value, shape.items, place)
        if isinstance(value, str):
            return self._text(value, shape, place)
        if isinstance(value, float) and "integer" in kinds and "number" not in kinds:
            if isinstance(value, Written):
                return value if value.whole is None else value.whole  # 1e23 is not what a float makes of it
            whole = value.is_integer() and abs(value) < _EXACT
            return int(value) if whole else value  # 4.0 is 4, and a tool can count with that
        if shape.may_be(kind_of(value)):
            return value
        return self._list_of_one(value, shape, place)

    # --- objects and lists ---

    def _object(
        self, value: dict[str, Any], shape: Shape, place: Place, owners: Mapping[str, Place] | None = None
    ) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, inner in value.items():
            here = Place(owners.get(name, place) if owners else place, name)
            known = shape.fields.get(name)
            if known is None:
                if name in shape.known or not shape.closed:
                    kept[name] = inner if shape.further is None else self.settled(inner, shape.further, here)
                else:
                    self.dropped.append(Dropped(here.path(), name, "unknown", tuple(shape.fields)))
            elif inner is None and name not in shape.required and not known.may_be("null"):
                self.dropped.append(Dropped(here.path(), name, "null"))
            else:
                kept[name] = self.settled(inner, known, here)
        return kept

    def _list(self, value: list[Any], items: Shape, place: Place) -> list[Any]:
        return [
            item
            if not isinstance(item, dict | list) and items.takes(item)
            else self.settled(item, items, Place(place, at))
            for at, item in enumerate(value)
        ]

    def _tuple(self, value: list[Any], first: Sequence[Shape], place: Place) -> list[Any]:
        settled = [
            self.settled(item, shape, Place(place, at))
            for at, (item, shape) in enumerate(zip(value, first, strict=False))
        ]
        return [*settled, *value[len(first) :]]

    def _list_of_one(self, value: Json, shape: Shape, place: Place) -> Json:
        """One value where a list of such is wanted; not within a list, which might itself be the one value."""
        items = shape.items
        if value is None or not shape.may_be("array") or items is None or not items.says_kinds:
            return value
        if place.how != "value" and isinstance(place.step, int):
            return value
        framed_ref = items.is_ref and isinstance(value, str) and is_bare(unwrap_ref(value))
        if isinstance(value, str) and value.lstrip().startswith("[") and not framed_ref:
            return value  # it begins like a list, and was none
        before, dropped = self.origins.count(), len(self.dropped)
        item = self.settled(value, items, Place(place, 0, "shown"))
        if not items.may_be(kind_of(item)):
            self.origins.back_to(before)
            del self.dropped[dropped:]
            return value
        self.origins.mended("list_of_one", place)
        return [item]

    # --- texts ---

    def _text(self, value: str, shape: Shape, place: Place) -> Json:
        kinds = shape.kinds or frozenset()
        if shape.options is not None:
            option = self._option(value, shape.options, place)
            if option is not _NOTHING:
                return option
            if "array" not in kinds:
                return value
        if "string" in kinds:
            return self._ref(value, place) if shape.is_ref else value
        readings = list(self._readings(value, kinds, place))
        if len(readings) == 1 and not _also_an_item(value, shape, readings[0][1]):
            kind, read = readings[0]
            if kind == "json_text":
                return self._within(read, shape, place)
            self.origins.mended(kind, place)
            return read
        return value if readings else self._list_of_one(value, shape, place)

    def _ref(self, value: str, place: Place) -> str:
        bare = unwrap_ref(value)
        if bare != value:
            self.origins.mended("ref", place)
        return bare

    def _option(self, value: str, options: tuple[Json, ...], place: Place) -> Json:
        """The option a text means: itself, the only one it differs from in case alone, or the number, true or false it
        writes.
        """
        if value in (option for option in options if isinstance(option, str)):
            return value
        folded = {option for option in options if isinstance(option, str) and option.lower() == value.lower()}
        if folded:
            if len(folded) > 1:
                return value
            self.origins.mended("option_case", place)
            return folded.pop()
        for kind, read in self._readings(value, frozenset({"number", "boolean", "null"}), place):
            if any(same(read, option) for option in options):
                self.origins.mended(kind, place)
                return read
        return _NOTHING

    def _readings(self, value: str, kinds: frozenset[str], place: Place) -> Iterator[tuple[MendKind, Json]]:
        """What a text can mean where no text is wanted."""
        if "number" in kinds or "integer" in kinds:
            number = number_of(value, whole="number" not in kinds)
            if number is not None:
                yield "number", number
        if "boolean" in kinds and value in _WORDS:
            yield "boolean", _WORDS[value]
        if "null" in kinds and value == "null":
            yield "null", None
        begin = value.lstrip()[:1]
        if (begin == "[" and "array" in kinds) or (begin == "{" and "object" in kinds):
            read = repair(value, ending="cut")
            if isinstance(read, Unreadable) or len(read.values) > 1 or read.before or read.after or read.lost:
                return
            if isinstance(read.values[0].value, list if begin == "[" else dict):
                yield "json_text", read

    def _within(self, read: Any, shape: Shape, place: Place) -> Json:
        """The list or object that was sent as JSON text, normalised in its turn."""
        self.origins.mended("json_text", place)
        inside = self.origins.add(read.values[0], place)
        self.origins.marked(inside, read.marks)
        return self._plain(read.values[0].value, shape, inside)

    # --- unions ---

    def _union(self, value: Json, shape: Shape, place: Place) -> Json:
        """A value that some branch takes is left alone; one that a single branch can take becomes what that wants."""
        if isinstance(value, str) and any(branch.is_ref for branch in shape.branches):
            texts = [branch for branch in shape.branches if branch.may_be("string")]
            if all(branch.is_ref for branch in texts):
                return self._ref(value, place)
        if any(branch.takes(value) for branch in shape.branches):
            return value
        branches = [branch for branch in shape.branches if _possible(value, branch)]
        if isinstance(value, str) and (texts := [b for b in branches if b.options is not None]):
            option = self._option(value, tuple(o for b in texts for o in b.options or ()), place)
            if option is not _NOTHING:
                return option
        if len(branches) == 1:
            return self.settled(value, branches[0], place)
        return self._tried(value, branches, shape, place)

    def _tried(self, value: Json, branches: list[Shape], shape: Shape, place: Place) -> Json:
        """Tries each branch; its outcome counts when it fits, and when all that fit say the same."""
        tried = [(branch, self._trial(value, branch, place)) for branch in branches]
        fitting = [(branch, result) for branch, result in tried if result is not _NOTHING]
        plain = [(b, r) for b, r in fitting if isinstance(value, list) or not _wraps_another(r, fitting)]
        if plain and all(same(plain[0][1], result) for _, result in plain[1:]):
            return self.settled(value, plain[0][0], place)
        if isinstance(value, dict) and branches:
            return self._known_to_any(value, branches, place)
        return value

    def _trial(self, value: Json, branch: Shape, place: Place) -> Json:
        key = (id(branch), id(value))
        if key in self._tried_before:
            return self._tried_before[key][1]
        before, dropped = self.origins.count(), len(self.dropped)
        self._trying += 1
        result = self.settled(value, branch, place)
        self._trying -= 1
        self.origins.back_to(before)
        del self.dropped[dropped:]
        if self.trials <= 0 or not _fits(result, branch):
            result = _NOTHING
        self._tried_before[key] = (value, result)
        return result

    def _known_to_any(self, value: dict[str, Any], branches: list[Shape], place: Place) -> dict[str, Any]:
        """Several branches are left: only what none of them knows is left out."""
        objects = [branch for branch in branches if branch.may_be("object")]
        if not objects or any(not branch.closed for branch in objects):
            return value
        known = {name for branch in objects for name in branch.known}
        names = tuple(dict.fromkeys(name for branch in objects for name in branch.fields))
        kept = {}
        for name, inner in value.items():
            if name in known:
                kept[name] = inner
            else:
                self.dropped.append(Dropped(Place(place, name).path(), name, "unknown", names))
        return kept


_NOTHING: Any = object()


def number_of(text: str, *, whole: bool) -> int | float | None:
    """The number a text writes in JSON's own grammar; None when it writes none, or one that can't be carried."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    try:
        if not found[1] and not found[2]:
            return int(text)
        value = float(text)
        if value - value != 0.0:
            return None
        if not whole:
            return value
        exact = Decimal(text)
        return int(exact) if exact == exact.to_integral_value() else None
    except (ValueError, ArithmeticError):
        return None


def _possible(value: Json, branch: Shape) -> bool:
    """Whether `branch` may be meant by `value`: fields that tell branches apart must not say otherwise."""
    if not isinstance(value, dict):
        return True
    if not branch.may_be("object"):
        return branch.may_be("array")
    for name, shape in branch.fields.items():
        if name in value and shape.options is not None and not _may_be_option(value[name], shape.options):
            return False
    return True


def _may_be_option(value: Json, options: tuple[Json, ...]) -> bool:
    if any(same(value, option) for option in options):
        return True
    return isinstance(value, str) and any(str(option).lower() == value.lower() for option in options)


def _also_an_item(value: str, shape: Shape, read: Json) -> bool:
    """Whether the text itself could be the one item of a list that is wanted too."""
    items = shape.items
    if items is None or not shape.may_be("array") or not items.says_kinds:
        return False
    return items.takes(value) and not isinstance(read, Repaired)


def _wraps_another(result: Json, fitting: list[tuple[Shape, Json]]) -> bool:
    """Whether a result is the list of one of another result, which needs no list."""
    return isinstance(result, list) and len(result) == 1 and any(same(result[0], other) for _, other in fitting)


def _fits(value: Json, shape: Shape) -> bool:
    """Whether a value is of a kind and an option its schema wants, at every level it says so simply."""
    todo = [(value, shape)]
    while todo:
        value, shape = todo.pop()
        if shape.branches:
            if not any(_fits_kind(value, branch) for branch in shape.branches):
                return False
            continue
        if not _fits_kind(value, shape):
            return False
        if isinstance(value, dict):
            todo += [(value[name], inner) for name, inner in shape.fields.items() if name in value]
        elif isinstance(value, list) and shape.items is not None:
            todo += [(item, shape.items) for item in value]
    return True


def _fits_kind(value: Json, shape: Shape) -> bool:
    if not shape.may_be(kind_of(value)):
        return False
    if shape.options is not None and not any(same(value, option) for option in shape.options):
        return False
    return not isinstance(value, dict) or all(name in value for name in shape.required)
