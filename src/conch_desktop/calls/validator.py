"""The strict validator for the program's own tools: Draft 2020-12, with the formats that matter, and no network."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from uuid import UUID

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, UndefinedTypeCheck, UnknownType, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from conch_desktop.calls.refs import FORMAT, is_bare

BROKEN_SCHEMA: tuple[type[Exception], ...] = (
    SchemaError,
    UnknownType,
    UndefinedTypeCheck,
    Unresolvable,
    re.error,
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)
"""What a schema that is itself broken makes the validator raise."""

_DOLLAR = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(\$)", re.DOTALL)
_TIME = re.compile(r"\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})", re.ASCII)


def strict_validator(schema: Mapping[str, Any]) -> Validator:
    """The validator for `schema`. References to other documents are never fetched."""
    made: Validator = _Strict(schema, format_checker=_FORMATS, registry=Registry())
    return made


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    # JSON Schema means JavaScript's patterns, in which $ is the end and not the place before a last line break.
    if validator.is_type(value, "string") and not re.search(_to_the_end(pattern), value, re.ASCII):
        yield ValidationError(f"{value!r} does not fit {pattern!r}")


def _to_the_end(pattern: str) -> str:
    return _DOLLAR.sub(lambda found: r"\Z" if found[1] else found[0], pattern)


def _or_null(keyword: str) -> Callable[..., Iterator[ValidationError]]:
    """The keyword of the draft, but OpenAPI's `nullable: true` admits null."""
    strict = Draft202012Validator.VALIDATORS[keyword]

    def judge(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if value is not None or schema.get("nullable") is not True:
            yield from strict(validator, wanted, value, schema) or ()

    return judge


class _Following(threading.local):
    """The references that are being followed just now, each by its schema and the value it is asked about."""

    def __init__(self) -> None:
        self.now: set[tuple[int, int]] = set()


_FOLLOWING = _Following()


def _once(keyword: str) -> Callable[..., Iterator[ValidationError]]:
    """The keyword of the draft, but a reference that leads back to itself without a step into the value says nothing.

    Followed on, it would take all of Python's stack, and at its end the libraries beneath raise what no `except
    Exception` catches.
    """
    strict = Draft202012Validator.VALIDATORS[keyword]

    def judge(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        step = id(schema), id(value)
        if step in _FOLLOWING.now:
            return
        _FOLLOWING.now.add(step)
        try:
            yield from strict(validator, wanted, value, schema) or ()
        finally:
            _FOLLOWING.now.discard(step)

    return judge


_KEYWORDS: Any = {
    "pattern": _pattern,
    **{keyword: _or_null(keyword) for keyword in ("type", "enum")},
    **{keyword: _once(keyword) for keyword in ("$ref", "$dynamicRef")},
}
_Strict: Any = extend(Draft202012Validator, _KEYWORDS)  # type: ignore[no-untyped-call]


def _date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII) is not None and bool(date.fromisoformat(text))


def _time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None and bool(time.fromisoformat(_offset(text)))


def _date_time(text: str) -> bool:
    day, mark, hour = text[:10], text[10:11], text[11:]
    return mark in ("T", "t", " ") and _date(day) and _time(hour) and bool(datetime.fromisoformat(_offset(text)))


def _offset(text: str) -> str:
    text = re.sub(r"(\.\d{6})\d+", r"\1", text)
    return f"{text[:-1]}+00:00" if text[-1] in "Zz" else text


_CHECKS: dict[str, Callable[[str], object]] = {
    FORMAT: is_bare,
    "date": _date,
    "time": _time,
    "date-time": _date_time,
    "email": re.compile(r"[^@\s]+@[^@\s]+").fullmatch,
    "uri": re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+").fullmatch,
    "uuid": lambda text: re.fullmatch(r"[0-9A-Fa-f-]{36}", text) and UUID(text),
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
}
_FORMATS = FormatChecker(formats=())
for _name, _check in _CHECKS.items():

    def _judge(value: object, check: Callable[[str], object] = _check) -> bool:
        return not isinstance(value, str) or bool(check(value))

    _FORMATS.checks(_name, raises=ValueError)(_judge)
