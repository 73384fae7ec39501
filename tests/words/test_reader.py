"""The reader of calls in words: the same result however the text is cut."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.words.reader import WordsCall, WordsFailed, WordsReader, WordsText

CALL = '<tool_call>\n{"name": "remember", "arguments": {"content": "Likes tea"}}\n</tool_call>'


def read(pieces: Sequence[str], tools: Sequence[str] = ("remember",)) -> tuple[str, list[object], int]:
    """The visible words, the calls, and how many blocks failed."""
    reader = WordsReader(tools)
    events = [event for piece in pieces for event in reader.feed(piece)] + reader.close()
    words = "".join(event.text for event in events if isinstance(event, WordsText))
    calls: list[object] = [(event.name, event.arguments) for event in events if isinstance(event, WordsCall)]
    return words, calls, sum(isinstance(event, WordsFailed) for event in events)


TEA = ("remember", {"content": "Likes tea"})

CASES = [
    ("only words", "Just <b>words</b> & <tools", ("Just <b>words</b> & <tools", [], 0)),
    ("one call", CALL, ("", [TEA], 0)),
    ("words around", f"Well. {CALL} Done.", ("Well.  Done.", [TEA], 0)),
    ("two calls", f"{CALL}\n{CALL}", ("\n", [TEA, TEA], 0)),
    ("no closer", CALL.removesuffix("</tool_call>"), ("", [TEA], 0)),
    ("ends inside a value", CALL[:50], ("", [], 1)),
    (
        "the closer inside a text is data",
        '<tool_call>{"name": "remember", "arguments": {"content": "a </tool_call> \\" b"}}</tool_call>x',
        ("x", [("remember", {"content": 'a </tool_call> " b'})], 0),
    ),
    ("unreadable", "<tool_call>please</tool_call> and on", (" and on", [], 1)),
    ("another tool", '<tool_call>{"name": "fly", "arguments": {}}</tool_call>', ("", [], 1)),
    ("no name", '<tool_call>{"arguments": {}}</tool_call>', ("", [], 1)),
    ("the beginning of the mark at the end", "so <tool_cal", ("so <tool_cal", [], 0)),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_text_reads_the_same_at_every_cut(text: str, expected: object) -> None:
    assert read([text]) == expected
    assert read(list(text)) == expected
    for place in range(len(text)):
        assert read([text[:place], text[place:]]) == expected


@given(st.lists(st.sampled_from([*'<>/{}"\\ a', "<tool_call>", "</tool_call>", CALL]), max_size=30), st.data())
def test_any_cut_of_any_text_reads_the_same(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(parts) == read([text])


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3))
def test_any_arguments_come_through(arguments: dict[str, str]) -> None:
    block = f"<tool_call>\n{json.dumps({'name': 'remember', 'arguments': arguments})}\n</tool_call>"
    assert read(list(block)) == ("", [("remember", arguments)], 0)


def test_words_go_out_at_once() -> None:
    reader = WordsReader(["remember"])
    assert reader.feed("Let me look. ") == [WordsText("Let me look. ")]
    assert reader.feed("<to") == []
    assert reader.feed("ast>") == [WordsText("<toast>")]


def test_a_failed_block_tells_the_model_how_to_write_one() -> None:
    (failed,) = WordsReader(["remember"]).feed("<tool_call>find it</tool_call>")
    assert isinstance(failed, WordsFailed)
    assert failed.raw == "find it"
    assert "<tool_call>\n{" in failed.why
