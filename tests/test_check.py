"""The frame of `conch-desktop check`: JSON lines in, JSON lines out."""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from conch_desktop import check


def echo(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    return {"said": case["text"], "cut": options.cut}


@pytest.mark.parametrize("kind", [kind for kind in check.KINDS if kind not in check.READERS])
def test_a_reader_that_is_not_there_yet_says_so_and_ends_with_2(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([kind]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"check {kind}" in err


def test_lines_are_answered_in_order_with_their_ids(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(check.READERS, "words", echo)
    lines = '{"id": "a", "text": "é"}\n\n{"id": "b", "text": "2"}\n'
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    assert check.main(["words", "--cut", "3"]) == 0
    piped = capsys.readouterr().out
    assert [json.loads(line) for line in piped.splitlines()] == [
        {"id": "a", "said": "é", "cut": 3},
        {"id": "b", "said": "2", "cut": 3},
    ]
    (tmp_path / "cases.jsonl").write_text(lines, encoding="utf-8")
    assert check.main(["words", str(tmp_path / "cases.jsonl"), "--cut", "3"]) == 0
    assert capsys.readouterr().out == piped


@pytest.mark.parametrize(
    ("line", "said"), [("not json", "Line 1 is no JSON"), ("[1]", "Line 1 is no JSON object"), (None, "can't be read")]
)
def test_a_bad_file_is_told_by_its_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str | None, said: str
) -> None:
    monkeypatch.setitem(check.READERS, "words", echo)
    path = tmp_path / "cases.jsonl"
    if line is not None:
        path.write_text(line, encoding="utf-8")
    assert check.main(["words", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_refusals_and_streams_are_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": 1, "status": 429, "body": ""}\n', encoding="utf-8")
    assert check.main(["refusals", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == {"id": 1, "kind": "rate", "retry_after": None}
    path.write_text('{"id": 2, "wire": "openai", "tools": [], "chunks": ["data: [DONE]\\n\\n"]}\n', encoding="utf-8")
    assert check.main(["streams", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["finish"] == "stop"


@pytest.mark.parametrize(("kind", "without"), [("refusals", "httpx"), ("streams", "jsonschema")])
def test_a_reader_imports_only_its_own_part(kind: str, without: str) -> None:
    probe = (
        f"import sys; from conch_desktop.cli import main; main(['check', {kind!r}, '-']);"
        f"bad = {{'PySide6', 'sqlite3', 'mcp', 'keyring', {without!r}}} & set(sys.modules);"
        "sys.exit(f'imported: {bad}' if bad else 0)"
    )
    line = '{"status": 400, "body": "x", "chunks": []}\n'
    ran = subprocess.run([sys.executable, "-c", probe], input=line, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_no_part_of_the_program_it_does_not_need_is_imported() -> None:
    probe = (
        "import sys; from conch_desktop.cli import main; main(['check', 'words']);"
        "bad = {'PySide6', 'httpx', 'sqlite3', 'mcp', 'keyring', 'asyncio'} & set(sys.modules);"
        "sys.exit(f'imported: {bad}' if bad else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
