"""Text as it streams: thinking in tags, and characters in halves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.providers.texts import Halves, ThinkSplitter

# thinking in tags ----------------------------------------------------------------------------------------------------


def parted(text: str, sizes: list[int]) -> tuple[str, str]:
    splitter, said, thought = ThinkSplitter(), "", ""
    pieces, start = [], 0
    for size in sizes:
        pieces.append(text[start : start + size])
        start += size
    for part in [*(splitter.feed(piece) for piece in [*pieces, text[start:]]), splitter.close()]:
        said, thought = said + part[0], thought + part[1]
    return said, thought


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("<think>\nHm.\n</think>\n\nNoon.", "Noon.", "\nHm.\n"),
        ("  \n<think>Hm</think>Noon.", "Noon.", "Hm"),
        ("<think></think>Noon.", "Noon.", ""),
        ("<think>never closed </thin", "", "never closed </thin"),
        ("<thing> is text", "<thing> is text", ""),
        ("<thin", "<thin", ""),
        ("  indented", "  indented", ""),
        ("Say <think>x</think>.", "Say <think>x</think>.", ""),
        ("<think>a</think>b<think>c</think>", "b<think>c</think>", "a"),
        ("<think>a </ b < c</think>d", "d", "a </ b < c"),
        ("", "", ""),
    ],
)
def test_thinking_in_tags_is_parted_only_at_the_start(text: str, said: str, thought: str) -> None:
    assert parted(text, []) == (said, thought)
    assert parted(text, [1] * len(text)) == (said, thought)


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think>", " ", "\n", "a", "b<"]), max_size=12),
    st.lists(st.integers(0, 4), max_size=30),
)
def test_cuts_do_not_change_what_is_thinking(parts: list[str], sizes: list[int]) -> None:
    text = "".join(parts)
    assert parted(text, sizes) == parted(text, [])


def test_text_that_can_be_no_tag_is_not_held_back() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed("H") == ("H", "")
    assert splitter.feed("<th") == ("<th", "")


# halves of characters ------------------------------------------------------------------------------------------------


@given(st.text(), st.lists(st.integers(0, 5), max_size=20))
def test_characters_cut_in_half_are_joined(text: str, sizes: list[int]) -> None:
    units = [chr(int.from_bytes(pair)) for pair in _pairs(text)]
    halves, out, start = Halves(), "", 0
    for size in [*sizes, len(units)]:
        out += halves.feed("".join(units[start : start + size]))
        start += size
    assert out + halves.close() == text


def _pairs(text: str) -> list[bytes]:
    data = text.encode("utf-16-be")
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def test_half_a_character_is_replaced() -> None:
    halves = Halves()
    assert halves.feed("a\ud83d") == "a"
    assert halves.feed("b") == "\ufffdb"
    assert halves.feed("\ud83d") == ""
    assert halves.close() == "\ufffd"
