"""The ladder and the lessons it leaves: every pair of rungs, as a table."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.events import Refusal
from conch_desktop.domain.lessons import Lesson
from conch_desktop.engine.ladder import MOST_REQUESTS, Ladder
from conch_desktop.engine.way import ALL, SCHEMA_DAYS, TOOLS_DAYS, Way, by_lessons, taught

TOOLS = ("log_tide", "book_berth", "ferry")
NATIVE = Way("native")


def refusal(said: str) -> Refusal:
    """ "schema", "schema:book_berth", "tools", "generation", "window:4096", "effort:low", "auth" …"""
    kind, _, value = said.partition(":")
    if kind in {"effort", "no_system_role", "blind"}:
        return Refusal("bad_request", "no", "No.", teaches=(kind, value))
    if kind == "window":
        return Refusal("context_length", "no", "No.", teaches=("window", value))
    return Refusal(kind, f"words of {said}", "No.", names_tool=value)  # type: ignore[arg-type]


def climbed(*refusals: str, way: Way = NATIVE) -> Way | None:
    """The way after these refusals, None when one of them stands."""
    ladder = Ladder(way, TOOLS)
    for said in refusals:
        if ladder.climb(refusal(said)) is None:
            return None
    return ladder.way


STRICT, WORDS = Way("strict"), Way("words")
BERTH = frozenset({"book_berth"})

PATHS: list[tuple[tuple[str, ...], Way | None]] = [
    (("schema",), STRICT),
    (("schema", "schema"), WORDS),
    (("schema", "tools"), WORDS),
    (("schema", "schema:book_berth"), Way("strict", aside=BERTH)),
    (("schema", "schema:book_berth", "schema"), WORDS),
    (("schema:book_berth",), Way("native", simple=BERTH)),
    (("schema:book_berth", "schema:book_berth"), Way("native", simple=BERTH, aside=BERTH)),
    (("schema:book_berth", "schema:ferry"), Way("strict", simple=BERTH)),
    (("schema:book_berth", "schema"), Way("strict", simple=BERTH)),
    (("schema:book_berth", "schema:book_berth", "schema"), WORDS),
    (("schema:book_berth", "tools"), WORDS),
    (("schema:unknown_tool",), STRICT),
    (("tools",), WORDS),
    (("tools", "tools"), None),
    (("tools", "schema"), None),
    (("generation",), NATIVE),
    (("generation", "generation"), None),
    (("generation", "schema"), STRICT),
    (("generation", "tools"), WORDS),
    (("window:4096",), Way("native", window=4096)),
    (("window:4096", "window:2048"), None),
    (("window:0",), None),
    (("window:many",), None),
    (("effort:low",), Way("native", effort="low")),
    (("no_system_role",), Way("native", system_role=False)),
    (("blind",), Way("native", pictures=False)),
    (("blind", "no_system_role"), Way("native", pictures=False, system_role=False)),
    (("window:4096", "schema"), Way("strict", window=4096)),
    (("tools", "no_system_role"), Way("words", system_role=False)),
    (("auth",), None),
    (("quota",), None),
    (("rate",), None),
    (("overloaded",), None),
    (("network",), None),
    (("not_found",), None),
    (("content_policy",), None),
    (("context_length",), None),
    (("bad_request",), None),
    (("schema", "generation", "no_system_role", "blind"), Way("strict", system_role=False, pictures=False)),
    (("schema", "generation", "no_system_role", "blind", "tools"), None),
]


@pytest.mark.parametrize(("refusals", "way"), PATHS)
def test_each_path_ends_where_the_table_says(refusals: tuple[str, ...], way: Way | None) -> None:
    assert climbed(*refusals) == way


RUNGS = ["schema", "schema:book_berth", "tools", "generation", "window:4096", "effort:low", "no_system_role", "blind"]


@pytest.mark.parametrize("pair", list(itertools.product(RUNGS, RUNGS)))
def test_of_any_two_rungs_the_second_never_undoes_the_first(pair: tuple[str, str]) -> None:
    first, second = climbed(pair[0]), climbed(*pair)
    assert first is not None
    if second is None:
        return
    order = ["native", "strict", "words"]
    assert order.index(second.mode) >= order.index(first.mode)
    assert second.window == first.window or pair[1].startswith("window")
    assert second.system_role <= first.system_role
    assert second.pictures <= first.pictures


@given(st.lists(st.sampled_from(RUNGS), max_size=12))
def test_one_answer_takes_at_most_five_requests(refusals: list[str]) -> None:
    ladder = Ladder(NATIVE, TOOLS)
    climbs = sum(1 for _ in itertools.takewhile(lambda said: ladder.climb(refusal(said)) is not None, refusals))
    assert climbs <= MOST_REQUESTS - 1


@pytest.mark.parametrize(
    ("refusals", "lessons"),
    [
        (("schema",), [("strict", ALL, SCHEMA_DAYS, True)]),
        (("schema", "schema"), [("words", "schema", SCHEMA_DAYS, True)]),
        (("tools",), [("words", "tools", TOOLS_DAYS, False)]),
        (("schema", "tools"), [("words", "tools", TOOLS_DAYS, False)]),
        (("schema:book_berth",), [("strict", '["book_berth"]', SCHEMA_DAYS, True)]),
        (("schema:book_berth", "schema:book_berth"), [("aside", '["book_berth"]', SCHEMA_DAYS, True)]),
        (("generation",), []),
        (("window:4096",), [("window", "4096", None, False)]),
        (("effort:low",), [("effort", "low", TOOLS_DAYS, False)]),
        (("no_system_role",), [("no_system_role", "", TOOLS_DAYS, False)]),
        (("blind",), [("blind", "", TOOLS_DAYS, False)]),
    ],
)
def test_what_succeeded_is_what_is_learnt(
    refusals: tuple[str, ...], lessons: list[tuple[str, str, int | None, bool]]
) -> None:
    ladder = Ladder(NATIVE, TOOLS)
    for said in refusals:
        assert ladder.climb(refusal(said)) is not None
    drafts = ladder.lessons()
    assert [(draft.kind, draft.value, draft.days, draft.digested) for draft in drafts] == lessons
    assert all(draft.text.endswith(".") for draft in drafts)


def lesson(kind: str, value: str, digest: str = "") -> Lesson:
    return Lesson("pier", "http://pier", "demo", kind, value, digest=digest)


@pytest.mark.parametrize(
    ("lessons", "way"),
    [
        ([], NATIVE),
        ([lesson("words", "tools")], WORDS),
        ([lesson("words", "schema", "d1")], WORDS),
        ([lesson("words", "schema", "other")], NATIVE),
        ([lesson("strict", ALL, "d1")], STRICT),
        ([lesson("strict", ALL, "other")], NATIVE),
        ([lesson("strict", ALL, "d1"), lesson("words", "tools")], WORDS),
        ([lesson("strict", '["book_berth"]', "d1")], Way("native", simple=BERTH)),
        ([lesson("aside", '["book_berth"]', "d1")], Way("native", aside=BERTH)),
        ([lesson("aside", "broken json", "d1")], NATIVE),
        ([lesson("window", "4096"), lesson("blind", "")], Way("native", window=4096, pictures=False)),
        ([lesson("window", "²")], NATIVE),
        ([lesson("no_system_role", ""), lesson("effort", "none")], Way("native", system_role=False, effort="none")),
        ([lesson("of a later version", "x")], NATIVE),
    ],
)
def test_lessons_make_the_next_first_request_right(lessons: list[Lesson], way: Way) -> None:
    assert by_lessons(NATIVE, lessons, digest="d1") == way


@pytest.mark.parametrize("path", [path for path, way in PATHS if way is not None])
def test_what_was_learnt_leads_to_the_way_that_worked(path: tuple[str, ...]) -> None:
    ladder = Ladder(NATIVE, TOOLS)
    for said in path:
        ladder.climb(refusal(said))
    learnt = [lesson(draft.kind, draft.value, "d1" if draft.digested else "") for draft in ladder.lessons()]
    again = by_lessons(NATIVE, learnt, digest="d1")
    assert (again.mode, again.aside, again.window) == (ladder.way.mode, ladder.way.aside, ladder.way.window)
    assert again.simple - again.aside == (
        ladder.way.simple - ladder.way.aside if again.mode == "native" else again.simple
    )


def test_nothing_changed_teaches_nothing() -> None:
    assert taught(NATIVE, NATIVE, by="") == []
    assert json.loads(taught(NATIVE, Way("native", simple=frozenset(TOOLS)), by="")[0].value) == sorted(TOOLS)
