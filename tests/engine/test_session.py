"""Whole turns against a scripted server: what a person sees, what is kept, and what the server gets."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from conch_desktop.domain.events import CallMade, CallResult, Done, GuardDecided, PlanMade, Refused, RequestSent
from conch_desktop.domain.messages import NoticePart, ReplayPart
from conch_desktop.engine.circles import PAUSE_AT
from conch_desktop.engine.session import MessageEnded, QuestionAsked, TitleChanged
from conch_desktop.tools.guard import Answer
from tests.engine.conftest import Talk, failing_tool, give, slow_tool
from tests.servers import CUT, HANG, Reply, call, call_piece, chunk, hang_up, json_reply, say, sse, text_reply

TEA = '{"content": "Likes tea"}'


async def test_words_stream_and_are_kept(talk: Talk) -> None:
    talk.server.then(say("Good morning, **harbour**."))
    await talk.session.send("Hello")
    assert talk.last.text == "Good morning, **harbour**."
    assert (talk.last.state, talk.last.author, talk.last.mode) == ("done", "demo", "native")
    assert await talk.stored() == talk.last
    assert talk.of(TitleChanged)[0].title == "Hello"
    assert talk.of(Done) == [Done("stop")]
    request = talk.chats[0].json
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert [tool["function"]["name"] for tool in request["tools"]] == ["remember", "recall", "forget"]
    assert talk.chats[0].headers["authorization"] == "Bearer sk-pier-7Q2M-0000-LOCAL"


async def test_a_call_is_asked_about_runs_and_its_answer_goes_back(talk: Talk) -> None:
    talk.server.then(call("remember", TEA, call_id="abc"), say("Noted."))
    talk.answers = [Answer("once")]
    await talk.session.send("I like tea")
    (memory,) = await talk.program.memories.all()
    assert memory.content == "Likes tea"
    (record,) = talk.last.calls
    assert (record.state, record.raw, record.args, record.wire_id) == ("done", TEA, {"content": "Likes tea"}, "abc")
    assert talk.last.text == "Noted."
    assert [decided.decision for decided in talk.of(GuardDecided)] == ["ask", "allowed"]
    assert talk.of(QuestionAsked)[0].question.title == "Let demo remember “Likes tea”?"
    assert await talk.stored() == talk.last
    sent = talk.chats[1].json["messages"]
    assert sent[2]["tool_calls"][0]["id"] == sent[3]["tool_call_id"] == "abc"
    assert json.loads(sent[2]["tool_calls"][0]["function"]["arguments"]) == {"content": "Likes tea"}
    assert "Remembered as number" in sent[3]["content"]


async def test_nothing_runs_before_the_answer_and_a_denied_call_never_runs(talk: Talk) -> None:
    talk.server.then(call("remember", TEA), say("All right."))
    turn = asyncio.create_task(talk.session.send("I like tea"))
    await talk.server.until(lambda: talk.session.question is not None)
    assert await talk.program.memories.all() == []
    assert talk.last.calls[0].state == "waiting"
    assert talk.session.question is not None
    talk.session.answer(talk.session.question.id, Answer("deny", "keep it to yourself"))
    await turn
    assert await talk.program.memories.all() == []
    assert (talk.last.calls[0].state, talk.last.calls[0].why) == ("denied", "keep it to yourself")
    assert "keep it to yourself" in talk.chats[1].json["messages"][3]["content"]


async def test_allowed_in_this_chat_asks_no_more(talk: Talk) -> None:
    talk.server.then(call("remember", TEA), call("remember", '{"content": "Likes rain"}'), say("Noted."))
    talk.answers = [Answer("chat")]
    await talk.session.send("I like tea and rain")
    assert len(talk.of(QuestionAsked)) == 1
    assert len(await talk.program.memories.all()) == 2


@pytest.mark.parametrize(
    ("name", "arguments", "state", "said"),
    [
        ("remember", '{"contents": "tea"}', "not_run", "content: required (text)"),
        ("remember", "{content: tea", "not_run", "tea stands without quotes"),
        ("remembr", TEA, "not_run", "There is no tool named remembr. Did you mean remember?"),
        ("crane", "{}", "failed", "crane failed: the crane is stuck"),
    ],
)
async def test_a_call_that_goes_wrong_comes_back_in_words_the_model_can_act_on(
    talk: Talk, name: str, arguments: str, state: str, said: str
) -> None:
    give(talk, failing_tool())
    talk.server.then(call(name, arguments), say("I see."))
    await talk.session.send("Go")
    (record,) = talk.last.calls
    assert (record.state, record.is_error, record.raw) == (state, True, arguments)
    assert said in record.sent_back
    assert talk.chats[1].json["messages"][3]["content"] == record.sent_back
    json.loads(talk.chats[1].json["messages"][2]["tool_calls"][0]["function"]["arguments"])
    assert talk.last.text == "I see."


async def test_several_calls_run_in_order_and_each_has_an_answer(talk: Talk) -> None:
    pieces = [call_piece("recall", "{}", index=i, call_id=f"c{i}") for i in range(3)]
    talk.server.then(sse(chunk(calls=pieces), chunk(finish="tool_calls")), say("Done."))
    await talk.session.send("Look")
    sent = talk.chats[1].json["messages"]
    assert [made["id"] for made in sent[2]["tool_calls"]] == ["c0", "c1", "c2"]
    assert [message["tool_call_id"] for message in sent[3:]] == ["c0", "c1", "c2"]


async def test_a_tool_asked_for_by_name_is_chosen_in_the_first_request_only(talk: Talk) -> None:
    talk.server.then(call("remember", TEA), say("Noted."))
    talk.answers = [Answer("once")]
    await talk.session.send("I like tea", asked="remember")
    assert talk.chats[0].json["tool_choice"] == {"type": "function", "function": {"name": "remember"}}
    assert talk.chats[1].json.get("tool_choice", "auto") == "auto"
    assert talk.session.messages[0].asked == "remember"


async def test_an_answer_that_only_repeats_itself_is_paused_and_its_connection_dropped(talk: Talk) -> None:
    again = "The gulls came back to the pier at noon, and the tide with them.\n"
    talk.server.then(sse(*[chunk(again) for _ in range(2_000)], chunk(finish="stop")))
    await talk.session.send("Tell me of the pier")
    last = talk.last
    assert talk.of(Done) == [Done("paused")]
    assert last.text.count(again.strip()) < 10
    assert any("over and over" in part.text for part in last.parts if isinstance(part, NoticePart))


async def test_ids_a_provider_uses_again_stay_apart(talk: Talk) -> None:
    talk.server.then(call("recall", "{}", call_id="call_0"), say("One."), call("recall", "{}", call_id="call_0"))
    talk.server.then(say("Two."))
    await talk.session.send("First")
    await talk.session.send("Second")
    sent = talk.chats[3].json["messages"]
    ids = [made["id"] for message in sent for made in message.get("tool_calls", ())]
    assert len(set(ids)) == 2
    assert ids == [message["tool_call_id"] for message in sent if message["role"] == "tool"]


def attached() -> Reply:
    """A call with details that have to go back with it."""
    details = chunk()
    details["choices"][0]["delta"]["reasoning_details"] = [{"type": "reasoning.encrypted", "data": "Zz9"}]
    return sse(details, chunk(calls=[call_piece("recall", "{}", call_id="c")]), chunk(finish="tool_calls"))


async def test_what_the_model_attached_is_kept_unseen_and_goes_back_only_to_it(talk: Talk) -> None:
    talk.server.then(attached(), say("One."), say("Two."), say("Three."))
    await talk.session.send("First")
    kept = talk.last
    assert kept.text == "One."
    await talk.session.load()  # as the store has it
    await talk.session.choose_model("pier/other")
    await talk.session.send("Second")
    await talk.session.choose_model("pier/demo")
    await talk.session.send("Third")
    assert ["Zz9" in request.body.decode() for request in talk.chats] == [False, True, False, True]
    assert talk.session.messages[1] == kept


async def test_an_answer_that_another_model_goes_on_with_loses_what_the_first_attached(talk: Talk) -> None:
    talk.server.then(attached(), json_reply({"error": {"message": "boom"}}, 500), say("Done."))
    await talk.session.send("First")
    await talk.session.choose_model("pier/other")
    await talk.session.go_on()
    assert "Zz9" not in talk.chats[-1].body.decode()
    assert talk.last.model == "pier/other"
    assert not any(isinstance(part, ReplayPart) for part in (await talk.stored()).parts)


# Stop ---------------------------------------------------------------------------------------------------------------


async def stopped(talk: Talk, turn: asyncio.Task[None]) -> None:
    """Presses Stop, sees the end at once, and the next message is accepted."""
    talk.session.stop()
    async with asyncio.timeout(20):
        await turn
    assert talk.last.state == "stopped"
    assert not talk.session.running
    assert await talk.stored() == talk.last
    ended = talk.last
    talk.server.then(say("Yes?"))
    await talk.session.send("what happened?")
    assert talk.last.text == "Yes?"
    assert talk.session.messages[-3] == ended
    sent = talk.chats[-1].json["messages"]
    made = [one["id"] for message in sent for one in message.get("tool_calls", ())]
    assert made == [message["tool_call_id"] for message in sent if message["role"] == "tool"]


async def test_stop_while_waiting_for_the_first_word(talk: Talk) -> None:
    talk.server.then(sse(HANG))
    turn = asyncio.create_task(talk.session.send("Hello"))
    await talk.server.until(lambda: len(talk.chats) == 1)
    await stopped(talk, turn)
    assert talk.chats[0].left


async def test_stop_while_words_stream(talk: Talk) -> None:
    talk.server.then(sse(chunk("Half an ans"), HANG))
    turn = asyncio.create_task(talk.session.send("Hello"))
    await talk.server.until(lambda: talk.shows("Half an ans"))
    await stopped(talk, turn)
    assert talk.session.messages[1].text == "Half an ans"
    assert talk.chats[1].json["messages"][2] == {"role": "assistant", "content": "Half an ans"}


async def test_stop_while_the_arguments_of_a_call_stream(talk: Talk) -> None:
    talk.server.then(sse(chunk(calls=[call_piece("remember", '{"content": "Li', call_id="c")]), HANG))
    turn = asyncio.create_task(talk.session.send("Hello"))
    await talk.server.until(lambda: talk.shows("") and bool(talk.last.calls))
    assert talk.last.calls[0].state == "reading"
    await stopped(talk, turn)
    assert talk.session.messages[1].calls[0].state == "stopped"


async def test_stop_while_a_tool_runs_and_a_second_one_waits(talk: Talk) -> None:
    started, ended = asyncio.Event(), list[str]()
    give(talk, slow_tool(started, ended))
    pieces = [call_piece("dredge", "{}", call_id="c0"), call_piece("remember", TEA, index=1, call_id="c1")]
    talk.server.then(sse(chunk(calls=pieces), chunk(finish="tool_calls")))
    talk.answers = [Answer("once")]
    turn = asyncio.create_task(talk.session.send("Dredge"))
    await started.wait()
    assert (await talk.stored()).calls[0].state in {"reading", "running"}
    await stopped(talk, turn)
    assert ended == ["cancelled"]
    assert [record.state for record in talk.session.messages[1].calls] == ["stopped", "stopped"]
    assert await talk.program.memories.all() == []


async def test_stop_while_a_question_is_open(talk: Talk) -> None:
    talk.server.then(call("remember", TEA))
    turn = asyncio.create_task(talk.session.send("Hello"))
    await talk.server.until(lambda: talk.session.question is not None)
    await stopped(talk, turn)
    assert talk.session.question is None
    assert await talk.program.memories.all() == []


async def test_closing_the_program_keeps_what_was_said_as_interrupted(talk: Talk) -> None:
    talk.server.then(sse(chunk("Half"), HANG))
    turn = asyncio.create_task(talk.session.send("Hello"))
    await talk.server.until(lambda: talk.shows("Half"))
    await talk.session.aclose()
    await asyncio.gather(turn, return_exceptions=True)
    assert ((await talk.stored()).text, (await talk.stored()).state) == ("Half", "interrupted")


# Faults of a server -------------------------------------------------------------------------------------------------

FAULTS: list[tuple[str, Reply, str, str]] = [
    ("500", json_reply({"error": {"message": "boom"}}, 500), "overloaded", ""),
    ("html", text_reply("<html>Welcome</html>", 200), "network", ""),
    ("empty body", Reply(200, {"content-type": "text/event-stream"}, ()), "network", ""),
    ("half an event", sse(chunk("Hal"), b'data: {"choi', CUT, done=False), "network", "Hal"),
    ("drops in the middle", sse(chunk("Hal"), CUT, done=False), "network", "Hal"),
    ("hangs up", hang_up(), "network", ""),
    (
        "a refused key",
        json_reply({"error": {"message": "Incorrect API key: sk-pier-7Q2M-0000-LOCAL"}}, 401),
        "auth",
        "",
    ),
    ("no such model", json_reply({"error": {"message": "no such model"}}, 404), "not_found", ""),
    ("no credit", json_reply({"error": {"message": "You exceeded your current quota"}}, 402), "quota", ""),
]


@pytest.mark.parametrize(("reply", "kind", "kept"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
async def test_a_fault_is_a_clear_sentence_and_what_was_said_is_kept(
    talk: Talk, reply: Reply, kind: str, kept: str
) -> None:
    talk.server.then(reply, reply)
    await talk.session.send("Hello")
    assert talk.last.failure is not None
    assert talk.last.failure.kind == kind
    assert talk.last.failure.what.endswith((".", "”"))
    assert talk.last.failure.advice
    assert "7Q2M" not in repr(talk.last)
    assert (talk.last.state, talk.last.text) == ("failed", kept)
    assert await talk.stored() == talk.last
    assert talk.of(Refused)[0].kind == kind
    assert talk.of(Done) == [Done("error")]


async def test_try_again_answers_the_same_message_anew(talk: Talk) -> None:
    talk.server.then(json_reply({"error": {"message": "boom"}}, 503), say("Hello again."))
    await talk.session.send("Hello")
    await talk.session.retry()
    assert [message.text for message in talk.session.messages] == ["Hello", "Hello again."]
    assert talk.last.failure is None
    assert await talk.program.chats.messages(talk.session.chat_id) == talk.session.messages


async def test_going_on_keeps_what_was_there(talk: Talk) -> None:
    talk.server.then(sse(chunk("The early boat "), CUT, done=False), say("is calmer."))
    await talk.session.send("Hello")
    await talk.session.go_on()
    assert [message.role for message in talk.session.messages] == ["user", "assistant"]
    assert "The early boat" in talk.last.text
    assert "is calmer." in talk.last.text
    assert (talk.last.state, talk.last.failure) == ("done", None)
    assert await talk.stored() == talk.last


async def test_a_server_that_is_not_there_is_said_so(talk: Talk) -> None:
    async with asyncio.timeout(30):
        await talk.server.__aexit__(None, None, None)
        await talk.session.send("Hello")
    assert talk.last.failure is not None
    assert talk.last.failure.kind == "network"
    await talk.server.__aenter__()


async def test_a_missing_key_and_a_missing_model_are_said_before_anything_is_sent(talk: Talk) -> None:
    await talk.program.add_provider("openrouter", "Router", "", "")
    provider = (await talk.program.providers())[1]
    await talk.session.choose_model(f"{provider.id}/m")
    await talk.session.send("Hello")
    assert talk.last.failure is not None
    assert talk.last.failure.kind == "auth"
    await talk.program.remove_provider(provider.id)
    await talk.session.send("Hello")
    assert talk.last.failure is not None
    assert "removed" in talk.last.failure.what
    assert talk.chats == []


async def test_a_break_inside_the_program_ends_the_turn_and_not_the_chat(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> str:
        raise KeyError("bug")

    with monkeypatch.context() as patched:
        patched.setattr("conch_desktop.engine.requests.system_prompt", broken)
        await talk.session.send("Hello")
    assert talk.last.state == "failed"
    assert talk.last.failure is not None
    assert "KeyError" in talk.last.failure.what
    talk.server.then(say("Back."))
    await talk.session.send("Again")
    assert talk.last.text == "Back."


# Limits -------------------------------------------------------------------------------------------------------------


async def test_the_same_call_again_and_again_is_told_and_then_paused(talk: Talk) -> None:
    talk.server.then(*(call("recall", "{}") for _ in range(PAUSE_AT + 2)))
    await talk.session.send("Look")
    assert talk.of(Done) == [Done("paused")]
    assert len(talk.last.calls) == PAUSE_AT
    assert "made 3 times" in talk.last.calls[2].sent_back
    assert "made" not in talk.last.calls[1].sent_back
    assert len(talk.chats) == PAUSE_AT


async def test_many_different_steps_pause_at_the_limit(talk: Talk) -> None:
    talk.server.then(*(call("recall", json.dumps({"about": str(n)})) for n in range(30)))
    await talk.session.send("Look")
    assert talk.of(Done) == [Done("paused")]
    assert len(talk.chats) == 25
    talk.server._replies.clear()
    talk.server.then(say("Enough."))
    await talk.session.go_on()
    assert talk.last.text == "Enough."


async def test_a_call_cut_by_the_output_limit_does_not_run_and_the_model_is_told(talk: Talk) -> None:
    cut = sse(chunk(calls=[call_piece("remember", '{"content": "Li', call_id="c")]), chunk(finish="length"))
    talk.server.then(cut, say("Shorter."))
    await talk.session.send("Hello")
    (record,) = talk.last.calls
    assert (record.state, record.raw) == ("not_run", '{"content": "Li')
    assert "cut off" in record.sent_back
    assert "cut off" in talk.chats[1].json["messages"][3]["content"]
    assert await talk.program.memories.all() == []


async def test_the_oldest_messages_are_left_out_when_the_window_is_full(talk: Talk) -> None:
    for number in range(6):
        talk.server.then(say("word " * 1200))
        await talk.session.send(f"Question {number}")
    sent = talk.chats[-1].json["messages"]
    assert sent[1]["content"] != "Question 0"
    assert sent[-1]["content"] == "Question 5"
    assert sent[1]["role"] == "user"
    assert len(talk.session.messages) == 12


async def test_no_tools_means_none_are_sent(talk: Talk) -> None:
    talk.program.tools_off = ("memory",)
    talk.server.then(say("Hello."))
    await talk.session.send("Hello")
    assert "tools" not in talk.chats[0].json
    assert talk.of(PlanMade)[0].mode == "none"
    assert talk.of(RequestSent)[0].tools == ()


async def test_what_is_remembered_is_in_the_next_prompt(talk: Talk) -> None:
    await talk.program.memories.add("Takes the 07:40 ferry")
    talk.server.then(say("Hello."))
    await talk.session.send("Hello")
    assert "Takes the 07:40 ferry" in talk.chats[0].json["messages"][0]["content"]


async def test_a_listener_that_breaks_does_not_end_a_turn(talk: Talk, caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: object) -> None:
        raise ValueError("screen")

    stop_listening = talk.session.listen(broken)
    talk.server.then(say("Hello."))
    await talk.session.send("Hello")
    stop_listening()
    assert talk.of(MessageEnded)[0].message.text == "Hello."
    assert "A listener broke" in caplog.text


async def test_events_come_in_the_order_things_happen(talk: Talk) -> None:
    talk.server.then(call("recall", "{}"), say("None."))
    await talk.session.send("Look")
    kinds = [type(event) for event in talk.events]
    assert kinds.index(PlanMade) < kinds.index(RequestSent) < kinds.index(CallMade) < kinds.index(CallResult)
    assert isinstance(talk.events[-1], MessageEnded)
    assert isinstance(talk.events[-2], Done)


async def test_a_program_that_ends_in_order_leaves_no_call_waiting(talk: Talk) -> None:
    talk.server.then(call("remember", TEA))
    task = asyncio.create_task(talk.session.send("I like tea"))
    await talk.server.until(lambda: talk.session.question is not None)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    kept = await talk.stored()
    assert kept.state == "interrupted"
    assert [record.state for record in kept.calls] == ["stopped"]
