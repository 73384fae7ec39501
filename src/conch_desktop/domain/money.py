"""Amounts of money in words."""

from __future__ import annotations


def dollars(amount: float) -> str:
    """An amount as people read it: two figures at least, and never "$0.00" for what was not free."""
    if amount == 0 or amount >= 0.995:
        return f"${amount:,.2f}"
    if amount < 0.0001:
        return "under $0.0001"
    return f"${amount:.4f}" if amount < 0.01 else f"${amount:.3f}" if amount < 0.1 else f"${amount:.2f}"
