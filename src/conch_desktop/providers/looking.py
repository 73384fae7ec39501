"""Looks at a server of one's own: does something answer at an address, and what. No key is ever sent from here.

Only addresses on this computer and private networks are looked at; a service on the internet is asked when a person
tests or adds it, and not before.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import httpx

from conch_desktop.domain.errors import UsageError
from conch_desktop.domain.models import Model, Provider
from conch_desktop.providers.companies import COMPANIES
from conch_desktop.providers.openai_models import Listing, read_listing
from conch_desktop.providers.refusals import shown
from conch_desktop.providers.registry import at_home, base_url
from conch_desktop.providers.sse import Body

LOOK_SECONDS = 3.0
"""The longest a look may take."""
FIND_SECONDS = 1.0
"""The longest each server on this computer is waited for."""
_MOST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look found. `good`: a list of models answered. `url` is the address it is behind, in `words` what was
    found. `company` is the row of a server that showed itself, "" where it did not."""

    url: str
    good: bool
    words: str
    company: str = ""
    models: int = 0


async def look_at(url: str, *, seconds: float = LOOK_SECONDS) -> Looked | None:
    """What answers at an address as a person types it; None for one that is no address yet, or not to be looked at."""
    try:
        base = base_url(Provider("", "openai", "", url))
    except UsageError:
        return None
    if not url.strip() or not at_home(base):
        return None
    found = await _asked(base, seconds)
    if not found.good and not base.endswith("/v1"):
        behind = await _asked(f"{base}/v1", seconds)
        return behind if behind.good else found
    return found


async def find_servers(ports: Iterable[int] = ()) -> list[Looked]:
    """The servers on this computer that listen where such servers do. `ports` are looked at in the place of those."""
    rows = {row.port: row.name for row in COMPANIES.values() if row.port}
    wanted = list(ports) or list(rows)
    looks = await asyncio.gather(*(_asked(f"http://127.0.0.1:{port}/v1", FIND_SECONDS) for port in wanted))
    return [
        look if look.company else Looked(look.url, True, look.words, rows.get(port, "own"), look.models)
        for port, look in zip(wanted, looks, strict=True)
        if look.good
    ]


def in_numbers(models: Sequence[Model], seconds: float) -> str:
    """A list of models in numbers: how many, how many of them say that they take tools, how long it took."""
    able = sum(model.tools is True for model in models)
    words = f"{len(models):,} model{'' if len(models) == 1 else 's'}"
    took = f"{seconds * 1000:.0f} ms" if seconds < 0.1 else f"{seconds:.1f} s"
    return f"{words}{f', {able:,} with tools' if able else ''}, answered in {took}"


async def _asked(base: str, seconds: float) -> Looked:
    """What the list of models at an address says."""
    url, begun = f"{base}/models", time.monotonic()
    try:
        async with (
            asyncio.timeout(seconds),
            httpx.AsyncClient(trust_env=False, verify=not base.startswith("http:"), timeout=seconds) as client,
            client.stream("GET", url) as response,
        ):
            status, server, text = response.status_code, response.headers.get("server", ""), await _text(response)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        certificate = "certificate" in str(error).lower()
        what = "shows a certificate nobody vouches for" if certificate else "nothing answers"
        return Looked(base, False, f"{shown(base)}: {what}.")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, TimeoutError, OSError):
        return Looked(base, False, f"{shown(base)} did not answer in {seconds:.0f} s.")
    if status in (401, 403):
        return Looked(base, False, f"{shown(base)} answers, and asks for a key.")
    if not 200 <= status < 300:
        return Looked(base, False, f"GET {shown(url)} answered {status}.")
    listing = _listing(text)
    if listing is None:
        return Looked(base, False, f"GET {shown(url)} answered, but with no list of models.")
    words = in_numbers(listing.models, time.monotonic() - begun)
    return Looked(base, True, words, _company(listing, server, text), len(listing.models))


async def _text(response: httpx.Response) -> str:
    return await Body(response).whole(_MOST)


def _listing(text: str) -> Listing | None:
    try:
        return read_listing(json.loads(text), "")
    except (ValueError, RecursionError):
        return None


def _company(listing: Listing, server: str, text: str) -> str:
    """Which server it is, where it shows: by its name, or by the owner it gives its models."""
    if listing.ollama:
        return "ollama"
    if listing.llama or server.startswith("llama.cpp"):
        return "llama.cpp"
    owners = {"vllm": '"owned_by":"vllm"', "lm-studio": '"owned_by":"organization_owner"'}
    plain = text.replace(" ", "")
    return next((name for name, mark in owners.items() if mark in plain), "")
