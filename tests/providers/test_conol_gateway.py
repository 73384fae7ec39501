"""The gateway of conol.ai: chat completions with each call once, and the service's own calls shown and never run."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from conch_desktop.domain.events import ProviderCall
from conch_desktop.domain.models import Provider
from conch_desktop.providers.conol_gateway import GatewayWire
from conch_desktop.providers.registry import make_wire
from tests.providers.feeding import Joined, ask, join, tool
from tests.servers import Reply, ScriptedServer, call_piece, chunk, sse

FIND = tool("find", q={"type": "string"})


def calls(*made: tuple[str, str], words: str = "") -> Reply:
    """An answer with words and calls, each whole in its chunk."""
    pieces = [call_piece(name, raw, index=place, call_id=f"c{place}") for place, (name, raw) in enumerate(made)]
    return sse(
        *([chunk(words)] if words else []), *(chunk(calls=[piece]) for piece in pieces), chunk(finish="tool_calls")
    )


async def answered(reply: Reply, **more: Any) -> tuple[Joined, dict[str, Any]]:
    """What the wire makes of a reply, and what it was sent."""
    async with ScriptedServer() as server:
        server.then(reply)
        wire = make_wire(Provider("pier", "conol-gateway", "Pier", server.url), "sk-pier-0000")
        assert isinstance(wire, GatewayWire)
        async with contextlib.aclosing(wire.stream(ask(**{"tools": (FIND,), **more}))) as events:
            joined = join([event async for event in events])
        await wire.aclose()
        (request,) = server.requests
        assert (request.path, request.headers["authorization"]) == ("/v1/chat/completions", "Bearer sk-pier-0000")
        return joined, request.json


def ran(joined: Joined) -> list[tuple[str, str]]:
    return [(each.name, each.arguments) for each in joined.events if isinstance(each, ProviderCall)]


A, A_TURNED, B = '{"q": "a", "n": 1}', '{"n":1,"q":"a"}', '{"q": "b"}'
SEARCH = ("WebSearch", '{"query": "eels"}')


@pytest.mark.parametrize(
    ("made", "ours", "theirs", "finish"),
    [
        ([("find", A)], [A], [], "tool_calls"),
        ([("find", A), ("find", A_TURNED), ("find", B), ("find", A)], [A, B], [], "tool_calls"),
        ([SEARCH, SEARCH], [], [SEARCH], "stop"),
        ([SEARCH, ("find", A)], [A], [SEARCH], "tool_calls"),
        ([("find", ""), ("find", "{}")], [""], [], "tool_calls"),
        ([("find", "{broken"), ("find", "{broken")], ["{broken"], [], "tool_calls"),
    ],
)
async def test_each_call_comes_once_and_those_of_the_service_are_only_shown(
    made: list[tuple[str, str]], ours: list[str], theirs: list[tuple[str, str]], finish: str
) -> None:
    joined, _ = await answered(calls(*made, words="I look."))
    assert joined.text == "I look."
    assert ([call.arguments for call in joined.calls], ran(joined), joined.finish) == (ours, theirs, finish)
    assert not joined.signs, "whose a call is, is not known before"


async def test_without_a_choice_of_tools_nothing_of_ours_is_handed_on() -> None:
    joined, sent = await answered(calls(("find", A), SEARCH, words="No."), tool_choice="none")
    assert sent["tool_choice"] == "none"
    assert (joined.text, joined.calls, ran(joined), joined.finish) == ("No.", (), [SEARCH], "stop")


async def test_a_plain_answer_is_that_of_chat_completions() -> None:
    joined, sent = await answered(sse(chunk("Hi"), chunk(finish="length")))
    assert (joined.text, joined.finish) == ("Hi", "length")
    assert sent["tools"][0]["type"] == "function"
