"""Questions on the side, such as what a server says of its models: asked once for all who want to know, and kept.

A person's answer is waiting behind them. So nobody waits longer for one than a moment, a failure only means that
nothing is known, and a server that failed is left alone for a while.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

import httpx

from conch_desktop.domain.errors import ProviderError
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.sse import Body

T = TypeVar("T")

_log = logging.getLogger(__name__)

WAIT = 2.0
"""The longest a turn waits for what is asked on the side."""
_BYTES = 32 * 1024 * 1024


class UnansweredError(Exception):
    """A question got no answer that can be used. `status` is the HTTP status, 0 when nothing answered."""

    def __init__(self, status: int = 0) -> None:
        super().__init__(f"status {status}")
        self.status = status


async def ask_json(
    connection: Connection,
    url: str,
    content: Mapping[str, Any] | None = None,
    notice: Callable[[httpx.Response], None] = lambda _: None,
) -> Any:
    """The JSON a server answers with, to GET or, with `content`, to POST. Raises `UnansweredError`.

    `notice` sees the response whatever it is.
    """
    body = None if content is None else json.dumps(content).encode()
    try:
        async with connection.sent("GET" if body is None else "POST", url, body) as response:
            notice(response)
            if response.status_code != 200:
                raise UnansweredError(response.status_code)
            return json.loads(await Body(response).whole(_BYTES))
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, ProviderError, ValueError, RecursionError) as error:
        raise UnansweredError from error


class Asked(Generic[T]):
    """One question and its answer.

    `ask` raises `UnansweredError` when there is none. An answer is good for `fresh` seconds; between the beginnings of
    two tries lie at least `rest` seconds, and one try lasts at most `limit`. A try goes on when those who wait for it
    leave. `aclose` ends it.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[T]],
        *,
        fresh: float,
        rest: float,
        limit: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._fresh, self._rest, self._limit = fresh, rest, limit
        self._clock = clock
        self._known: T | None = None
        self._known_at = 0.0
        self._tried_at: float | None = None
        self._trying: asyncio.Task[None] | None = None

    @property
    def known(self) -> T | None:
        """What is known now, however old; None when nothing is."""
        return self._known

    def tell(self, answer: T) -> None:
        """Keeps an answer that came another way."""
        self._known, self._known_at = answer, self._clock()

    async def answer(self, enough: Callable[[T], bool] | None = None) -> T | None:
        """What is known, after asking when that is too old or not `enough`. Waits at most `WAIT` seconds for it."""
        if not self._suffices(enough):
            if self._trying is None and (self._tried_at is None or self._clock() - self._tried_at >= self._rest):
                self._tried_at = self._clock()
                self._trying = asyncio.create_task(self._try())
            if self._trying is not None and self._tried_at is not None:
                left = self._tried_at + WAIT - self._clock()
                await asyncio.wait([self._trying], timeout=max(0.0, left))
        return self._known

    async def aclose(self) -> None:
        """Ends a try that is under way."""
        trying, self._trying = self._trying, None
        if trying is not None:
            trying.cancel()
            await asyncio.wait([trying])

    def _suffices(self, enough: Callable[[T], bool] | None) -> bool:
        if self._known is None or self._clock() - self._known_at >= self._fresh:
            return False
        return enough is None or enough(self._known)

    async def _try(self) -> None:
        try:
            async with asyncio.timeout(self._limit):
                self.tell(await self._ask())
        except (UnansweredError, TimeoutError) as error:
            _log.info("A question on the side got no answer: %s", str(error) or "time is up")
        finally:
            self._trying = None
