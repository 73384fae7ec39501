"""Reads the body of a refusal, whatever its shape: the words in it, and the wait it asks for."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

_BODY = 200_000
"""Characters of a body that are read."""

_MODEL_WORDS = frozenset({"failed_generation"})
"""Keys whose text is the model's, not the provider's (Groq)."""
_SAYING = ("message", "detail", "status_msg", "msg", "error", "reason", "title", "raw")
"""Keys that hold a sentence, the best first."""
_EMPTY_PHRASES = frozenset({"", "provider returned error", "error", "bad request", "null"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a body says: all its texts in one, the sentence to quote, and the numbers in it by key."""

    text: str
    words: str
    numbers: Mapping[str, float]
    page: bool


def unfold(body: str) -> Told:
    """Reads a body of any shape: nested errors, lists around them, JSON inside a text, or plain text."""
    body = body[:_BODY]
    page = bool(re.match(r"\s*(<!doctype html|<html|<head|<body|<\?xml)", body, re.IGNORECASE))
    texts: list[tuple[str, str]] = []
    numbers: dict[str, float] = {}
    value = _json_in(body)
    if value is not None:
        for key, part in _walk(value):
            if isinstance(part, str):
                texts.append((key, part))
            elif isinstance(part, (int, float)) and not isinstance(part, bool):
                numbers.setdefault(key, part)
    whole = re.sub(r'"failed_generation"\s*:\s*"(\\.|[^"\\])*"', "", body)
    text = "\n".join([*(part for _, part in texts), whole])
    return Told(text, _sentence(texts) or ("" if page or value is not None else " ".join(body.split())), numbers, page)


def _walk(value: Any) -> Iterator[tuple[str, Any]]:
    """Every text and number of a JSON value with its key, also those of JSON inside a text. Nested at most 12 deep."""
    waiting: deque[tuple[str, Any, int]] = deque([("", value, 0)])
    while waiting:
        key, part, depth = waiting.popleft()
        if key in _MODEL_WORDS or depth > 12:
            continue
        if isinstance(part, dict):
            waiting.extend((str(name), each, depth + 1) for name, each in part.items())
        elif isinstance(part, list):
            waiting.extend((key, each, depth + 1) for each in part)
        else:
            yield key, part
            if isinstance(part, str) and "{" in part and (inner := _json_in(part)) is not None:
                waiting.append((key, inner, depth + 1))


def _json_in(text: str) -> Any:
    """The object or list a text is or holds, None when there is none."""
    for start in re.finditer(r"[\[{]", text):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start.start())
        except (ValueError, RecursionError):
            if start.start() > 2_000:
                return None
            continue
        if isinstance(value, (dict, list)) and value:
            return value
    return None


def _sentence(texts: list[tuple[str, str]]) -> str:
    """The best text to quote: the innermost of the best key that says something."""
    for wanted in _SAYING:
        for key, text in reversed(texts):
            if (
                key == wanted
                and text.strip().lower() not in _EMPTY_PHRASES
                and not text.lstrip().startswith(("{", "["))
            ):
                return " ".join(text.split())
    return next((f"{key}: {text}" for key, text in texts if "error" in key and text.strip()), "")


def wait_in(headers: Mapping[str, str], told: Told) -> float | None:
    """Seconds to wait, when the answer tells them: in a header, a field, or in words."""
    named = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(named[name]) * unit
        except (KeyError, ValueError):
            continue
    if "retry-after" in named:
        return _until(named["retry-after"], named.get("date", ""))
    for pattern in (r'"retryDelay"\s*:\s*"([\d.]+)s"', r"try again in ([\d.]+) ?s", r"wait ([\d.]+) seconds"):
        if found := re.search(pattern, told.text, re.IGNORECASE):
            return float(found[1].rstrip("."))
    return None


def _until(moment: str, sent: str) -> float | None:
    """Seconds between two HTTP dates; nothing without the second, because this computer's clock may be wrong."""
    try:
        return max(0.0, (parsedate_to_datetime(moment) - parsedate_to_datetime(sent)).total_seconds())
    except (ValueError, TypeError):
        return None
