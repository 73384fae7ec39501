"""The estimate of tokens."""

from __future__ import annotations

import pytest

from conch_desktop.domain.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("a" * 35, 10), ("a" * 36, 11), ("日本語", 3), ("é" * 35, 10), ("日a", 2)]
)
def test_an_estimate_errs_towards_more(text: str, tokens: int) -> None:
    assert estimate(text) == tokens
