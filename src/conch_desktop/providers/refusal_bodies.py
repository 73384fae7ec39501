"""Reads the body of a refusal, whatever its shape: the words in it, and the wait it asks for."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

_BODY = 200_000
"""Characters of a body that are read."""
_SEARCHED = 16_000
"""Characters of its words that are searched."""
_DEPTH = 20
_TRIES = 200
"""Brackets of one body at which JSON may begin."""
_LONG_TRY = 10
"""For how many of them one counts at which an error as Python writes it may begin: its end has to be looked for."""

_MODEL_WORDS = frozenset({"failed_generation", "flagged_input"})
"""Keys whose text is not the provider's but the model's (Groq) or the person's (OpenRouter's moderation)."""
_ECHOES = frozenset({"request", "request_body", "requestbody"})
"""Keys under which a server sends back what it was sent."""
_SAYING = ("message", "detail", "status_msg", "msg", "error", "reason", "title", "raw")
"""Keys that hold a sentence, the best first."""
_PLACES = ("loc", "path")
"""Keys that hold the way to a field, step by step (pydantic, zod)."""
_EMPTY_PHRASES = frozenset({"", "provider returned error", "error", "bad request", "null"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a body says.

    `text` has a line for each text in it ("key: text"), plain as `plain` makes them, for rules to search; `said` is the
    same with capital letters. `words` is the sentence to quote, `numbers` are those in it by key, `page` tells a web
    page.
    """

    text: str
    said: str
    words: str
    numbers: Mapping[str, float]
    page: bool


def unfold(body: str, headers: Mapping[str, str] | None = None) -> Told:
    """Reads a body of any shape: nested errors, lists around them, JSON inside a text, or plain text.

    Of the headers it reads the one in which Amazon names the error.
    """
    body = body[:_BODY]
    page = bool(re.match(r"\s*(<!doctype html|<html|<head|<body|<\?xml)", body, re.IGNORECASE))
    found = _Reading()
    rest = found.read(body)
    amazon = next((value for name, value in (headers or {}).items() if name.lower() == "x-amzn-errortype"), "")
    lines = [*found.lines, _unescaped(rest), f"errortype: {amazon}" * bool(amazon)]
    said = "\n".join(_tidy(line) for line in lines if line.strip())[:_SEARCHED] or _tidy(body[:_SEARCHED])
    words = _sentence(found.texts) or ("" if page or found.any else " ".join(body.split()))
    return Told(plain(said), said, words, found.numbers, page)


# one way of writing -------------------------------------------------------------------------------------------------

_QUOTES = str.maketrans({**dict.fromkeys('’‘ʼ´`“”„«»"', "'"), "\u00a0": " ", "\u202f": " "})
_SHORT = (
    (re.compile(r"\bcan ?not\b|\bcan'?t\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\b(is|are|was|were|do|does|did|has|have|could|should|would|must)n'?t\b"), r"\1 not"),
)
_ARROW = re.compile(r" ?-> ?")
_ADDRESS = re.compile(r"https?://[^\s'<>)]+")


def _tidy(line: str) -> str:
    """On one line, with one kind of quotes and of paths, and without addresses, whose words mislead (…/rate-limits)."""
    return _ARROW.sub(".", " ".join(_ADDRESS.sub("<url>", line.translate(_QUOTES)).split()))


def plain(text: str) -> str:
    """In small letters and without short forms: "Tools aren’t supported" and "tools are not supported" are one."""
    text = text.lower()
    for pattern, long in _SHORT:
        text = pattern.sub(long, text)
    return text


_ESCAPES = {r"\n": " ", r"\r": " ", r"\t": " ", r"\"": '"', r"\/": "/"}


def _unescaped(text: str) -> str:
    """The text of JSON that was cut off, so that no reader can take it."""
    text = re.sub(r"\\u00([0-7][0-9a-fA-F])", lambda found: chr(int(found[1], 16)), text)
    return re.sub(r'\\[nrt"/]', lambda found: _ESCAPES[found[0]], text)


# every text in it ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """What is found in a body: its texts by key, lines to search, and numbers. `any`: is any of it JSON?"""

    texts: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)
    any: bool = False
    tries: int = _TRIES

    def read(self, text: str) -> str:
        """Takes the JSON a text is or holds; what stands around it."""
        waiting: deque[tuple[str, Any, int]] = deque()
        rest = self._parted(text, "", 0, waiting)
        self.any = bool(waiting)
        while waiting:
            key, part, depth = waiting.popleft()
            if depth > _DEPTH or key in _MODEL_WORDS or _is_echo(key, part):
                continue
            if isinstance(part, dict):
                waiting.extend(_fields(part, depth + 1))
            elif isinstance(part, (list, tuple)):
                waiting.extend((key, each, depth + 1) for each in part)
            elif isinstance(part, str):
                self._text(key, part, depth, waiting)
            elif isinstance(part, (int, float)) and not isinstance(part, bool):
                self.numbers.setdefault(key, part)
        return re.sub(r'"failed_generation"\s*:\s*"(\\.|[^"\\])*("|$)', "", rest)

    def _text(self, key: str, text: str, depth: int, waiting: deque[tuple[str, Any, int]]) -> None:
        if "code" in key and text.strip().isdigit():  # LiteLLM and MiniMax write it as text
            self.numbers.setdefault(key, float(text))
        self.texts.append((key, text))
        self.lines.append(f"{key}: {self._parted(text, key, depth, waiting)}")

    def _parted(self, text: str, key: str, depth: int, waiting: deque[tuple[str, Any, int]]) -> str:
        """The text without the first JSON in it, which is put among the waiting, and without a tool that is quoted."""
        for start in re.finditer(r"[\[{]", text):
            if self.tries <= 0:
                break
            self.tries -= 1
            try:
                value, end = json.JSONDecoder().raw_decode(text, start.start())
            except (ValueError, RecursionError):
                value, end = _pythons(text, start.start())
                self.tries -= _LONG_TRY * text.startswith("{'", start.start())
            if isinstance(value, (dict, list)) and _speaks(value):
                waiting.append((key, value, depth + 1))
                return f"{text[: start.start()]} {text[end:]}"
        return re.sub(r"[\[(]?\{'type': ?'function', ?'function': ?\{.{0,20000}", "", text, flags=re.DOTALL)


_PYTHON = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[\[{(]|[\]})]""", re.DOTALL)
_ERROR_KEYS = frozenset({"error", "message", "msg", "detail"})


def _pythons(text: str, start: int) -> tuple[Any, int]:
    """An error as Python writes it, and where it ends: SDKs put it behind "Error code: 400 -", vLLM into a message.

    (jasonacox/TinyLLM #17, vllm-project/vllm #9312.) Whatever else stands there is none: (None, start).
    """
    if not text.startswith(("{'", "[{'"), start):
        return None, start
    depth = 0
    for found in _PYTHON.finditer(text, start, start + _SEARCHED):
        depth += (found[0] in "[{(") - (found[0] in "]})")
        if not depth:
            break
    else:
        return None, start
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes that Python does not know
            value = ast.literal_eval(text[start : found.end()])
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None, start
    first = value[0] if isinstance(value, list) else value
    return (value, found.end()) if not _ERROR_KEYS.isdisjoint(first) else (None, start)


def _speaks(value: dict[str, Any] | list[Any]) -> bool:
    """Is it more than a list of names or numbers, which belongs to the sentence it stands in?"""
    return bool(value) and (isinstance(value, dict) or any(isinstance(each, (dict, list)) for each in value))


def _fields(part: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any, int]]:
    """The fields of an object; a way to a field and what is said of it are one text."""
    place = next((part[key] for key in _PLACES if _is_way(part.get(key))), None)
    said = next((key for key in _SAYING if isinstance(part.get(key), str)), "")
    for key, each in part.items():
        if place is not None and key == said:
            yield key, f"{'.'.join(map(str, place))}: {each}", depth
        elif place is None or key not in (*_PLACES, "input"):  # `input` is what stood there
            yield str(key), each, depth
    if place is not None and not said:
        yield "loc", ".".join(map(str, place)), depth


def _is_way(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(step, (str, int)) for step in value)


def _is_echo(key: str, part: Any) -> bool:
    """Does the server quote the request: a tool, a message, a schema, or all of it?"""
    if not isinstance(part, dict):
        return False
    if key.lower() in _ECHOES or ("model" in part and isinstance(part.get("messages"), list)):
        return True
    if "role" in part and ("content" in part or "parts" in part):
        return True
    if part.get("type") == "function" and "function" in part:
        return True
    if "name" in part and any(isinstance(part.get(key), dict) for key in ("parameters", "input_schema", "inputSchema")):
        return True
    return part.get("type") == "object" and isinstance(part.get("properties"), dict)


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


# the wait -----------------------------------------------------------------------------------------------------------

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SPAN = re.compile(
    r"(\d{1,9}(?:\.\d{1,9})?) ?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])[ ,]*"
)
_WAIT = re.compile(
    r"(?:try again|retry|retrying|wait|resets?|available|back off)(?: again)?(?: your request)?"
    r"(?: in| after| for| at least| within| about| another|:)* (?=\d)"
)
_FIELDS = {"retry_after": 1.0, "retry_after_seconds": 1.0, "retryafter": 1.0, "retry_after_ms": 0.001}
"""Number fields that tell a wait, and their unit in seconds."""


def wait_in(headers: Mapping[str, str], told: Told, now: float | None = None) -> float | None:
    """Seconds to wait, when the answer tells them: in a header, a field, or in words.

    `now` is in seconds since 1970; None leaves out the moments that are told instead of spans.
    """
    named = {name.lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _number(named.get(name, ""))
        if seconds is not None:
            return seconds * unit
    if "retry-after" in named:
        return _until(named["retry-after"], named.get("date", ""), now)
    for key, number in told.numbers.items():
        if key.lower() in _FIELDS and number >= 0:
            return number * _FIELDS[key.lower()]
    if found := re.search(r"^retrydelay: (\d{1,9}(?:\.\d{1,9})?)s$", told.text, re.MULTILINE):  # google.rpc.RetryInfo
        return float(found[1])
    return _in_words(told.text) or _reset(told.text, now)


def _in_words(text: str) -> float | None:
    for found in _WAIT.finditer(text):
        seconds, place = 0.0, found.end()
        while span := _SPAN.match(text, place):
            unit = "ms" if span[2].startswith(("ms", "mil")) else span[2][0]
            seconds, place = seconds + float(span[1]) * _UNITS[unit], span.end()
        if place > found.end():
            return seconds
    return None


def _reset(text: str, now: float | None) -> float | None:
    """OpenRouter tells the moment the limit ends, in milliseconds since 1970."""
    found = re.search(r"^x-ratelimit-reset: (\d{13})$", text, re.MULTILINE)
    if found is None or now is None:
        return None
    seconds = int(found[1]) / 1000 - now
    return seconds if 0 < seconds < 7 * 86400 else None


def _number(text: str) -> float | None:
    """A count of seconds as a header writes it; never infinite, never negative."""
    return float(text) if re.fullmatch(r"\s*\d{1,12}(\.\d{1,9})?\s*", text) else None


def _until(moment: str, sent: str, now: float | None) -> float | None:
    """Seconds from `sent` (the answer's own date, since this computer's clock may be wrong) to a moment."""
    try:
        end = parsedate_to_datetime(moment).timestamp()
    except (ValueError, TypeError):
        return None
    try:
        begin: float | None = parsedate_to_datetime(sent).timestamp()
    except (ValueError, TypeError):
        begin = now
    return None if begin is None else max(0.0, end - begin)
