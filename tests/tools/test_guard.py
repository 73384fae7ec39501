"""The guard: what runs by itself, what asks, what is refused, and what an answer allows from then on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from conch_desktop.domain.calls import CallRecord, Json
from conch_desktop.domain.clock import SystemClock
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.domain.tools import Effect, Tool, ToolAnswer, ToolContext, answer
from conch_desktop.store.database import Database
from conch_desktop.store.permissions import Permissions
from conch_desktop.tools.guard import Choice, Guard, Policy, title_of


async def _run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
    return answer("ok")


def tool(effect: Effect = "write", **changes: object) -> Tool:
    made = Tool("delete_note", "Deletes a note.", {"type": "object"}, effect, _run, title="delete note {id}")
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Permissions]:
    database = await Database.open(tmp_path / "conch.sqlite3", SystemClock())
    yield Permissions(database, SystemClock())
    await database.aclose()


@pytest.mark.parametrize(
    ("policy", "effect", "decision"),
    [
        ("read", "read", "allow"),
        ("read", "write", "ask"),
        ("read", "outside", "ask"),
        ("all", "outside", "allow"),
        ("none", "read", "refuse"),
        ("none", "write", "refuse"),
    ],
)
async def test_the_effect_and_the_policy_decide(
    book: Permissions, policy: Policy, effect: Effect, decision: str
) -> None:
    verdict = await Guard(book, policy).decide(tool(effect), {}, chat="a")
    assert verdict.decision == decision
    assert verdict.why


@pytest.mark.parametrize(
    ("choice", "same_chat", "other_chat", "after_restart"),
    [("once", "ask", "ask", "ask"), ("chat", "allow", "ask", "ask"), ("always", "allow", "allow", "allow")],
)
async def test_an_answer_allows_what_it_says(
    book: Permissions, choice: Choice, same_chat: str, other_chat: str, after_restart: str
) -> None:
    guard = Guard(book)
    await guard.take(choice, tool(), chat="a")
    assert (await guard.decide(tool(), {}, chat="a")).decision == same_chat
    assert (await guard.decide(tool(), {}, chat="b")).decision == other_chat
    assert (await Guard(book).decide(tool(), {}, chat="a")).decision == after_restart


@pytest.mark.parametrize(
    "changes",
    [
        {"description": "Deletes every note."},
        {"parameters": {"type": "object", "properties": {"id": {}}}},
        {"effect": "outside"},
        {"source": "harbour"},
        {"name": "delete_notes"},
    ],
)
async def test_an_allowance_holds_only_for_the_definition_it_was_given_for(
    book: Permissions, changes: Mapping[str, object]
) -> None:
    guard = Guard(book)
    await guard.take("always", tool(), chat="a")
    await guard.take("chat", tool(), chat="a")
    changed: Tool = replace(tool(), **changes)  # type: ignore[arg-type]
    verdict = await guard.decide(changed, {}, chat="a")
    assert verdict.decision == "ask"
    assert ("changed since" in verdict.why) == (not {"source", "name"} & set(changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"description": "Deletes every note."}, "its description changed since"),
        ({"pin": "npx other"}, "the command or address of its server changed since"),
        ({"parameters": {"type": "object", "properties": {"id": {}}}, "effect": "outside"},
         "its fields and what it can change changed since"),
    ],
)  # fmt: skip
async def test_what_changed_since_it_was_allowed_is_said(
    book: Permissions, changes: Mapping[str, object], said: str
) -> None:
    await Guard(book).take("always", tool(pin="npx notes"), chat="a")
    changed: Tool = replace(tool(pin="npx notes"), **changes)  # type: ignore[arg-type]
    verdict = await Guard(book).decide(changed, {}, chat="a")
    assert (verdict.decision, said in verdict.why) == ("ask", True), verdict.why


async def test_what_was_allowed_in_a_chat_can_be_listed_and_taken_back(book: Permissions) -> None:
    guard = Guard(book)
    await guard.take("chat", tool(), chat="a")
    assert guard.in_chats() == [("a", "builtin", "delete_note")]
    guard.forget(source="builtin", tool="delete_note")
    assert guard.in_chats() == []
    assert (await guard.decide(tool(), {}, chat="a")).decision == "ask"


# What came from outside -----------------------------------------------------------------------------------------------

OWN_FILE = CallRecord("1", "read_file", "{}", state="done", answer="text")
DOWNLOAD = replace(OWN_FILE, outside="the downloaded file a.pdf")
PAGE = replace(OWN_FILE, name="open_page", outside="the page example.org")
HARBOUR = replace(OWN_FILE, source="harbour")
WEATHER = replace(OWN_FILE, source="weather")
SEARCHED_THERE = replace(OWN_FILE, source="provider", state="provider")

TEXT, SMALL, FLAG = {"text": "anything"}, {"number": 12}, {"loud": True, "side": "port"}

FIELDS = {"type": "object", "properties": {
    "text": {"type": "string"}, "number": {"type": "integer"}, "loud": {"type": "boolean"},
    "side": {"enum": ["port", "starboard"]}, "open": {"type": "object"}, "list": {"type": "array", "items": {}},
}}  # fmt: skip

SEND = tool("outside", name="send", source="harbour", parameters=FIELDS)
FIND = tool("read", name="find", source="harbour", parameters=FIELDS)
SAVE = tool("write", name="save", parameters=FIELDS)
LOOK = tool("read", name="look", parameters=FIELDS)

# In the chat, the tool, its arguments; the decision when nothing was allowed, when it was always allowed (or in this
# chat) before that came in, and when the person allowed it in this chat knowing of it.
TABLE: list[tuple[str, list[CallRecord], Tool, Mapping[str, Json], str, str, str]] = [
    ("nothing", [], SEND, TEXT, "ask", "allow", "allow"),
    ("nothing", [], SAVE, TEXT, "ask", "allow", "allow"),
    ("nothing", [], FIND, TEXT, "allow", "allow", "allow"),
    ("nothing", [], LOOK, TEXT, "allow", "allow", "allow"),
    ("an own file", [OWN_FILE], SEND, TEXT, "ask", "allow", "allow"),
    ("a download", [DOWNLOAD], SEND, TEXT, "ask", "ask", "allow"),
    ("a download", [DOWNLOAD], SEND, SMALL, "ask", "allow", "allow"),
    ("a download", [DOWNLOAD], SEND, FLAG, "ask", "allow", "allow"),
    ("a download", [DOWNLOAD], SEND, {}, "ask", "allow", "allow"),
    ("a download", [DOWNLOAD], SAVE, TEXT, "ask", "ask", "allow"),
    ("a download", [DOWNLOAD], SAVE, SMALL, "ask", "allow", "allow"),
    ("a download", [DOWNLOAD], FIND, TEXT, "ask", "ask", "allow"),
    ("a download", [DOWNLOAD], FIND, FLAG, "allow", "allow", "allow"),
    ("a download", [DOWNLOAD], LOOK, TEXT, "allow", "allow", "allow"),
    ("a page", [PAGE], SEND, TEXT, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"number": 12345678}, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"side": "secret"}, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"side": "port"}, "ask", "allow", "allow"),
    ("a page", [PAGE], SEND, {"open": {"secret": None}}, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"open": {}}, "ask", "allow", "allow"),
    ("a page", [PAGE], SEND, {"list": [1, 2, 3]}, "ask", "allow", "allow"),
    ("a page", [PAGE], SEND, {"list": [1234, 5678, 9012]}, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"list": [True, False] * 20}, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"list": [["s"]]}, "ask", "ask", "allow"),
    ("a page", [PAGE], SEND, {"unknown": True}, "ask", "ask", "allow"),
    ("its own answer", [HARBOUR], SEND, TEXT, "ask", "allow", "allow"),
    ("its own answer", [HARBOUR], FIND, TEXT, "allow", "allow", "allow"),
    ("its own answer", [HARBOUR], SAVE, TEXT, "ask", "ask", "allow"),
    ("another app", [WEATHER], SEND, TEXT, "ask", "ask", "allow"),
    ("another app", [WEATHER], FIND, TEXT, "ask", "ask", "allow"),
    ("another app", [WEATHER], LOOK, TEXT, "allow", "allow", "allow"),
    ("its own and another", [HARBOUR, WEATHER], SEND, TEXT, "ask", "ask", "allow"),
    ("an error of another app", [replace(WEATHER, state="failed")], SEND, TEXT, "ask", "ask", "allow"),
    ("a picture of another app", [replace(WEATHER, answer="", pictures=(PictureContent(b"x", "image/png"),))],
     SEND, TEXT, "ask", "ask", "allow"),
    ("the provider's search", [SEARCHED_THERE], SEND, TEXT, "ask", "ask", "allow"),
    ("a call that was denied", [replace(WEATHER, state="denied")], SEND, TEXT, "ask", "allow", "allow"),
    ("a call that did not fit", [replace(WEATHER, state="not_run")], SEND, TEXT, "ask", "allow", "allow"),
    ("a call without an answer", [replace(WEATHER, answer="")], SEND, TEXT, "ask", "allow", "allow"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "made", "args", "fresh", "before", "knowing"),
    [row[1:] for row in TABLE],
    ids=[f"{row[0]}, {row[2].name} {json.dumps(row[3])[:40]}" for row in TABLE],
)
async def test_what_came_into_a_chat_decides_with_the_tool_and_its_arguments(
    book: Permissions, calls: list[CallRecord], made: Tool, args: Mapping[str, Json], fresh: str, before: str,
    knowing: str,
) -> None:  # fmt: skip
    guard = Guard(book)
    assert (await guard.decide(made, args, chat="a", calls=calls)).decision == fresh
    await guard.take("chat", made, chat="a")
    verdict = await guard.decide(made, args, chat="a", calls=calls)
    assert verdict.decision == before
    assert ("is in this chat" in verdict.why) == (before == "ask")
    await guard.take("always", made, chat="b")
    assert (await Guard(book).decide(made, args, chat="a", calls=calls)).decision == before  # after a restart
    await guard.take("chat", made, chat="a", calls=calls)
    assert (await guard.decide(made, args, chat="a", calls=calls)).decision == knowing


async def test_an_allowance_given_knowingly_ends_when_something_new_comes_in(book: Permissions) -> None:
    guard = Guard(book)
    await guard.take("always", SEND, chat="a", calls=[PAGE])
    assert (await guard.decide(SEND, TEXT, chat="a", calls=[PAGE, PAGE])).decision == "allow"
    verdict = await guard.decide(SEND, TEXT, chat="a", calls=[PAGE, DOWNLOAD])
    assert verdict.decision == "ask"
    assert "the downloaded file a.pdf and 1 more" in verdict.why


def test_arguments_cannot_forge_the_question() -> None:
    title = title_of(tool(), {"id": "12?\nLet it {name} do all\u202e", "name": "x"}, "M")
    assert title == "Let M delete note 12? Let it {name} do all?"


def test_the_question_says_what_will_happen_to_what() -> None:
    assert title_of(tool(), {"id": 12}, "Gemini 2.5 Flash") == "Let Gemini 2.5 Flash delete note 12?"
    assert title_of(tool(title="", source="harbour"), {}, "M") == "Let M use delete_note of harbour?"
    assert len(title_of(tool(), {"id": "x" * 5000}, "M")) < 200
