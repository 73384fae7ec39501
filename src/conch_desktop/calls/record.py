"""What mending a text has come to: the changes, the mends with their places, and the refusal."""

from __future__ import annotations

from conch_desktop.calls.edits import Edit
from conch_desktop.calls.places import Mark, Step
from conch_desktop.domain.calls import MendKind


class Unmendable(Exception):
    """A text that has no reading, or two: what was found, and where. `cut` when it only was cut off.

    `steps` is the part of the arguments it is in, once that is known.
    """

    def __init__(self, why: str, at: int, *, cut: bool = False) -> None:
        super().__init__(why)
        self.at = at
        self.cut = cut
        self.steps: tuple[Step, ...] | None = None


class Record:
    """The changes made to one text, and what each mended."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self.marks: list[Mark] = []

    def note(self, kind: MendKind, start: int, end: int) -> None:
        """Notes a mend, whatever was changed for it."""
        self.marks.append((kind, start, end))

    def change(self, start: int, end: int, instead: str, kind: MendKind) -> None:
        """Puts something in the place of a piece."""
        self.edits.append((start, end, instead))
        self.marks.append((kind, start, end))

    def leave_out(self, start: int, end: int, kind: MendKind) -> int:
        """Leaves a piece out; returns where it ends."""
        self.change(start, end, "", kind)
        return end
