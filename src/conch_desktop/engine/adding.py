"""Helps to add a provider: what can be offered, and what answers when it is tried. Keeps nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from conch_desktop.domain.clock import Clock
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.models import Provider
from conch_desktop.engine.catalogue import LIST_LIMIT
from conch_desktop.providers.companies import COMPANIES, company_at
from conch_desktop.providers.registry import base_url
from conch_desktop.providers.wire import Wire


@dataclass(frozen=True, slots=True)
class Tested:
    """How trying a provider went, in a sentence."""

    ok: bool
    text: str
    advice: str = ""
    models: int = 0


async def try_out(provider: Provider, wire_of: Callable[[], Awaitable[Wire]], clock: Clock) -> Tested:
    """Asks a provider for its models, and says in numbers what answered."""
    begun = clock.monotonic()
    try:
        wire = await wire_of()
        try:
            async with asyncio.timeout(LIST_LIMIT):
                models = await wire.list_models()
        finally:
            await wire.aclose()
    except ConchError as error:
        return Tested(False, error.what, error.advice)
    except TimeoutError:
        return Tested(False, f"{base_url(provider)} did not answer in {LIST_LIMIT:.0f} s.", "Check the address.")
    from conch_desktop.providers.looking import in_numbers  # with it comes the HTTP client, which the wire has by now

    if not models:
        return Tested(
            False, f"{base_url(provider)} answered, and lists no models.", "Load one there, or check the address."
        )
    return Tested(True, in_numbers(models, clock.monotonic() - begun), "", len(models))


def keys_at_hand(environment: Mapping[str, str], providers: Sequence[Provider]) -> list[tuple[str, str]]:
    """Keys in the environment that can be offered: the company and the variable. Those in use already are left out."""
    used = {provider.key_env for provider in providers}
    rows = [row for row in COMPANIES.values() if row.key_env and row.key_env not in used]
    found: dict[str, str] = {}
    for row in rows:
        if environment.get(row.key_env, "").strip():
            found.setdefault(row.key_env, row.name)
    return [(company, variable) for variable, company in found.items()]


def is_untested(provider: Provider) -> bool:
    """Is it a company's server that this program was never tried with?"""
    company = company_at(provider.url) if provider.url else None
    return company is not None and company.kind == provider.kind and company.untested
