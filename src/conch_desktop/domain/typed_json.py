"""Plain data as JSON and back, led by the types of its fields: what is written is described by the dataclasses alone.

A field with a default may be missing. Anything else that does not fit is an error that names its place.
"""

from __future__ import annotations

import base64
import binascii
import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from conch_desktop.domain.calls import Json

T = TypeVar("T")

KIND = "kind"
"""The field that tells which of several dataclasses an object is."""

_MOST = 10**300
"""Whole numbers below it can stand for a number with a fraction."""


class Misfit(ValueError):
    """Something in the JSON does not fit; the words say where and why."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """The names of dataclasses that can stand in one place."""

    names: Mapping[type, str]

    def of(self, name: object) -> type | None:
        """The dataclass of that name."""
        return next((kind for kind, known in self.names.items() if known == name), None)


def written(value: object, kinds: Kinds) -> Json:
    """The value as JSON; `kinds` names the dataclasses that must be told apart."""
    if isinstance(value, tuple):
        return [written(one, kinds) for one in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value):
        return value
    whole = {field.name: written(getattr(value, field.name), kinds) for field in _fields(cast(Any, type(value)))}
    name = kinds.names.get(type(value))
    return whole if name is None else {KIND: name, **whole}


def read(kind: type[T], value: Json, kinds: Kinds, path: str) -> T:
    """The value of this type. Raises `Misfit`."""
    return cast(T, _read(kind, value, kinds, path))


def _read(kind: Any, value: Json, kinds: Kinds, path: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, kinds, path)
    if origin is tuple:
        return _listed(get_args(kind), value, kinds, path)
    if origin is Literal:
        if value not in get_args(kind) or not isinstance(value, str):
            raise Misfit(f"{path} must be one of {', '.join(map(str, get_args(kind)))}")
        return value
    if is_dataclass(kind):
        return _object(cast(type, kind), value, kinds, path)
    return _plain(origin or kind, value, path)


def _one_of(choices: tuple[Any, ...], value: Json, kinds: Kinds, path: str) -> Any:
    if value is None and type(None) in choices:
        return None
    left = [one for one in choices if one is not type(None)]
    if len(left) == 1:
        return _read(left[0], value, kinds, path)
    named = kinds.of(value.get(KIND)) if isinstance(value, dict) else None
    if named not in left:
        names = ", ".join(kinds.names[one] for one in left)
        raise Misfit(f"{path}.{KIND} must be one of {names}")
    return _object(cast(type, named), {name: one for name, one in value.items() if name != KIND}, kinds, path)


def _listed(kinds_of: tuple[Any, ...], value: Json, kinds: Kinds, path: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise Misfit(f"{path} must be a list")
    if kinds_of[-1] is Ellipsis:
        return tuple(_read(kinds_of[0], one, kinds, f"{path}[{at}]") for at, one in enumerate(value))
    if len(value) != len(kinds_of):
        raise Misfit(f"{path} must have {len(kinds_of)} values")
    return tuple(
        _read(one, item, kinds, f"{path}[{at}]") for at, (one, item) in enumerate(zip(kinds_of, value, strict=True))
    )


def _object(kind: type, value: Json, kinds: Kinds, path: str) -> Any:
    if not isinstance(value, dict):
        raise Misfit(f"{path} must be an object")
    known = _hints(kind)
    strange = next((name for name in value if name not in known), None)
    if strange is not None:
        raise Misfit(f"{path}.{strange} is no field of this format")
    for field in _fields(kind):
        if field.name not in value and field.default is MISSING and field.default_factory is MISSING:
            raise Misfit(f"{path}.{field.name} is missing")
    return kind(**{name: _read(known[name], one, kinds, f"{path}.{name}") for name, one in value.items()})


def _plain(kind: Any, value: Json, path: str) -> Any:
    if kind is Any:
        return value
    if kind is bytes:
        return _bytes(value, path)
    if kind is float and type(value) is int and abs(value) < _MOST:
        return float(value)
    fits = type(value) is kind if kind in _WORDS else isinstance(value, kind)
    if not fits or (kind is float and not math.isfinite(value)):
        raise Misfit(f"{path} must be {_WORDS.get(kind, 'an object')}")
    return value


_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _bytes(value: Json, path: str) -> bytes:
    if not isinstance(value, str):
        raise Misfit(f"{path} must be bytes in base64")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Misfit(f"{path} must be bytes in base64") from error


@lru_cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


@lru_cache
def _fields(kind: Any) -> tuple[Field[Any], ...]:
    return fields(kind)
