"""Which way the facts of a provider's models are found."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from conch_desktop.providers.connection import Connection
from conch_desktop.providers.facts import Gemini, Listed, OpenRouter
from conch_desktop.providers.own_server import OwnServer
from conch_desktop.providers.registry import Kind

_OPENAI_HOST = "api.openai.com"


def source_of(
    kind: Kind,
    *,
    base: str,
    host: str,
    provider: str,
    key: str,
    authorization: Mapping[str, str],
    connect: Callable[[Mapping[str, str]], Connection],
    clock: Callable[[], float] = time.monotonic,
) -> Listed:
    """The source for a provider whose list is in OpenAI's shape.

    `authorization` are the headers that say who asks; `connect` makes another connection to it, with headers.
    """
    connection = connect(authorization)
    if kind.name == "openrouter":
        return OpenRouter(connection, base, provider, clock, connect({}))
    if kind.name == "gemini" and base.endswith("/openai"):
        return Gemini(connection, base, provider, clock, connect({"x-goog-api-key": key} if key else {}))
    if kind.on_this_computer or (kind.name == "openai" and host != _OPENAI_HOST):
        return OwnServer(connection, base, provider, clock)
    return Listed(connection, base, provider, clock)
