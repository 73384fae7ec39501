"""`conch-desktop ask` as a person runs it: a process of its own against a server on loopback."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import HANG, ScriptedServer, call, chunk, json_reply, say, sse

KEY = "sk-pier-7Q2M-0000-LOCAL"
TEA = '{"content": "Likes tea"}'

Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer().in_thread() as made:
        made.route("GET /v1/models", json_reply({"data": [{"id": "first"}, {"id": "second"}]}))
        yield made


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return tmp_path / "profile"


def command(server: ScriptedServer, profile: Path, *arguments: str) -> list[str]:
    place = ["--provider", "openai", "--url", server.url, "--key-env", "PIER_KEY", "--data-dir", str(profile)]
    return [sys.executable, "-m", "conch_desktop", "ask", *arguments, *place]


@pytest.fixture
def ask(server: ScriptedServer, profile: Path) -> Ask:
    def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(server, profile, *arguments),
            capture_output=True,
            text=True,
            input=typed,
            timeout=60,
            check=False,
            env={**os.environ, "PIER_KEY": KEY},
        )

    return run


def lines(ran: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert ran.returncode in {0, 1}, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def rows(profile: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(profile / "conch.sqlite3")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_the_answer_streams_to_stdout_and_nothing_else_does(ask: Ask, server: ScriptedServer) -> None:
    server.then(say("Good morning."))
    ran = ask("Hello")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "Good morning.\n", "")
    assert server.of("/v1/chat/completions")[0].json["model"] == "first"
    assert server.of("/v1/chat/completions")[0].headers["authorization"] == f"Bearer {KEY}"


def test_json_prints_every_event_of_the_turn_in_order(ask: Ask, server: ScriptedServer) -> None:
    server.then(call("remember", TEA), say("Noted."))
    told = lines(ask("/remember I like tea", "--json", "--allow", "all", "--model", "second"))
    assert [line["type"] for line in told if line["type"] != "text"] == [
        "plan", "request", "call", "guard", "result", "request", "done",
    ]  # fmt: skip
    by_type = {line["type"]: line for line in told}
    assert by_type["plan"]["mode"] == "native"
    assert by_type["request"] == {
        "type": "request", "number": 2, "mode": "native", "tools": ["remember", "recall", "forget"],
    }  # fmt: skip
    assert by_type["call"]["name"] == "remember"
    assert by_type["call"]["raw"] == TEA
    assert by_type["call"]["args"] == {"content": "Likes tea"}
    assert by_type["guard"]["decision"] == "allow"
    assert by_type["result"]["is_error"] is False
    assert isinstance(by_type["result"]["ms"], int)
    assert by_type["done"] == {"type": "done", "finish": "stop"}
    assert "".join(line["text"] for line in told if line["type"] == "text") == "Noted."


def test_remember_ends_in_a_row_of_the_memory_table(ask: Ask, server: ScriptedServer, profile: Path) -> None:
    server.then(call("remember", TEA), say("Noted."))
    assert ask("I like tea", "--tool", "remember", "--allow", "all").returncode == 0
    assert rows(profile, "SELECT content FROM memories") == [("Likes tea",)]
    assert server.of("/v1/chat/completions")[0].json["tool_choice"]["function"]["name"] == "remember"


def test_a_call_that_would_ask_is_refused_with_the_reason_when_nobody_is_there(
    ask: Ask, server: ScriptedServer, profile: Path
) -> None:
    server.then(call("remember", TEA), say("I could not."))
    told = lines(ask("I like tea", "--json"))
    (decided,) = [line for line in told if line["type"] == "guard"]
    assert decided["decision"] == "refuse"
    assert "nobody was there" in decided["why"]
    assert rows(profile, "SELECT content FROM memories") == []


def test_allow_none_refuses_what_only_reads_too(ask: Ask, server: ScriptedServer) -> None:
    server.then(call("recall", "{}"), say("I could not."))
    told = lines(ask("What do you know?", "--json", "--allow", "none"))
    assert [line["decision"] for line in told if line["type"] == "guard"] == ["refuse"]


@pytest.fixture
def pier(tmp_path: Path) -> Path:
    folder = tmp_path / "pier"
    folder.mkdir()
    (folder / "log.txt").write_text("Tide at noon")
    return folder


READ = json.dumps({"path": "log.txt"})
WRITE = json.dumps({"path": "new.txt", "content": "Fog"})


def test_a_folder_granted_for_this_run_can_be_read_and_with_allow_all_written(
    ask: Ask, server: ScriptedServer, pier: Path, profile: Path
) -> None:
    server.then(call("read_file", READ), call("write_file", WRITE), say("Done."))
    told = lines(ask("Go", "--json", "--tools", "files", "--folder", str(pier)))
    assert [(line["is_error"], line["state"]) for line in told if line["type"] == "result"] == [
        (False, "done"), (True, "refused"),
    ]  # fmt: skip
    assert "Tide at noon" in next(line["text"] for line in told if line["type"] == "result")
    assert not (pier / "new.txt").exists()
    server.then(call("write_file", WRITE), say("Done."))
    assert ask("Go", "--folder", str(pier), "--allow", "all").returncode == 0
    assert (pier / "new.txt").read_text() == "Fog"
    assert rows(profile, "SELECT value FROM settings WHERE name = 'folders'") == []


def test_without_a_folder_the_tool_says_how_to_grant_one(ask: Ask, server: ScriptedServer) -> None:
    server.then(call("read_file", READ), say("I can't."))
    told = lines(ask("Go", "--json", "--tools", "files"))
    (result,) = [line for line in told if line["type"] == "result"]
    assert result["is_error"]
    assert "--folder" in result["text"]
    server.then(say("Hello."))
    ask("Hello")
    assert "read_file" not in str(server.of("/v1/chat/completions")[-1].json)


def test_continue_goes_on_with_the_last_chat(ask: Ask, server: ScriptedServer, profile: Path) -> None:
    server.then(say("Hello."), say("Again."))
    ask("First")
    ask("Second", "--continue")
    sent = server.of("/v1/chat/completions")[1].json["messages"]
    assert [message["content"] for message in sent[1:]] == ["First", "Hello.", "Second"]
    assert len(rows(profile, "SELECT id FROM chats")) == 1


def test_no_tools_sends_none(ask: Ask, server: ScriptedServer) -> None:
    server.then(say("Hello."))
    ask("Hello", "--tools", "none")
    assert "tools" not in server.of("/v1/chat/completions")[0].json


def test_a_message_can_come_from_standard_input(ask: Ask, server: ScriptedServer) -> None:
    server.then(say("Hello."))
    assert ask("-", typed="Hello from a pipe").returncode == 0
    assert server.of("/v1/chat/completions")[0].json["messages"][-1]["content"] == "Hello from a pipe"


def test_a_turn_that_did_not_end_well_is_1_with_the_reason_on_stderr(ask: Ask, server: ScriptedServer) -> None:
    server.then(json_reply({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401))
    ran = ask("Hello")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "refused the key" in ran.stderr
    assert KEY not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Hello", "--tool", "fly"], "no tool named fly"),
        (["Hello", "--tools", "memory,ships"], "no tools called ships"),
        (["Hello", "--folder", "/no/such/folder"], "is no folder"),
        (["Hello", "--folder", "/"], "everything there is"),
        (["/remember"], "There is nothing behind /remember. Write what it is for: /remember and then your words."),
        (["/remembr I like tea"], "There is no tool named remembr. Did you mean /remember?"),
        ([" "], "nothing to ask"),
        (["Hello", "--continue"], "no chat to go on with"),
        (["Hello", "--mcp", "apps.json"], "apps.json could not be read"),
        (["Hello", "--provider", "Nowhere"], "no provider Nowhere"),
        (["Hello", "--provider", "conol"], "has no address"),
        (["Hello", "--key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY is not set"),
        (["Hello", "--allow", "some"], "invalid choice"),
        ([], "required"),
    ],
)
def test_arguments_that_cannot_be_used_are_2(profile: Path, arguments: list[str], said: str) -> None:
    place = ["--data-dir", str(profile)]
    if "--provider" not in arguments and "--key-env" not in arguments:
        place += ["--provider", "openai", "--url", "http://127.0.0.1:9/v1"]
    if "--key-env" in arguments:
        place += ["--provider", "openai"]
    ran = subprocess.run(
        [sys.executable, "-m", "conch_desktop", "ask", *arguments, *place],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert said in ran.stderr
    assert ran.stdout == ""


def test_a_local_model_that_was_not_fetched_is_1_and_says_how(profile: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "conch_desktop", "ask", "Hello", "--provider", "local", "--data-dir", str(profile)],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
    )  # fmt: skip
    assert ran.returncode == 1
    assert "conch-desktop model get" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_an_interrupt_is_stop_and_what_was_said_is_kept(server: ScriptedServer, profile: Path) -> None:
    server.then(sse(chunk("Half an answer"), HANG))
    with subprocess.Popen(
        command(server, profile, "Hello", "--json"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PIER_KEY": KEY},
    ) as running:  # fmt: skip
        assert running.stdout is not None
        for line in running.stdout:
            if json.loads(line)["type"] == "text":
                break
        running.send_signal(signal.SIGINT)
        begun = time.monotonic()
        rest = [json.loads(line) for line in running.stdout]
        assert running.wait(10) == 1
        assert time.monotonic() - begun < 5
    assert rest[-1] == {"type": "done", "finish": "stopped"}
    assert rows(profile, "SELECT state FROM messages WHERE role = 'assistant'") == [("stopped",)]


def test_a_key_is_in_no_file_of_the_profile(ask: Ask, server: ScriptedServer, profile: Path) -> None:
    server.then(say("Hello."))
    ask("Hello")
    assert not [path for path in profile.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_what_was_learnt_is_kept_when_the_program_is_killed_at_the_first_word(
    server: ScriptedServer, profile: Path
) -> None:
    server.then(json_reply({"error": {"message": "first does not support tools"}}, 400), sse(chunk("Ahoy"), HANG))
    process = subprocess.Popen(
        command(server, profile, "--json", "Hello"),
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PIER_KEY": KEY},
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if json.loads(line)["type"] == "text":
                break
    finally:
        process.kill()
        process.wait(10)
        process.stdout.close()
    assert rows(profile, "SELECT model, kind, value FROM lessons") == [("first", "words", "tools")]


HOSTILE = Path(__file__).parent / "tools" / "mcp" / "hostile.py"


def mcp_file(folder: Path, **servers: object) -> str:
    """An `mcpServers` file."""
    path = folder / "servers.json"
    path.write_text("// mine\n" + json.dumps({"mcpServers": servers}))
    return str(path)


def harbour(*ways: str) -> dict[str, object]:
    """The entry of the misbehaving server."""
    return {"command": sys.executable, "args": [str(HOSTILE), *ways]}


def test_the_servers_of_a_file_join_for_this_run_only(
    ask: Ask, server: ScriptedServer, profile: Path, tmp_path: Path
) -> None:
    server.then(call("echo", '{"text": "ahoy",}'), say("Echoed."))
    path = mcp_file(tmp_path, harbour=harbour(), gone={"command": "no-such-program-here"})
    ran = ask("Echo ahoy", "--mcp", path, "--tools", "none", "--allow", "all", "--json")
    assert ran.returncode == 0, ran.stderr
    said = lines(ran)
    assert next(line for line in said if line["type"] == "result")["text"] == "ahoy"
    assert next(line for line in said if line["type"] == "call")["args"] == {"text": "ahoy"}
    request = next(line for line in said if line["type"] == "request")
    assert "echo" in request["tools"]
    assert "remember" not in request["tools"]
    assert any("no-such-program-here was not found" in line["text"] for line in said if line["type"] == "notice")
    assert rows(profile, "SELECT * FROM integrations") == []


def test_an_integrations_tool_asks_unless_all_is_allowed(ask: Ask, server: ScriptedServer, tmp_path: Path) -> None:
    server.then(call("echo", '{"text": "ahoy"}'), say("Refused."))
    ran = ask("Echo ahoy", "--mcp", mcp_file(tmp_path, harbour=harbour()), "--json")
    result = next(line for line in lines(ran) if line["type"] == "result")
    assert result["state"] == "refused"


def test_a_tool_of_an_integration_can_be_asked_for_by_name(ask: Ask, server: ScriptedServer, tmp_path: Path) -> None:
    server.then(call("echo", '{"text": "ahoy"}'), say("Echoed."))
    ran = ask("/echo ahoy", "--mcp", mcp_file(tmp_path, harbour=harbour()), "--allow", "all")
    assert ran.returncode == 0, ran.stderr
    sent = server.of("/v1/chat/completions")[0].json
    assert sent["tool_choice"] == {"type": "function", "function": {"name": "echo"}}


def test_a_file_of_servers_that_can_not_be_read_is_told_by_line_and_column(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "servers.json"
    path.write_text('{\n"mcpServers": {\n"a": {"command": "x"}\n"b": {"command": "y"}\n}\n}')
    ran = ask("Hello", "--mcp", str(path))
    assert ran.returncode == 2
    assert "Line 3, column 22: a comma is missing" in ran.stderr
    assert ran.stdout == ""
    assert ask("Hello", "--mcp", str(tmp_path / "gone.json")).returncode == 2


def test_an_empty_answer_ends_badly_and_says_so(server: ScriptedServer, ask: Ask) -> None:
    server.then(sse(chunk(finish="stop")))
    done = ask("Hello")
    assert (done.returncode, done.stdout) == (1, "")
    assert "The model answered with nothing." in done.stderr
