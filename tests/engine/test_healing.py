"""Whole turns that a provider refuses at first: healed before the first word, learnt, and remembered."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.clock import SystemClock
from conch_desktop.domain.events import Done, LessonLearnt, Notice, PlanMade, Refused, RequestSent
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.messages import TriedPart
from conch_desktop.domain.models import Provider
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.assembly import Program
from conch_desktop.store.settings import MODEL_MODES
from conch_desktop.tools.guard import Answer
from tests.engine.conftest import Talk, give
from tests.servers import CUT, Recorded, Reply, call, chunk, json_reply, say, sse

BLOCK = '<tool_call>\n{"name": "recall", "arguments": {"about": "tea"}}\n</tool_call>'


async def _done(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer(f"Logged {args.get('metres')}.")


def tide() -> Tool:
    fields = {"metres": {"type": "number"}}
    return Tool("log_tide", "Logs a tide.", {"type": "object", "properties": fields}, "read", _done, group="harbour")


def berth() -> Tool:
    """A tool whose schema has all that the strict form leaves out."""
    schema = {
        "type": "object",
        "properties": {
            "who": {"$ref": "#/$defs/Person"},
            "until": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        },
        "required": ["who"],
        "additionalProperties": False,
        "$defs": {"Person": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
    }
    return Tool("book_berth", "Books a berth.", schema, "read", _done, group="harbour")


def refuses(words: str, status: int = 400) -> Reply:
    return json_reply({"error": {"message": words, "type": "invalid_request_error"}}, status)


NO_TOOLS = refuses("demo does not support tools")
BAD_SCHEMA = refuses('Invalid JSON schema in the function declarations: the keyword "$ref" is not supported.')


def bodies(talk: Talk) -> list[dict[str, Json]]:
    return [request.json for request in talk.chats]


async def again(talk: Talk) -> Talk:
    """The same profile after a restart, with a new chat."""
    await talk.program.aclose()
    program = await Program.open(talk.program.data_dir)
    program.use(Provider("pier", "openai", "Pier", talk.server.url, "PIER_KEY"))
    await program.secrets.keep("pier", "sk-pier-7Q2M-0000-LOCAL")
    session = program.session((await program.chats.create(model="pier/demo")).id)
    await session.load()
    made = Talk(talk.server, program, session)
    session.listen(made.hear)
    talk.server.requests.clear()
    return made


async def test_a_model_that_takes_no_tools_gets_them_in_words_and_this_is_remembered(talk: Talk) -> None:
    talk.server.then(NO_TOOLS, sse(*(chunk(piece) for piece in BLOCK), chunk(finish="stop")), say("Nothing."))
    await talk.session.send("What do you know of tea?")
    assert talk.last.text == "Nothing."
    assert talk.last.failure is None
    assert talk.last.mode == "words"
    (record,) = talk.last.calls
    assert (record.name, record.state, record.args) == ("recall", "done", {"about": "tea"})
    first, second, third = bodies(talk)
    assert "tools" in first
    assert "tools" not in second
    assert "recall" in second["messages"][0]["content"]
    assert "<tool_response>" in third["messages"][-1]["content"]
    assert [event.mode for event in talk.of(RequestSent)] == ["native", "words", "words"]
    assert talk.of(LessonLearnt)[0].kind == "words"
    assert [event.kind for event in talk.of(Refused)] == ["tools"]

    talk.server.then(say("Hello."))
    await talk.session.send("Hello")
    assert "tools" not in bodies(talk)[-1]
    assert talk.last.why == "as this model taught"

    later = await again(talk)
    talk.server.then(say("Hello."))
    await later.session.send("Hello")
    assert len(later.chats) == 1
    assert "tools" not in bodies(later)[0]
    (lesson,) = await later.program.lessons.all()
    assert (lesson.kind, lesson.held) == ("words", 2)
    await later.program.lessons.forget(lesson)
    talk.server.then(say("Hello."))
    await later.session.send("Hello")
    assert "tools" in bodies(later)[-1]
    await later.program.aclose()


async def test_a_refused_schema_is_sent_once_more_in_the_strict_form(talk: Talk) -> None:
    give(talk, tide(), berth())

    def picky(request: Recorded) -> Reply:
        sent = json.dumps(request.json.get("tools", []))
        if any(word in sent for word in ("$ref", "$defs", "anyOf", "additionalProperties")):
            return BAD_SCHEMA
        return call("log_tide", '{"metres": 2.4}') if len(request.json["messages"]) == 2 else say("Logged.")

    talk.server.route("POST /v1/chat/completions", picky)
    await talk.session.send("Log 2.4 m at the north pier.")
    assert talk.last.text == "Logged."
    assert talk.last.mode == "strict"
    assert talk.last.calls[0].state == "done"
    assert len(talk.chats) == 3
    assert {tool["function"]["name"] for tool in bodies(talk)[1]["tools"]} >= {"log_tide", "book_berth", "remember"}
    assert talk.of(LessonLearnt)[0].kind == "strict"
    talk.server.requests.clear()
    await talk.session.send("Hello")
    assert "$ref" not in json.dumps(bodies(talk)[0]["tools"])
    assert len(talk.chats) <= 2


async def test_a_schema_refusal_is_never_taken_for_no_tools(talk: Talk) -> None:
    talk.server.then(BAD_SCHEMA, say("Fine."))
    await talk.session.send("Hello")
    assert talk.last.mode == "strict"
    assert "tools" in bodies(talk)[1]


async def test_refused_in_every_form_ends_in_words(talk: Talk) -> None:
    talk.server.then(BAD_SCHEMA, BAD_SCHEMA, say("Fine."))
    await talk.session.send("Hello")
    assert (talk.last.mode, talk.last.text) == ("words", "Fine.")
    (lesson,) = await talk.program.lessons.all()
    assert (lesson.kind, lesson.value) == ("words", "schema")
    assert lesson.digest
    assert lesson.expires is not None
    give(talk, tide())  # other definitions: the lesson is not about them
    talk.server.then(say("Fine."))
    await talk.session.send("Hello")
    assert talk.last.mode == "native"


async def test_one_bad_tool_is_simplified_alone_and_then_set_aside(talk: Talk) -> None:
    give(talk, tide(), berth())
    bad = refuses("Invalid schema for function 'book_berth': In context=('properties', 'who'), $ref is not permitted.")
    talk.server.then(bad, bad, say("Fine."))
    await talk.session.send("Hello")
    assert (talk.last.mode, talk.last.text) == ("native", "Fine.")
    first, second, third = (json.dumps(body["tools"]) for body in bodies(talk))
    assert "$ref" in first
    assert "$ref" not in second
    assert "book_berth" in second
    assert "additionalProperties" in second  # the others are as they were
    assert "book_berth" not in third
    assert any("book_berth" in event.text for event in talk.of(Notice))
    assert [event.kind for event in talk.of(LessonLearnt)] == ["aside"]
    assert talk.of(RequestSent)[-1].tools == ("remember", "recall", "forget", "log_tide")


async def test_an_error_inside_a_200_is_healed_too(talk: Talk) -> None:
    talk.server.then(sse({"error": {"message": "No endpoints found that support tool use", "code": 404}}), say("Fine."))
    await talk.session.send("Hello")
    assert (talk.last.mode, talk.last.text) == ("words", "Fine.")


async def test_nothing_is_healed_after_the_first_word(talk: Talk) -> None:
    talk.server.then(sse(chunk("Half"), {"error": {"message": "demo does not support tools", "code": 400}}))
    await talk.session.send("Hello")
    assert (talk.last.text, talk.last.state) == ("Half", "failed")
    assert len(talk.chats) == 1
    assert await talk.program.lessons.all() == []


async def test_nothing_is_learnt_when_the_healed_request_fails_as_well(talk: Talk) -> None:
    talk.server.then(NO_TOOLS, refuses("Incorrect API key", 401))
    await talk.session.send("Hello")
    assert talk.last.state == "failed"
    assert talk.last.failure is not None
    assert talk.last.failure.kind == "auth"
    assert await talk.program.lessons.all() == []


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 503])
async def test_an_account_s_or_a_server_s_own_trouble_teaches_nothing(talk: Talk, status: int) -> None:
    talk.server.then(refuses("this request is not supported right now", status))
    await talk.session.send("Hello")
    assert talk.last.state == "failed"
    assert await talk.program.lessons.all() == []
    assert len(talk.chats) == 1


async def test_a_malformed_call_of_the_model_itself_is_asked_for_once_more(talk: Talk) -> None:
    groq = {"error": {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "<x>"}}
    talk.server.then(json_reply(groq, 400), say("Better."))
    await talk.session.send("Hello")
    assert (talk.last.mode, talk.last.text) == ("native", "Better.")
    assert await talk.program.lessons.all() == []


async def test_a_wait_a_provider_asks_for_is_waited(talk: Talk) -> None:
    busy = Reply(
        429, {"content-type": "application/json", "retry-after": "0.2"}, ('{"error": {"message": "slow down"}}',)
    )
    talk.server.then(busy, say("Here."))
    await talk.session.send("Hello")
    assert talk.last.text == "Here."
    assert talk.last.failure is None
    assert any("tried again by itself" in event.text for event in talk.of(Notice))
    assert await talk.program.lessons.all() == []


async def test_a_wait_of_hours_is_told(talk: Talk) -> None:
    talk.server.then(Reply(429, {"retry-after": "7200"}, ('{"error": {"message": "daily limit"}}',)))
    await talk.session.send("Hello")
    assert talk.last.state == "failed"


async def test_a_window_named_by_a_refusal_shortens_the_chat(talk: Talk) -> None:
    for number in range(3):
        talk.server.then(say("word " * 700))
        await talk.session.send(f"Question {number}")
    body = {
        "error": {"message": "too long", "type": "exceed_context_size_error", "n_ctx": 2048, "n_prompt_tokens": 9000}
    }
    talk.server.requests.clear()
    talk.server.then(json_reply(body, 400), say("Short."))
    await talk.session.send("And now?")
    assert talk.last.text == "Short."
    before, after = bodies(talk)
    assert len(after["messages"]) < len(before["messages"])
    assert talk.of(LessonLearnt)[0].value == "2048"


async def test_a_call_a_server_lets_through_as_text_is_run(talk: Talk) -> None:
    text = "Let me look.\n" + BLOCK
    talk.server.then(sse(*(chunk(piece) for piece in text), chunk(finish="stop")), say("Nothing."))
    await talk.session.send("What do you know of tea?")
    assert talk.last.mode == "native"
    assert [record.name for record in talk.last.calls] == ["recall"]
    assert "<tool" not in talk.last.text
    assert talk.last.text.startswith("Let me look.")
    assert bodies(talk)[1]["messages"][2]["tool_calls"][0]["function"]["name"] == "recall"


@pytest.mark.parametrize(("choice", "mode"), [("words", "words"), ("none", "none"), ("native", "native")])
async def test_the_person_s_own_choice_stands_above_lessons(talk: Talk, choice: str, mode: str) -> None:
    talk.server.then(NO_TOOLS, say("Fine."))
    await talk.session.send("Hello")
    await talk.program.settings.set(MODEL_MODES, {"pier/demo": choice})
    talk.server.then(say("Fine."))
    await talk.session.send("Hello")
    assert talk.last.mode == mode
    assert talk.last.why.startswith("because you chose")


async def test_a_lesson_ends_with_its_time(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    talk.server.then(NO_TOOLS, say("Fine."))
    await talk.session.send("Hello")
    now = SystemClock().now()
    monkeypatch.setattr(SystemClock, "now", lambda self: now + 91 * 86_400)
    talk.server.then(say("Fine."))
    await talk.session.send("Hello")
    assert talk.last.mode == "native"


async def test_a_block_nobody_can_read_is_a_failed_call_with_advice(talk: Talk) -> None:
    await talk.program.lessons.learn(_words_lesson(talk))
    talk.server.then(say("<tool_call>\nfind it please\n</tool_call>"), say("I see."))
    await talk.session.send("Hello")
    (record,) = talk.last.calls
    assert record.state == "not_run"
    assert record.name == "(unreadable call)"
    assert "<tool_call>" in record.sent_back
    assert talk.last.text == "I see."
    assert '"arguments"' in bodies(talk)[1]["messages"][-1]["content"]


async def test_earlier_native_calls_are_shown_in_words(talk: Talk) -> None:
    talk.server.then(call("recall", '{"about": "tea"}'), say("None."))
    await talk.session.send("Look")
    stored = await talk.stored()
    await talk.program.lessons.learn(_words_lesson(talk))
    talk.server.then(say("Fine."))
    await talk.session.send("And now?")
    sent = bodies(talk)[-1]["messages"]
    assert not any("tool_calls" in message or message["role"] == "tool" for message in sent)
    assert "<tool_call>" in sent[2]["content"]
    assert (await talk.program.chats.messages(talk.session.chat_id))[1] == stored


async def test_a_call_in_an_answer_that_broke_off_never_runs(talk: Talk) -> None:
    await talk.program.lessons.learn(_words_lesson(talk))
    talk.server.then(sse(chunk(BLOCK.replace("recall", "remember").replace("about", "content")), CUT, done=False))
    talk.answers = [Answer("once")]
    await talk.session.send("Hello")
    assert talk.last.state == "failed"
    assert await talk.program.memories.all() == []
    assert talk.of(Done) == [Done("error")]


async def test_a_changed_plan_is_told_with_its_reason(talk: Talk) -> None:
    talk.server.then(NO_TOOLS, say("Fine."))
    await talk.session.send("Hello")
    assert [event.mode for event in talk.of(PlanMade)] == ["native", "words"]
    assert talk.last.why == "because the provider refused native tools"


async def test_every_try_of_an_answer_is_kept_with_what_the_provider_said(talk: Talk) -> None:
    talk.server.then(NO_TOOLS, say("Fine."), say("Well."))
    await talk.session.send("Hello")
    tries = [part for part in talk.last.parts if isinstance(part, TriedPart)]
    assert [(one.mode, one.answered) for one in tries] == [("native", False), ("words", True)]
    assert "tools" in tries[0].words
    assert all(one.ms >= 0 for one in tries)
    stored = (await talk.program.chats.messages(talk.session.chat_id))[-1]
    assert [part for part in stored.parts if isinstance(part, TriedPart)] == tries
    await talk.session.send("And now?")
    assert not [part for part in talk.last.parts if isinstance(part, TriedPart)]


def _words_lesson(talk: Talk) -> Lesson:
    return Lesson("pier", f"{talk.server.url}/v1", "demo", "words", "tools")


@pytest.mark.parametrize(
    ("choice", "found", "mode"),
    [
        ("automatic", '["words", 3]', "words"),
        ("automatic", '["native", 3]', "native"),
        ("automatic", '["words", 0]', "native"),
        ("native", '["words", 3]', "native"),
        ("words", '["native", 3]', "words"),
        ("none", '["native", 3]', "none"),
    ],
)
async def test_what_a_check_found_counts_unless_the_person_chose(
    talk: Talk, choice: str, found: str, mode: str
) -> None:
    checked = Lesson("pier", f"{talk.server.url}/v1", "demo", "checked", found)
    await talk.program.lessons.learn(checked)
    await talk.program.settings.set(MODEL_MODES, {"pier/demo": choice})
    talk.server.then(say("Fine."))
    await talk.session.send("Hello")
    assert talk.last.mode == mode


async def test_a_block_that_names_no_tool_on_offer_is_shown_by_that_name(talk: Talk) -> None:
    await talk.program.lessons.learn(_words_lesson(talk))
    talk.server.then(say('<tool_call>\n{"name": "fly", "arguments": {}}\n</tool_call>'), say("I see."))
    await talk.session.send("Hello")
    (record,) = talk.last.calls
    assert (record.name, record.state) == ("fly", "not_run")
