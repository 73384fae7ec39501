"""What a turn takes in tokens and costs in US dollars, and the limits at which it pauses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conch_desktop.domain.events import Usage
from conch_desktop.domain.messages import UsageCount
from conch_desktop.domain.models import Model
from conch_desktop.domain.money import dollars

_MILLION = 1_000_000


class Tally:
    """Counts the requests of one turn. `before` is what the answer took already, when it is gone on with."""

    def __init__(self, before: UsageCount | None = None, model: Model | None = None) -> None:
        self._settled = before or UsageCount()
        self._open = self._settled
        self._model = model

    def settle(self) -> None:
        """Another request begins: what the last one took stays."""
        self._settled = self._open

    def take(self, usage: Usage) -> UsageCount:
        """What the turn took so far. A provider may tell a request's usage several times; the last one counts."""
        sent, made = usage.input_tokens or 0, usage.output_tokens or 0
        cost = price_of(self._model, sent, made) if usage.cost is None else usage.cost
        self._open = UsageCount(
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_tokens,
            usage.reasoning_tokens,
            self._settled.turn_in + sent,
            self._settled.turn_out + made,
            _sum((self._settled.cost, cost)),
        )
        return self._open


def price_of(model: Model | None, sent: int, made: int) -> float | None:
    """What tokens cost in US dollars, at most; None where the list tells no price."""
    if model is None or model.price_in is None or model.price_out is None:
        return None
    return (sent * model.price_in + made * model.price_out) / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """What a chat and a day may cost, 0 for no limit, and what was spent before this turn. All in US dollars.

    `allowed` is what this answer had cost when the person let it go on: from there the limits count anew.
    """

    chat_limit: float = 0.0
    chat_spent: float = 0.0
    day_limit: float = 0.0
    day_spent: float = 0.0
    allowed: float | None = None

    def over(self, usage: UsageCount | None) -> str:
        """Which limit is reached, in a sentence for the person; "" while none is."""
        cost = (usage.cost if usage is not None else None) or 0.0
        rows = (
            ("in this chat", self.chat_limit, self.chat_spent),
            ("in 24 hours", self.day_limit, self.day_spent),
        )
        for where, limit, before in rows:
            spent = before + cost
            counted = spent if self.allowed is None else cost - self.allowed
            if limit > 0 and counted >= limit:
                return f"{dollars(spent)} spent {where}, the limit is {dollars(limit)}. The turn is paused."
        return ""


NO_LIMIT = Budget()
"""A turn may cost what it costs."""


def _sum(amounts: Iterable[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None
