"""Whole turns with a server that misbehaves: the call ends in a state and words, and the turn and the server go on.

Each fault is that of a real process, once with a model that calls natively and once with one that does so in words.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest

from conch_desktop.domain.calls import CallState
from conch_desktop.domain.events import GuardDecided
from conch_desktop.tools.guard import Answer
from tests.engine.conftest import Talk
from tests.servers import call, say
from tests.tools.mcp.conftest import hostile, until


@dataclass(frozen=True)
class Fault:
    """A tool of the server and what comes of calling it: what the person reads, and the model where it is given less.

    `survives`: the server still runs afterwards.
    """

    tool: str
    state: CallState
    said: str
    ways: tuple[str, ...] = ()
    limit: float = 60.0
    survives: bool = True
    told: str = ""


FAULTS: dict[str, Fault] = {
    "throws": Fault("throws", "failed", "the winch is wet"),
    "an error of the protocol": Fault("fault", "failed", "the crane is stuck"),
    "hangs": Fault("slow", "failed", "did not answer within 0.5 s", limit=0.5),
    "answers after the limit": Fault("slow", "failed", "did not answer within 0.5 s", ("late",), limit=0.5),
    "answers 200 MB": Fault("huge", "done", "200 MB and was cut", told="[Cut here: this is "),
    "answers binary": Fault("binary", "done", "after the bytes"),
    "dies in the middle": Fault("die", "failed", "exited with 3", survives=False),
    "banners and a flood": Fault("noisy", "done", "among noise", ("banner", "flood")),
    "forges and hides": Fault("forged", "done", "2 invisible characters were taken out"),
    "asks the person and the model": Fault("asks", "done", "refused refused refused"),
}


@pytest.mark.parametrize("mode", ["native", "words"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_fault_is_a_state_and_words_and_the_turn_goes_on(talk: Talk, fault: Fault, mode: str) -> None:
    integrations = talk.program.integrations
    await integrations.add(replace(hostile(*fault.ways), call_limit=fault.limit))
    await integrations.settled()
    if mode == "words":
        await talk.program.choose_mode("pier/demo", "words")
        talk.server.then(say(f'<tool_call>\n{{"name": "{fault.tool}", "arguments": {{}}}}\n</tool_call>'))
    else:
        talk.server.then(call(fault.tool, "{}"))
    talk.answers = [Answer("once")]
    talk.server.then(say("I see."))
    async with asyncio.timeout(60):
        await talk.session.send("Go")
    assert talk.shows("I see.")
    (record,) = talk.last.calls
    assert (record.state, record.is_error) == (fault.state, fault.state == "failed")
    assert fault.said in record.answer
    told = str(talk.chats[1].json["messages"][-1]["content"])
    assert (fault.told or fault.said) in told
    if mode == "words":  # natively an answer is a message of its own, and no words can end that
        assert told.count("</tool_response>") == 1
    assert "\u202e" not in told
    assert [one.decision for one in talk.of(GuardDecided)] == ["ask", "allowed"], "the one question is the guard's"
    assert await talk.program.memories.all() == []
    assert await talk.program.permissions.all() == []
    await until(lambda: (integrations.all()[0].state == "running") is fault.survives, 30)


async def test_what_comes_after_the_limit_is_in_no_later_answer(talk: Talk) -> None:
    await talk.program.integrations.add(replace(hostile("late"), call_limit=0.5))
    await talk.program.integrations.settled()
    talk.program.hands.guard._policy = "all"
    talk.server.then(call("slow", "{}"), call("echo", '{"text": "mine"}'), say("Done."))
    await talk.session.send("Go")
    assert [(one.state, "too late" in one.answer) for one in talk.last.calls] == [("failed", False), ("done", False)]
    assert talk.last.calls[1].answer == "mine"
    assert all("too late" not in str(request.json) for request in talk.chats)
