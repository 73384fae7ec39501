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

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
CASE = json.dumps({"tool": {"name": "t", "schema": SCHEMA}, "raw": "{n: 1,}"})


def echo(case: Mapping[str, Any], options: argparse.Namespace) -> Mapping[str, Any]:
    return {"said": case["text"], "cut": options.cut}


def test_every_kind_of_the_contract_has_a_reader() -> None:
    assert list(check.READERS) == list(check.KINDS)


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


LINE = '{"tool": {"name": "t", "schema": {}}, "raw": "{}", "tools": ["t"], "text": "", "status": 400, "body": "x", "chunks": []}'
NEVER = {"PySide6", "sqlite3", "mcp", "keyring"}
WITHOUT = {
    "args": {"httpx"},
    "words": {"httpx"},
    "render": {"httpx"},
    "listing": {"httpx"},
    "schemas": {"httpx", "jsonschema"},
    "refusals": {"httpx", "jsonschema"},
    "streams": {"jsonschema"},
}


@pytest.mark.parametrize("kind", check.KINDS)
def test_a_reader_imports_only_its_own_part(kind: str) -> None:
    more = ["--dialect", "strict"] if kind == "schemas" else []
    probe = (
        f"import sys; from conch_desktop.cli import main; main(['check', {kind!r}, '-', *{more}]);"
        f"bad = {NEVER | WITHOUT[kind]} & set(sys.modules);"
        "sys.exit(f'imported: {bad}' if bad else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", probe], input=LINE, capture_output=True, text=True, check=False)
    assert "imported" not in ran.stderr


def test_refusals_and_streams_are_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"id": 1, "status": 429, "body": ""}\n', encoding="utf-8")
    assert check.main(["refusals", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == {"id": 1, "kind": "rate", "retry_after": None}
    path.write_text('{"id": 2, "wire": "openai", "tools": [], "chunks": ["data: [DONE]\\n\\n"]}\n', encoding="utf-8")
    assert check.main(["streams", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["finish"] == "stop"


def test_check_args_starts_within_its_time() -> None:
    """0.3 s of CPU, starting Python and reading one call included."""
    psutil = pytest.importorskip("psutil")
    spent = []
    for _ in range(3):
        before = sum(psutil.Process().cpu_times()[2:4])
        command = [sys.executable, "-m", "conch_desktop", "check", "args"]
        ran = subprocess.run(command, input=CASE, capture_output=True, text=True, check=True)
        assert json.loads(ran.stdout)["args"] == {"n": 1}
        spent.append(sum(psutil.Process().cpu_times()[2:4]) - before)
    assert min(spent) <= 0.3
