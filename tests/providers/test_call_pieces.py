"""Calls are put together from their pieces, whatever the server tells them apart by."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.providers.call_pieces import CallPieces, joined
from tests.servers import call_piece as piece

TOOLS = ("find_note", "find_notes", "set_lamp", "now")


def made(deltas: Sequence[Any], *, cut: bool = False, tools: Sequence[str] = TOOLS) -> list[tuple[str, str, str]]:
    """The calls that come of these deltas: id, name, arguments."""
    pieces = CallPieces(tools)
    for delta in deltas:
        pieces.take(delta)
    return [(call.id, call.name, call.arguments) for call in pieces.ended(cut=cut)]


A, A2, B = '{"q":"tea"}', '{"q":"jam"}', '{"on":true}'

WHICH_CALL: dict[str, tuple[Sequence[Any], list[tuple[str, str, str]]]] = {
    "pieces of two calls come in turns, told apart by their index": (
        [
            [piece("find_note", call_id="c0"), piece("set_lamp", index=1, call_id="c1")],
            [piece(arguments='{"on":', index=1)],
            [piece(arguments='{"q":')],
            [piece(arguments='"tea"}')],
            [piece(arguments="true}", index=1)],
        ],
        [("c0", "find_note", A), ("c1", "set_lamp", B)],
    ),
    "every call has index 0, and each is whole": (
        [[piece("find_note", A, call_id="c0")], [piece("find_note", '{"q":"rye"}', call_id="c1")]],
        [("c0", "find_note", A), ("c1", "find_note", '{"q":"rye"}')],
    ),
    "every call has index 0, in pieces": (
        [
            [piece("find_note", call_id="c0")],
            [piece(arguments=A[:4])],
            [piece(arguments=A[4:])],
            [piece("find_note", call_id="c1")],
            [piece(arguments=A)],
        ],
        [("c0", "find_note", A), ("c1", "find_note", A)],
    ),
    "another tool's name starts a call, though nothing else does": (
        [[piece("now")], [piece("set_lamp", B)]],
        [("", "now", ""), ("", "set_lamp", B)],
    ),
    "the id is new on every piece": (
        [
            [piece("find_note", A[:3], call_id="t1")],
            [piece("", A[3:6], call_id="t2")],
            [piece("", A[6:], call_id="t3")],
        ],
        [("t1", "find_note", A)],
    ),
    "one id at two indexes is one call": (
        [[piece("find_note", call_id="c0")], [piece(arguments=A, index=1, call_id="c0")]],
        [("c0", "find_note", A)],
    ),
    "no index, fragments without an id": (
        [
            [piece("find_note", index=None, call_id="c0")],
            [piece(arguments=A[:5], index=None)],
            [piece(arguments=A[5:], index=None)],
            [piece("set_lamp", index=None, call_id="c1")],
            [piece(arguments=B, index=None)],
        ],
        [("c0", "find_note", A), ("c1", "set_lamp", B)],
    ),
    "no index and no id: a name after whole arguments starts a call": (
        [[piece("find_note", A, index=None)], [piece("find_note", A, index=None)]],
        [("", "find_note", A), ("", "find_note", A)],
    ),
    "no index and no id: a name before that is a repeat": (
        [[piece("find_note", A[:4], index=None)], [piece("find_note", A[4:], index=None)]],
        [("", "find_note", A)],
    ),
    "two calls without arguments, index or id in one delta are two": (
        [[piece("now", index=None), piece("now", index=None)]],
        [("", "now", ""), ("", "now", "")],
    ),
    "the arguments come before the name": (
        [[piece(arguments=A[:4], index=None, call_id="c0")], [piece("find_note", A[4:], index=None, call_id="c0")]],
        [("c0", "find_note", A)],
    ),
    "a missing index is not 0": (
        [[piece("find_note", A, index=None, call_id="c0"), piece("set_lamp", B, index=None, call_id="c1")]],
        [("c0", "find_note", A), ("c1", "set_lamp", B)],
    ),
    "two tools under one id are two calls": (
        [[piece("find_note", A, call_id="x")], [piece("set_lamp", B, index=1, call_id="x")]],
        [("x", "find_note", A), ("", "set_lamp", B)],
    ),
    "one tool twice under one id, at two indexes": (
        [[piece("find_note", A, call_id="x")], [piece("find_note", A2, index=1, call_id="x")]],
        [("x", "find_note", A), ("", "find_note", A2)],
    ),
    "one tool twice under one id, in pieces": (
        [
            [piece("find_note", call_id="x")],
            [piece(arguments=A[:4], call_id="x")],
            [piece(arguments=A[4:])],
            [piece("find_note", index=1, call_id="x")],
            [piece(arguments=A2[:4], index=1, call_id="x")],
            [piece(arguments=A2[4:], index=1)],
        ],
        [("x", "find_note", A), ("", "find_note", A2)],
    ),
    "one whole call shown at two indexes": (
        [[piece("find_note", A, call_id="x")], [piece("find_note", A, index=1, call_id="x")]],
        [("x", "find_note", A)],
    ),
    "the head of the second call has the first one's index": (
        [
            [piece("find_note", A, call_id="c0")],
            [piece("set_lamp", call_id="c1")],
            [piece(arguments=B[:3], index=1)],
            [piece(arguments=B[3:], index=1)],
        ],
        [("c0", "find_note", A), ("c1", "set_lamp", B)],
    ),
    "an index is text": (
        [
            [{**piece("find_note", A[:3], call_id="c0"), "index": "0"}],
            [{**piece("set_lamp", B[:3], call_id="c1"), "index": "1"}],
            [{**piece(arguments=A[3:]), "index": "0"}],
            [{**piece(arguments=B[3:]), "index": "1"}],
        ],
        [("c0", "find_note", A), ("c1", "set_lamp", B)],
    ),
    "an index below 0, then none": (
        [[piece("find_note", A[:3], index=-1, call_id="c0")], [piece(arguments=A[3:], index=None)]],
        [("c0", "find_note", A)],
    ),
    "the one entry comes bare": ([piece("set_lamp", B, call_id="c0")], [("c0", "set_lamp", B)]),
    "the older form with one call": (
        [{"name": "set_lamp", "arguments": ""}, {"arguments": B}],
        [("", "set_lamp", B)],
    ),
    "entries that are none are passed over": ([[None, "x", 3, {}], {"function": None}, "text"], []),
}


@pytest.mark.parametrize(("deltas", "expected"), WHICH_CALL.values(), ids=WHICH_CALL.keys())
def test_a_piece_belongs_to_its_call(deltas: Sequence[Any], expected: list[tuple[str, str, str]]) -> None:
    calls = made(deltas)
    assert [call[1:] for call in calls] == [call[1:] for call in expected]
    for (identity, *_), (wanted, *_) in zip(calls, expected, strict=True):
        assert identity == wanted or (not wanted and identity.startswith("call_"))
    assert len({identity for identity, *_ in calls}) == len(calls)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["find_note", "find_note", "find_note"], "find_note"),
        (["find_", "notes"], "find_notes"),
        (["find_note", "", None], "find_note"),
        (["find", "find_no", "find_note"], "find_note"),
        (["unheard_of", "else"], "unheard_of"),
        (["set_", "set_lamp"], "set_lamp"),
    ],
)
def test_the_first_name_stays_unless_it_was_only_a_part(names: list[str | None], expected: str) -> None:
    assert [name for _, name, _ in made([[piece(name)] for name in names])] == [expected]


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        (['{"a":"', "x", "x", '"}'], '{"a":"xx"}'),  # equal pieces are real
        (['{"a', '{"a":1', '{"a":1}'], '{"a":1}'),  # each holds all so far
        (['{"a"', ":1}", '{"a":1}'], '{"a":1}'),  # in pieces, then whole
        (['{"a":1}', '{"a":1}'], '{"a":1}'),
        (['{"a":1}{"a"', ':1}{"a":1}'], '{"a":1}'),  # a row of the same
        (["{}", '{"a"', ":1}"], '{"a":1}'),  # an empty object held the place
        (['{"a":1', '{"b":2'], '{"a":1{"b":2'),  # nothing to be sure of: the mender's
        (["", ""], ""),
        ([], ""),
    ],
)
def test_the_arguments_are_decided_when_all_fragments_are_there(fragments: list[str], expected: str) -> None:
    assert joined(fragments) == expected


def test_arguments_that_are_an_object_are_written_out_and_null_is_nothing() -> None:
    given = [{"index": 0, "id": "c0", "function": {"name": "find_note", "arguments": {"q": "té"}}}]
    assert made([given]) == [("c0", "find_note", '{"q": "té"}')]
    given[0]["function"]["arguments"] = None  # type: ignore[index]
    assert made([given, [piece(arguments=A)]]) == [("c0", "find_note", A)]


def test_after_a_cut_only_whole_calls_run() -> None:
    deltas = [[piece("find_note", A, call_id="c0")], [piece("set_lamp", '{"on":tr', index=1, call_id="c1")]]
    assert made(deltas, cut=True) == [("c0", "find_note", A)]
    assert len(made(deltas)) == 2
    assert made([[piece("now", "", call_id="c0")]], cut=True) == []


def test_a_call_without_a_name_does_not_run() -> None:
    assert made([[piece(arguments=A, call_id="c0")]]) == []


def test_the_provider_s_own_data_stays_with_its_call() -> None:
    signed = {**piece(index=None, call_id="c0"), "extra_content": {"google": {"thought_signature": "Ejk="}}}
    pieces = CallPieces(TOOLS)
    pieces.take([piece("find_note", A, index=None, call_id="c0"), piece("now", index=None, call_id="c1")])
    pieces.take([signed])
    first, second = pieces.ended(cut=False)
    assert json.loads(first.extra) == {"extra_content": {"google": {"thought_signature": "Ejk="}}}
    assert second.extra == ""


def test_signs_of_life_name_the_call_and_bring_each_piece_once() -> None:
    pieces = CallPieces(TOOLS)
    events = pieces.take([piece("find_note", A[:4], call_id="c0")]) + pieces.take([piece(arguments=A[4:])])
    assert [(event.key, event.name, event.arguments) for event in events] == [
        (0, "find_note", A[:4]),
        (0, "find_note", A[4:]),
    ]


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["index", "id", "function", "name", "arguments", "type"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(junk, max_size=6))
def test_no_rubbish_is_too_much(deltas: list[Any]) -> None:
    made(deltas)


@given(st.lists(st.text(max_size=6), max_size=8))
def test_fragments_of_json_are_joined_as_they_are(texts: list[str]) -> None:
    whole = json.dumps(texts)
    size = max(1, len(whole) // 5)
    assert joined([whole[start : start + size] for start in range(0, len(whole), size)]) == whole
