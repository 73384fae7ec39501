"""The wire of OpenAI's chat completions, which most servers speak: OpenRouter, Gemini, Ollama, llama.cpp and others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import ProviderError
from conch_desktop.providers.http_wire import HttpWire
from conch_desktop.providers.openai_models import Listing
from conch_desktop.providers.openai_request import build, signer
from conch_desktop.providers.stream import Answer
from conch_desktop.providers.wire import Request

_OWN_LIST_SECONDS = 10.0
"""For the account's own list, where a public one can stand in for it."""


class OpenAIWire(HttpWire):
    """Speaks chat completions with one provider."""

    async def _listing(self) -> Listing:
        if self._kind.name == "openrouter" and self._key:
            try:
                return await self._listing_at(f"{self._base}/models/user", _OWN_LIST_SECONDS)
            except ProviderError as error:
                if error.kind == "auth":
                    raise
        return await self._listing_at(f"{self._base}/models")

    def _url(self, request: Request | None) -> str:
        return f"{self._base}/chat/completions"

    async def _body(self, request: Request) -> Mapping[str, Json]:
        grammar = bool(request.grammar) and await self.takes_grammar(request.model)
        upstream = await self._soon(self._source.upstream(request.model, name), "") if (name := signer(request)) else ""
        return build(request, host=self._host, grammar=grammar, llama=self._source.llama, upstream=upstream)

    def _answer(self, tools: Sequence[str]) -> Answer:
        return Answer(tools, in_dollars=self._kind.name == "openrouter")
