"""A question on the side is asked once for all, kept for a while, and never waited for long."""

from __future__ import annotations

import asyncio
import time

import httpx
import pytest

from conch_desktop.providers import asking
from conch_desktop.providers.asking import Asked, UnansweredError, ask_json
from conch_desktop.providers.connection import Connection
from tests.servers import Reply, ScriptedServer, hang_up, json_reply, text_reply


class Oracle:
    """Answers with the next of its answers; None means that it fails."""

    def __init__(self, *answers: int | None, delay: float = 0.0) -> None:
        self.answers = list(answers)
        self.delay = delay
        self.asked = 0
        self.now = 0.0

    async def __call__(self) -> int:
        self.asked += 1
        answer = self.answers.pop(0)
        await asyncio.sleep(self.delay)
        if answer is None:
            raise UnansweredError(503)
        return answer

    def question(self, *, fresh: float = 100.0, rest: float = 10.0, limit: float = 10.0) -> Asked[int]:
        return Asked(self, fresh=fresh, rest=rest, limit=limit, clock=lambda: self.now)


async def test_an_answer_is_kept_until_it_is_old() -> None:
    oracle = Oracle(1, 2)
    asked = oracle.question()
    assert asked.known is None
    assert [await asked.answer() for _ in range(3)] == [1, 1, 1]
    oracle.now = 99.0
    assert await asked.answer() == 1
    oracle.now = 100.0
    assert await asked.answer() == 2
    assert oracle.asked == 2


async def test_all_who_want_to_know_share_one_try() -> None:
    oracle = Oracle(7, delay=0.02)
    asked = oracle.question()
    assert await asyncio.gather(*(asked.answer() for _ in range(20))) == [7] * 20
    assert oracle.asked == 1


async def test_a_failure_changes_nothing_and_is_not_repeated_for_a_while() -> None:
    oracle = Oracle(1, None, 3)
    asked = oracle.question()
    assert await asked.answer() == 1
    oracle.now = 200.0
    assert await asked.answer() == 1
    oracle.now = 209.0
    assert await asked.answer() == 1
    assert oracle.asked == 2
    oracle.now = 210.0
    assert await asked.answer() == 3


async def test_what_is_not_enough_is_asked_for_but_not_at_once_again() -> None:
    oracle = Oracle(1, 2, 3)
    asked = oracle.question()
    assert [await asked.answer(lambda known: known > 2) for _ in range(3)] == [1, 1, 1]
    oracle.now = 10.0
    assert await asked.answer(lambda known: known > 2) == 2
    oracle.now = 20.0
    assert await asked.answer(lambda known: known > 2) == 3
    oracle.now = 30.0
    assert await asked.answer(lambda known: known > 2) == 3
    assert oracle.asked == 3


async def test_an_answer_that_came_another_way_counts() -> None:
    oracle = Oracle()
    asked = oracle.question()
    asked.tell(5)
    assert await asked.answer() == 5
    assert oracle.asked == 0


async def test_nobody_waits_long_and_the_try_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAIT", 0.05)
    oracle = Oracle(9, delay=0.2)
    asked = Asked(oracle, fresh=100.0, rest=10.0)
    begun = time.monotonic()
    assert await asked.answer() is None
    assert await asked.answer() is None  # the second waits only for what is left
    assert time.monotonic() - begun < 0.15
    await asyncio.sleep(0.25)
    assert await asked.answer() == 9
    assert oracle.asked == 1


async def test_a_caller_that_leaves_does_not_end_the_try() -> None:
    oracle = Oracle(9, delay=0.03)
    asked = oracle.question()
    caller = asyncio.create_task(asked.answer())
    await asyncio.sleep(0.01)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await asked.answer() == 9
    assert oracle.asked == 1


async def test_a_try_that_lasts_too_long_is_a_failure() -> None:
    oracle = Oracle(9, delay=5)
    asked = oracle.question(limit=0.02)
    assert await asked.answer() is None
    assert oracle.asked == 1


async def test_closing_ends_the_try() -> None:
    oracle = Oracle(9, delay=60)
    asked = oracle.question()
    caller = asyncio.create_task(asked.answer())
    for _ in range(2):
        await asyncio.sleep(0)
        await asked.aclose()
    assert await caller is None
    assert len(asyncio.all_tasks()) == 1


# over the network ----------------------------------------------------------------------------------------------------


def connection(url: str) -> Connection:
    return Connection(name="Pier", base=url, headers={}, timeout=httpx.Timeout(1.0))


async def test_json_is_asked_for_with_get_or_post() -> None:
    async with ScriptedServer() as server:
        server.then(json_reply({"a": 1}), json_reply([2]))
        pier = connection(server.url)
        seen: list[int] = []
        assert await ask_json(pier, f"{server.url}/x") == {"a": 1}
        assert await ask_json(pier, f"{server.url}/y", {"q": "é"}, lambda answer: seen.append(answer.status_code)) == [
            2
        ]
        assert [(request.method, request.path) for request in server.requests] == [("GET", "/x"), ("POST", "/y")]
        assert server.requests[1].json == {"q": "é"}
        assert seen == [200]
        await pier.aclose()


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (json_reply({}, 404), 404),
        (json_reply({}, 302, {"location": "/z"}), 302),
        (text_reply("<html>"), 0),
        (hang_up(), 0),
        (Reply(200, {"content-encoding": "gzip"}, ("no gzip",)), 0),
    ],
)
async def test_anything_else_is_no_answer(reply: Reply, status: int) -> None:
    async with ScriptedServer() as server:
        server.then(reply)
        pier = connection(server.url)
        with pytest.raises(UnansweredError) as raised:
            await ask_json(pier, f"{server.url}/x")
        assert raised.value.status == status
        await pier.aclose()


async def test_an_address_that_is_none_is_no_answer() -> None:
    pier = connection("http://127.0.0.1:1")
    for url in ("http://127.0.0.1:1/x", "http://[broken", "nowhere"):
        with pytest.raises(UnansweredError):
            await ask_json(pier, url)
    await pier.aclose()
