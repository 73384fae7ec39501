"""The wire of Gemini's own API: `streamGenerateContent`, which knows thinking and its signatures best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx

from conch_desktop.domain.calls import Json
from conch_desktop.domain.events import Refusal
from conch_desktop.domain.models import Model
from conch_desktop.providers import refusals
from conch_desktop.providers.asking import UnansweredError, ask_json
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.facts import Facts, Listed
from conch_desktop.providers.gemini_answer import GeminiAnswer
from conch_desktop.providers.gemini_facts import Row, bare, listing_of, next_page, read_rows
from conch_desktop.providers.gemini_request import build
from conch_desktop.providers.http_wire import HttpWire, WireAnswer
from conch_desktop.providers.openai_models import Listing
from conch_desktop.providers.sse import Body
from conch_desktop.providers.wire import Request

_PAGE = 1_000
"""Models asked for at once, the most there can be (ai.google.dev, models.list)."""
_MOST_PAGES = 20


class GeminiRows(Listed):
    """What Google's own list says. `rows` is what is known now, by name."""

    rows: Mapping[str, Row] = {}

    def tell(self, rows: Mapping[str, Row]) -> Listing:
        """Keeps a list that was read."""
        self.rows = rows
        return listing_of(rows, self._provider)

    async def facts(self, model: Model) -> Facts:
        """The window; whether a model takes tools nobody says. The list is asked for when it has not been read."""
        await self._list.answer()
        return Facts(window=self.rows.get(bare(model.name), Row()).window)

    async def fingerprint(self, model: Model) -> str:
        """The row in short."""
        await self._list.answer()
        return self.rows.get(bare(model.name), Row()).print

    async def _ask_list(self) -> Listing:
        rows = read_rows(await ask_json(self._connection, f"{self._base}/models?pageSize={_PAGE}"))
        if not rows:
            raise UnansweredError
        return self.tell(rows)


class GeminiWire(HttpWire):
    """Speaks Gemini's own API with one provider."""

    _rows: GeminiRows

    def _authorization(self) -> dict[str, str]:
        """The key goes in a header: an address is written to logs."""
        return {"x-goog-api-key": self._key} if self._key else {}

    def _facts_from(self, connect: Callable[[Mapping[str, str]], Connection]) -> Listed:
        self._rows = GeminiRows(connect(self._authorization()), self._base, self._provider.id, self._clock)
        return self._rows

    async def _listing(self) -> Listing:
        rows: dict[str, Row] = {}
        after = ""
        for _ in range(_MOST_PAGES):
            where = f"{self._base}/models?pageSize={_PAGE}" + (f"&pageToken={quote(after, safe='')}" if after else "")
            page, following = await self._fetched(where, _page)
            rows |= page
            if following in {"", after}:
                break
            after = following
        return self._rows.tell(rows)

    def _url(self, request: Request | None) -> str:
        name = bare(request.model.name) if request is not None else ""
        place = name if "/" in name else f"models/{name}"  # tunedModels/tide
        return f"{self._base}/{quote(place)}:streamGenerateContent?alt=sse"

    async def _body(self, request: Request) -> Mapping[str, Json]:
        row = self._rows.rows.get(bare(request.model.name))
        return build(request, thinks=row.thinks if row else None)

    def _answer(self, tools: Sequence[str]) -> GeminiAnswer:
        return GeminiAnswer()

    def _is_fault(self, value: Mapping[str, Any]) -> bool:
        return "error" in value or ("candidates" not in value and refusals.is_fault(value))

    def _unended(self, response: httpx.Response, answer: WireAnswer, body: Body, url: str) -> Refusal | None:
        """A finish reason can be a fault of its own kind."""
        if isinstance(answer, GeminiAnswer) and answer.fault is not None:
            return self._fault(response, answer, dict(answer.fault), [], url)
        return super()._unended(response, answer, body, url)


def _page(value: Any) -> tuple[dict[str, Row], str] | None:
    """The rows of a page and what asks for the next; None when it is no list of models. A page may be empty."""
    if not (isinstance(value, dict) and (isinstance(value.get("models"), list) or value == {})):
        return None
    return read_rows(value), next_page(value)
