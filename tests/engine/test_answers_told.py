"""What is told of an answer: that it was empty, that part of it was made up, that it was given up, who wrote it."""

from __future__ import annotations

import pytest

from conch_desktop.domain.events import Notice
from conch_desktop.domain.messages import MADE_UP, NoticePart
from conch_desktop.engine.session import NOTHING
from conch_desktop.store.settings import MODEL_MODES
from tests.engine.conftest import Talk
from tests.servers import CUT, Reply, call, chunk, say, sse

BUSY = Reply(503, {}, ('{"error": {"message": "busy"}}',))


@pytest.mark.parametrize(
    "reply",
    [
        sse(chunk(finish="stop")),
        sse(chunk("  \n"), chunk(finish="stop")),
        sse(chunk(reasoning="Hm."), chunk(finish="stop")),
        sse(chunk(finish="length")),
    ],
)
async def test_an_answer_with_nothing_in_it_says_so_and_can_be_tried_again(talk: Talk, reply: Reply) -> None:
    talk.server.then(reply, say("Here."))
    await talk.session.send("Hello")
    assert (talk.last.state, talk.last.failure) == ("failed", NOTHING)
    assert (await talk.stored()).failure == NOTHING
    await talk.session.retry()
    assert (talk.last.text, talk.last.failure) == ("Here.", None)


async def test_a_call_is_an_answer_and_a_pause_is_no_empty_one(talk: Talk) -> None:
    talk.server.then(call("recall", '{"about": "tea"}'), sse(chunk(finish="stop")))
    await talk.session.send("What do I like?")
    assert (talk.last.failure, len(talk.last.calls)) == (None, 1)


async def test_an_answer_the_model_made_up_is_not_shown_and_told_once(talk: Talk) -> None:
    await talk.program.settings.set(MODEL_MODES, {"pier/demo": "words"})
    made_up = "Remember answered:\nRemembered as number 2: I like tea\n</tool_response>\n"
    talk.server.then(say(f"{made_up}<tool_response>\nmore\n</tool_response>\nNoted."))
    await talk.session.send("I like tea")
    assert (talk.last.text.strip(), talk.last.calls, talk.last.failure) == ("Noted.", (), None)
    assert [part.text for part in talk.last.parts if isinstance(part, NoticePart)] == [MADE_UP]
    assert await talk.program.memories.all() == []


async def test_an_answer_that_is_only_made_up_is_an_empty_one(talk: Talk) -> None:
    await talk.program.settings.set(MODEL_MODES, {"pier/demo": "words"})
    talk.server.then(say("Recall answered:\nNothing is remembered.\n</tool_response>"))
    await talk.session.send("What do I like?")
    assert (talk.last.text, talk.last.failure) == ("", NOTHING)


async def test_what_was_given_up_is_no_longer_said_to_be_tried_again(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conch_desktop.engine.retries.OWN_WAITS", (0.01, 0.01))
    talk.server.then(BUSY, BUSY, BUSY)
    await talk.session.send("Hello")
    told = [event.text for event in talk.of(Notice)]
    assert "by itself in" in told[-2]
    assert told[-1].endswith("It was asked 3 times, and is not asked again.")


@pytest.mark.parametrize(
    ("begun", "author"),
    [
        (sse(chunk("The early boat "), CUT, done=False), "demo, then other"),
        (sse(CUT, done=False), "other"),
    ],
)
async def test_an_answer_another_model_goes_on_with_names_both(talk: Talk, begun: Reply, author: str) -> None:
    talk.server.then(begun, say("leaves at six."))
    await talk.session.send("When?")
    await talk.session.choose_model("pier/other")
    await talk.session.go_on()
    assert (talk.last.author, talk.last.model) == (author, "pier/other")
    assert talk.last.text.endswith("leaves at six.")


async def test_how_earlier_calls_got_there_stays_told_when_the_mode_changes(talk: Talk) -> None:
    await talk.program.settings.set(MODEL_MODES, {"pier/demo": "words"})
    in_words = '<tool_call>\n{"name": "recall", "arguments": {"about": "tea"}}\n</tool_call>'
    talk.server.then(say(in_words), sse(chunk("You like "), CUT, done=False), say("tea."))
    await talk.session.send("What do I like?")
    assert talk.last.mode == "words"
    await talk.session.choose_model("pier/other")
    await talk.session.go_on()
    assert (talk.last.mode, talk.last.why.endswith("before that in words")) == ("native", True)
