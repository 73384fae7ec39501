"""What checking a model found, and how a lesson keeps it (DESIGN 3)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from conch_desktop.domain.models import Mode

CALLS = 3
CHECKED = "checked"
"""The kind of the lesson a check leaves; its value is the mode and how many calls went right."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: the mode that works best, and how many of the three calls went right in it."""

    mode: Mode
    right: int

    @property
    def text(self) -> str:
        """The finding in a sentence."""
        if self.right == 0:
            return "Made none of 3 calls right, natively or in words."
        ways = {"native": "natively", "strict": "natively, in the strict form", "words": "in words"}
        return f"Made {self.right} of {CALLS} calls right {ways.get(self.mode, '')}."

    @property
    def value(self) -> str:
        """The finding as a lesson keeps it."""
        return json.dumps([self.mode, self.right])


def read_checked(value: str) -> Checked | None:
    """A lesson's value as a finding; None when it is none."""
    try:
        mode, right = json.loads(value)
    except (ValueError, TypeError):
        return None
    if mode in {"native", "strict", "words"} and isinstance(right, int):
        return Checked(mode, right)
    return None
