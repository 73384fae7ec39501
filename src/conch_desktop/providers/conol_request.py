"""What is sent to conol.ai: a session with its tools, and everything that was said, as text.

Its sessions know no roles. What was said before becomes one text with headers; calls and their results are lines of it,
as its own gateway writes them (`[Tool result #call_1]: …`). No text can fake such a line: one that looks like it gets a
backslash in front.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import SentMessage, SentResult
from conch_desktop.domain.tools import Tool
from conch_desktop.providers.wire import Request

_LINES = re.compile(r"([\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+)")
_HEAD = 160
"""Characters of a line that are looked at."""
_ROLES = frozenset({"user", "assistant", "system", "human"})
_TOOL_HEADERS = ("toolresult", "toolcall")
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def definition(tool: Tool) -> dict[str, Json]:
    """A tool as the sessions want it, which is Anthropic's way."""
    schema = dict(tool.parameters) or {"type": "object", "properties": {}}
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def history(system: str, messages: Iterable[SentMessage]) -> str:
    """What was said so far as one text; "" when nothing was."""
    told = [system] if system else []
    for message in messages:
        if message.role == "results":
            told += map(result, message.results)
            continue
        name = "User" if message.role == "user" else "Assistant"
        if message.in_words:
            told.append(f"{name}: {safe(message.in_words)}")
        told += [
            f"[Tool call {_number(call.id)}]: {safe(call.name)} {json.dumps(dict(call.arguments), ensure_ascii=False)}"
            for call in message.calls
        ]
    return "\n\n".join(told)


def said(messages: Iterable[SentMessage], *, before: str = "", request: Request | None = None) -> list[dict[str, Json]]:
    """New messages as a session takes them. `before` stands before the first; `request` may name a tool to use."""
    texts: list[str] = []
    for message in messages:
        if message.role == "results":
            texts += map(result, message.results)
        elif message.in_words:
            texts.append(safe(message.in_words, roles=False))
    if before:
        texts[:1] = ["\n\n".join([before, *texts[:1]])]
    if texts and request is not None and (wish := _wish(request)):
        texts[-1] = f"{texts[-1]}\n\n{wish}"
    return [{"type": "text", "content": text} for text in texts]


def result(given: SentResult) -> str:
    """A tool's answer as the gateway of conol.ai writes it."""
    return f"[Tool result {_number(given.id)}]: {safe(given.in_words)}"


def safe(text: str, *, roles: bool = True) -> str:
    """The text with no line that could be taken for a header. `roles`: also none that tells who speaks."""
    return "".join(f"\\{line}" if _is_header(line, roles) else line for line in _LINES.split(text))


def _is_header(line: str, roles: bool) -> bool:
    """Could a reader take it for one, with blanks, invisible characters or letters of other forms in it?"""
    head = unicodedata.normalize("NFKC", line[:_HEAD]).casefold()
    if _letters(head).startswith(_TOOL_HEADERS):
        return "#" in head or ":" in head
    return roles and _letters(head.partition(":")[0]) in _ROLES and ":" in head


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _number(identity: str) -> str:
    """An id that can't close its header. Another provider of this chat may have made it."""
    if not _ID.fullmatch(identity):
        identity = f"call_{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return f"#{identity}"


def _wish(request: Request) -> str:
    """A tool that has to be used is said: the service does not hold a model to it."""
    if not request.tools or request.tool_choice in ("auto", "none"):
        return ""
    if request.tool_choice == "required":
        return "(Answer this with a call of one of your tools.)"
    return f"(Answer this with a call of the tool {request.tool_choice}.)"


# what a session is about --------------------------------------------------------------------------------------------


def digest(*parts: Any) -> str:
    """A short text that differs when a part does."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def said_digest(messages: Sequence[SentMessage]) -> str:
    """The digest of what was said. What a provider attached for itself is no part of it."""
    return digest([_plain(message) for message in messages])


def answer_digest(text: str, names: Sequence[str]) -> str:
    """The digest of an answer by its words and the names of its calls: readers tidy the rest."""
    return digest("".join(text.split()), list(names))


def _plain(message: SentMessage) -> Mapping[str, Json]:
    calls = [(call.id, call.name, dict(call.arguments)) for call in message.calls]
    results = [(given.id, given.text) for given in message.results]
    return {"role": message.role, "text": message.in_words, "calls": calls, "results": results}
