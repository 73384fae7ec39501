"""The same request once more: only where that can help, before the first word, and with its wait told."""

from __future__ import annotations

import httpx
import pytest

from conch_desktop.domain.events import Notice, Refusal, Waiting
from conch_desktop.engine.retries import LONGEST_WAIT, MOST_WAITS, OWN_WAITS, patience
from conch_desktop.providers.refusals import classify, from_transport
from tests.engine.conftest import Talk
from tests.servers import CUT, RESET, Reply, call, chunk, hang_up, json_reply, say, sse

BUSY = Reply(503, {"content-type": "application/json", "retry-after": "0.05"}, ('{"error": {"message": "busy"}}',))


def told(status: int, words: str = "", **headers: str) -> Refusal:
    body = f'{{"error": {{"message": "{words}"}}}}' if words else ""
    during, url = "before_first_token", "http://127.0.0.1/v1"
    return classify(status=status, headers=headers, body=body, during=during, provider="Pier", url=url)


@pytest.mark.parametrize(
    ("refusal", "waits", "wait"),
    [
        (told(429, "slow down"), 0, OWN_WAITS[0]),
        (told(429, "slow down"), 1, OWN_WAITS[1]),
        (told(429, "slow down"), MOST_WAITS, None),
        (told(429, "slow down, try again in 7s"), 0, 7.0),
        (told(503, "loading the model"), 0, OWN_WAITS[0]),
        (told(529, "Overloaded"), 0, OWN_WAITS[0]),
        (told(502), 0, OWN_WAITS[0]),
        (told(429, "Please wait 40311 seconds"), 0, None),
        (told(429, "You exceeded your current quota, please check your plan and billing details."), 0, None),
        (told(401, "no such key"), 0, None),
        (told(404, "no such model"), 0, None),
        (told(400, "prompt is too long"), 0, None),
    ],
)
def test_only_what_may_pass_is_waited_for(refusal: Refusal, waits: int, wait: float | None) -> None:
    assert patience(refusal, waits) == wait


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (httpx.RemoteProtocolError("closed"), True),
        (httpx.ReadError("reset"), True),
        (httpx.ConnectError("refused"), False),
        (httpx.ConnectError("certificate verify failed"), False),
        (httpx.ReadTimeout("silent"), False),
        (httpx.ProxyError("407"), False),
    ],
)
def test_a_connection_that_broke_may_hold_and_one_that_never_was_does_not(
    error: httpx.HTTPError, passing: bool
) -> None:
    assert from_transport(error, provider="Pier", url="http://127.0.0.1", characters=0).passing is passing
    assert from_transport(error, provider="Pier", url="http://127.0.0.1", characters=3).passing is False


@pytest.mark.parametrize(
    "broken", [BUSY, hang_up(), Reply(body=(RESET,), framing="chunked")], ids=["busy", "hangs up", "reset"]
)
async def test_it_is_tried_again_by_itself_and_the_wait_is_told(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, broken: Reply
) -> None:
    monkeypatch.setattr("conch_desktop.engine.retries.OWN_WAITS", (0.05, 0.05))
    talk.server.then(broken, broken, say("Here."))
    await talk.session.send("Hello")
    assert (talk.last.text, talk.last.failure) == ("Here.", None)
    waits = talk.of(Waiting)
    assert [wait.seconds for wait in waits] == [0.05, 0.05]
    assert all(wait.until > talk.last.created and wait.text for wait in waits)
    assert len([event for event in talk.of(Notice) if "by itself" in event.text]) == 2


async def test_after_the_last_try_the_refusal_stands(talk: Talk) -> None:
    talk.server.then(BUSY, BUSY, BUSY, say("Too late."))
    await talk.session.send("Hello")
    assert talk.last.failure is not None
    assert (talk.last.failure.kind, len(talk.chats)) == ("overloaded", 1 + MOST_WAITS)


@pytest.mark.parametrize(
    "begun",
    [
        sse(chunk("The early boat "), CUT, done=False),
        sse(chunk(reasoning="Hm"), CUT, done=False),
        sse(chunk("The"), {"error": {"message": "Overloaded", "code": 529}}),
    ],
)
async def test_after_the_first_word_nothing_is_sent_again(talk: Talk, begun: Reply) -> None:
    talk.server.then(begun, say("Twice."))
    await talk.session.send("Hello")
    assert len(talk.chats) == 1
    assert talk.of(Waiting) == []


async def test_hours_are_said_and_not_waited(talk: Talk) -> None:
    hours = Reply(429, {"retry-after": str(3 * 3600)}, ('{"error": {"message": "daily limit"}}',))
    talk.server.then(hours)
    await talk.session.send("Hello")
    assert talk.last.failure is not None
    assert "3 h" in talk.last.failure.what
    assert (len(talk.chats), LONGEST_WAIT < 3 * 3600) == (1, True)


async def test_each_step_has_its_own_tries(talk: Talk) -> None:
    talk.server.then(BUSY, BUSY, call("recall", "{}"), BUSY, BUSY, say("Here."))
    await talk.session.send("Hello")
    assert (talk.last.text, len(talk.of(Waiting))) == ("Here.", 4)


async def test_a_busy_answer_does_not_use_up_the_ladder(talk: Talk) -> None:
    talk.server.then(BUSY, json_reply({"error": {"message": "demo does not support tools"}}, 400), BUSY, say("Fine."))
    await talk.session.send("Hello")
    assert (talk.last.mode, talk.last.text) == ("words", "Fine.")
