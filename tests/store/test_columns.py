"""Texts and JSON come back from a column as they went in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.store.columns import from_column, from_json, to_column, to_json

ANY_TEXT = st.text(st.characters(exclude_categories=()))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda values: st.lists(values, max_size=4) | st.dictionaries(ANY_TEXT, values, max_size=4),
    max_leaves=12,
)


def through_sqlite(value: str | bytes) -> str | bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (value TEXT NOT NULL)")
        connection.execute("INSERT INTO t VALUES (?)", (value,))
        kept: str | bytes = connection.execute("SELECT value FROM t").fetchone()[0]
        return kept


@given(ANY_TEXT)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    assert from_column(through_sqlite(to_column(text))) == text


@given(JSON)
def test_any_json_comes_back_as_it_was(value: object) -> None:
    back = from_json(through_sqlite(to_json(value)))
    assert back == value
    assert repr(back) == repr(value)  # true is not 1, and 1 is not 1.0


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("plain", "plain"),
        ("naïve 東京 👩‍👩‍👧", "naïve 東京 👩‍👩‍👧"),
        ("a\x00b", "a\x00b"),
        ("half \ud83d", b"half \xed\xa0\xbd"),
        ("", ""),
    ],
)
def test_only_a_text_with_half_a_pair_is_kept_as_bytes(text: str, column: str | bytes) -> None:
    assert to_column(text) == column


def test_two_halves_side_by_side_stay_two_halves() -> None:
    halves = "\ud83d" + "\ude00"
    assert from_json(to_json({"a": halves})) == {"a": halves}


def test_a_mapping_inside_is_written_as_an_object() -> None:
    assert from_json(to_json({"a": MappingProxyType({"b": 1})})) == {"a": {"b": 1}}


def test_something_that_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="object is not JSON"):
        to_json({"a": object()})
