"""What is known of calls beside their records: how far one is, whether it can be taken back, what its tool is called.

Lines and cards of calls ask it when they paint; it tells them when something of a call changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from conch_desktop.domain.calls import CallRecord

_LONGEST = 300
"""Characters of a word about progress that are kept."""

_LONG = 24
"""Characters of a name from which it may be cut where it is shown."""


class CallNews(QObject):
    """One for the program. `changed` carries the call's id, "" when it may be any."""

    changed = Signal(str)
    undo_asked = Signal(str)
    """The person wants to take this call back."""

    def __init__(self) -> None:
        super().__init__()
        self._moved: dict[str, str] = {}
        self._undoable: set[str] = set()
        self._labels: dict[tuple[str, str], str] = {}

    def progress(self, call: CallRecord) -> str:
        """How far a running call says it is; "" when it says nothing."""
        return self._moved.get(call.id, "") if call.state == "running" else ""

    def move(self, call: str, text: str) -> None:
        """A running call says how far it is."""
        self._moved[call] = " ".join(text[:_LONGEST].split())
        self.changed.emit(call)

    def ended(self, call: str) -> None:
        """A call has ended: how far it was is of no interest any more."""
        self._moved.pop(call, None)

    def can_undo(self, call: CallRecord) -> bool:
        """Whether what a call did can be taken back."""
        return call.id in self._undoable

    def set_undoable(self, calls: Iterable[str], on: bool) -> None:
        """These calls can be taken back, or can't any more."""
        for call in calls:
            if on != (call in self._undoable):
                (self._undoable.add if on else self._undoable.discard)(call)
                self.changed.emit(call)

    def name(self, call: CallRecord) -> str:
        """What a call's tool is called: an app's own name for it, where that is known."""
        return self._labels.get((call.source, call.name), call.name)

    def full_name(self, call: CallRecord) -> str:
        """For the tooltip of a name that may be cut: all of it, and the name models are given when it is another."""
        shown = self.name(call)
        if shown != call.name:
            return f"{shown}\nModels are given it as {call.name}"
        return shown if len(shown) > _LONG else ""

    def set_labels(self, labels: Mapping[tuple[str, str], str]) -> None:
        """The apps' own names of their tools, by app and the name models are given. Names of before are kept: calls
        of an app that is gone are still shown."""
        new = {**self._labels, **labels}
        if new != self._labels:
            self._labels = new
            self.changed.emit("")


news = CallNews()
