"""The wire of Anthropic's Messages API, which DeepSeek, Moonshot, MiniMax and others speak beside their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from conch_desktop.domain.calls import Json
from conch_desktop.providers import refusals
from conch_desktop.providers.anthropic_answer import EVENTS, AnthropicAnswer
from conch_desktop.providers.anthropic_models import MOST_PAGES, PAGE, AnthropicFacts, Page, Row, joined, read_page
from conch_desktop.providers.anthropic_request import build
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.facts import Listed
from conch_desktop.providers.http_wire import HttpWire
from conch_desktop.providers.openai_models import Listing
from conch_desktop.providers.wire import Request

_HOST = "api.anthropic.com"
_VERSION = "2023-06-01"
"""The version of the API this wire speaks; the header is required (platform.claude.com, API, Versions)."""


class AnthropicWire(HttpWire):
    """Speaks the Messages API with one provider."""

    _facts: AnthropicFacts

    def _based(self, base: str) -> str:
        """Others put this API below a path of their own: https://api.deepseek.com/anthropic."""
        return base if base.endswith("/v1") else f"{base}/v1"

    def _authorization(self) -> dict[str, str]:
        headers = {"anthropic-version": _VERSION}
        if self._key:
            headers["x-api-key"] = self._key
            if self._host != _HOST:  # gateways look for it where other APIs have it (SaladDay/cc-switch-cli #170)
                headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def _facts_from(self, connect: Callable[[Mapping[str, str]], Connection]) -> Listed:
        connection = connect(self._authorization())
        self._facts = AnthropicFacts(connection, self._base, self._provider.id, self._clock)
        return self._facts

    async def _listing(self) -> Listing:
        pages: list[Page] = []
        after = ""
        while len(pages) < MOST_PAGES:
            where = f"{self._base}/models?limit={PAGE}" + (f"&after_id={quote(after)}" if after else "")
            pages.append(await self._fetched(where, lambda value: read_page(value, self._provider.id)))
            if pages[-1].after in {"", after}:
                break
            after = pages[-1].after
        return self._facts.tell(joined(pages))

    def _url(self, request: Request | None) -> str:
        return f"{self._base}/messages"

    async def _body(self, request: Request) -> Mapping[str, Json]:
        return build(request, self._facts.rows.get(request.model.name, Row()))

    def _answer(self, tools: Sequence[str]) -> AnthropicAnswer:
        return AnthropicAnswer()

    def _is_fault(self, value: Mapping[str, Any]) -> bool:
        """The events of this API have a `message` that is no error's."""
        return str(value.get("type")) not in EVENTS and refusals.is_fault(value)
