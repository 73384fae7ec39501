"""The real program on a virtual screen: a person writes, answers the question, opens the call, and leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from conch_desktop.engine.assembly import Program
from conch_desktop.store.settings import LAST_MODEL
from tests.e2e.person import Person, different, screen, wait_until
from tests.servers import ScriptedServer, call, json_reply, say

pytestmark = [pytest.mark.xvfb, pytest.mark.timeout(240)]

KEY = "CONCH_TEST_KEY"


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with screen() as found:
        yield found


async def _with_provider(data_dir: Path, url: str) -> str:
    """Adds the server as a provider and makes its model the one of new chats."""
    program = await Program.open(data_dir)
    try:
        provider, _ = await program.add_provider("openai", "Pier", url, "", KEY)
        model = f"{provider.id}/demo"
        await program.settings.set(LAST_MODEL, model)
    finally:
        await program.aclose()
    return model


async def _with_local_model(data_dir: Path) -> None:
    program = await Program.open(data_dir)
    await program.aclose()


def _calls(person: Person) -> list[tuple[object, ...]]:
    return person.rows("SELECT state, name FROM calls")


def _memories(person: Person) -> list[object]:
    return [content for (content,) in person.rows("SELECT content FROM memories")]


def test_a_person_asks_for_a_tool_allows_it_opens_the_call_and_leaves(display: str, tmp_path: Path) -> None:
    with ScriptedServer().in_thread() as server:
        server.route("GET /v1/models", json_reply({"object": "list", "data": [{"id": "demo", "object": "model"}]}))
        server.then(call("remember", '{"content": "The person likes tea"}'), say("Noted: you like **tea**."))
        data_dir = tmp_path / "profile"
        asyncio.run(_with_provider(data_dir, server.url))
        person = Person(display, data_dir, env={KEY: "sk-pier-7Q2M-0000-LOCAL"})
        try:
            person.type("/remember I like tea")
            person.press("Return")
            wait_until(lambda: ("waiting", "remember") in _calls(person), "the call waits for the person")
            asked = person.look("asked")
            assert _memories(person) == []

            # Enter in the composer must not allow anything by accident.
            person.press("Return")
            assert _memories(person) == []

            person.press("ctrl+shift+j", "o")
            wait_until(lambda: _memories(person) == ["The person likes tea"], "the fact is remembered")
            wait_until(lambda: ("done", "remember") in _calls(person), "the call is done")
            wait_until(lambda: len(server.of("/v1/chat/completions")) == 2, "the result is sent back")
            wait_until(
                lambda: person.rows("SELECT state FROM messages WHERE role = 'assistant'") == [("done",)],
                "the answer has ended",
            )
            answered = person.look("answered")
            assert different(asked, answered, 270, 60, 1050, 700) > 0.01, "the chat shows the same as before"

            person.press("shift+F6", "Return")  # from the composer to the chat: its last call, opened
            opened = person.look("opened")
            assert different(answered, opened, 1070, 100, 1430, 600) > 0.02, "the card of the call did not open"

            assert person.quit() == 0
        finally:
            person.close()
        assert server.of("/v1/chat/completions")[0].headers["authorization"] == "Bearer sk-pier-7Q2M-0000-LOCAL"
        sent_back = server.of("/v1/chat/completions")[1].json["messages"][-1]
        assert "The person likes tea" in sent_back["content"]
        assert "7Q2M" not in person.log.read_text()
        for kept in data_dir.rglob("*"):
            assert not kept.is_file() or b"7Q2M" not in kept.read_bytes()


@pytest.mark.local_model
def test_on_this_computer_a_small_model_remembers_with_no_account_and_no_key(display: str, tmp_path: Path) -> None:
    data_dir = tmp_path / "profile"
    asyncio.run(_with_local_model(data_dir))
    person = Person(display, data_dir)
    try:
        person.type("/remember I like tea")
        person.press("Return")
        wait_until(lambda: ("waiting", "remember") in _calls(person), "the call waits for the person", 120)
        person.press("ctrl+shift+j", "o")
        wait_until(lambda: bool(_memories(person)), "something is remembered", 60)
        wait_until(
            lambda: ("done",) in person.rows("SELECT state FROM messages WHERE role = 'assistant'"),
            "the answer has ended",
            120,
        )
        person.look("local")
        assert "tea" in str(_memories(person)[0]).lower()
        assert person.quit() == 0
    finally:
        person.close()


def test_a_second_copy_on_the_same_profile_shows_the_first_and_ends(display: str, tmp_path: Path) -> None:
    data_dir = tmp_path / "profile"
    first = Person(display, data_dir)
    try:
        assert first.again() == 0
        assert first.program.poll() is None
        assert first.quit() == 0
    finally:
        first.close()
