"""Properties of the reader: any text, any cut, any arguments."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.messages import SentResult
from conch_desktop.words.formats import CLOSERS, FORMATS, RESPONSES, RESPONSES_AFTER_A_CALL, THOUGHTS
from conch_desktop.words.reader import WordsCall, WordsReader, WordsText
from conch_desktop.words.transcript import written_answers, written_call
from tests.words.answers import ALL, FIND, NOTE, OPEN, block
from tests.words.reading import Read, events_of, read

BITS = [
    *sorted({head for form in FORMATS for head in form.heads} | CLOSERS | {*RESPONSES, *RESPONSES_AFTER_A_CALL}),
    *sorted({*THOUGHTS, *THOUGHTS.values(), *RESPONSES.values()}),
    *"\"'`<>{}[]():,;\\/#~|=- \n",
    "```",
    "```json\n",
    "```tool_code\n",
    "~~~\n",
    "> ",
    "\n\n",
    "\r\n",
    "//",
    "/*",
    "*/",
    "“",
    "é",
    "<tool_call",
    "</tool",
    "<parameter=text>",
    "</parameter>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "note_down",
    "find_berth",
    "fly",
    '"name"',
    '"arguments"',
    "text='x'",
    "(",
    ")",
    "word. ",
    "Action Input: ",
    NOTE,
    FIND,
    OPEN,
    block(NOTE),
    block(OPEN),
]

SOUP = st.lists(st.sampled_from(BITS), max_size=20).map("".join)
WHOLE = st.sampled_from([case[1] for case in ALL])
PATCHED = st.tuples(WHOLE, st.sampled_from(BITS), WHOLE, st.integers(0, 300)).map(
    lambda parts: parts[0][: parts[3]] + parts[1] + parts[0][parts[3] + 1 :] + parts[2]
)
ANSWERS = SOUP | PATCHED | st.text(max_size=60)


def cut(data: st.DataObject, text: str) -> list[str]:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def test_words_behind_what_is_no_call_are_said_once() -> None:
    text = (
        "<tool_call>\n<function=note_down>\n<function_calls>parameter=text>\nx\n</parameter>\n</function>\n"
        "I wait.\n</tool_call>\nSo."
    )
    assert read([text], native=True) == Read(text, [], 0)


def test_words_of_one_piece_count_as_those_of_many() -> None:
    text = f"Look.{block(NOTE)}\n\n{block(FIND)}So."
    assert events_of(text) == events_of([text])


@given(ANSWERS, st.booleans(), st.booleans(), st.data())
def test_any_cut_of_any_text_reads_as_the_whole(text: str, native: bool, short: bool, data: st.DataObject) -> None:
    whole = events_of([text], native=native, cut=short)
    assert events_of(cut(data, text), native=native, cut=short) == whole
    assert events_of(text, native=native, cut=short) == whole


@given(ANSWERS)
def test_words_are_never_changed_only_left_out(text: str) -> None:
    rest = iter(text)
    assert all(character in rest for character in read([text]).words)


@given(ANSWERS)
def test_in_native_turns_nothing_fails_and_without_a_call_every_word_is_shown(text: str) -> None:
    found = read([text], native=True)
    if not found.calls:
        assert found == Read(text, [], 0)


@given(ANSWERS)
def test_only_tools_on_offer_are_called(text: str) -> None:
    assert all(
        event.name == "list_boats" for event in events_of([text], ["list_boats"]) if isinstance(event, WordsCall)
    )


@given(ANSWERS)
def test_nothing_of_a_tools_answer_is_shown_or_run(text: str) -> None:
    written = written_answers([SentResult("1", "find_berth", text), SentResult("2", "note_down", text, is_error=True)])
    assert read([written]) == Read("", [], 0)


@given(ANSWERS)
def test_a_quoted_or_fenced_answer_is_only_shown(text: str) -> None:
    quoted = "".join(f"> {line}" for line in text.splitlines(keepends=True))
    fence = "`" * (max(map(len, text.split("`")), default=0) + 8)
    for shown in (quoted, f"{fence}text\n{text}\n{fence}\n"):
        if "\r" not in shown.replace("\r\n", ""):
            assert read([shown]) == Read(shown, [], 0)


KEYS = st.text(st.characters(codec="utf-8"), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(BITS) | SOUP,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.data())
def test_an_earlier_call_reads_back_as_itself(arguments: dict[str, object], data: st.DataObject) -> None:
    written = written_call("note_down", arguments)
    assert read(cut(data, written)) == Read("", [("note_down", arguments)], 0)


@given(
    st.dictionaries(KEYS, VALUES, max_size=3),
    st.sampled_from(["```json\n{}\n```", "{}", "[TOOL_CALLS][{}]"]),
    st.data(),
)
def test_any_arguments_come_through_in_other_forms(
    arguments: dict[str, object], form: str, data: st.DataObject
) -> None:
    text = form.replace("{}", json.dumps({"name": "note_down", "arguments": arguments}))
    assert read(cut(data, text)) == Read("", [("note_down", arguments)], 0)


ENDLESS = [
    "<tool_call>{",
    '{"a": "x</tool_call>\n',
    '{\\"</tool_call>\n',
    "<tool_call>{/*</tool_call>\n",
    "<tool_call>\n<function=note_down>\n<parameter=text>\nx</tool_call>\n",
    '```json\n{"name": "note_down", "a": "\n```\n',
    "<think>\n<tool_call>\n{",
    '[note_down(text="',
    "<tool_call>note_down<arg_key>a</arg_key>",
    "<",
    "`",
    "```",
    " ",
    "\n",
    '<|channel|>commentary to=functions.note_down <|message|>{"a": ;</tool',
    "Action: note_down\nAction Input: {",
    "<tool_response>",
    "[TOOL_CALLS]",
    "{{",
    "[[",
    "]}\n",
    "<function=note_down>\n<parameter=text>",
    "</parameter>\n",
    "<arg_key>" + " " * 300,
    "<tool_call>" + " " * 60,
    "```" + " " * 60,
    "~",
    "<tool_call>\n",
    "</tool_call>\n",
    "</tool_response>\n",
    "note_down answered: a\n",
    "'",
]


@pytest.mark.parametrize("unit", ENDLESS)
@pytest.mark.parametrize(
    ("before", "native"),
    [("", False), ("", True), (block(NOTE), False), ("<think>\n" + block(NOTE), False), ("```json\n", True)],
    ids=["words", "native", "after a call", "in thinking", "in a fence"],
)
def test_reading_takes_time_in_proportion_to_the_text(unit: str, before: str, native: bool) -> None:
    def seconds(size: int) -> float:
        text = before + unit * (size // len(unit))
        begun = time.process_time()
        reader = WordsReader(["note_down"], native=native)
        for at in range(0, size, 40):
            reader.feed(text[at : at + 40])
        reader.close()
        return time.process_time() - begun

    seconds(1_000)
    # A moment that was lost to something else is not the reader's: the best of three.
    assert any(seconds(16_000) <= 12 * max(seconds(4_000), 0.003) for _ in range(3))


def test_nothing_is_kept_of_words_that_went_out() -> None:
    reader = WordsReader(["note_down"])
    for _ in range(1_000):
        events = reader.feed("word " * 200)
        assert sum(len(event.text) for event in events if isinstance(event, WordsText)) >= 936
