"""What every wire makes of an answer: JSON values go in, events come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from conch_desktop.domain.events import WireEvent


class WireAnswer(Protocol):
    """One answer, put together from the JSON values of a stream.

    `done`: the server said that nothing follows; whoever reads the bytes sets it too.
    """

    done: bool

    @property
    def characters(self) -> int:
        """How much text and thinking there is so far."""
        ...

    @property
    def taken(self) -> bool:
        """Has a value come that is part of an answer?"""
        ...

    @property
    def started(self) -> bool:
        """Has a word or a call come? From then on a refusal is one in mid-stream."""
        ...

    @property
    def calling(self) -> bool:
        """Has a call begun?"""
        ...

    @property
    def ended(self) -> bool:
        """Was the end told, so that the answer is whole?"""
        ...

    @property
    def failed(self) -> bool:
        """Did the server end the answer with a reason that means a fault?"""
        ...

    def take(self, value: Mapping[str, Any]) -> list[WireEvent]:
        """The events of one value."""
        ...

    def end(self) -> list[WireEvent]:
        """The last events of an answer that ended as it should; the very last is its `Finish`."""
        ...

    def broken(self) -> list[WireEvent]:
        """What is still to be told of an answer that did not: held text and the usage. No calls, nothing to replay."""
        ...
