"""One server and everything it can do wrong: the caller gets an answer or words, and the others go on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Definition
from tests.tools.mcp.conftest import Begin, hostile, until


async def test_a_tool_runs_and_the_server_ends_with_everything_it_started(begin: Begin) -> None:
    server = await begin(hostile())
    assert (server.state, server.why) == ("running", "")
    assert (await server.call("echo", {"text": "ahoy"})).text == "ahoy"
    process = server._process
    assert process is not None
    await server.stop()
    assert server.state == "stopped"
    assert process.child.returncode is not None


@pytest.mark.parametrize("way", ["banner", "flood", "thousand"])
async def test_noise_changes_nothing(begin: Begin, way: str) -> None:
    server = await begin(hostile(way))
    assert server.state == "running", server.why
    assert (await server.call("echo", {"text": "ahoy"})).text == "ahoy"
    assert len(server.log.lines) <= 201
    if way == "banner":
        assert any("Welcome to the harbour!" in line for line in server.log.lines)


async def test_resources_and_prompts_disturb_nothing(begin: Begin) -> None:
    server = await begin(hostile("chatty"))
    assert server.state == "running", server.why
    assert {"echo", "slow"} <= {tool.name for tool in server.listing.tools}
    assert (await server.call("echo", {"text": "ahoy"})).text == "ahoy"
    await until(lambda: "the fog lifts" in server.log.lines)


async def test_a_server_with_resources_and_prompts_alone_runs_without_tools(begin: Begin) -> None:
    server = await begin(hostile("no-tools", "chatty"))
    assert (server.state, server.why, server.listing.tools) == ("running", "", ())


async def test_one_bad_tool_costs_no_other_and_each_that_is_beyond_help_is_named(begin: Begin) -> None:
    server = await begin(hostile("bad-schemas"))
    assert server.state == "running", server.why
    names = [tool.name for tool in server.listing.tools]
    assert {"echo", "no_type", "no_schema", "odd"} <= set(names)
    assert len(names) == len(set(names))
    assert {left.name for left in server.listing.left_out} == {"a_list", "large", "", "echo"}
    assert all(left.why for left in server.listing.left_out)
    assert (await server.call("echo", {"text": "still"})).text == "still"


async def test_a_server_that_ends_at_once_is_told_with_its_last_words(begin: Begin) -> None:
    server = await begin(hostile("exit"))
    assert server.state == "failed"
    assert "exited with 3" in server.why
    assert "bad token" in server.why
    with pytest.raises(IntegrationError, match="exited with 3"):
        await server.call("echo", {})


async def test_a_server_that_never_answers_is_given_up_after_its_limit(begin: Begin) -> None:
    server = await begin(hostile("hang", start_limit=0.5))
    assert server.state == "failed"
    assert "did not start within 0.5 s" in server.why


async def test_a_command_that_is_not_there_is_told_with_the_folders(begin: Begin) -> None:
    server = await begin(Definition("gone", "stdio", command="no-such-program-here"))
    assert server.state == "failed"
    assert "no-such-program-here was not found" in server.why
    assert "/usr/bin" in server.why


async def test_a_server_that_dies_in_the_middle_ends_the_call_with_words_and_can_be_restarted(begin: Begin) -> None:
    server = await begin(hostile())
    waiting = asyncio.ensure_future(server.call("slow", {}))
    with pytest.raises(IntegrationError, match=r"exited with 3|ended while"):
        await server.call("die", {})
    with pytest.raises(IntegrationError):
        await waiting
    await until(lambda: server.state == "failed")
    assert "exited with 3" in server.why
    assert "the boiler burst" in server.why
    server.start()
    await server.settled()
    assert (await server.call("echo", {"text": "again"})).text == "again"


async def test_an_answer_of_200_mb_is_cut_with_words(begin: Begin) -> None:
    server = await begin(hostile())
    answer = await server.call("huge", {})
    assert answer.text.startswith("The beginning. xxx")
    assert "200 MB and was cut" in answer.text
    assert len(answer.text) < 1_000_000
    assert (await server.call("echo", {"text": "still"})).text == "still"


async def test_bytes_on_stdout_are_skipped_and_half_a_character_is_replaced(begin: Begin) -> None:
    server = await begin(hostile())
    assert (await server.call("binary", {})).text == "after the bytes \ufffd"


async def test_hidden_characters_are_taken_out_and_told(begin: Begin) -> None:
    server = await begin(hostile())
    text = (await server.call("forged", {})).text
    assert "\u202e" not in text
    assert "2 invisible characters were taken out" in text


async def test_an_answer_after_the_limit_is_no_answer(begin: Begin) -> None:
    server = await begin(hostile("late", call_limit=0.3))
    with pytest.raises(IntegrationError, match=r"did not answer within 0\.3 s"):
        await server.call("slow", {})
    assert (await server.call("echo", {"text": "next"})).text == "next"
    assert any("got notifications/cancelled" in line for line in server.log.lines)


async def test_cancelling_one_call_cancels_it_at_the_server_and_leaves_the_other(begin: Begin) -> None:
    server = await begin(hostile())
    one = asyncio.ensure_future(server.call("slow", {"text": "one"}))
    other = asyncio.ensure_future(server.call("slow", {"text": "other"}))
    await until(lambda: sum("got tools/call" in line for line in server.log.lines) == 2)
    one.cancel()
    await until(lambda: any("got notifications/cancelled" in line for line in server.log.lines))
    await server.call("echo", {})  # lets the slow ones answer
    assert (await other).text == "slow at last"
    assert one.cancelled()


async def test_progress_is_passed_on(begin: Begin) -> None:
    server = await begin(hostile())
    heard: list[str] = []
    await server.call("steps", {}, heard.append)
    await until(lambda: len(heard) == 2)
    assert heard == ["Hauling (1 of 2)", "Hauling (2 of 2)"]


async def test_a_changed_list_is_read_anew(begin: Begin) -> None:
    server = await begin(hostile())
    await server.call("change", {})
    await until(lambda: len(server.listing.tools) == 1)
    assert server.listing.tools[0].description == "Something else now."


async def test_an_error_of_the_protocol_is_words(begin: Begin) -> None:
    server = await begin(hostile())
    with pytest.raises(IntegrationError, match="the crane is stuck"):
        await server.call("fault", {})


async def test_a_server_gets_its_own_environment_and_none_of_our_keys(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BERTH_API_KEY", "sk-not-for-servers")
    monkeypatch.setenv("NPM_CONFIG__AUTHTOKEN", "npm_not_for_servers")
    server = await begin(replace(hostile(), env={"BERTH": "seven"}))
    env = json.loads((await server.call("env", {})).text)
    assert env["BERTH"] == "seven"
    assert "BERTH_API_KEY" not in env
    assert "NPM_CONFIG__AUTHTOKEN" not in env
    assert env["HOME"] == str(Path.home())


async def test_stopping_while_it_starts_ends_it(begin: Begin) -> None:
    server = await begin(hostile())
    await server.stop()
    server.start()
    assert not server._settled.is_set()
    await server.stop()
    assert server._settled.is_set()
    with pytest.raises(IntegrationError, match="not running"):
        await server.call("echo", {})
