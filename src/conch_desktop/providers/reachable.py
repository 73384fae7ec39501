"""Whether anything answers where a provider is: a connection is opened and closed, nothing is sent."""

from __future__ import annotations

import asyncio
import contextlib
import urllib.request
from urllib.parse import urlsplit

from conch_desktop.domain.models import Provider
from conch_desktop.providers.registry import base_url, is_loopback

PATIENCE = 4.0
"""Seconds a connection may take to open."""

_PORTS = {"http": 80, "https": 443}


async def reachable(provider: Provider) -> bool:
    """Opens a connection to the provider, or to the proxy on the way to it. Raises `UsageError` for no address."""
    url = base_url(provider)
    way = urlsplit(provider.proxy or (url if is_loopback(url) else _proxy_of_environment(url) or url))
    try:
        host, port = way.hostname or "", way.port or _PORTS.get(way.scheme, 443)
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, ValueError):  # a name nobody knows, no network, nobody there, no answer in time; no port
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


def _proxy_of_environment(url: str) -> str:
    """The proxy the HTTP client takes for this address too."""
    parts = urlsplit(url)
    if urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    proxies = urllib.request.getproxies()
    return proxies.get(parts.scheme) or proxies.get("all") or ""
