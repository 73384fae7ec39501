"""What an answer or a chat took, in words: tokens, and their price where the list of models tells prices."""

from __future__ import annotations

from conch_desktop.domain.messages import UsageCount
from conch_desktop.domain.money import dollars


def usage_words(usage: UsageCount | None) -> str:
    """ "2,310 tokens, about $0.004"; "" where nothing was counted."""
    tokens = all_tokens(usage)
    if usage is None or not tokens:
        return ""
    words = f"{tokens:,} token{'' if tokens == 1 else 's'}"
    if usage.cost is None:
        return words
    if usage.cost == 0:
        return f"{words}, free"
    price = dollars(usage.cost)
    return f"{words}, {price}" if price.startswith("under") else f"{words}, about {price}"


def all_tokens(usage: UsageCount | None) -> int:
    """Tokens in and out. An answer from before all requests of a turn were counted tells only the last one."""
    if usage is None:
        return 0
    return (usage.turn_in or usage.input_tokens or 0) + (usage.turn_out or usage.output_tokens or 0)


def price_words(price_in: float | None, price_out: float | None) -> str:
    """What a model costs for a million tokens in and out: "0.30 / 2.50", "free"; "" where nobody says."""
    if price_in is None or price_out is None:
        return ""
    return "free" if price_in == price_out == 0 else f"{price_in:,.2f} / {price_out:,.2f}"
