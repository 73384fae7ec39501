"""Which kinds of provider there are: the code that speaks with each, its address, its key and its family.

A wire is imported when it is first used: nothing here imports an HTTP client.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from conch_desktop.domain.errors import UsageError
from conch_desktop.domain.models import Family, Model, Provider

if TYPE_CHECKING:
    from conch_desktop.providers.local import LocalServer
    from conch_desktop.providers.wire import StateBook, Wire


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of provider.

    `wire` is "module:Class", "" when that wire does not exist yet. `url` is its own address, "" when a person has to
    enter one; `path` is what an address without a path gets then. `needs_key`: it asks for a key at its own address (a
    server of one's own at another may not); `key_env` is the variable in which people usually keep that key.
    """

    name: str
    title: str
    wire: str
    url: str
    needs_key: bool = True
    key_env: str = ""
    on_this_computer: bool = False
    path: str = ""


_OPENAI = "conch_desktop.providers.openai:OpenAIWire"
_ANTHROPIC = "conch_desktop.providers.anthropic:AnthropicWire"
_GEMINI = "conch_desktop.providers.gemini:GeminiWire"
_OLLAMA = "conch_desktop.providers.ollama:OllamaWire"
_LOCAL = "conch_desktop.providers.local:LocalWire"
_CONOL = "conch_desktop.providers.conol:ConolWire"
_CONOL_GATEWAY = "conch_desktop.providers.conol_gateway:GatewayWire"
_GEMINI_URL = "https://generativelanguage.googleapis.com"

_ALL = (
    Kind("openai", "OpenAI or a server of your own", _OPENAI, "https://api.openai.com/v1", True, "OPENAI_API_KEY"),
    Kind("openrouter", "OpenRouter", _OPENAI, "https://openrouter.ai/api/v1", True, "OPENROUTER_API_KEY"),
    Kind("anthropic", "Anthropic", _ANTHROPIC, "https://api.anthropic.com/v1", True, "ANTHROPIC_API_KEY"),
    Kind("gemini", "Gemini", _OPENAI, f"{_GEMINI_URL}/v1beta/openai", True, "GEMINI_API_KEY"),
    Kind("gemini-native", "Gemini (its own API)", _GEMINI, f"{_GEMINI_URL}/v1beta", True, "GEMINI_API_KEY"),
    Kind("ollama", "Ollama", _OLLAMA, "http://127.0.0.1:11434", False, on_this_computer=True),
    Kind("conol", "conol.ai", _CONOL, "", True, "CONOL_SESSION_TOKEN"),
    Kind("conol-gateway", "conol.ai gateway", _CONOL_GATEWAY, "", True, "CONOL_API_KEY", path="/v1"),
    Kind("local", "This computer", _LOCAL, "", False, on_this_computer=True),
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ALL})


def make_wire(
    provider: Provider, key: str | None, *, local: LocalServer | None = None, states: StateBook | None = None
) -> Wire:
    """The wire of a provider. Raises `UsageError` for a kind nobody speaks (yet) and for an address that can't be.

    `states` is where a wire that knows its chats keeps what it knows; without it, it starts anew each time.
    """
    kind = kind_of(provider)
    if not kind.wire:
        raise UsageError(f"{kind.title} can't be used yet.", "Add it through OpenRouter, or choose another provider.")
    module, _, name = kind.wire.partition(":")
    made = getattr(import_module(module), name)
    if kind.name == "local":
        if local is None:
            raise UsageError("The model on this computer needs its server.", "")
        wire: Wire = made(provider=provider, server=local)
    else:
        base_url(provider)
        kept = {"states": states} if kind.name == "conol" else {}
        wire = made(provider=provider, kind=kind, key=key, **kept)
    return wire


def kind_of(provider: Provider) -> Kind:
    """The kind of a provider."""
    if provider.kind not in KINDS:
        raise UsageError(f"There is no kind of provider called {provider.kind}.", f"Known are: {', '.join(KINDS)}.")
    return KINDS[provider.kind]


def family_of(kind: Kind, model: Model) -> Family:
    """Which schema dialect a model takes: its provider's, or that of the one behind a router."""
    from conch_desktop.schemas import dialects  # the dialects are not needed before something is sent

    return dialects.family_of(kind.name, model.name)


# addresses ----------------------------------------------------------------------------------------------------------

_ENDPOINTS = re.compile(r"/(chat/completions|completions|models|messages|responses|embeddings)$")

_OTHER_DOORS: Mapping[str, re.Pattern[str]] = {
    "ollama": re.compile(r"/(v1|api(/\w+)?)$"),
    "gemini-native": re.compile(r"/(openai|models/[^/]+:\w+)$"),
}
"""What people paste of an address that has several APIs, or a whole endpoint of the one that is spoken."""


def base_url(provider: Provider) -> str:
    """The address that `/models` and `/chat/completions` are put behind.

    People write it with or without /v1, a slash, or a scheme, and paste whole endpoints. An address without a path gets
    the path of its kind; one with a path is taken as it is. Raises `UsageError` for one that can't be.
    """
    kind = kind_of(provider)
    given = provider.url.strip() or kind.url
    if not given:
        raise UsageError(f"{provider.name} has no address.", "Enter its address in the settings, under Providers.")
    if "://" not in given:
        given = f"{_scheme(given)}://{given}"
    try:
        parts = urlsplit(given)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not re.search(r"[\s\\<>\"{}|^`]", parts.netloc)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{given} is not an address.", "Write it like http://127.0.0.1:8080/v1.")
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    path = _ENDPOINTS.sub("", path)
    if kind.name in _OTHER_DOORS:
        path = _OTHER_DOORS[kind.name].sub("", path)
    return urlunsplit((parts.scheme, parts.netloc, path or urlsplit(kind.url).path or kind.path, "", ""))


def is_loopback(url: str) -> bool:
    """Is the address this computer's own?"""
    host = _host(url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def at_home(url: str) -> bool:
    """Is the address on this computer or a private network, by its looks? Nobody is asked for the name."""
    host = _host(url)
    if is_loopback(url) or ("." not in host.rstrip(".") and ":" not in host):
        return bool(host)
    if host.endswith((".local", ".lan", ".home", ".internal", ".home.arpa")):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


def _scheme(given: str) -> str:
    """`https`, except where nobody has a certificate: this computer, its network, a bare name."""
    return "http" if at_home(f"//{given}") else "https"


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""
