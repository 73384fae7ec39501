"""Where the parts of a call's arguments came from: from the arguments back to the text as it was sent.

A call's arguments may come from several pieces of one text, and from texts within texts. Each of these is a `Value`;
an `Place` names a part of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from conch_desktop.calls.edits import Back, joined, nowhere_else, out_of_text
from conch_desktop.calls.places import Step, Value, Wanted, find, path_text
from conch_desktop.domain.calls import Mend, MendKind


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the arguments. `how`: a `value` begins here (`step` is its number); a `member` of what is above; a
    member `hidden` from paths, because it is a frame around the arguments; or only `shown`, because a list was made.
    """

    up: Place | None
    step: Step
    how: Literal["value", "member", "hidden", "shown"] = "member"

    def path(self) -> str:
        """As people write it."""
        steps: list[Step] = []
        place: Place | None = self
        while place is not None:
            if place.how in ("member", "shown"):
                steps.append(place.step)
            place = place.up
        return path_text(reversed(steps))

    def origin(self) -> tuple[int, list[Step]]:
        """The number of the value it lies in, and the steps within that."""
        steps: list[Step] = []
        place = self
        while place.how != "value" and place.up is not None:
            if place.how != "shown":
                steps.append(place.step)
            place = place.up
        steps.reverse()
        return int(place.step), steps


class Origins:
    """The values arguments were put together from, and the mends made on the way, by place."""

    def __init__(self) -> None:
        self._values: list[tuple[Value | None, Place | None]] = []
        self._marks: list[tuple[MendKind, int, int, int]] = []
        self._mends: list[tuple[MendKind, Place, Place | None]] = []

    def add(self, value: Value | None, inside: Place | None = None) -> Place:
        """A further value, read from the text at `inside` of another one; None when there is no text of it."""
        self._values.append((value, inside))
        return Place(inside, len(self._values) - 1, "value")

    def marked(self, value: Place, marks: Sequence[tuple[MendKind, int, int]]) -> None:
        """Mends made while the text of `value` was read."""
        self._marks += [(kind, int(value.step), start, end) for kind, start, end in marks]

    def mended(self, kind: MendKind, place: Place, inner: Place | None = None) -> None:
        """A mend of the value at `place`; of what is around `inner`, when that is given."""
        self._mends.append((kind, place, inner))

    def count(self) -> int:
        """How many mends of values there are so far, to take back those of an attempt (`back_to`)."""
        return len(self._mends)

    def back_to(self, count: int) -> None:
        """Forgets the mends after the first `count`."""
        del self._mends[count:]

    def mends(self) -> tuple[Mend, ...]:
        """Every mend with its path and its place in the text as it was sent, in the order of the text."""
        if not self._marks and not self._mends:
            return ()
        wanted = [Wanted() for _ in self._values]
        inside = [_node(wanted, place) for _, place in self._values]
        nodes = [(_node(wanted, place), _node(wanted, inner)) for _, place, inner in self._mends]
        of_text, of_body = self._ways_back(wanted, inside)
        found = []
        for kind, number, start, end in self._marks:
            found.append(Mend(kind, "", _span(of_text[number], (start, end))))
        for (kind, place, _), (outer, inner) in zip(self._mends, nodes, strict=True):
            span = outer.span if outer else None
            if span and inner and inner.span:
                span = (span[0], inner.span[0])
            found.append(Mend(kind, place.path(), _span(of_body[place.origin()[0]], span)))
        return tuple(sorted(found, key=lambda mend: mend.span or (0, 0)))

    def _ways_back(
        self, wanted: list[Wanted], inside: list[Wanted | None]
    ) -> tuple[list[Back | None], list[Back | None]]:
        """For each value: from its text as it stood, and from its text made sound, to the text as it was sent."""
        of_text: list[Back | None] = []
        of_body: list[Back | None] = []
        for (value, place), node, within in zip(self._values, wanted, inside, strict=True):
            way: Back | None = nowhere_else
            if place is not None:
                parent = place.origin()[0]
                outer, back = self._values[parent][0], of_body[parent]
                span = within.span if within else None
                way = joined(out_of_text(outer.body, *span), back) if outer and back and span else None
            elif value is None:
                way = None
            if value is not None and way is not None:
                find(value.body, value.at, node)
            of_text.append(way)
            of_body.append(joined(value.back, way) if value is not None and way is not None else None)
        return of_text, of_body


def _node(wanted: list[Wanted], place: Place | None) -> Wanted | None:
    if place is None:
        return None
    number, steps = place.origin()
    return wanted[number].at(steps)


def _span(back: Back | None, span: tuple[int, int] | None) -> tuple[int, int] | None:
    return None if back is None or span is None else back(*span)
