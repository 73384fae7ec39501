"""The guard: what runs by itself, what asks, what is refused, and what an answer allows from then on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from conch_desktop.domain.calls import Json
from conch_desktop.domain.clock import SystemClock
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
    assert (await guard.decide(changed, {}, chat="a")).decision == "ask"


def test_the_question_says_what_will_happen_to_what() -> None:
    assert title_of(tool(), {"id": 12}, "Gemini 2.5 Flash") == "Let Gemini 2.5 Flash delete note 12?"
    assert title_of(tool(title="", source="harbour"), {}, "M") == "Let M use delete_note of harbour?"
    assert len(title_of(tool(), {"id": "x" * 5000}, "M")) < 200
