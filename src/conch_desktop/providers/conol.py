"""The wire of conol.ai's own sessions: one is made for a chat, told each new message, and its stream is read.

A chat stays with its session while what was said and the tools agree; otherwise a new one is made and told all that was
said. The credential is the session cookie of the person's own account.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.events import Finish, Notice, Refusal, WireEvent
from conch_desktop.domain.messages import SentMessage
from conch_desktop.domain.models import Model
from conch_desktop.providers import refusals
from conch_desktop.providers.connection import Connection
from conch_desktop.providers.conol_answer import ConolAnswer, same_model, swapped
from conch_desktop.providers.conol_lines import Lines
from conch_desktop.providers.conol_models import PATH, AgentServers, read_servers
from conch_desktop.providers.conol_request import answer_digest, definition, digest, history, said, said_digest
from conch_desktop.providers.facts import Listed
from conch_desktop.providers.http_wire import HttpWire, WireAnswer, encoded
from conch_desktop.providers.openai_models import Listing
from conch_desktop.providers.sse import Body
from conch_desktop.providers.wire import Request, StateBook
from conch_desktop.providers.zone import local_zone

_log = logging.getLogger(__name__)

_COOKIE = "__Secure-better-auth.session_token"
_PASTED = re.compile(r"better-auth\.session_token=([^;\s]+)")
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""What an id must be before it stands in an address."""
_IGNORES_THE_MODEL = frozenset({"conol.ai", "www.conol.ai"})
"""Hosts that choose a session's model themselves when it is made: there it is made empty, and told the model first."""
_GONE = (404, 410)
_ASK_SECONDS = 120.0
_ANSWER_BYTES = 1024 * 1024
_GO_ON = SentMessage("user", "Go on.")


@dataclass(frozen=True, slots=True)
class _State:
    """What is kept of a chat: the session, and digests of what it is about. `count` messages were told or asked."""

    session: str
    model: str
    effort: str
    system: str
    tools: str
    count: int
    said: str
    answer: str


@dataclass(frozen=True, slots=True)
class _Turn:
    """A session that has been told the new message. `sent` is that message where the session was there before."""

    session: str
    notices: tuple[Notice, ...] = ()
    sent: str = ""


class _RefusedError(Exception):
    """A request on the way to an answer was refused."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.what)
        self.refusal = refusal


class ConolWire(HttpWire):
    """Speaks with conol.ai. Without `states` every request makes a session of its own."""

    def __init__(self, *, key: str | None, states: StateBook | None = None, **more: Any) -> None:
        super().__init__(key=_token(key), **more)
        self._states = states
        self._empty_first = self._host in _IGNORES_THE_MODEL
        self._windows: dict[str, int] = {}

    # what a wire says of itself -------------------------------------------------------------------------------------

    def _based(self, base: str) -> str:
        return re.sub(r"/(api|v1)(/.*)?$", "", base)

    def _authorization(self) -> dict[str, str]:
        accepted = {"Accept": "text/event-stream, application/x-ndjson, application/json"}
        return accepted | ({"Cookie": f"{_COOKIE}={self._key}"} if self._key else {})

    def _facts_from(self, connect: Callable[[Mapping[str, str]], Connection]) -> Listed:
        return AgentServers(connect(self._authorization()), self._base, self._provider.id, self._clock)

    async def _listing(self) -> Listing:
        return await self._fetched(f"{self._base}{PATH}", lambda value: read_servers(value, self._provider.id))

    def _url(self, request: Request | None) -> str:
        return f"{self._base}/api/sessions"

    def _answer(self, tools: Sequence[str]) -> WireAnswer:
        return ConolAnswer(tools)

    def _is_fault(self, value: Mapping[str, Any]) -> bool:
        """An event of a name that nobody knows is no error, whatever is in it."""
        if value.get("type") == "error" or value.get("error"):
            return True
        return (
            "type" not in value and "stages" not in value and "contextUsage" not in value and super()._is_fault(value)
        )

    async def _values(self, body: Body, first: str, answer: WireAnswer) -> AsyncGenerator[dict[str, Any], None]:
        """The objects of a stream up to the one that ends it: the server keeps the connection open."""
        lines = Lines()
        async with contextlib.aclosing(body.lines()) as arriving:
            async for line in arriving:
                for value in lines.take(line):
                    yield value
                    if answer.done:
                        return
        for value in lines.end():
            yield value
        if answer.taken and not lines.cut:
            answer.done = True  # a clean end is an end

    async def window_for(self, model: Model) -> int | None:
        """The window a session told, else what the list says."""
        return self._windows.get(model.name) or await super().window_for(model)

    # an answer ------------------------------------------------------------------------------------------------------

    async def _answered(self, request: Request, url: str) -> AsyncGenerator[WireEvent, None]:
        try:
            turn = await self._told(request)
        except _RefusedError as error:
            yield error.refusal
            return
        for notice in turn.notices:
            yield notice
        names = [tool.name for tool in request.tools]
        answer = ConolAnswer(
            names,
            choice=request.tool_choice,
            asked="" if turn.notices else request.model.name,
            provider=self._provider.name,
            sent=turn.sent,
        )
        stream = f"{url}/{turn.session}/messages?logDeltas=1"
        async with (
            self._connection.sent("GET", stream) as response,
            contextlib.aclosing(self._reading(response, answer, names, stream)) as events,
        ):
            async for event in events:
                if isinstance(event, Finish):
                    await self._keep(request, _state(request, turn.session, answer.text, event))
                yield event
        if answer.window:
            self._windows[request.model.name] = answer.window

    async def _told(self, request: Request) -> _Turn:
        """Tells the session of the chat what is new, or a new session everything. Raises `_RefusedError`."""
        state = await self._kept(request)
        new = _new(state, request) if state else ()
        if state and new:
            try:
                return await self._continued(state, new, request)
            except _RefusedError as error:
                if error.refusal.status not in _GONE:
                    raise
                _log.info("The session of a chat with %s is gone; a new one is made.", self._provider.name)
        return await self._begun(request)

    async def _continued(self, state: _State, new: Sequence[SentMessage], request: Request) -> _Turn:
        notices: tuple[Notice, ...] = ()
        if (state.model, state.effort) != (request.model.name, request.effort):
            notices = await self._choose(state.session, request, state.model)
        before = request.system if digest(request.system) != state.system else ""
        messages = said(new, before=before, request=request)
        await self._post(state.session, messages, request)
        return _Turn(state.session, notices, str(messages[-1]["content"]) if messages else "")

    async def _begun(self, request: Request) -> _Turn:
        older, new = _parted(request.messages)
        told = history(request.system, older) if older else ""
        messages = [{"type": "text", "content": told}] if told else []
        messages += said(new, before="" if older else request.system, request=request)
        empty_first = self._empty_first
        body: dict[str, Json] = {
            "source": {"type": "home"},
            "messages": [] if empty_first else messages,
            "timezone": local_zone(),
            **_choice(request),
        }
        if request.tools:
            body["tools"] = [definition(tool) for tool in request.tools]
        made = await self._ask(self._url(request), body, request)
        session = made.get("sessionId") or made.get("id")
        if not (isinstance(session, str) and _SESSION.fullmatch(session)):
            raise _RefusedError(self._strange(json.dumps(made)))
        notices: tuple[Notice, ...] = ()
        effective = made.get("effectiveModel")
        got = effective if isinstance(effective, str) else ""
        if made.get("modelDowngraded") or not same_model(got, request.model.name):
            self._empty_first = self._empty_first or bool(got)
            notices = await self._choose(session, request, got)
        if empty_first:
            await self._post(session, messages, request)
        else:
            await self._keep(request, None)
        return _Turn(session, notices)

    async def _choose(self, session: str, request: Request, got: str) -> tuple[Notice, ...]:
        """Sets a session's model; what the person is told when it stays another. `got` is the one it has, if known."""
        try:
            answer = await self._ask(f"{self._url(request)}/{session}/model", _choice(request), request)
        except _RefusedError:
            refused = True  # older servers have no such address, and say no model either
        else:
            refused = answer.get("ok") is False
            got = str(answer.get("effectiveModel") or (got if refused else ""))
        if not got or same_model(got, request.model.name):
            return ()
        return (swapped(self._provider.name, request.model.name, got),)

    async def _post(self, session: str, messages: Sequence[Mapping[str, Json]], request: Request) -> None:
        body = {"messages": list(messages), "timezone": local_zone()}
        await self._ask(f"{self._url(request)}/{session}/messages", body, request)
        await self._keep(request, None)  # until the answer is whole, nobody knows what the session holds

    async def _ask(self, url: str, body: Mapping[str, Json], request: Request) -> Mapping[str, Json]:
        """The object a POST answers with, an empty one when it is no JSON.

        Raises `_RefusedError`, and httpx's errors.
        """
        try:
            async with asyncio.timeout(_ASK_SECONDS), self._connection.sent("POST", url, encoded(body)) as response:
                good = 200 <= response.status_code < 300
                if good and "json" not in response.headers.get("content-type", ""):
                    return {}
                text = await Body(response).whole(_ANSWER_BYTES)
        except TimeoutError as error:
            raise httpx.ReadTimeout("no whole answer in time") from error
        if not good:
            names = [tool.name for tool in request.tools]
            raise _RefusedError(self._classify(response.status_code, response.headers, text, url=url, tools=names))
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise _RefusedError(self._strange(text))
        if self._is_fault(value):
            raise _RefusedError(self._classify(200, response.headers, text, url=url))
        return value

    def _strange(self, text: str) -> Refusal:
        where = {"provider": self._provider.name, "url": self._url(None), "during": ""}
        return self._masked(refusals.strange(headers={}, body=text, **where))

    # what is kept of a chat -----------------------------------------------------------------------------------------

    async def _kept(self, request: Request) -> _State | None:
        if self._states is None or not request.chat:
            return None
        try:
            value = json.loads(await self._states.read(request.chat, self._provider.id, self._base) or "null")
            state = _State(**value) if isinstance(value, dict) else None
        except (StoreError, ValueError, TypeError):
            return None
        return state if state and _SESSION.fullmatch(state.session) else None

    async def _keep(self, request: Request, state: _State | None) -> None:
        if self._states is None or not request.chat:
            return
        value = json.dumps(asdict(state)) if state else ""
        try:
            await self._states.write(request.chat, self._provider.id, self._base, value)
        except StoreError:
            _log.exception("What %s has to know of a chat could not be kept.", self._provider.name)


def _token(key: str | None) -> str | None:
    """The token in what a person pasted: the value alone, or a whole line of cookies."""
    found = _PASTED.search(key or "")
    return found[1] if found else key


def _choice(request: Request) -> dict[str, Json]:
    return {"agentModel": request.model.name} | ({"agentEffort": request.effort} if request.effort else {})


def _parted(messages: Sequence[SentMessage]) -> tuple[Sequence[SentMessage], Sequence[SentMessage]]:
    """What was said until the last answer, and what is new since."""
    last = max((place for place, message in enumerate(messages) if message.role == "assistant"), default=-1)
    return messages[: last + 1], messages[last + 1 :] or (_GO_ON,)


def _new(state: _State, request: Request) -> Sequence[SentMessage]:
    """What the session has not been told yet; nothing when it is about something else."""
    before, (answer, *new) = request.messages[: state.count], request.messages[state.count :] or (_GO_ON,)
    if not new or answer.role != "assistant" or any(message.role == "assistant" for message in new):
        return ()
    names = [call.name for call in answer.calls]
    agrees = (state.tools, state.said, state.answer) == (
        _tools(request),
        said_digest(before),
        answer_digest(answer.text, names),
    )
    return new if agrees else ()


def _state(request: Request, session: str, text: str, end: Finish) -> _State:
    return _State(
        session=session,
        model=request.model.name,
        effort=request.effort,
        system=digest(request.system),
        tools=_tools(request),
        count=len(request.messages),
        said=said_digest(request.messages),
        answer=answer_digest(text, [call.name for call in end.calls]),
    )


def _tools(request: Request) -> str:
    return digest([definition(tool) for tool in request.tools])
