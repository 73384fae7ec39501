"""What stands in an event of conol.ai's stream: the entries of its stages, with their words and calls.

An entry may tell its type itself, leave it to its parts, or leave it out. Whatever is neither thinking nor a call is
the answer: the name of that type has changed before, and words that were passed over would be lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conch_desktop.domain.calls import Json

Kind = Literal["text", "thinking"]

_THINKING = frozenset({"thinking", "reasoning", "thought", "plan", "thinking_delta"})
_CALLS = frozenset({"tool_call", "tool_use"})
_NOT_SAID = frozenset({"tool_result", "image", "input_json_delta"})
"""Parts that are no words of the model."""
_WORDS = ("text", "thinking", "content")
"""Where the words of a part stand."""


@dataclass(frozen=True, slots=True)
class Words:
    """Text or thinking. `key` is the same each time when the entry is sent again, as far as that can be told."""

    kind: Kind
    text: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """A call. `result` is what came of it where it has run, else "". `key` is as for words."""

    name: str
    arguments: str
    result: str = ""
    id: str = ""
    key: str = ""

    @property
    def same(self) -> tuple[str, str]:
        """Equal for the same call in another stage, with its keys in another order (the specification's pitfalls)."""
        try:
            return self.name, json.dumps(json.loads(self.arguments), sort_keys=True)
        except (ValueError, RecursionError):
            return self.name, self.arguments


Part = Words | Called


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a stage. `writing`: it is a draft. `author`: whose words these are; the model's when nobody says."""

    stage: str
    author: str
    parts: tuple[Part, ...]
    writing: bool = False

    @property
    def text(self) -> str:
        """All its words."""
        return "".join(part.text for part in self.parts if isinstance(part, Words))


def entries(event: Mapping[str, Any]) -> list[Entry]:
    """The entries of all stages, in order; in each stage what is finished, then what is being written."""
    found: list[Entry] = []
    for place, stage in enumerate(_objects(event.get("stages"))):
        name = str(stage.get("id") or f"#{place}")
        for key in ("logs", "preview"):
            for number, each in enumerate(_objects(stage.get(key))):
                found.append(entry(each, stage=name, number=number, writing=key == "preview"))
    return found


def entry(given: Mapping[str, Any], *, stage: str = "", number: int = 0, writing: bool = False) -> Entry:
    """One entry. `number` is its place, by which it is known when it has no id."""
    identity = given.get("id")
    key = str(identity) if identity else f"#{number}"
    parts = tuple(_parts(given, key))
    return Entry(stage, str(given.get("role") or "assistant").lower(), parts, writing)


def delta(event: Mapping[str, Any]) -> Words | None:
    """The piece of an event that carries only what is new."""
    given = next((event[key] for key in ("delta", "content", "text") if event.get(key)), None)
    for part in _content(given):
        if (kind := _kind(part, "")) and (text := _text(part)):
            return Words(kind, text)
    return None


def _parts(given: Mapping[str, Any], key: str) -> Iterator[Part]:
    outer = str(given.get("type") or "").lower()
    content = given.get("content") or given.get("message") or given.get("text")
    if isinstance(content, dict) and "content" in content:  # a message in the message
        content = content["content"]
    for place, part in enumerate(_content(content)):
        where = f"{key}/{place}" if place else key
        if part.get("type") == "text" and (text := part.get("text")) and isinstance(text, str):  # nearly all are
            yield Words("thinking" if outer in _THINKING else "text", text, where)
        elif _is_call(part, outer):
            yield _called(part, where)
        elif (kind := _kind(part, outer)) and (text := _text(part)):
            yield Words(kind, text, where)
    if outer in _CALLS and content is None and given.get("name"):  # the entry is the call
        yield _called(given, key)


def _is_call(part: Mapping[str, Any], outer: str) -> bool:
    kind = str(part.get("type") or "").lower()
    named = isinstance(part.get("name"), str) and bool(part["name"])
    return named and (kind in _CALLS or (not kind and (outer in _CALLS or "input" in part)))


def _called(part: Mapping[str, Any], key: str) -> Called:
    given, identity = part.get("input"), part.get("id")
    arguments = given if isinstance(given, str) else json.dumps({} if given is None else given, ensure_ascii=False)
    return Called(
        str(part["name"]),
        arguments,
        result=_result(part.get("result")),
        id=identity if isinstance(identity, str) else "",
        key=key,
    )


def _result(given: Json) -> str:
    """What a call came to, as text; "" when nobody has run it (empty and null mean that too)."""
    if isinstance(given, str):
        return given.strip()
    pieces = [_text(part) for part in _content(given)]
    if isinstance(given, dict) and given and not any(pieces):
        return json.dumps(given, ensure_ascii=False)
    return "\n".join(piece for piece in pieces if piece).strip()


def _kind(part: Mapping[str, Any], outer: str) -> Kind | None:
    kind = str(part.get("type") or "").lower()
    if kind in _NOT_SAID or kind in _CALLS:
        return None
    return "thinking" if kind in _THINKING or outer in _THINKING else "text"


def _text(part: Mapping[str, Any]) -> str:
    return next((part[key] for key in _WORDS if isinstance(part.get(key), str)), "")


def _content(content: Json) -> Iterator[Mapping[str, Any]]:
    """The parts of a content: text, one part, or a list of either."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield {"type": "", "text": part}
        elif isinstance(part, dict):
            yield part


def _objects(given: Json) -> list[Mapping[str, Any]]:
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
