"""Answers of tools that a model makes up without their opening mark: left out and told, however the text is cut."""

from __future__ import annotations

import time

import pytest

from conch_desktop.domain.messages import SentResult
from conch_desktop.words.blocks import UNTAGGED
from conch_desktop.words.events import WordsMadeUp
from conch_desktop.words.formats import RESPONSE_OPEN
from conch_desktop.words.transcript import written_answers
from tests.words.reading import cuts, events_of, read

CALL = '<tool_call>\n{"name": "list_boats", "arguments": {}}\n</tool_call>'


def made_up(text: str, *, native: bool = False) -> int:
    """How often the reader says that an answer was made up."""
    return sum(isinstance(event, WordsMadeUp) for event in events_of([text], native=native))


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        ("List boats answered:\nThree boats\n</tool_response>", "", 1),
        ("list_boats answered:\nThree boats\n</tool_response>\nThree boats.", "\nThree boats.", 1),
        ("list_boats failed: no\n</tool_response>", "", 1),
        ("\n\nlist_boats answered: a\n</tool_response>", "", 1),
        ("<tool_response>\nlist_boats answered:\nThree\n</tool_response>\nThree.", "\nThree.", 1),
        ("<tool_response>\nlist_boats answered:\nThree", "", 1),
        ("list_boats answered: three boats.", "list_boats answered: three boats.", 0),
        ("Somebody answered:\nYes\n</tool_response>", "Somebody answered:\nYes\n", 0),
        ("Three boats.\n</tool_response>", "Three boats.\n", 0),
        ("Three boats.</tool_response>", "Three boats.", 0),
        ("Three boats.\n</tool_response>\nMore.", "Three boats.\n\nMore.", 0),
        ("Three boats.[/TOOL_RESULTS]", "Three boats.", 0),
        ("It ends with </tool_response> and goes on.", "It ends with </tool_response> and goes on.", 0),
        ("It ends with `</tool_response>`", "It ends with `</tool_response>`", 0),
        ("```\n</tool_response>\n```", "```\n</tool_response>\n```", 0),
        ("List boats for me", "List boats for me", 0),
        ("List boats answered", "List boats answered", 0),
    ],
)
def test_a_made_up_answer_is_left_out_however_it_is_cut(text: str, words: str, told: int) -> None:
    for pieces in cuts(text):
        assert read(pieces).words == words
    assert made_up(text) == told


def test_what_the_program_writes_itself_is_known_without_its_opening_mark() -> None:
    for failed in (True, False):
        text = written_answers([SentResult("", "find_berth", "Berth 4", is_error=failed)])
        assert read([text.removeprefix(RESPONSE_OPEN).lstrip()]).words == ""


def test_after_a_call_too_and_what_follows_it_does_not_run() -> None:
    text = f"{CALL}\nlist_boats answered:\nThree\n</tool_response>\n{CALL}"
    for pieces in cuts(text):
        found = read(pieces)
        assert (found.words, len(found.calls), found.failed) == ("", 1, 1)


def test_a_call_after_words_that_only_begin_like_an_answer_is_read() -> None:
    for pieces in cuts(f"list_boats answered: I look.\n{CALL}"):
        found = read(pieces)
        assert (found.words.rstrip(), len(found.calls)) == ("list_boats answered: I look.", 1)


def test_a_long_text_is_words_and_nothing_is_held_for_ever() -> None:
    text = f"list_boats answered: {'boat ' * UNTAGGED}"
    assert read([text[:100], text[100:], "</tool_response>"]).words == text


def test_in_a_native_turn_words_stay_words() -> None:
    text = "list_boats answered:\nThree\n</tool_response>"
    assert read([text], native=True).words == text
    assert made_up(text, native=True) == 0


def test_many_heads_and_marks_take_linear_time() -> None:
    def cost(many: int) -> float:
        text = f"{CALL}\nlist_boats answered: a\n</tool_response>" * many
        begun = time.process_time()
        read([text])
        return time.process_time() - begun

    cost(50)
    assert cost(1600) < 20 * max(cost(200), 0.005)
