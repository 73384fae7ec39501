"""Figures: reading almost-JSON and a whole call, in CPU time beside two peers and beside the sound text.

Every comparison is of medians of alternating runs in one process, so that a busy computer disturbs both sides alike.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import fast_json_repair
import json_repair
import pytest
from jsonschema import Draft202012Validator

from conch_desktop.calls.read import read_call
from conch_desktop.calls.repair import Repaired, Unreadable, repair
from tests.benchmarks.conftest import figure
from tests.calls.tools import FLAG, TEXT, closed, tool

RUNS = 200
Work = Callable[[], Any]

pytestmark = [pytest.mark.figures, pytest.mark.timeout(600)]


def medians(*works: Work, runs: int = RUNS, times: int = 1) -> list[float]:
    """The median CPU time of each in microseconds, run in turns."""
    taken: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(runs):
        for work, times_taken in zip(works, taken, strict=True):
            begun = time.process_time_ns()
            for _ in range(times):
                work()
            times_taken.append((time.process_time_ns() - begun) / times / 1000)
    return [statistics.median(each) for each in taken]


def best(work: Work, runs: int = 15) -> float:
    """The least CPU time of some runs in microseconds."""
    return min(medians(work, runs=1)[0] for _ in range(runs))


# --- 200 bytes ---

SMALL = {
    "query": "the lease of the boathouse and the invoice of the second of May",
    "limit": 12,
    "unread": True,
    "folders": ["Inbox", "Work", "Archive"],
    "from": "harbour office <office at harbour>",
    "after": None,
}
_SOUND = json.dumps(SMALL)
FAULTS: dict[str, str] = {
    "trailing comma": f"{_SOUND[:-1]},}}",
    "single quotes": _SOUND.replace('"', "'"),
    "bare keys": json.dumps(SMALL).replace('"query"', "query").replace('"limit"', "limit").replace('"from"', "from"),
    "python words": _SOUND.replace("true", "True").replace("null", "None"),
    "comment": _SOUND.replace('"limit"', '/* at most */ "limit"'),
    "fence": f"```json\n{_SOUND}\n```",
    "unclosed": _SOUND[:-1],
    "run together": f'{{"limit": 12}}{_SOUND}',
}


def test_two_hundred_bytes_take_half_of_what_json_repair_takes() -> None:
    ratios = {}
    for name, text in FAULTS.items():
        assert isinstance(repair(text), Repaired)
        ours, theirs = medians(lambda text=text: repair(text), lambda text=text: json_repair.loads(text), times=5)  # type: ignore[misc]
        ratios[name] = ours / theirs
        figure(f"{name:16} {len(text):4} bytes: {ours:7.1f} µs, json_repair {theirs:7.1f} µs, {ours / theirs:.2f}")
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values()))
    figure(f"geometric mean {mean:.2f}")
    assert mean <= 0.5
    assert max(ratios.values()) <= 1


# --- 100 KB ---

OBJECTS = json.dumps({"items": [{"id": number, "name": f"item {number}", "ok": True} for number in range(2_200)]})
LONG = json.dumps({"path": "a", "content": "abcdefghij klmnop qrst " * 4_400})
ESCAPES = json.dumps({"path": "a", "content": 'line\n"q"\t\\ ' * 6_200})
SHAPES = {"many small objects": OBJECTS, "one long text": LONG, "full of escapes": ESCAPES}


def cut_in_a_text(sound: str) -> str:
    """The text, cut a little before the end of its last long text."""
    end = sound.rindex("item") + 3 if "item" in sound else len(sound) - 1_000
    return sound[:end].rstrip("\\")


def bare_quotes(sound: str) -> str:
    """The text with a word in bare quotes near its end."""
    place = sound.index(" ", sound.rindex("item") if "item" in sound else len(sound) - 900)
    return f'{sound[:place]} "bare" {sound[place:]}'


def in_the_middle(sound: str) -> str:
    """The text with a trailing comma in an object in its middle."""
    place = sound.index("}", len(sound) // 2)
    return f"{sound[:place]},{sound[place:]}"


LARGE: list[tuple[str, str, str, float, float]] = [
    # what, sound, with its slip, most times json.loads of the sound one, most times fast_json_repair
    *((f"{name}, a trailing comma", sound, f"{sound[:-1]},}}", 4, 1) for name, sound in SHAPES.items()),
    ("many small objects, a trailing comma within", OBJECTS, in_the_middle(OBJECTS), 4, 1),
    *((f"{name}, cut in a text", sound, cut_in_a_text(sound), 10, 3) for name, sound in SHAPES.items()),
    *((f"{name}, bare inner quotes", sound, bare_quotes(sound), 10, 3) for name, sound in SHAPES.items()),
    ("many small objects, a slip in each", OBJECTS, OBJECTS.replace("true}", "true,}"), 10, 3),
]


@pytest.mark.parametrize(("what", "sound", "text", "most", "most_fast"), LARGE, ids=[row[0] for row in LARGE])
def test_a_hundred_kilobytes(what: str, sound: str, text: str, most: float, most_fast: float) -> None:
    loads, ours, fast = medians(lambda: json.loads(sound), lambda: repair(text), lambda: fast_json_repair.loads(text))
    read = "mended" if isinstance(repair(text), Repaired) else "refused"
    figure(
        f"{what:45} {len(text):7} bytes, {read}: {ours / 1000:6.3f} ms = {ours / loads:5.2f} json.loads, "
        f"{ours / fast:4.2f} fast_json_repair"
    )
    assert ours <= most * loads
    assert ours <= most_fast * fast


NUMBERS = json.dumps({"numbers": list(range(25_000))})
FLOATS = json.dumps({"numbers": [number + 0.5 for number in range(25_000)]})
NUMBER_SLIPS = [
    ("whole, a trailing comma", NUMBERS, f"{NUMBERS[:-2]},]}}"),
    ("whole, a missing comma", NUMBERS, NUMBERS.replace(", 12001,", " 12001,")),
    ("whole, a comment", NUMBERS, NUMBERS.replace(" 12001,", " /* so */ 12001,")),
    ("fractions, a trailing comma", FLOATS, f"{FLOATS[:-2]},]}}"),
    ("fractions, a missing comma", FLOATS, FLOATS.replace(", 12000.5,", " 12000.5,")),
]


@pytest.mark.parametrize(("what", "sound", "text"), NUMBER_SLIPS, ids=[row[0] for row in NUMBER_SLIPS])
def test_twenty_five_thousand_numbers_with_a_slip(what: str, sound: str, text: str) -> None:
    assert isinstance(repair(text), Repaired)
    loads, ours = medians(lambda: json.loads(sound), lambda: repair(text), runs=100)
    figure(f"25,000 numbers, {what:28}: {ours / 1000:6.2f} ms = {ours / loads:.2f} json.loads")
    assert ours <= 6 * loads


# --- per byte ---

ROW = '{"id": 7, "name": "item of the north pier", "ok": true, "tags": ["a", "b"]}'
KINDS: dict[str, Callable[[int], str]] = {
    "valid": lambda n: f"[{', '.join([ROW] * n)}]",
    "trailing comma": lambda n: f"[{', '.join([ROW] * n)},]",
    "trailing commas": lambda n: f"[{', '.join([ROW.replace('true,', 'true, ').replace(']}', '],}')] * n)}]",
    "single quotes": lambda n: f"[{', '.join([ROW.replace(chr(34), chr(39))] * n)}]",
    "bare keys": lambda n: f"[{', '.join([ROW.replace(chr(34) + 'id' + chr(34), 'id')] * n)}]",
    "python words": lambda n: f"[{', '.join([ROW.replace('true', 'True')] * n)}]",
    "comments": lambda n: f"[{', '.join([ROW.replace('true', 'true /* yes */')] * n)}]",
    "fence": lambda n: f"```json\n[{', '.join([ROW] * n)}]\n```",
    "unclosed": lambda n: f"[{', '.join([ROW] * n)}",
    "cut in a text": lambda n: f"[{', '.join([ROW] * n)}, {ROW[:30]}",
    "run together": lambda n: "\n".join([ROW] * n),
    "missing commas": lambda n: f"[{' '.join([ROW] * n)}]",
    "extra commas": lambda n: f"[{', '.join([ROW.replace('true,', 'true,,')] * n)}]",
    "inner quotes": lambda n: f"[{', '.join([ROW] * n)}, {ROW.replace('north', chr(34) + 'north' + chr(34))}]",
    "smart quotes": lambda n: f"[{', '.join([ROW.replace(chr(34) + 'a' + chr(34), '“a”')] * n)}]",
    "line breaks": lambda n: f"[{', '.join([ROW.replace('north ', 'north' + chr(10))] * n)}]",
    "backslashes": lambda n: f"[{', '.join([ROW.replace('north', chr(92) + 'd')] * n)}]",
    "json text": lambda n: json.dumps(f"[{', '.join([ROW] * n)}]"),
    "words around": lambda n: f"Here: [{', '.join([ROW] * n)}] and so on.",
    "odd spaces": lambda n: f"[{', '.join([ROW.replace(': true', ':' + chr(0xA0) + 'true')] * n)}]",
}


@pytest.mark.parametrize("kind", KINDS)
def test_sixteen_times_the_text_takes_little_more_than_sixteen_times_the_time(kind: str) -> None:
    small, large = (KINDS[kind](size // len(ROW)) for size in (10_000, 160_000))
    one = other = math.inf
    for _ in range(4):  # each round only brings the least of both nearer to what it is
        one = min(one, best(lambda: repair(small)) / len(small))
        other = min(other, best(lambda: repair(large)) / len(large))
        if other <= 1.3 * one:
            break
    figure(f"{kind:16} {one * 1000:7.2f} ns a byte at 10 KB, {other * 1000:7.2f} at 160 KB: {other / one:.2f}")
    assert other <= 1.3 * one


# --- bombs, and the whole chain ---

BOMBS = {
    "lists": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "closed lists": "[" * 100_000 + "]" * 100_000,
    "bare names": "{a:" * 100_000,
    "single quotes": "{'a':" * 100_000,
    "behind a slip": "{b: 1, 'a':" + '{"a":' * 100_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_nesting_bomb_is_refused_within_a_millisecond(name: str) -> None:
    bomb = BOMBS[name]
    assert isinstance(repair(bomb), Unreadable)
    (ours,) = medians(lambda: repair(bomb), runs=50)
    figure(f"bomb of {name:14}: {ours / 1000:.3f} ms")
    assert ours <= 1000


CALL = tool(
    "search_mail",
    closed(
        {
            "query": TEXT,
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "unread": FLAG,
            "folders": {"type": "array", "items": TEXT},
            "from": TEXT,
            "order": {"type": "string", "enum": ["newest", "oldest"]},
        },
        "query",
    ),
)


def test_a_whole_valid_call_takes_half_as_much_again_as_loading_and_validating() -> None:
    raw = json.dumps({name: value for name, value in SMALL.items() if name != "after"} | {"order": "newest"})
    validator = Draft202012Validator(CALL.parameters)
    assert read_call(raw, CALL).ok
    ours, plain = medians(lambda: read_call(raw, CALL), lambda: validator.is_valid(json.loads(raw)), times=5)
    figure(
        f"whole chain, {len(raw)} bytes: {ours:.1f} µs, loading and a cached validator {plain:.1f}: {ours / plain:.2f}"
    )
    assert ours <= 1.5 * plain
