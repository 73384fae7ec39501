"""In native turns the reader only watches for calls a server let through as text."""

from __future__ import annotations

from typing import Any

import pytest

from conch_desktop.words.reader import WordsReader, WordsText
from tests.words.answers import FIND, FOUND, NOTE, NOTED, OPEN, SAME, block
from tests.words.reading import Read, cuts, read

CASES: list[tuple[str, str, str, list[tuple[str, Any]], int]] = [
    ("the tag", f"So.\n{block(FIND)}\nThen.", "So.\n\nThen.", [FOUND], 0),
    ("a function", "<function=note_down>\n<parameter=text>x</parameter>\n</function>", "", [("note_down", {"text": "x"})], 0),
    ("a function in the tag", block("<function=list_boats>\n</function>"), "", [("list_boats", {})], 0),
    ("GLM", "<tool_call>note_down<arg_key>text</arg_key><arg_value>x</arg_value></tool_call>", "", [("note_down", {"text": "x"})], 0),
    ("a fence", f"```json\n{FIND}\n```", "", [FOUND], 0),
    ("a whole reply", FIND, "", [FOUND], 0),
    ("Mistral", f"[TOOL_CALLS][{NOTE}]", "", [NOTED], 0),
    ("mended", block(NOTE[:-1]), "", [NOTED], 0),
    ("another tool", block('{"name": "fly", "arguments": {}}') + " So.", SAME, [], 0),
    ("one of two is another tool", block(f'[{NOTE}, {{"name": "fly", "arguments": {{}}}}]'), SAME, [], 0),
    ("words in the tag", block("find it"), SAME, [], 0),
    ("an empty tag", "<tool_call>\n</tool_call>", SAME, [], 0),
    ("a function of another tool", block("<function=fly>\n</function>"), SAME, [], 0),
    ("an unreadable function", "<function=note_down>the tide</function>", SAME, [], 0),
    ("arguments first", block('{"arguments": {"text": "x"}, "name": "note_down"}'), SAME, [], 0),
    ("cut", '<tool_call>{"name": "note_down", "argum', SAME, [], 0),
    ("GLM, another tool", "<tool_call>fly<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>", SAME, [], 0),
    ("Kimi, another tool", "<|tool_call_begin|>fly:0<|tool_call_argument_begin|>{}<|tool_call_end|>", SAME, [], 0),
    ("ReAct", 'Action: note_down\nAction Input: {"text": "x"}', SAME, [], 0),
    ("an answer's tag", "<tool_response>x</tool_response>", SAME, [], 0),
    ("an answer after a call", f"{block(FIND)}\n<tool_response>x</tool_response>\nSo.", "\nSo.", [FOUND], 0),
    ("a call after that", f"{block(FIND)}\n<tool_response>x</tool_response>\n{block(OPEN)}", "", [FOUND], 1),
    ("an example in a fence", f"```\n{block(OPEN)}\n```", SAME, [], 0),
    ("a call within one that is none", f"<tool_call>hm {block(NOTE)}", "<tool_call>hm ", [NOTED], 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words", "calls", "failed"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_what_is_not_wholly_a_call_of_a_tool_on_offer_is_words(
    text: str, words: str, calls: list[Any], failed: int
) -> None:
    expected = Read(text if words == SAME else words, calls, failed)
    for pieces in cuts(text):
        assert read(pieces, native=True) == expected, pieces


@pytest.mark.parametrize(
    "begun",
    [
        '<tool_call>\n{"arg',
        '<tool_call>{"name": "fl',
        '{"arguments',
        '```json\n{"type"',
        "<tool_call>\n<function=fly>",
        "<tool_call>\n" + " " * 200,
        '{"name"' + " " * 200,
    ],
)
def test_text_is_held_only_while_it_can_still_become_a_call(begun: str) -> None:
    reader = WordsReader(["note_down"], native=True)
    out = [event for character in begun for event in reader.feed(character)]
    assert "".join(event.text for event in out if isinstance(event, WordsText)) == begun
