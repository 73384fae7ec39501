"""Strict JSON with limits: a well-formed text means exactly what it says, and what can't be carried is refused.

Python's own reader takes NaN, lets the last of two equal keys win and turns 1e999 into infinity; none of it passes
here. Everything that is judged after reading is judged by counting, because a hook for each object would double
the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from json import decoder
from typing import Any

from conch_desktop.domain.calls import Json

DEEPEST = 64
"""Objects and lists that may lie within each other, the outermost counted."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_MANY = 16
"""Objects and lists on one level from which it pays to count the brackets of the text, to know when all are seen."""
_FEW = 32
_EVERY_WHOLE = 2**53
"""Below it every whole number is a float of its own."""
_EXACT = 15
"""Digits a whole number may have to be sure to survive as a float."""


class Unfit(ValueError):
    """A well-formed value that can't be carried, and where it is: the steps from the root, keys and indexes."""

    def __init__(self, why: str, steps: tuple[str | int, ...] = ()) -> None:
        super().__init__(why)
        self.steps = steps


class Written(float):
    """A number of which a float may make another one: what was written is kept, and judged where it matters.

    `123456789012345678.9e1` is whole and 1e-400 is not, whatever a float makes of them. Where any number may stand
    it is the float it seems to be.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    @cached_property
    def whole(self) -> int | None:
        """The whole number that was written; None when it was none."""
        try:
            exact = Decimal(self.text)
        except ArithmeticError:
            return None  # its exponent alone says that it is next to nothing
        return int(exact) if exact == exact.to_integral_value() else None

    def is_integer(self) -> bool:
        """Whether the number that was written is whole."""
        return self.whole is not None


class _TooLarge(ValueError):
    """A number past what a float holds; its place is looked for afterwards."""


class _NoNumber(ValueError):
    """NaN or Infinity, which JSON does not have."""


def scan(text: str, at: int) -> tuple[Json, int]:
    """The JSON value that begins exactly at `at`, and where it ends. Raises `JSONDecodeError` or `Unfit`."""
    try:
        value, end = _scan(text, at)
    except StopIteration as stopped:
        raise json.JSONDecodeError("Expecting value", text, stopped.value) from None
    except RecursionError:
        raise Unfit(_TOO_DEEP) from None
    except json.JSONDecodeError:
        raise
    except _NoNumber as error:
        raise json.JSONDecodeError(str(error), text, at) from None
    except ValueError as error:  # _TooLarge, and Python's own limit of 4,300 digits
        raise _unfit_number(text, at, error) from None
    if type(value) is dict or type(value) is list:
        _judge_shape(value, text, at, end)
    escapes = text.find("\\", at, end) >= 0
    if not text.isascii() or (escapes and _may_hold_surrogates(value, text, at, end)):
        judge_texts(value)
    return value, end


def judge(value: Json) -> None:
    """Judges a value that was read elsewhere, as providers do: raises `Unfit` when it can't be carried."""
    level: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    depth = 0
    while level:
        deeper = []
        for steps, item in level:
            if isinstance(item, dict) and not all(isinstance(key, str) for key in item):
                raise Unfit("a name is no text", steps)
            if isinstance(item, dict | list):
                deeper += [((*steps, step), inner) for step, inner in _inside(item)]
            elif isinstance(item, float) and item - item != 0.0:
                raise Unfit("the number is not finite", steps)
            elif not isinstance(item, str | int | float | bool | None):
                raise Unfit("the value is no JSON", steps)
        depth += any(isinstance(item, dict | list) for _, item in level)
        if depth > DEEPEST:
            raise Unfit(_TOO_DEEP)
        level = deeper
    judge_texts(value)


def judge_depth(value: Json) -> None:
    """Raises `Unfit` for a value that is nested too deeply."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for item in level if isinstance(item, dict | list) for inner in _values(item)]
        if not level:
            return
    if any(isinstance(item, dict | list) for item in level):
        raise Unfit(_TOO_DEEP)


def judge_texts(value: Json) -> None:
    """Raises `Unfit` for a text that holds half a surrogate pair, which no file and no wire can carry."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        why = "the text holds half a character (a surrogate without its other half)"
        raise Unfit(why, _first(value, _is_broken) or ()) from None


def same(one: Json, other: Json) -> bool:
    """Equal as JSON: 5 and 5.0 are the same number, true and 1 are not."""
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs += zip(one, other, strict=True)
        elif isinstance(one, bool) is not isinstance(other, bool) or one != other:
            return False
    return True


_TOO_DEEP = f"it is nested deeper than {DEEPEST} levels"


def _float(text: str) -> float | int:
    value = float(text)
    if value - value != 0.0:
        raise _TooLarge("the number is larger than one can be")
    if value.is_integer() and (len(text) > _EXACT or "e" in text or "E" in text):
        return _exactly(text, value)
    return value


def _exactly(text: str, value: float) -> float | int:
    """A whole `value` that may not be what `text` writes: 9007199254740993.0 is a whole number of its own."""
    exponent = "e" in text or "E" in text
    if exponent and abs(value) >= _EVERY_WHOLE:
        return Written(text)
    whole, _, fraction = text.partition(".")
    if not exponent and not fraction.strip("0"):
        return value if (written := int(whole)) == value else written
    number = Written(text)
    return value if number.whole == value else number


def _constant(name: str) -> Any:
    raise _NoNumber(f"{name} is no JSON number")


_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_float=_float, parse_constant=_constant).scan_once  # type: ignore[attr-defined]

scan_text: Callable[[str, int, bool], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]
"""The C reader for one JSON string: from the place after its opening quote to the place after its closing one."""


def _may_hold_surrogates(value: Any, text: str, at: int, end: int) -> bool:
    """Whether it is worth looking: asking a few long texts what they hold is quicker than a search of the whole."""
    if (
        isinstance(value, dict)
        and len(value) < _FEW
        and not any(isinstance(item, dict | list) for item in value.values())
    ):
        return not all(item.isascii() for pair in value.items() for item in pair if isinstance(item, str))
    return _SURROGATE.search(text, at, end) is not None


def _judge_shape(value: dict[str, Any] | list[Any], text: str, at: int, end: int) -> None:
    """Depth, and keys that stand twice: as many keys must have come out as there are colons in the text."""
    level: list[Any] = [value]
    depth = seen = keys = 0
    brackets = -1
    while level:
        if len(level) > _MANY and brackets < 0:
            brackets = text.count("{", at, end) + text.count("[", at, end)
        depth += 1
        if depth > DEEPEST:
            raise Unfit(_TOO_DEEP)
        seen += len(level)
        keys += sum([len(item) for item in level if type(item) is dict])
        if seen == brackets:
            break
        level = [inner for item in level for inner in _values(item) if type(inner) is dict or type(inner) is list]
    colons = text.count(":", at, end)
    if keys == colons:
        return
    escaped = text.find("\\u003a", at, end) >= 0 or text.find("\\u003A", at, end) >= 0
    if escaped or keys + _colons_in_texts(value) != colons:
        _judge_keys(text, at)


def _judge_keys(text: str, at: int) -> None:
    """Raises `Unfit` when a key stands twice in one object and says something else the second time."""
    twice: list[tuple[dict[str, Any], str]] = []

    def keep(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.extend((found, key) for key, value in pairs if not same(found[key], value))
        return found

    value, _ = json.JSONDecoder(object_pairs_hook=keep, parse_float=_float).raw_decode(text, at)
    if twice:
        owner, key = twice[0]
        steps = _first(value, lambda item: item is owner) or ()
        raise Unfit("the name stands twice, with different values", (*steps, key))


def _colons_in_texts(value: Any) -> int:
    colons = 0
    level = [value]
    while level:
        deeper = []
        for item in level:
            if type(item) is dict:
                colons += sum([key.count(":") for key in item])
            for inner in _values(item):
                if type(inner) is str:
                    colons += inner.count(":")
                elif type(inner) is dict or type(inner) is list:
                    deeper.append(inner)
        level = deeper
    return colons


def _values(item: Any) -> Any:
    return item.values() if type(item) is dict else item


def _inside(item: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(item.items()) if isinstance(item, Mapping) else iter(enumerate(item))


def _unfit_number(text: str, at: int, error: ValueError) -> Unfit:
    """Says which number is too large: read again, with the large ones left as a mark."""
    why = str(error) if isinstance(error, _TooLarge) else "the number has more than 4,300 digits"
    marked = json.JSONDecoder(parse_float=_marked, parse_int=_marked)
    value, _ = marked.raw_decode(text, at)
    return Unfit(why, _first(value, lambda item: item is _LARGE) or ())


_LARGE = object()


def _marked(digits: str) -> Any:
    try:
        large = (int if digits.lstrip("-").isdigit() else _float)(digits) is None
    except ValueError:
        large = True
    return _LARGE if large else 0


def _is_broken(item: Any) -> bool:
    try:
        return isinstance(item, str) and not item.encode()
    except UnicodeEncodeError:
        return True


def _first(value: Any, wanted: Callable[[Any], bool]) -> tuple[str | int, ...] | None:
    """The steps to the first text, number or key that is `wanted`, level by level."""
    level: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while level:
        deeper = []
        for steps, item in level:
            if wanted(item):
                return steps
            if isinstance(item, dict | list):
                if isinstance(item, dict) and any(wanted(key) for key in item):
                    return steps
                deeper += [((*steps, step), inner) for step, inner in _inside(item)]
        level = deeper
    return None
