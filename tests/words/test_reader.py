"""The reader of tools in words: what becomes of each kind of answer, however it is cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from conch_desktop.words.formats import THOUGHTS
from conch_desktop.words.reader import WordsCall, WordsFailed, WordsReader, WordsText
from tests.words.answers import ALL, FIND, NOTE, OPEN, SAME, TRICKY_TEXTS, block
from tests.words.reading import Read, cuts, events_of, read, tool

HOLDS = ("```", "~~~", "<tools>", *THOUGHTS)
CASES = [pytest.param(*case[1:], id=case[0]) for case in ALL]


@pytest.mark.parametrize(("text", "words", "calls", "failed"), CASES)
def test_an_answer_reads_the_same_at_every_cut(text: str, words: str, calls: list[Any], failed: int) -> None:
    expected = Read(text if words == SAME else words, calls, failed)
    for pieces in cuts(text):
        assert read(pieces) == expected, pieces


@pytest.mark.parametrize("told", TRICKY_TEXTS)
@pytest.mark.parametrize("form", ["json", "bare", "fence", "mistral", "python", "lines"])
def test_what_stands_in_an_argument_is_data(told: str, form: str) -> None:
    call = json.dumps({"name": "note_down", "arguments": {"text": told}})
    text = {
        "json": block(call),
        "bare": call,
        "fence": f"```json\n{call}\n```",
        "mistral": f"[TOOL_CALLS][{call}]",
        "python": f"[note_down(text={json.dumps(told)})]",
        "lines": f"<function=note_down>\n<parameter=text>\n{told}\n</parameter>\n</function>",
    }[form]
    for pieces in cuts(text):
        assert read(pieces) == Read("", [("note_down", {"text": told})], 0), pieces


def test_words_go_out_at_once() -> None:
    reader = WordsReader(["note_down"])
    assert reader.feed("Let me look. ") == [WordsText("Let me look. ")]
    assert reader.feed("<to") == []
    assert reader.feed("ast>") == [WordsText("<toast>")]
    assert reader.feed(block(NOTE)) != []
    assert reader.feed("\n\n") == []
    assert reader.feed("So.") == [WordsText("\n\nSo.")]


@pytest.mark.parametrize(("text", "words", "calls", "failed"), [case for case in CASES if case.values[1] == SAME])
def test_no_more_than_64_characters_of_words_are_held_back(text: str, words: str, calls: object, failed: int) -> None:
    if text.lstrip()[:1] in ("{", "[") or any(mark.lower() in text.lower() for mark in HOLDS):
        return  # it may still become a call, or is thinking that may end with one
    reader = WordsReader(["note_down", "find_berth", "pier__open_gate"])
    out = 0
    for given, character in enumerate(text, 1):
        out += sum(len(event.text) for event in reader.feed(character) if isinstance(event, WordsText))
        assert given - out <= 64


@pytest.mark.parametrize(
    ("begun", "rest"),
    [
        ('{"city', '": "Kiel"}'),
        ('{"name": "Ki', 'el"}'),
        ('```json\n{"theme', '": 1}\n```'),
        ("```py", "thon\nx\n```"),
        ("[1", "]"),
        ("[fly", "(a=1)]"),
        ("```tool_code\nimport ", "os\n```"),
    ],
)
def test_json_that_can_be_no_call_any_more_goes_out_at_once(begun: str, rest: str) -> None:
    reader = WordsReader(["note_down"])
    assert "".join(event.text for event in reader.feed(begun) if isinstance(event, WordsText)) == begun
    assert read([begun, rest]).words == begun + rest


def test_a_failed_block_tells_the_model_how_to_write_one_with_a_call_that_reads() -> None:
    berth = tool(
        "find_berth", harbour={"type": "string"}, side={"enum": ["port", "starboard"]}, length_m_={"type": "number"}
    )
    (failed,) = events_of([block("find it")], [tool("list_boats"), berth])
    assert isinstance(failed, WordsFailed)
    assert failed.raw == "find it"
    example = failed.why[failed.why.index("<tool_call>") :]
    (call,) = events_of([example], [berth])
    assert isinstance(call, WordsCall)
    assert (call.name, call.arguments) == ("find_berth", {"harbour": "…", "side": "port"})


@pytest.mark.parametrize(
    ("body", "name", "said"),
    [
        ("oh", "", "could not be read"),
        ("", "", "it is empty"),
        ('{"arguments": {}}', "", "names no tool"),
        ('{"name": "fly", "arguments": {}}', "fly", "There is no tool fly. The tools are: find_berth, list_boats"),
        ('{"name": "note_down", "arguments": ["x"]}', "note_down", "The call of note_down could not be read"),
        ("<function=note_down>{</function>", "note_down", "The call of note_down could not be read"),
        ("<function=fly></function>", "fly", "There is no tool fly"),
    ],
)
def test_a_failed_block_says_what_is_wrong(body: str, name: str, said: str) -> None:
    (failed,) = events_of([block(body)])
    assert isinstance(failed, WordsFailed)
    assert failed.name == name
    assert said in failed.why
    assert "<tool_call>\n{" in failed.why


@pytest.mark.parametrize(
    "text", ['<tool_call>{"name": "note_down", "arguments": {"text": "Low', "<function=note_down>{"]
)
def test_a_call_the_provider_cut_is_told_so(text: str) -> None:
    (failed,) = events_of([text], cut=True)
    assert isinstance(failed, WordsFailed)
    assert "cut off" in failed.why


def test_nothing_is_closed_in_a_call_the_provider_cut() -> None:
    begun = '<tool_call>{"name": "note_down", "arguments": {"text": "x"}'
    assert read([begun]).calls == [("note_down", {"text": "x"})]
    assert read([begun], cut=True) == Read("", [], 1)
    assert read([begun + "}"], cut=True).calls == [("note_down", {"text": "x"})]


def test_a_call_knows_what_was_sent_and_what_was_mended() -> None:
    (call,) = events_of([block("{'name': 'list_boats', 'arguments': {},}")])
    assert isinstance(call, WordsCall)
    assert call.raw == "{'name': 'list_boats', 'arguments': {},}"
    mends = {(mend.what, call.raw[slice(*mend.span)]) for mend in call.mends if mend.span}
    assert ("trailing_comma", ",") in mends


def test_a_call_too_long_to_read_runs_nothing_of_what_it_holds() -> None:
    told = f"{'x' * 1_000_000}\n{block(OPEN)}\n"
    text = block('{"name": "note_down", "arguments": {"text": "' + told.replace('"', '\\"') + '"}}') + "\nSo."
    assert read([text]) == Read("\nSo.", [], 1)


def test_the_events_come_in_the_order_of_the_text() -> None:
    kinds = [type(event) for event in events_of([f"a {block(NOTE)} b " + block("oh") + f" c {block(FIND)}"])]
    assert kinds == [WordsText, WordsCall, WordsText, WordsFailed, WordsText, WordsCall]
    assert not any(a is b for a, b in pairwise(kinds))
