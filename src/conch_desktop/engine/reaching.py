"""How one provider is reached: a proxy, certificates and headers of its own, with what is secret in them kept apart."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from conch_desktop.domain.errors import ProviderError, UsageError
from conch_desktop.domain.models import Provider
from conch_desktop.providers.companies import owner_of_key
from conch_desktop.providers.registry import at_home, base_url

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection"})
"""Headers a request can't do with a person's value of."""
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|passw|credential|signature|session", re.IGNORECASE)
_SECRET_VALUE = re.compile(r"(?=\S*[0-9])(?=\S*[A-Za-z])\S{20,}|(?:bearer|basic)\s+\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reach:
    """What a person set beside address and key. `proxy` may hold a user's name and password."""

    proxy: str = ""
    ca_file: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class SecretBook(Protocol):
    """Where secrets are kept."""

    async def keep(self, account: str, secret: str, /) -> str: ...

    async def read(self, account: str) -> str | None: ...


def read_headers(text: str) -> tuple[tuple[str, str], ...]:
    """The headers in lines like "Name: value". Raises `UsageError` for a line that is none."""
    found: dict[str, tuple[str, str]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, value = (part.strip() for part in line.partition(":"))
        sendable = value.isascii() and value.isprintable()
        if not colon or not _NAME.fullmatch(name) or not value or not sendable or name.lower() in _OURS:
            raise UsageError(f"“{name or line[:40]}” is no header that can be sent.", "Write each as Name: value.")
        found[name.lower()] = (name, value)
    return tuple(found.values())


def is_secret(name: str, value: str) -> bool:
    """Does a header look like one that holds a secret? In doubt it does: the key store keeps either."""
    known = owner_of_key(value.removeprefix("Bearer ").strip())
    return bool(_SECRET_NAME.search(name) or _SECRET_VALUE.search(value) or known.company or known.doubt)


def reached(provider: Provider, reach: Reach) -> tuple[Provider, str]:
    """The provider as it is stored, and what of it belongs in the key store, as one text ("" for nothing).

    Raises `UsageError` for a proxy that is no address, and for an address with a password in it.
    """
    if "@" in urlsplit(base_url(provider)).netloc:
        what = "An address is kept where everybody can read it, so no password can stand in it."
        raise UsageError(what, "Leave it out, and write a header Authorization: Basic … instead.")
    secret = {name: value for name, value in reach.headers if is_secret(name, value)}
    proxy = reach.proxy.strip()
    if proxy and "://" not in proxy:
        proxy = f"http://{proxy}"
    bare = _without_user(proxy)
    stored = replace(
        provider,
        proxy=bare,
        ca_file=reach.ca_file.strip(),
        headers=tuple(pair for pair in reach.headers if pair[0] not in secret),
        secret_headers=tuple(secret),
    )
    kept = {"headers": secret, "proxy": proxy if proxy != bare else ""}
    return stored, json.dumps(kept) if secret or proxy != bare else ""


def moved(provider: Provider, name: str, url: str, *, kept: bool, given: bool) -> Provider:
    """The provider with another name and address.

    What is secret was meant for one server, and follows to no other unasked. `kept`: it has a key; `given`: a key for
    the new address came along. Raises `UsageError` for an address that is none, and where a secret would follow.
    """
    new, _ = reached(replace(provider, name=name.strip() or provider.name, url=url.strip()), Reach())
    meant, server = _server(provider), _server(new)
    if server != meant:
        apart = "Add the new server as another provider."
        if provider.secret_headers:
            raise UsageError(f"{', '.join(provider.secret_headers)} was given for {meant} alone.", apart)
        if provider.key_env:
            raise UsageError(f"The key in {provider.key_env} is for {meant} alone.", apart)
        if kept and not given:
            raise UsageError(f"The key was given for {meant} alone.", f"Write one for {server} below the address.")
    return replace(provider, name=new.name, url=new.url)


def _server(provider: Provider) -> str:
    """Where requests go: host and port."""
    return urlsplit(base_url(provider)).netloc


def account(provider_id: str) -> str:
    """The name under which the secrets of a provider's connection are kept, beside that of its key."""
    return f"{provider_id} connection"


async def with_secrets(provider: Provider, secrets: SecretBook) -> Provider:
    """The provider with all its headers and its whole proxy, for a connection only: it must not be stored.

    Raises `ProviderError` when they are gone, and `SecretError` when the key store is locked.
    """
    signed_in = "@" in provider.proxy
    if not provider.secret_headers and not signed_in:
        return provider
    text = await secrets.read(account(provider.id))
    if text is None:
        named = ", ".join(provider.secret_headers) or "its proxy’s password"
        what = f"{provider.name} needs {named}, which is no longer kept."
        raise ProviderError("auth", what, "Add the provider again.")
    return filled(provider, json.loads(text))


def filled(provider: Provider, kept: Mapping[str, object]) -> Provider:
    """The provider with what was kept apart."""
    headers = kept.get("headers")
    pairs = tuple((str(name), str(value)) for name, value in headers.items()) if isinstance(headers, dict) else ()
    return replace(provider, headers=(*provider.headers, *pairs), proxy=str(kept.get("proxy") or provider.proxy))


def open_way(kind: str, url: str) -> str:
    """Why an address should not be used as it is; "" when nothing speaks against it.

    Plain HTTP is for this computer and private networks: anywhere else whoever is on the way reads along.
    """
    try:
        base = base_url(Provider("", kind, "", url))
    except UsageError:
        return ""
    if not base.startswith("http:") or at_home(base):
        return ""
    host = urlsplit(base).hostname
    return f"Everything goes unencrypted to {host}, the key too: whoever is on the way can read it. Use https."


def _without_user(proxy: str) -> str:
    """The proxy with "…@" in the place of a name and a password."""
    try:
        parts = urlsplit(proxy)
        usable = not proxy or (bool(parts.hostname) and parts.port != 0)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError("The proxy is not an address.", "Write it like http://127.0.0.1:3128.")
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit((parts.scheme, f"…@{host}", parts.path, "", "")) if at and user else proxy
