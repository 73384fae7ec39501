"""An answer that goes round in circles is noticed, and one that only looks like it is not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.engine.repeating import TIMES, Repeating

LINE = "A vast and unending blue, and the gulls above it.\n"
PARAGRAPH = "The tool’s answer was:\nRemembered as number 1: I like green tea\n\n"
VERSES = "".join(f"On the {n}th day of the voyage my true love gave to me {n} gulls\n" for n in range(40))


def noticed(text: str, size: int) -> int | None:
    """Where it is noticed, in characters of the text."""
    seen = Repeating()
    for at in range(0, len(text), size):
        if seen.feed(text[at : at + size]):
            return at + size
    return None


@pytest.mark.parametrize("size", [1, 3, 17, 5_000])
@pytest.mark.parametrize(
    ("text", "goes_round"),
    [
        (LINE * 5, True),
        (PARAGRAPH * 4, True),
        ("Here it is.\n\n" + "I help people find what they want. " * 6, True),
        (LINE * 3, False),
        (VERSES, False),
        ("0, " * 400, False),
        ("| 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n" * 40, False),
        ("=" * 2_000, False),
        ("ha ha ha ha " * 60, False),
        ("<td></td>\n" * 100, False),
        (PARAGRAPH * 3 + "And that is all there is to say about it." + PARAGRAPH * 3, False),
    ],
)
def test_only_the_same_words_many_times_in_a_row_are_noticed(text: str, goes_round: bool, size: int) -> None:
    assert (noticed(text, size) is not None) is goes_round


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_words_that_never_come_back_are_never_taken_for_a_circle(seed: int, size: int) -> None:
    rnd = random.Random(seed)
    words = [f"{rnd.choice(['pier', 'gull', 'rope', 'tide', 'berth'])}{n}" for n in range(300)]
    assert noticed(" ".join(words), size) is None


def test_nothing_more_to_read_is_no_circle() -> None:
    assert not Repeating().feed("")


def test_it_is_noticed_as_soon_as_it_was_said_often_enough() -> None:
    assert noticed("At sea. " + PARAGRAPH * 20, 1) == len("At sea. ") + TIMES * len(PARAGRAPH)
