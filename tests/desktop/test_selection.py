"""The selection as places in the model: what of each block is in it, and what a copy has, in any order of dragging."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.desktop.selection import Part, Place, Span, copied

CHAT = (("Hello", "there"), ("One", "Two", "Three"), ("Last",))


def parts(row: int) -> Sequence[tuple[int, Callable[[], str], Part]]:
    return [
        (at, lambda text=text: text, lambda start, end, text=text: text[start:end])  # type: ignore[misc]
        for at, text in enumerate(CHAT[row])
    ]


CASES = {
    "inside a block": (Place(0, 0, 1), Place(0, 0, 4), "ell"),
    "over two blocks": (Place(0, 0, 3), Place(0, 1, 2), "lo\n\nth"),
    "over messages": (Place(0, 1, 2), Place(2, 0, 2), "ere\n\nOne\n\nTwo\n\nThree\n\nLa"),
    "everything": (Place(0, 0, 0), Place(2, 9, 99), "Hello\n\nthere\n\nOne\n\nTwo\n\nThree\n\nLast"),
    "nothing": (Place(1, 1, 1), Place(1, 1, 1), ""),
}


@pytest.mark.parametrize(("anchor", "head", "text"), CASES.values(), ids=CASES)
def test_what_is_copied(anchor: Place, head: Place, text: str) -> None:
    assert copied(Span(anchor, head), parts) == text
    assert copied(Span(head, anchor), parts) == text


_PLACES = st.builds(Place, st.integers(0, 3), st.integers(0, 3), st.integers(0, 9))


@given(anchor=_PLACES, head=_PLACES)
def test_what_is_painted_lies_between_the_ends(anchor: Place, head: Place) -> None:
    span = Span(anchor, head)
    for row in range(4):
        for block in range(4):
            start, end = span.inside(row, block, 9)
            assert 0 <= start <= end
            whole = (span.first.row, span.first.block) < (row, block) < (span.last.row, span.last.block)
            if whole:
                assert (start, end) == (0, 9)
