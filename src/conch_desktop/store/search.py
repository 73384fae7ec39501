"""Search: how texts are prepared for SQLite's full-text index, and how a person's words become its query."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator

from conch_desktop.domain.calls import CallRecord, Json
from conch_desktop.domain.messages import Attached, FilePart, Message

MOST_WORDS = 32
"""Words of a query that count; a pasted page would otherwise be a query of thousands."""

_NOT_INDEXABLE = re.compile("[\ud800-\udfff\x00]")
_UNSPACED = re.compile(
    # Thai and Lao, Burmese, Khmer, kana, and Chinese characters: scripts that put no space between words.
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
)
_BREAK = "\u200b"


def indexable(text: str) -> str:
    """The text as it is indexed and asked for.

    SQLite takes a run of letters as one word. In scripts without spaces every character becomes a word of its own
    (an invisible break goes around it), so that any part of a sentence is found as a phrase.
    """
    return _UNSPACED.sub(f"{_BREAK}\\1{_BREAK}", _NOT_INDEXABLE.sub(" ", text))


def readable(snippet: str) -> str:
    """A snippet of an indexed text, on one line, without the breaks."""
    return " ".join(snippet.replace(_BREAK, "").split())


def all_of(words: str) -> str:
    """The query that finds texts with every word, each also as a beginning. "" when there is no word in it."""
    return " AND ".join(_phrases(words))


def any_of(words: str) -> str:
    """The query that finds texts with any of the words. "" when there is no word in it."""
    return " OR ".join(_phrases(words))


def _phrases(words: str) -> list[str]:
    """Every word as a quoted phrase: nothing a person writes is read as an operator."""
    said = [word for word in words.split() if any(character.isalnum() for character in word)]
    return ['"' + indexable(word).replace('"', '""') + '"*' for word in said[:MOST_WORDS]]


def index_chat(connection: sqlite3.Connection, number: int, title: str) -> None:
    """Makes the chat findable by its title."""
    connection.execute("DELETE FROM chat_words WHERE rowid = ?", (number,))
    connection.execute("INSERT INTO chat_words (rowid, text) VALUES (?, ?)", (number, indexable(title)))


def index_message(connection: sqlite3.Connection, number: int, message: Message) -> None:
    """Makes the message findable by its words, its calls and what is attached to it."""
    connection.execute("DELETE FROM message_words WHERE rowid = ?", (number,))
    attached = (_attached_text(one) for one in message.attached)
    body = "\n".join((message.text, *attached, *(_call_text(call) for call in message.calls)))
    connection.execute("INSERT INTO message_words (rowid, text) VALUES (?, ?)", (number, indexable(body)))


def index_memory(connection: sqlite3.Connection, number: int, content: str) -> None:
    """Makes the memory findable."""
    connection.execute("DELETE FROM memory_words WHERE rowid = ?", (number,))
    connection.execute("INSERT INTO memory_words (rowid, text) VALUES (?, ?)", (number, indexable(content)))


def _call_text(call: CallRecord) -> str:
    # The texts inside the arguments, not their JSON: there a line break is a backslash and an n, and the n would
    # stick to the next word.
    said = call.raw if call.args is None else "\n".join(_leaves(dict(call.args)))
    return "\n".join((call.name, said, call.answer))


def _attached_text(attached: Attached) -> str:
    return f"{attached.name}\n{attached.text}" if isinstance(attached, FilePart) else attached.name


def _leaves(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*reversed(value.values()), *reversed(value)]
        elif isinstance(value, list):
            waiting += reversed(value)
        elif value is not None:
            yield str(value)
