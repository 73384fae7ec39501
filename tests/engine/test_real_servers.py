"""Integrations with real servers from PyPI and npm, natively and in words."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conch_desktop.domain.events import CallResult
from conch_desktop.domain.integrations import Definition
from tests.engine.conftest import Talk
from tests.servers import ScriptedServer, call, json_reply, say
from tests.tools.mcp.conftest import until

PACKAGES = (
    *(f"@modelcontextprotocol/server-{name}@2026.8.31" for name in ("everything", "filesystem", "memory")),
    "mcp-obsidian@1.0.0",  # two that send awkward schemas: its arguments have no type, and nothing else
    "@zereight/mcp-gitlab@2.1.64",  # 118 tools in 160 kB, fields of two types, choices in three levels; prompts too
)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="session")
def npm() -> Path:
    """The npm packages, installed once beside the packages of Python."""
    if shutil.which("npx") is None:
        pytest.fail("npx is missing; `python3 conch.py setup --test` brings it", pytrace=False)
    folder = Path(sys.prefix) / "conch-npm"
    folder.mkdir(exist_ok=True)
    done = folder / "done"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != " ".join(PACKAGES):
            command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", *PACKAGES]
            ran = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
            assert ran.returncode == 0, ran.stderr
            done.write_text(" ".join(PACKAGES))
    return folder


def python(module: str, *args: str) -> Definition:
    name = module.rpartition("_")[2]
    return Definition(name, "stdio", command=sys.executable, args=("-m", module, *args), start_limit=120)


def npx(folder: Path, name: str, *args: str, program: str = "", **env: str) -> Definition:
    command = ("--prefix", str(folder), program or f"mcp-server-{name}", *args)
    return Definition(name, "stdio", command="npx", args=command, env=env, start_limit=120)


async def ask(talk: Talk, definition: Definition, tool: str, args: dict[str, object], *, words: bool) -> CallResult:
    """One turn in which the model calls the tool; every call is allowed."""
    talk.program.hands.guard._policy = "all"
    await talk.program.integrations.add(definition)
    await talk.program.integrations.settled()
    (view,) = talk.program.integrations.all()
    assert view.state == "running", (view.why, view.log)
    assert not view.left_out
    written = json.dumps(args)
    if words:
        await talk.program.choose_mode("pier/demo", "words")
        talk.server.then(say(f'<tool_call>\n{{"name": "{tool}", "arguments": {written}}}\n</tool_call>'))
    else:
        talk.server.then(call(tool, written))
    talk.server.then(say("Done."))
    await talk.session.send("Use it")
    assert talk.shows("Done.")
    result: CallResult
    (result,) = talk.of(CallResult)
    return result


@pytest.mark.parametrize("words", [False, True], ids=["native", "words"])
async def test_time(talk: Talk, words: bool) -> None:
    result = await ask(talk, python("mcp_server_time"), "get_current_time", {"timezone": "Europe/Paris"}, words=words)
    assert result.state == "done"
    assert json.loads(result.text)["timezone"] == "Europe/Paris"


async def test_an_error_of_a_tool_is_an_answer(talk: Talk) -> None:
    result = await ask(talk, python("mcp_server_time"), "get_current_time", {"timezone": "Nowhere"}, words=False)
    assert result.state == "failed"
    assert "Nowhere" in result.text


@pytest.mark.parametrize("words", [False, True], ids=["native", "words"])
async def test_git(talk: Talk, tmp_path: Path, words: bool) -> None:
    folder = tmp_path / "harbour"
    subprocess.run(["git", "init", "-q", str(folder)], check=True, timeout=60)
    (folder / "log.txt").write_text("fog\n")
    definition = python("mcp_server_git", "--repository", str(folder))
    result = await ask(talk, definition, "git_status", {"repo_path": str(folder)}, words=words)
    assert result.state == "done", result.text
    assert "log.txt" in result.text


@pytest.mark.parametrize("words", [False, True], ids=["native", "words"])
async def test_filesystem(talk: Talk, npm: Path, tmp_path: Path, words: bool) -> None:
    (tmp_path / "log.txt").write_text("fog over the pier\n")
    definition = npx(npm, "filesystem", str(tmp_path))
    result = await ask(talk, definition, "read_text_file", {"path": str(tmp_path / "log.txt")}, words=words)
    assert result.text == "fog over the pier\n"


async def test_memory(talk: Talk, npm: Path, tmp_path: Path) -> None:
    kept = tmp_path / "graph.json"
    tea = {"name": "tea", "entityType": "drink", "observations": ["is liked"]}
    definition = npx(npm, "memory", MEMORY_FILE_PATH=str(kept))
    result = await ask(talk, definition, "create_entities", {"entities": [tea]}, words=False)
    assert result.state == "done", result.text
    assert "is liked" in kept.read_text()


@pytest.mark.parametrize("words", [False, True], ids=["native", "words"])
async def test_a_server_whose_arguments_have_no_type_and_no_fields(
    talk: Talk, npm: Path, tmp_path: Path, words: bool
) -> None:
    (tmp_path / "log.md").write_text("fog over the pier\n")
    definition = npx(npm, "notes", str(tmp_path), program="mcp-obsidian")
    result = await ask(talk, definition, "read_notes", {"paths": ["log.md"]}, words=words)
    assert result.state == "done", result.text
    assert "fog over the pier" in result.text
    listed = {tool.name: tool.parameters for tool in talk.program.integrations.tools()}
    assert set(listed) == {"read_notes", "search_notes"}
    assert all(schema["type"] == "object" for schema in listed.values())


@pytest.mark.parametrize("words", [False, True], ids=["native", "words"])
async def test_a_server_of_118_tools_with_fields_of_two_types_and_choices_in_levels(
    talk: Talk, npm: Path, words: bool
) -> None:
    wide = {"id": "demo", "context_length": 200_000}  # so many tools written out fit in no small window
    talk.server.route("GET /v1/models", json_reply({"data": [wide]}))
    async with ScriptedServer() as forge:
        forge.route("POST /api/v4/projects/7/labels", json_reply({"id": 1, "name": "fog", "priority": None}, 201))
        definition = npx(
            npm, "forge", program="mcp-gitlab",
            GITLAB_API_URL=f"{forge.url}/api/v4", GITLAB_PERSONAL_ACCESS_TOKEN="glpat-of-test", NO_PROXY="127.0.0.1",
        )  # fmt: skip
        args: dict[str, object] = {"project_id": "7", "name": "fog", "color": "#606367", "priority": None}
        result = await ask(talk, definition, "create_label", args, words=words)
        assert result.state == "done", result.text
        assert json.loads(result.text)["name"] == "fog"
        (asked,) = forge.of("/api/v4/projects/7/labels")
        assert asked.json == args
    listed = {tool.name: tool.parameters for tool in talk.program.integrations.tools()}
    assert len(listed) > 100
    assert listed["create_label"]["properties"]["priority"]["type"] == ["number", "null"]
    assert '"anyOf"' in json.dumps(listed["create_merge_request_thread"])
    assert ("tools" in talk.chats[0].json) is not words


async def test_everything(talk: Talk, npm: Path) -> None:
    result = await ask(talk, npx(npm, "everything"), "get-tiny-image", {}, words=False)
    assert [picture.media_type for picture in result.pictures] == ["image/png"]
    server = next(iter(talk.program.integrations._held.values())).server
    assert server is not None
    heard: list[str] = []
    await server.call("trigger-long-running-operation", {"duration": 0.2, "steps": 2}, heard.append)
    await until(lambda: len(heard) == 2)
    structured = await server.call("get-structured-content", {"location": "Chicago"})
    assert "temperature" in structured.text
    assert "[Link]" in (await server.call("get-resource-links", {"count": 2})).text
    assert "demo://" in (await server.call("get-resource-reference", {"resourceType": "Text", "resourceId": 1})).text


async def test_everything_over_http(talk: Talk, npm: Path, unused_tcp_port: int) -> None:
    script = npm / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
    # Node 18, Debian 12's own, has what the server makes its ids with only when it is asked to.
    flag, port = "--experimental-global-webcrypto", {"PORT": str(unused_tcp_port)}
    process = await asyncio.create_subprocess_exec(
        "node", flag, str(script), "streamableHttp", env={**os.environ, **port},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        while b"listening" not in (line := await asyncio.wait_for(process.stderr.readline(), 60)):
            assert line, "the server ended"
        definition = Definition("far", "http", url=f"http://127.0.0.1:{unused_tcp_port}/mcp", start_limit=60)
        result = await ask(talk, definition, "echo", {"message": "ahoy"}, words=False)
        assert result.text == "Echo: ahoy"
        await talk.program.integrations.aclose()
    finally:
        process.terminate()
        await process.wait()
