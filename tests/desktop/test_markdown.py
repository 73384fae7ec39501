"""Segments: the same text in any cut, nothing lost, bounded time."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.desktop.markdown import Segmenter, link_allowed, segments

SAMPLE = """# Saturday

The early boat: **07:40**, `0.6 m`, vector<int> and https://example.org/x and README.md

- one
- two
  1. nested

> quoted
> text

```python
def share():
    return 1
```
| a | b |
|---|--:|
| 1 | 2 |

last ~~line~~ [x](javascript:alert(1)) ![p](file:///etc/passwd)
"""


def _plain(text: str) -> str:
    return "".join(text.split())


def _shape(text: str, cuts: list[int]) -> list[tuple[str, str, str]]:
    segmenter = Segmenter()
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for begin, end in itertools.pairwise(places):
        segmenter.put(text[begin:end])
        segmenter.read()
    return [(one.kind, one.language, one.code) for one in segmenter.close()]


def test_a_message_is_cut_into_runs_of_blocks_code_and_tables() -> None:
    found = segments(SAMPLE)
    assert [one.kind for one in found] == ["text", "code", "table", "text"]
    assert (found[1].language, found[1].code) == ("python", "def share():\n    return 1\n")
    assert _plain("".join(one.source for one in found)) == _plain(SAMPLE)


@given(st.lists(st.integers(0, 10_000), max_size=60))
def test_any_cut_of_a_stream_gives_the_code_and_tables_of_the_whole(cuts: list[int]) -> None:
    whole = [(one.kind, one.language, one.code) for one in segments(SAMPLE)]
    assert [one for one in _shape(SAMPLE, cuts) if one[0] != "text"] == [one for one in whole if one[0] != "text"]


@given(st.text(alphabet="a *`~#->|[]()!\n\r\t1.", max_size=400), st.lists(st.integers(0, 500), max_size=20))
def test_no_word_is_lost_however_a_stream_is_cut(text: str, cuts: list[int]) -> None:
    segmenter = Segmenter()
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for begin, end in itertools.pairwise(places):
        segmenter.put(text[begin:end])
        segmenter.read()
    assert _plain("".join(one.source for one in segmenter.close())) == _plain(text)


def test_a_long_stream_is_settled_and_only_its_end_is_read_again() -> None:
    segmenter = Segmenter()
    for number in range(400):
        segmenter.put(f"Paragraph {number} with some words in it.\n\n")
        segmenter.read()
    assert len(segmenter.settled) > 5
    assert sum(len(one.source) for one in segmenter.read()) < 4000


def test_a_long_list_is_settled_at_its_items() -> None:
    segmenter = Segmenter()
    for number in range(1, 300):
        segmenter.put(f"{number}. item {number} of the list\n")
        segmenter.read()
    assert len(segmenter.settled) > 2
    numbers = [
        token.attrs.get("start", 1)
        for one in segmenter.close()
        for token in one.tokens
        if "ordered_list_open" in token.type
    ]
    assert int(numbers[1]) > 1


def test_an_open_fence_grows_without_being_parsed_again() -> None:
    segmenter = Segmenter()
    segmenter.put("before\n\n```py\n")
    segmenter.read()
    began = time.process_time()
    for number in range(6000):
        segmenter.put(f"line {number}: some code that is neither short nor long\n")
        found = segmenter.read()
    took = time.process_time() - began
    assert found[-1].kind == "code"
    assert found[-1].code.endswith("nor long\n")
    assert took < 4.0


def test_a_closing_fence_that_is_still_arriving_is_not_shown_as_code() -> None:
    segmenter = Segmenter()
    segmenter.put("```\ncode\n``")
    assert segmenter.read()[-1].code == "code\n"
    segmenter.put("`\nafter")
    segmenter.read()
    assert [one.kind for one in segmenter.close()] == ["code", "text"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(">" * 20_000 + " x", id="nested quotes"),
        pytest.param("*" * 1_000_000, id="a million stars"),
        pytest.param("[" * 20_000, id="open brackets"),
        pytest.param("a " * 500_000, id="one long line"),
        pytest.param("- " * 20_000, id="nested lists"),
        pytest.param("\u200b" * 300_000, id="zero width"),
        pytest.param("\u202e" + "abc " * 50_000, id="right to left"),
        pytest.param("|a" * 20_000 + "\n" + "|-" * 20_000, id="wide table"),
    ],
)
def test_hostile_text_takes_bounded_time(text: str) -> None:
    began = time.process_time()
    segments(text)
    assert time.process_time() - began < 3.0


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://example.org", True),
        ("HTTP://example.org", True),
        ("mailto:ana@example.org", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("file:///etc/passwd", False),
        ("data:text/html,x", False),
        ("/etc/passwd", False),
        ("ftp://example.org", False),
    ],
)
def test_links_go_to_the_web_or_to_mail_only(url: str, allowed: bool) -> None:
    assert link_allowed(url) is allowed
