"""Figures: the reader of tools in words, in pieces of 3 characters, as small models stream them."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conch_desktop.words.reader import WordsCall, WordsReader, WordsText
from tests.benchmarks.conftest import figure

NAMES = ("find_berth", "note_down", "list_boats")
MOST_TIMES_FIND = 25
TIMES_FASTER = 5
RUNS = 7

PARAGRAPH = (
    "Low water is at 6:40 and high water at 12:55; between them the bar is passable for boats with less than two "
    "metres. A < b, *of course*, and [the chart](https://example.org/chart) says **so**, too.\n\n"
)
LIST = "1. Take the `northern` channel.\n2. Call the pilot on channel 12.\n   - or wait\n\n"
CODE = "```python\nfor boat in boats:\n    print(boat.name, boat.length_m < 12)\n```\n\n"
TABLE = "| boat | m |\n|---|---|\n| Möwe | 9 |\n| <b>Tern</b> | 11 |\n\n"
LONG = json.dumps({"name": "note_down", "arguments": {"text": 'A line with "quotes" and <b>marks</b>.\n' * 40}})
CALLS = (
    '<tool_call>\n{"name": "find_berth", "arguments": {"harbour": "Kiel", "length_m": 9}}\n</tool_call>\n'
    f"<tool_call>\n{LONG}\n</tool_call>\n"
    "<tool_call>\n<function=note_down>\n<parameter=text>\nThe pilot comes at <b>six</b>.\n</parameter>\n</function>\n"
    '</tool_call>\n```json\n{"name": "list_boats", "arguments": {}}\n```\n'
)
ANSWER = (PARAGRAPH * 4 + LIST + CODE + TABLE + PARAGRAPH * 2) * 2 + CALLS
CALLS_IN_ANSWER = 4


def threes(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]


def read(pieces: Sequence[str]) -> int:
    """Reads an answer; how many calls it held."""
    reader = WordsReader(NAMES)
    calls = sum(isinstance(event, WordsCall) for piece in pieces for event in reader.feed(piece))
    return calls + sum(isinstance(event, WordsCall) for event in reader.close())


def find(pieces: Sequence[str]) -> None:
    for piece in pieces:
        piece.find("<tool_call>")


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def ratio(work: Callable[[], object], other: Callable[[], object]) -> float:
    """How many times as long as `other` the work takes: the median of pairs that follow each other."""
    work(), other()  # the first ones import and compile
    return statistics.median(seconds(work) / seconds(other) for _ in range(RUNS))


@pytest.mark.figures
@pytest.mark.parametrize(
    ("what", "text"),
    [("an answer", ANSWER), ("only words", PARAGRAPH * 30), ("code", CODE * 60), ("a long call", CALLS * 4)],
)
def test_reading_threes_takes_at_most_25_times_as_long_as_looking_for_a_tag(what: str, text: str) -> None:
    pieces = threes(text * 4)
    times = ratio(lambda: read(pieces), lambda: find(pieces))
    figure(f"reader, {what}, threes: {times:.1f} times str.find over the same {len(pieces):,} pieces")
    assert times <= MOST_TIMES_FIND


@pytest.mark.figures
def test_reading_is_linear_to_a_megabyte() -> None:
    small, large = ANSWER * (125_000 // len(ANSWER)), ANSWER * (1_000_000 // len(ANSWER))
    for what, cut in (("threes", threes), ("whole", lambda text: [text])):
        pieces_of_small, pieces_of_large = cut(small), cut(large)
        assert read(pieces_of_large) == CALLS_IN_ANSWER * (1_000_000 // len(ANSWER))
        times = ratio(lambda many=pieces_of_large: read(many), lambda few=pieces_of_small: read(few))  # type: ignore[misc]
        growth = len(large) / len(small)
        figure(f"reader, {what}: {times:.1f} times as long for {growth:.1f} times the text")
        assert times <= growth * 1.5


@pytest.mark.figures
def test_no_more_than_64_characters_of_words_are_held() -> None:
    words = (PARAGRAPH + LIST + TABLE + "The tag <tool_call> is named, `<tool_call>` too. ```x``` and so on.\n") * 20
    reader = WordsReader(NAMES)
    out, most = 0, 0
    for given, character in enumerate(words, 1):
        out += sum(len(event.text) for event in reader.feed(character) if isinstance(event, WordsText))
        most = max(most, given - out)
    figure(f"reader: at most {most} characters of words held")
    assert most <= 64


@pytest.mark.figures
def test_it_is_at_least_5_times_as_fast_as_sglangs_detector() -> None:
    """Where SGLang is installed: its detector of the same format, over the same pieces."""
    detectors: Any = pytest.importorskip("sglang.srt.function_call.hermes_detector")
    protocol: Any = pytest.importorskip("sglang.srt.entrypoints.openai.protocol")
    tools = [protocol.Tool(type="function", function=protocol.Function(name=name, parameters={})) for name in NAMES]
    pieces = threes(PARAGRAPH * 6 + CALLS.partition("\n<tool_call>")[0])

    def detect() -> None:
        detector = detectors.HermesDetector()
        for piece in pieces:
            detector.parse_streaming_increment(piece, tools)

    times = ratio(detect, lambda: read(pieces))
    figure(f"reader: {times:.1f} times as fast as SGLang's Hermes detector")
    assert times >= TIMES_FASTER
