"""The way back: calls and their answers written for a model that uses its tools in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import SentMessage, SentResult
from conch_desktop.words.formats import CALL_CLOSE, CALL_OPEN, RESPONSE_CLOSE, RESPONSE_OPEN

NOW_ANSWER = "That was the tool’s answer. Tell me what was done."
"""Stands after the newest answers: without it a small model repeats the block instead of answering."""

_MARK = re.compile(r"<(?=[\W_]*t[\W_]*o[\W_]*o[\W_]*l)", re.IGNORECASE)
"""A `<` that could begin one of our marks, also with blanks or invisible characters inside the tag."""


def written_call(name: str, arguments: Mapping[str, Json]) -> str:
    """An earlier call as the model would have written it."""
    body = json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)
    return f"{CALL_OPEN}\n{_harmless(body)}\n{CALL_CLOSE}"


def written_answers(results: Sequence[SentResult]) -> str:
    """Answers to calls, a block each. No text inside can close its block or forge another one."""
    blocks = (json.dumps({"name": result.name, "content": result.text}, ensure_ascii=False) for result in results)
    return "\n".join(f"{RESPONSE_OPEN}\n{_harmless(block)}\n{RESPONSE_CLOSE}" for block in blocks)


def in_words(messages: Iterable[SentMessage]) -> tuple[SentMessage, ...]:
    """The transcript with every call and answer in words, and no native call left. Only for what is sent."""
    written = [_in_words(message) for message in messages]
    if written and written[-1].role == "user" and written[-1].text.endswith(RESPONSE_CLOSE):
        written[-1] = SentMessage("user", f"{written[-1].text}\n{NOW_ANSWER}")
    return tuple(written)


def _in_words(message: SentMessage) -> SentMessage:
    if message.role == "results":
        return SentMessage("user", written_answers(message.results))
    if not message.calls:
        return message
    calls = (written_call(call.name, call.arguments) for call in message.calls)
    return SentMessage("assistant", "\n".join(part for part in (message.text, *calls) if part))


def _harmless(body: str) -> str:
    # JSON can write any character as an escape: the text stays the same, and the mark is gone.
    return _MARK.sub(lambda _: "\\u003c", body)
