"""Names as providers take them, and back."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.schemas.names import FIELD_RULES, NAME_RULES, fit_name, fit_names, renamed_back

OPENAI, ANTHROPIC, GEMINI = NAME_RULES["openai"], NAME_RULES["anthropic"], NAME_RULES["gemini"]
LONG = "n" * 90


@pytest.mark.parametrize(
    ("rule", "name", "sent"),
    [
        ("openai", "search", "search"),
        ("openai", "get forecast (beta)", "get_forecast_beta"),
        ("openai", "files.read", "files_read"),
        ("openai", "café", "cafe"),
        ("openai", "3things", "3things"),
        ("openai", LONG, f"{'n' * 55}_3a25c1e0"),
        ("anthropic", LONG, LONG),
        ("gemini", "files.read", "files.read"),
        ("gemini", "3things", "_3things"),
        ("gemini", "天気", "tool_06f7a5a6"),
        ("strict", "files.read", "files_read"),
        ("strict", "3things", "_3things"),
        ("moonshot", "3things", "tool_3things"),
        ("moonshot", "_x", "tool__x"),
    ],
)
def test_a_tool_is_sent_under_this_name(rule: str, name: str, sent: str) -> None:
    fitted = fit_names([name], NAME_RULES[rule])
    assert NAME_RULES[rule].fits(fitted[name])
    if "_" in sent and len(sent.rpartition("_")[2]) == 8:  # ends in a mark of the original
        assert fitted[name][:-8] == sent[:-8]
    else:
        assert fitted == {name: sent}


def test_names_that_would_become_one_are_told_apart_in_any_order() -> None:
    names = ["a.b", "a b", "a/b", "search"]
    fitted = fit_names(names, OPENAI)
    assert len(set(fitted.values())) == 4
    assert all(sent.startswith("a_b_") for name, sent in fitted.items() if name != "search")
    for order in itertools.permutations(names):
        assert fit_names(order, OPENAI) == fitted


def test_a_name_that_fits_is_never_taken_from_its_tool() -> None:
    fitted = fit_names(["a.b", "a_b"], OPENAI)
    assert fitted["a_b"] == "a_b"
    assert fitted["a.b"] != "a_b"
    assert fit_names(["a.b"], OPENAI) == {"a.b": "a_b"}


ANY_NAME = st.text(max_size=150) | st.sampled_from(["", " ", "\ud83d", "a.b", "a_b", "a b", LONG, LONG + "x"])


@pytest.mark.parametrize("rule", NAME_RULES)
@given(names=st.lists(ANY_NAME, max_size=12))
def test_any_names_fit_differ_and_lead_back(rule: str, names: list[str]) -> None:
    fitted = fit_names(names, NAME_RULES[rule])
    assert set(fitted) == set(names)
    assert len(set(fitted.values())) == len(fitted)
    for name, sent in fitted.items():
        assert NAME_RULES[rule].fits(sent)
        assert sent == name or not NAME_RULES[rule].fits(name)
    assert fit_names(reversed(names), NAME_RULES[rule]) == fitted


@pytest.mark.parametrize("rule", FIELD_RULES)
@given(name=ANY_NAME, taken=st.sets(ANY_NAME, max_size=5))
def test_a_field_gets_a_name_that_no_other_has(rule: str, name: str, taken: set[str]) -> None:
    sent = fit_name(name, FIELD_RULES[rule], taken)
    assert FIELD_RULES[rule].fits(sent)
    assert sent not in taken


@pytest.mark.parametrize(
    ("args", "back"),
    [
        ({"_and": 1, "b": 2}, {"$and": 1, "b": 2}),
        ({"a": [{"_and": [{"_and": 1}]}]}, {"a": [{"$and": [{"$and": 1}]}]}),
        ({"_and": {"_and": "_and"}}, {"$and": {"$and": "_and"}}),
        (
            {"_and": 1, "$and": 2},
            {"_and": 1, "$and": 2},
        ),  # its own name wins
        ([{"_and": 1}, "_and", None], [{"$and": 1}, "_and", None]),
        ("_and", "_and"),
        (None, None),
    ],
)
def test_arguments_get_the_fields_own_names_at_every_level(args: Any, back: Any) -> None:
    before = repr(args)
    assert renamed_back(args, {"_and": "$and"}) == back
    assert repr(args) == before


def test_arguments_nested_ten_thousand_deep_are_renamed_too() -> None:
    args: Any = {"_and": 1}
    for _ in range(10_000):
        args = {"_and": [args]}
    back = renamed_back(args, {"_and": "$and"})
    for _ in range(10_000):
        back = back["$and"][0]
    assert back == {"$and": 1}


def test_the_order_of_fields_stays() -> None:
    assert list(renamed_back({"b": 1, "_and": 2, "a": 3}, {"_and": "$and"})) == ["b", "$and", "a"]
