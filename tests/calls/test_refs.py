"""Browser refs: bare, or copied from the page text with their frame."""

from __future__ import annotations

import pytest

from conch_desktop.calls.refs import is_bare, unwrap_ref


@pytest.mark.parametrize(
    "framed", ["e12", "[ref=e12]", "ref=e12", "ref:e12", "e12]", "[e12", " e12 ", '"e12"', "[ref='e12']", "`e12`"]
)
def test_a_ref_is_taken_out_of_its_frame(framed: str) -> None:
    assert unwrap_ref(framed) == "e12"


@pytest.mark.parametrize(
    "other",
    [
        "",
        "ref=",
        "[]",
        "e12 e13",
        "[ref=e12][ref=e13]",
        "e12] >> css=body",
        "aria-ref=e12",
        'button "Save" [ref=e12]',
        "REF=e12",
        "[ref = e12]",
        "e12;",
        "e" * 17,
        "e１２",
        "#save",
    ],
)
def test_anything_else_comes_back_as_it_is_and_is_no_ref(other: str) -> None:
    assert unwrap_ref(other) == other
    assert not is_bare(other)
