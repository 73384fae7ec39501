"""The way back: calls and their answers written for a model that uses its tools in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from conch_desktop.domain.calls import Json
from conch_desktop.domain.messages import SentMessage, SentResult
from conch_desktop.words.formats import CALL_CLOSE, CALL_OPEN, RESPONSE_CLOSE, RESPONSE_OPEN
from conch_desktop.words.harmless import harmless, harmless_json

NOW_ANSWER = "That was the tool’s answer. Tell me what was done."
"""Stands after the newest answers: without it a small model repeats the block instead of answering."""

ONE_SENTENCE = "That was the tool’s answer. Tell me in one sentence what was done."
"""The same after a tool that the person asked for by name, where nothing else is to be done. A model of 135 million
parameters then says what the tool answered, eleven times of eleven; with `NOW_ANSWER` and the list of tools in the
system prompt it repeated that answer to the end of its limit."""


def written_call(name: str, arguments: Mapping[str, Json]) -> str:
    """An earlier call as the model would have written it. It reads back as itself."""
    body = json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)
    return f"{CALL_OPEN}\n{harmless_json(body)}\n{CALL_CLOSE}"


def written_answers(results: Sequence[SentResult]) -> str:
    """Answers to calls, a block each, in order. No text inside can close its block or forge another one."""
    return "\n".join(map(_written_answer, results))


def _written_answer(result: SentResult) -> str:
    said = "failed" if result.is_error else "answered"
    head = f"{harmless(' '.join(result.name.split()))} {said}:"
    return f"{RESPONSE_OPEN}\n{head}\n{harmless(result.text)}\n{RESPONSE_CLOSE}"


def in_words(messages: Iterable[SentMessage], *, after: str = NOW_ANSWER) -> tuple[SentMessage, ...]:
    """The transcript with every call and answer in words, and no native call left. Only for what is sent.

    `after` stands behind the newest answers. Pictures of answers go with the message they are written in.

    Messages of one side that now follow each other are one: some templates refuse two.
    """
    written: list[SentMessage] = []
    for message in map(_in_words, messages):
        if written and written[-1].role == message.role == "user":
            both = "\n\n".join(text for text in (written[-1].text, message.text) if text)
            written[-1] = replace(written[-1], text=both, pictures=(*written[-1].pictures, *message.pictures))
        else:
            written.append(message)
    written = [message for message in written if message.text or message.pictures]
    if written and written[-1].role == "user" and written[-1].text.endswith(RESPONSE_CLOSE):
        written[-1] = replace(written[-1], text=f"{written[-1].text}\n{after}")
    return tuple(written)


def _in_words(message: SentMessage) -> SentMessage:
    if message.role == "results":
        shown = tuple(picture for result in message.results for picture in result.pictures)
        return SentMessage("user", written_answers(message.results), pictures=shown)
    if not message.calls:
        return replace(message, replay="")
    calls = (written_call(call.name, call.arguments) for call in message.calls)
    return SentMessage("assistant", "\n".join(part for part in (message.text, *calls) if part))
