"""Heights: sums and places as a plain list would give them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.desktop.heights import Heights

_MANY = st.lists(st.integers(0, 500), max_size=60)


@given(heights=_MANY, more=_MANY, changes=st.lists(st.tuples(st.integers(0, 200), st.integers(0, 900)), max_size=20))
def test_sums_are_those_of_a_list(heights: list[int], more: list[int], changes: list[tuple[int, int]]) -> None:
    tree, plain = Heights(heights), list(heights)
    for high in more:
        tree.append(high)
        plain.append(high)
    for at, high in changes:
        if plain:
            tree[at % len(plain)] = high
            plain[at % len(plain)] = high
    assert [tree.above(at) for at in range(len(plain) + 1)] == [sum(plain[:at]) for at in range(len(plain) + 1)]
    assert tree.total == sum(plain)
    assert [tree[at] for at in range(len(tree))] == plain


@given(heights=st.lists(st.integers(1, 90), min_size=1, max_size=60), place=st.integers(-50, 6000))
def test_the_one_found_covers_the_place(heights: list[int], place: int) -> None:
    tree = Heights(heights)
    at = tree.find(place)
    if place <= 0:
        assert at == 0
    elif place >= tree.total:
        assert at == len(heights) - 1
    else:
        assert tree.above(at) <= place < tree.above(at + 1)


@given(heights=_MANY, count=st.integers(0, 80), more=_MANY)
def test_it_can_be_cut_and_grow_again(heights: list[int], count: int, more: list[int]) -> None:
    tree = Heights(heights)
    tree.cut(min(count, len(heights)))
    for high in more:
        tree.append(high)
    plain = heights[:count] + more
    assert tree.total == sum(plain)
    assert len(tree) == len(plain)
