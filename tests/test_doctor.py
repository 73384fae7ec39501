"""`conch-desktop doctor`: plain words, and what to do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conch_desktop import doctor
from conch_desktop.doctor import Finding, findings
from conch_desktop.engine.assembly import DATABASE, Program
from tests.servers import Recorded, Reply, ScriptedServer, call, json_reply, say
from tests.tools.mcp.conftest import hostile


async def found(profile: Path) -> list[Finding]:
    return [finding async for finding in findings(profile)]


async def test_everything_is_looked_at(tmp_path: Path) -> None:
    async with ScriptedServer() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "a"}, {"id": "b"}]}))
        program = await Program.open(tmp_path)
        await program.add_provider("openai", "Pier", server.url, "")
        await program.add_provider("openai", "Gone", "http://127.0.0.1:9/v1", "")
        await program.aclose()
        said = await found(tmp_path)
    by_words = {finding.what: finding for finding in said}
    assert any(what.startswith("Qt starts") and finding.ok for what, finding in by_words.items())
    assert any(what.startswith("Pier: 2 models") and finding.ok for what, finding in by_words.items())
    assert any(str(tmp_path) in what for what in by_words)
    gone = next(finding for what, finding in by_words.items() if what.startswith("Gone:"))
    assert not gone.ok
    assert gone.advice
    keys = next(finding for finding in said if "key" in finding.what)
    assert not keys.ok  # tests have no key store
    assert keys.advice


async def test_a_damaged_database_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"not a database at all, just bytes" * 100)
    before = (tmp_path / DATABASE).read_bytes()
    said = await found(tmp_path)
    assert not said[-1].ok
    assert said[-1].advice
    assert (tmp_path / DATABASE).read_bytes() == before


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    finding = doctor._folder(tmp_path / "file" / "profile")
    assert not finding.ok
    assert "--data-dir" in finding.advice


def test_the_report_is_1_when_something_does_not_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--data-dir", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "ok  The data folder is" in out
    assert "!! " in out


def natively(request: Recorded) -> Reply:
    """A model that does what it is told, natively, one call after the other."""
    said = json.dumps(request.json["messages"])
    names = [tool["function"]["name"] for tool in request.json.get("tools", ())]
    results = [message["content"] for message in request.json["messages"] if message["role"] == "tool"]
    if "get_code" in names and not results:
        return call("get_code", "{}")
    if "get_code" in names and len(results) == 1:
        return call("open_gate", json.dumps({"code": results[0].split()[-1]}))
    if names and not results:
        wanted = (
            {"text": "harbour"} if "write_note" in names else {"harbour": "North", "number": 7, "side": "starboard"}
        )
        return call(names[0], json.dumps(wanted))
    return say(f"Done, after {len(said)} characters.")


async def checked(tmp_path: Path, reply: Callable[[Recorded], Reply]) -> tuple[int, str]:
    """The status of a check against a scripted model, and the lesson it left."""
    with ScriptedServer().in_thread() as server:
        server.route("GET /v1/models", json_reply({"data": [{"id": "demo"}]}))
        server.route("POST /v1/chat/completions", reply)
        program = await Program.open(tmp_path)
        provider, _ = await program.add_provider("openai", "Pier", server.url, "")
        await program.aclose()
        status = await asyncio.to_thread(doctor.main, ["--data-dir", str(tmp_path), "--model", "Pier/demo"])
        program = await Program.open(tmp_path)
        lessons = await program.lessons_of(f"{provider.id}/demo")
        await program.aclose()
    return status, lessons[0].value if lessons else ""


async def test_a_model_that_calls_natively_is_found_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert await checked(tmp_path, natively) == (0, '["native", 3]')
    assert capsys.readouterr().out == "Made 3 of 3 calls right natively.\n"


async def test_a_model_that_only_talks_is_found_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, lesson = await checked(tmp_path, lambda request: say("I would rather talk."))
    assert (status, lesson) == (1, '["native", 0]')
    assert "none of 3 calls" in capsys.readouterr().out


async def test_a_model_nobody_answers_for_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, lesson = await checked(tmp_path, lambda request: json_reply({"error": {"message": "no"}}, 401))
    assert (status, lesson) == (1, "")
    assert "refused the key" in capsys.readouterr().err


def test_an_unknown_provider_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--data-dir", str(tmp_path), "--model", "Nowhere/demo"]) == 1
    assert "no provider Nowhere" in capsys.readouterr().err


async def test_each_integration_is_told_with_its_state(tmp_path: Path) -> None:
    program = await Program.open(tmp_path)
    await program.integrations.add(hostile(name="harbour"))
    await program.integrations.add(hostile("bad-schemas", name="odd"))
    await program.integrations.add(hostile("exit", name="broken"))
    await program.integrations.add(hostile("no-tools", name="library"))
    await program.integrations.add(hostile(name="idle"), is_on=False)
    await program.integrations.settled()
    await program.aclose()
    said = {finding.what.split()[0]: finding for finding in await found(tmp_path)}
    assert (said["harbour"].ok, said["harbour"].what) == (True, "harbour runs, with 13 tools.")
    assert (said["library"].ok, said["library"].what) == (True, "library runs, with 0 tools.")
    assert not said["odd"].ok
    assert "a_list" in said["odd"].what
    assert not said["broken"].ok
    assert "exited with 3" in said["broken"].what
    assert said["broken"].advice
    assert said["idle"].what == "idle is switched off."
