"""Properties of the reader of almost-JSON: any text, any valid JSON, any JSON with slips put in."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conch_desktop.calls.places import Wanted, find
from conch_desktop.calls.repair import Repaired, Unreadable, repair
from conch_desktop.calls.strict import same
from tests.calls.slipping import AROUND, NASTY, Writer

MENDABLE = (
    "python_word",
    "trailing_comma",
    "extra_comma",
    "missing_comma",
    "bare_key",
    "missing_quote",
    "single_quotes",
    "smart_quotes",
    "control_character",
    "comment",
    "odd_space",
)
KEEPS = ("fence", "words_before", "words_after", "thinking", "bom", "twice", "stray_closer")
"""Ways to put something around a text that leave its value alone."""

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=12))
names = st.one_of(
    st.sampled_from(["a", "b", "limit", "it's", "x y", 'q"', "True", "größe", "$id", ""]), st.text(max_size=6)
)
numbers = st.one_of(
    st.integers(-(10**25), 10**25), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([100, 200, 0])
)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(texts, numbers, st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
    max_leaves=12,
)
objects = st.dictionaries(names, values, max_size=4)
seeds = st.integers(0, 2**32)

SOUP = ["{", "}", "[", "]", ",", ":", '"', "'", "\\", "a", "1", "-", ".", "e", " ", "\n", "/", "*", "#", "`", "“", "”"]
SOUP += ["true", "None", '"x"', "'y'", "\\u", "\\ud83d", "```", "\u00a0", "{}", '"a":', "\x00", "<think>", "NaN"]
soups = st.lists(st.sampled_from(SOUP), max_size=60).map("".join)

many = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(
    st.one_of(st.text(), soups, soups.map(lambda soup: f'{{"a": {soup}}}')), st.sampled_from(["whole", "open", "cut"])
)
def test_any_text_at_all_is_answered(text: str, ending: Any) -> None:
    begun = time.process_time()
    read = repair(text, ending=ending)
    assert time.process_time() - begun < 1
    if isinstance(read, Repaired):
        for mend in read.mends():
            assert mend.span is not None
            assert 0 <= mend.span[0] <= mend.span[1] <= len(text)
        for value in read.values:
            json.dumps(value.value, allow_nan=False, ensure_ascii=False).encode()


@many
@given(values, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_any_valid_json_is_taken_exactly_as_it_is(value: Any, ascii_only: bool, indent: Any) -> None:
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    read = repair(text, ending="cut")
    assert isinstance(read, Repaired)
    assert read.values[0].value == value
    assert json.dumps(read.values[0].value) == json.dumps(value)
    assert not read.marks


@many
@given(objects, seeds, st.sampled_from(MENDABLE), st.sampled_from([0.1, 0.4, 1.0]))
def test_one_kind_of_slip_gives_the_original_value_or_a_refusal(
    value: dict[str, Any], seed: int, kind: str, chance: float
) -> None:
    assert_original_or_refused(value, Writer(seed, chance, {kind}).value(value))


@many
@given(objects, seeds, st.sets(st.sampled_from(MENDABLE), min_size=2, max_size=5), st.sampled_from(KEEPS))
def test_many_slips_at_once_give_the_original_value_or_a_refusal(
    value: dict[str, Any], seed: int, kinds: set[str], around: str
) -> None:
    text = Writer(seed, 0.3, kinds).value(value)
    assert_original_or_refused(value, AROUND[around](text, random.Random(seed)))


def assert_original_or_refused(value: Any, text: str) -> None:
    read = repair(text)
    if isinstance(read, Repaired):
        assert all(same(each.value, value) for each in read.values), text


@pytest.mark.parametrize("kind", MENDABLE)
def test_a_slip_by_itself_is_mended_not_refused(kind: str) -> None:
    made = 0
    for seed in range(200):
        value = {"pier": ["it's", "a, b", True, None, {"limit": 3, "x y": "two\nlines"}], "b": "plain", "c": {"d": 1.5}}
        writer = Writer(seed, 0.15, {kind})
        text = writer.value(value)
        read = repair(text)
        assert isinstance(read, Repaired), text
        assert [same(each.value, value) for each in read.values] == [True], text
        made += writer.made
    assert made > 20


@many
@given(objects, seeds)
def test_a_text_that_was_cut_never_becomes_something_else_than_its_beginning(value: dict[str, Any], seed: int) -> None:
    text = json.dumps(value)
    cut = text[: random.Random(seed).randint(0, len(text) - 1)]
    assert isinstance(repair(cut, ending="cut"), Unreadable)
    closed = repair(cut)
    if isinstance(closed, Repaired):
        assert is_beginning(closed.values[0].value, value)


def is_beginning(part: Any, whole: Any) -> bool:
    """Whether `part` is `whole` with the end left out."""
    if isinstance(part, dict) and isinstance(whole, dict):
        *firsts, last = part or [None]
        ends = last is None or (last in whole and is_beginning(part[last], whole[last]))
        return ends and all(same(part[name], whole.get(name)) for name in firsts)
    if isinstance(part, list) and isinstance(whole, list):
        if not part:
            return True
        begun = len(part) <= len(whole) and is_beginning(part[-1], whole[len(part) - 1])
        return begun and all(same(*pair) for pair in zip(part[:-1], whole, strict=False))
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, int | float) and isinstance(whole, int | float):
        return True  # 2e1 is how 2e16 begins
    return same(part, whole)


@many
@given(objects, seeds, st.sets(st.sampled_from(MENDABLE), max_size=4))
def test_every_part_of_a_value_is_found_again_in_the_text(value: dict[str, Any], seed: int, kinds: set[str]) -> None:
    text = Writer(seed, 0.3, kinds).value(value)
    read = repair(text)
    if not isinstance(read, Repaired):
        return
    found = read.values[0]
    places = list(steps_of(found.value))
    wanted = Wanted()
    nodes = [wanted.at(steps) for steps, _ in places]
    find(found.body, found.at, wanted)
    for (_, part), node in zip(places, nodes, strict=True):
        assert node.span is not None
        assert same(json.loads(found.body[slice(*node.span)]), part)
        start, end = found.back(*node.span)
        again = repair(text[start:end] if isinstance(part, dict | list) else f"[{text[start:end]}]")
        if isinstance(again, Repaired) and not kinds & {"missing_quote"}:
            assert same(again.values[0].value, part if isinstance(part, dict | list) else [part])


def steps_of(value: Any, steps: tuple[Any, ...] = ()) -> Any:
    """Every part of a value with its steps."""
    yield steps, value
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from steps_of(inner, (*steps, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from steps_of(inner, (*steps, index))
