"""Secrets in a definition: found, taken out for the key store, put back, and masked in everything that is shown.

Rather too much is hidden than too little: a value that is no secret loses nothing in the key store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from conch_desktop.domain.integrations import HIDDEN, Definition

_SECRET_NAME = re.compile(
    r"key|token|secret|passw|pwd|pass$|auth|credential|cookie|session|bearer|signature|dsn|private|(?:^|_)(?:pat|sas)(?:_|$)"
    r"|(?:connection|database|db|redis|mongo\w*|postgres\w*)_?(?:string|ur[il])",
    re.IGNORECASE,
)
"""Names of values that are secrets: those of the servers in MCP's registries, and what people call keys."""

_HARMLESS_NAME = re.compile(
    r"keyboard|keyword|monkey|tokeni[sz]|max_?tokens?|author(?:$|_name)|(?:key|token)s?_?(?:file|path|dir)$", re.I
)

_SECRET_VALUE = re.compile(
    r"^(?:sk|pk|rk|ghp|gho|ghu|ghs|github_pat|glpat|xox[abeprs]|shpat|AKIA|ASIA|AIza|ya29|npm|pypi|hf|dop_v1|figd|ntn|"
    r"lin_api|r8|tvly|pplx|gsk|EAA|SG)[-_.A-Za-z0-9]{12,}"
    r"|^eyJ[-_A-Za-z0-9]{10,}\.|^(?:Bearer|Basic|Token)\s+\S{6,}|-----BEGIN|^[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@"
)
"""What keys begin with, and addresses with a password in them."""

_HARMLESS_HEADERS = frozenset({"accept", "accept-language", "content-type", "user-agent", "mcp-protocol-version"})

_OPTION = re.compile(r"^--?([A-Za-z][\w-]*)(=)?")

_PLACEHOLDER = re.compile(r"^\$\{[^}]*\}$")
"""A reference to a value that is elsewhere is no secret itself."""


def split(definition: Definition) -> tuple[Definition, dict[str, str]]:
    """The definition without its secrets, and the secrets by their place.

    What looks like a secret is one, and what the definition names as one in `secrets`.
    """
    secrets: dict[str, str] = {}
    hidden: set[str] = set()

    def hide(place: str, value: str, looks_secret: bool, shown: str = HIDDEN) -> str:
        if HIDDEN in value:
            hidden.add(place)
        elif value and (looks_secret or place in definition.secrets):
            secrets[place] = value
            return shown
        return value

    env = {name: hide(f"env/{name}", value, _is_secret(name, value)) for name, value in definition.env.items()}
    headers = {
        name: hide(f"headers/{name}", value, _is_secret_header(name, value))
        for name, value in definition.headers.items()
    }
    found = secret_args(definition.args)
    args = tuple(
        hide(f"args/{position}", value, position in found, _shown_arg(value))
        for position, value in enumerate(definition.args)
    )
    masked = _masked_url(definition.url)
    url = hide("url", definition.url, masked != definition.url, masked)
    public = replace(definition, env=env, headers=headers, args=args, url=url)
    return replace(public, secrets=frozenset(secrets) | hidden), secrets


def _shown_arg(value: str) -> str:
    """An argument that is hidden: the name of its option stays."""
    option = _OPTION.match(value)
    return f"{option.group()}{HIDDEN}" if option and option.group(2) else HIDDEN


def joined(definition: Definition, secrets: Mapping[str, str]) -> tuple[Definition, list[str]]:
    """The definition with its secrets put back, and the places of those that are missing."""
    missing = sorted(place for place in definition.secrets if place not in secrets)

    def found(kind: str, values: Mapping[str, str]) -> dict[str, str]:
        return {name: secrets.get(f"{kind}/{name}", value) for name, value in values.items()}

    args = tuple(secrets.get(f"args/{position}", value) for position, value in enumerate(definition.args))
    whole = replace(
        definition,
        env=found("env", definition.env),
        headers=found("headers", definition.headers),
        args=args,
        url=secrets.get("url", definition.url),
    )
    return whole, missing


def mask(secrets: Iterable[str]) -> Callable[[str], str]:
    """A function that hides these values wherever they stand in a text."""
    words = {part for value in secrets for part in (value, *value.split(), value.partition("=")[2]) if len(part) >= 4}
    if not words:
        return lambda text: text
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)))
    return lambda text: pattern.sub(HIDDEN, text)


def secret_args(args: Collection[str]) -> list[int]:
    """The positions of arguments that hold a secret: `--api-key=…`, what follows `--token`, `Authorization: …`."""
    found: list[int] = []
    after_secret = False
    for position, arg in enumerate(args):
        option = _OPTION.match(arg)
        name, has_value = (option.group(1), bool(option.group(2))) if option else ("", False)
        header = re.match(r"^([\w-]+):\s*\S", arg)
        if (
            (after_secret and not option)
            or (has_value and _is_secret_name(name))
            or (header and _is_secret_name(header.group(1)))
            or _SECRET_VALUE.search(arg.partition("=")[2] if has_value else arg)
        ) and not _PLACEHOLDER.match(arg):
            found.append(position)
        after_secret = bool(option) and not has_value and _is_secret_name(name)
    return found


def _is_secret_name(name: str) -> bool:
    return bool(_SECRET_NAME.search(name.replace("-", "_"))) and not _HARMLESS_NAME.search(name.replace("-", "_"))


def _is_secret(name: str, value: str) -> bool:
    if _PLACEHOLDER.match(value):
        return False
    return _is_secret_name(name) or bool(_SECRET_VALUE.search(value))


def _is_secret_header(name: str, value: str) -> bool:
    """Headers of one's own are nearly always there to sign in."""
    return name.lower() not in _HARMLESS_HEADERS and not _PLACEHOLDER.match(value)


def _masked_url(url: str) -> str:
    """The address with passwords and keys in it hidden."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")
    except ValueError:
        return url
    netloc = f"{HIDDEN}@{host[2]}" if host[1] else parts.netloc
    fields = []
    for piece in parts.query.split("&") if parts.query else []:
        name, equals, value = piece.partition("=")
        secret = equals and value and (_is_secret_name(name) or _SECRET_VALUE.search(value))
        fields.append(f"{name}={HIDDEN}" if secret else piece)
    return urlunsplit((parts.scheme, netloc, parts.path, "&".join(fields), parts.fragment))
