"""The name that comes nearest."""

from __future__ import annotations

import pytest

from conch_desktop.calls.nearest import nearest

FIELDS = ("order_id", "limit", "query", "unread", "departure")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("orderId", "order_id"),
        ("ORDER-ID", "order_id"),
        ("limit ", "limit"),
        ("limt", "limit"),
        ("un_read", "unread"),
        ("Departure", "departure"),
        ("colour", ""),
        ("", ""),
        ("___", ""),
        ("q" * 1000, ""),
    ],
)
def test_case_marks_and_small_slips_count_for_little(name: str, near: str) -> None:
    assert nearest(name, FIELDS) == near


def test_a_thousand_names_are_not_all_compared() -> None:
    assert nearest("f7", [f"f{number}" for number in range(100_000)]) == "f7"
