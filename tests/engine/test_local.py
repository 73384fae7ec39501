"""Whole turns with the real model on this computer. Of what it says only the shape is asserted, never the wit."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import Json
from conch_desktop.domain.events import Done, Finish, RequestSent, TextAdded, TextDelta
from conch_desktop.domain.messages import SentMessage
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from conch_desktop.engine.assembly import LOCAL, Program
from conch_desktop.engine.session import QuestionAsked, Session, SessionEvent
from conch_desktop.providers.wire import Request
from conch_desktop.tools.guard import Answer
from conch_desktop.words.asking import ASKED_PROMPT, asked
from conch_desktop.words.grammar import call_grammar
from conch_desktop.words.reader import WordsCall, WordsReader

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(300)]


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    opened = await Program.open(tmp_path / "profile")
    yield opened
    await opened.aclose()


async def chat_with(program: Program) -> Session:
    chat = await program.chats.create(model=await program.default_model())
    session = program.session(chat.id)
    await session.load()
    return session


async def test_the_model_on_this_computer_is_what_a_new_chat_starts_with(program: Program) -> None:
    assert (await program.default_model()).startswith("local/")
    (model,) = (await program.models()).models
    assert model.note
    assert model.tools is False


async def test_remember_is_a_real_call_by_a_real_model(program: Program) -> None:
    session = await chat_with(program)
    seen: list[SessionEvent] = []

    def hear(event: SessionEvent) -> None:
        seen.append(event)
        if isinstance(event, QuestionAsked):
            session.answer(event.question.id, Answer("once"))

    session.listen(hear)
    await session.send("I like tea", asked="remember")
    last = session.messages[-1]
    assert last.failure is None
    assert (last.mode, last.state) == ("words", "done")
    (record,) = last.calls
    assert record.state == "done"
    assert json.loads(record.raw)["name"] == "remember"
    (memory,) = await program.memories.all()
    assert record.args == {"content": memory.content}
    assert 0 < len(last.text.strip()) < 300
    assert [event.finish for event in seen if isinstance(event, Done)] == ["stop"]
    assert "<tool" not in "".join(event.text for event in seen if isinstance(event, TextAdded))
    assert [event.tools for event in seen if isinstance(event, RequestSent)] == [("remember",), ()]


async def test_a_plain_message_is_a_plain_answer(program: Program) -> None:
    session = await chat_with(program)
    await session.send("Name one bird.")
    last = session.messages[-1]
    assert last.failure is None
    assert last.mode == "words"
    assert last.text.strip()


async def test_stopping_in_the_middle_frees_the_server(program: Program) -> None:
    session = await chat_with(program)
    await session.send("Say hello.")
    speaking = asyncio.Event()
    session.listen(lambda event: speaking.set() if isinstance(event, TextAdded) else None)
    turn = asyncio.create_task(session.send("Write a long story about a harbour, with every detail."))
    await speaking.wait()
    session.stop()
    await turn
    assert session.messages[-1].state == "stopped"
    kept = session.messages[-1].text
    await asyncio.sleep(0.3)
    assert session.messages[-1].text == kept
    begun = time.monotonic()
    speaking.clear()
    turn = asyncio.create_task(session.send("Say hello."))
    await asyncio.wait_for(speaking.wait(), 30)
    assert time.monotonic() - begun < 20
    session.stop()
    await turn


async def _no_run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("")


SHAPES: dict[str, dict[str, Json]] = {
    "options, numbers and lists": {
        "properties": {
            "harbour": {"type": "string", "minLength": 1, "maxLength": 40},
            "length_m": {"type": "number"},
            "side": {"enum": ["port", "starboard"]},
            "crew": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 3},
            "night": {"type": "boolean"},
        },
        "required": ["harbour", "side"],
    },
    "objects in objects": {
        "properties": {
            "where": {"type": "object", "properties": {"lat": {"type": "integer"}}, "required": ["lat"]},
            "why": {"type": ["string", "null"], "maxLength": 20},
        },
        "required": ["where"],
    },
    "no fields at all": {"properties": {}},
    "anything": {"properties": {"value": {}}, "required": ["value"]},
    'odd "names" \\': {"properties": {'a "b" \\c': {"type": "integer"}}, "required": ['a "b" \\c']},
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_under_a_grammar_every_call_fits_its_schema(program: Program, shape: str) -> None:
    tool = Tool(
        "find_berth",
        "Finds a berth.",
        {"type": "object", "additionalProperties": False, **SHAPES[shape]},
        "read",
        _no_run,
    )
    wire = await program.wire_of(LOCAL)
    model = (await wire.list_models())[0]
    words = SentMessage("user", asked(tool, "A berth for 9 metres in North harbour, please."))
    request = Request(model, ASKED_PROMPT, (words,), grammar=call_grammar(tool), max_tokens=1024, temperature=0.0)
    reader = WordsReader([tool.name])
    found = []
    async for event in wire.stream(request):
        if isinstance(event, TextDelta):
            found += reader.feed(event.text)
        last = event
    found += reader.close()
    assert isinstance(last, Finish), last
    calls = [event for event in found if isinstance(event, WordsCall)]
    assert len(calls) == 1
    assert read_call(calls[0].arguments, tool).ok, calls[0].raw


def test_ask_with_the_real_model_ends_in_a_row_of_the_memory_table(tmp_path: Path) -> None:
    ran = subprocess.run(
        [
            sys.executable, "-m", "conch_desktop", "ask", "/remember I like tea",
            "--provider", "local", "--allow", "all", "--data-dir", str(tmp_path),
        ],
        capture_output=True, text=True, timeout=240, check=False, env=os.environ.copy(),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    connection = sqlite3.connect(tmp_path / "conch.sqlite3")
    ((count,),) = connection.execute("SELECT count(*) FROM memories").fetchall()
    connection.close()
    assert count == 1
