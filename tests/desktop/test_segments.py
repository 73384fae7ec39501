"""Segments: any cut gives the same ones, nothing of the text is lost, and no text takes long."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conch_desktop.desktop.segments import HARD, SEGMENT, Segment, Segmenter, normal, segments

_PIECES = st.sampled_from(
    [
        "# Head\n", "words ", "more **bold** words\n", "\n", "\n\n", "- item\n", "  - inner\n", "1. one\n", "2. two\n",
        "```python\n", "```\n", "   ```\n", "~~~\n", "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "$$\n", "x^2\n",
        "$$ a $$\n", "\\[\n", "\\]\n", "> quote\n", "![p](http://a/b.png)\n", "\r\n", "\r", "    indented\n", "\t", "`",
        "---\n", "===\n", "x" * 90 + "\n", "long words " * 200, "*" * 50, "\u202e", "\u200b" * 20, "\0",
    ]
)  # fmt: skip
_TEXTS = st.lists(_PIECES, max_size=40).map("".join)


def told(found: list[Segment]) -> list[tuple[object, ...]]:
    return [(one.kind, one.source, one.language, one.code, one.rest, one.depth, one.dedent) for one in found]


@settings(max_examples=300, deadline=None)
@given(text=_TEXTS, cuts=st.lists(st.integers(0, 2000), max_size=12))
@example(text="a\r\nb\r\n```\r\nc\r\n```\r\n", cuts=[2, 3])
def test_any_cut_streams_to_the_same_segments_as_the_whole(text: str, cuts: list[int]) -> None:
    segmenter = Segmenter()
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    for start, end in itertools.pairwise(places):
        segmenter.put(text[start:end])
        segmenter.read()
    assert told(segmenter.close()) == told(segments(text))


@settings(max_examples=300, deadline=None)
@given(text=_TEXTS)
def test_nothing_of_the_text_is_lost(text: str) -> None:
    found = segments(text)
    joined = "".join(one.source for one in found)
    assert joined == normal(text) or not normal(text).strip()


@settings(max_examples=100, deadline=None)
@given(text=_TEXTS, cuts=st.lists(st.integers(0, 2000), max_size=8))
def test_a_settled_segment_never_changes(text: str, cuts: list[int]) -> None:
    segmenter = Segmenter()
    seen: list[tuple[Segment, str]] = []
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    for start, end in itertools.pairwise(places):
        segmenter.put(text[start:end])
        segmenter.read()
        for one, (known, source) in zip(segmenter.settled, seen, strict=False):
            assert one is known
            assert one.source == source
        seen = [(one, one.source) for one in segmenter.settled]


CASES = {
    "a fence is one segment": ("Look:\n```python\nx = 1\n```\nDone.", ["text", "code", "text"]),
    "an open fence is code": ("```\nx", ["code"]),
    "a longer fence holds a shorter one": ("````\n```\n````\n", ["code"]),
    "a fence in a list is a code block": ("1. One:\n   ```sh\n   ls\n   ```\n2. Two\n", ["text", "code", "text"]),
    "a table": ("Fares:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend", ["text", "table", "text"]),
    "a table may follow words": ("Fares:\n| a | b |\n|---|---|\n| 1 | 2 |", ["text", "table"]),
    "a line of dashes is no table": ("a\n---\nb", ["text"]),
    "pipes alone are no table": ("a | b\nc | d", ["text"]),
    "a formula": ("So\n$$ x^2 $$\nis", ["text", "math", "text"]),
    "a formula over lines": ("$$\nx\n$$\n", ["math"]),
    "a formula in brackets": ("\\[\nx\n\\]\n", ["math"]),
    "two dollars without an end stay words": ("$$ is the process id\n\nyes", ["text"]),
    "a formula inside a line stays there": ("$$a$$ and words", ["text"]),
    "a picture of its own": ("See:\n\n![boat](https://a.example/b.png)\n\nend", ["text", "picture", "text"]),
    "a picture inside a line stays there": ("See ![boat](https://a.example/b.png) here", ["text"]),
    "only blanks are nothing": ("\n  \n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kinds"), CASES.values(), ids=CASES)
def test_a_text_has_these_segments(text: str, kinds: list[str]) -> None:
    assert [one.kind for one in segments(text)] == kinds


CODES = {
    "tabs and blank lines": ("```python\n\tx\n\n\ty\n```", "python", "\tx\n\n\ty\n"),
    "inside a list": ("- a\n  ```\n  x\n    y\n  ```\n", "", "x\n  y\n"),
    "no end": ("```js\na()", "js", "a()"),
    "no final line feed": ("```\na\n```", "", "a\n"),
    "tildes": ("~~~ text more\n```\n~~~", "text", "```\n"),
    "a mark in the middle of a line": ("```\na ```\n```", "", "a ```\n"),
}


@pytest.mark.parametrize(("text", "language", "code"), CODES.values(), ids=CODES)
def test_code_is_the_bytes_between_the_fences(text: str, language: str, code: str) -> None:
    found = next(one for one in segments(text) if one.kind == "code")
    assert (found.language, found.code) == (language, code)


def test_runs_of_blocks_are_about_as_long_as_they_should_be() -> None:
    text = "\n\n".join("word " * 40 for _ in range(100))
    sizes = [len(one.source) for one in segments(text)]
    assert all(SEGMENT <= size <= SEGMENT + 250 for size in sizes[:-1])


def test_a_long_table_keeps_its_rest_unparsed() -> None:
    (table,) = segments("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 1000)
    assert len(table.rest) == 800
    assert sum(token.type == "tr_open" for token in table.tokens) == 201


HOSTILE = {
    "nested quotes": ">" * 20_000 + " x",
    "nested quotes over lines": "\n".join(">" * n for n in range(600)),
    "a million stars": "*" * 1_000_000,
    "a giant line": "word " * 200_000,
    "a giant word": "x" * 1_000_000,
    "open brackets": "[" * 100_000,
    "open links": "[a](" * 50_000,
    "backticks": "`" * 100_001 + " x",
    "right to left": "\u202eabc\u202d" * 50_000,
    "zero width": "\u200b" * 500_000,
    "empty lines": "\n" * 500_000,
    "many fences": "```\n" * 50_000,
    "many dollars": "$$\n" * 50_000,
    "many tables": "|a|b|\n|-|-|\n\n" * 20_000,
    "a table of many columns": "|a" * 20_000 + "|\n" + "|-" * 20_000 + "|\n",
    "deep lists": "\n".join(" " * (2 * n) + "- x" for n in range(500)),
    "nested emphasis": "*a **b " * 30_000,
    "pictures": "![a](http://a/b)\n\n" * 20_000,
    "references": "[a]: http://x\n" * 30_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.figures
def test_a_hostile_text_is_cut_in_bounded_time(text: str) -> None:
    begun = time.thread_time()
    found = segments(text)
    assert time.thread_time() - begun < 2.0
    assert all(len(one.source) <= 8 * HARD or one.kind in ("code", "table") for one in found)
    slowest = 0.0
    for one in found[:40]:
        begun = time.thread_time()
        assert one.tokens is not None
        slowest = max(slowest, time.thread_time() - begun)
    assert slowest < 0.25
