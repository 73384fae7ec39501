"""`conch-desktop doctor`: plain words, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from conch_desktop import doctor
from conch_desktop.doctor import Finding, findings
from conch_desktop.engine.assembly import DATABASE, Program
from tests.servers import ScriptedServer, json_reply


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


def test_checking_a_model_is_not_there_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--model", "local/small"]) == 2
    assert "not part of this version" in capsys.readouterr().err
