"""What a provider's wire says of refusals and of connections that failed, without ever showing its key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

import httpx

from conch_desktop.domain.errors import ProviderError
from conch_desktop.domain.events import Refusal
from conch_desktop.domain.models import Provider
from conch_desktop.providers import refusals
from conch_desktop.providers.sse import Body

ERROR_BYTES = 256 * 1024
"""The most that is read of an error's body."""
_ERROR_SECONDS = 30.0


class Refusing:
    """Tells what an answer of one provider means that is none."""

    def __init__(self, provider: Provider, key: str | None) -> None:
        self._provider = provider
        self._key = key.strip() if key else ""

    async def _error_text(self, body: Body) -> str:
        """The body of an error, or what came of it."""
        try:
            async with asyncio.timeout(_ERROR_SECONDS):
                return await body.whole(ERROR_BYTES)
        except (httpx.HTTPError, TimeoutError):
            return body.beginning

    def _classify(
        self,
        status: int,
        headers: httpx.Headers,
        text: str,
        during: str = "before_first_token",
        url: str = "",
        *,
        tools: Sequence[str] | None = None,
    ) -> Refusal:
        refusal = refusals.classify(
            status=status,
            headers=headers,
            body=text,
            during=during,
            provider=self._provider.name,
            url=url,
            tools_sent=tools is None or len(tools) > 0,
            tools=tools or (),
            now=time.time(),
        )
        return self._masked(refusal)

    def _transport_refusal(self, error: httpx.HTTPError, characters: int, url: str) -> Refusal:
        refusal = refusals.from_transport(error, provider=self._provider.name, url=url, characters=characters)
        return self._masked(refusal)

    def _masked(self, refusal: Refusal) -> Refusal:
        words, what, advice = map(self._without_secrets, (refusal.words, refusal.what, refusal.advice))
        return replace(refusal, words=words, what=what, advice=advice)

    def _without_secrets(self, text: str) -> str:
        """A text into which a server may have put the key, or a header that holds a secret."""
        hidden = [value for name, value in self._provider.headers if name in self._provider.secret_headers]
        for secret in (self._key, *hidden):
            text = refusals.mask(text, secret)
        return text

    def _error(self, refusal: Refusal) -> ProviderError:
        masked = self._masked(refusal)
        return ProviderError(masked.kind, masked.what, masked.advice)
