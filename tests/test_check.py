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


def answers_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: str, *arguments: str
) -> list[dict[str, Any]]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    assert check.main(arguments) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("dialect", ["gemini", "anthropic", "strict", "permissive"])
def test_schemas_are_converted_line_by_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dialect: str
) -> None:
    lines = (
        '{"id": 1, "tool": "read file", "schema": {"properties": {"path": {"type": "string"}}}}\n'
        '{"id": 2, "tool": "odd", "schema": {"type": "string"}}\n'
    )
    good, bad = answers_to(monkeypatch, capsys, lines, "schemas", "--dialect", dialect)
    assert (good["id"], good["tool"], good["dialect"]) == (1, "read_file", dialect)
    assert good["schema"] == {"type": "object", "properties": {"path": {"type": "string"}}}
    assert (bad["id"], bad["refused"]) == (
        2,
        "The schema of odd can't be used: it wants text, and the arguments of a call are always an object.",
    )


def test_schemas_need_a_dialect(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("{}\n"))
    assert check.main(["schemas"]) == 2
    assert "--dialect" in capsys.readouterr().err


@pytest.mark.parametrize("opening", ['{"type":"object","properties":{"n":', '{"anyOf":[', '{"items":'])
def test_a_line_nested_deeper_than_python_reads_is_read_down_to_a_depth(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], opening: str
) -> None:
    closing = "".join({"{": "}", "[": "]"}[letter] for letter in reversed(opening) if letter in "{[")
    nested = f"{opening * 10_000}true{closing * 10_000}"
    lines = (
        f'{{"id": "deep", "tool": "t", "schema": {{"properties": {{"x": {nested}, "y]": {{"type": "integer"}}}}}}}}\n'
    )
    (answer,) = answers_to(monkeypatch, capsys, lines, "schemas", "--dialect", "permissive")
    assert answer["id"] == "deep"
    assert answer["schema"]["properties"]["y]"] == {"type": "integer"}


def test_numbers_and_letters_that_python_can_not_handle_come_and_go(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = f'{{"text": "half \\ud83d", "more": {"9" * 5_000}}}\n'
    monkeypatch.setitem(check.READERS, "words", echo)
    assert answers_to(monkeypatch, capsys, lines, "words") == [{"id": None, "said": "half \ud83d", "cut": None}]


LINE = (
    '{"tool": {"name": "t", "schema": {}}, "raw": "{}", "tools": ["t"], "text": "", "status": 400, "body": "x", '
    '"chunks": []}'
)
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


def checked(
    kind: str,
    cases: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *more: str,
) -> list[dict[str, Any]]:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(json.dumps(case) + "\n" for case in cases)))
    assert check.main([kind, *more]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("cut", [(), ("--cut", "1"), ("--cut", "3")])
def test_words_are_read_whole_and_in_pieces(
    cut: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = '<tool_call>\n{"name": "note_down", "arguments": "{\\"text\\": \\"x\\"}"}\n</tool_call>'
    cases: list[dict[str, Any]] = [
        {"id": 1, "tools": ["note_down"], "text": f"So. {call}<tool_call>oh</tool_call>"},
        {"id": 2, "tools": [{"name": "note_down", "schema": {}}], "text": call[:40], "finish": "length"},
        {"id": 3, "tools": [], "text": "So."},
    ]
    assert checked("words", cases, monkeypatch, capsys, *cut) == [
        {"id": 1, "visible": "So. ", "calls": [{"name": "note_down", "arguments": {"text": "x"}}], "failed": 1},
        {"id": 2, "visible": "", "calls": [], "failed": 1},
        {"id": 3, "visible": "So.", "calls": [], "failed": 0},
    ]


def test_calls_and_answers_are_written_and_read_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases: list[dict[str, Any]] = [
        {"id": 1, "kind": "call", "name": "note_down", "arguments": {"text": "</tool_call>"}},
        {"id": 2, "kind": "answer", "results": [{"tool": "open_page", "text": "Free.</tool_response>"}]},
    ]
    written = checked("render", cases, monkeypatch, capsys)
    texts = [{"id": case["id"], "tools": ["note_down"], "text": case["text"]} for case in written]
    assert checked("words", texts, monkeypatch, capsys) == [
        {"id": 1, "visible": "", "calls": [{"name": "note_down", "arguments": {"text": "</tool_call>"}}], "failed": 0},
        {"id": 2, "visible": "", "calls": [], "failed": 0},
    ]


def test_a_listing_says_its_level_and_its_size(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = {"name": "note_down", "description": "Writes a note.", "schema": {"type": "object", "properties": {}}}
    cases = [{"id": window, "tools": [tool], "window": window} for window in (100_000, 100)]
    large, small = checked("listing", cases, monkeypatch, capsys)
    assert large["level"] == "full"
    assert large["text"].endswith("- note_down({}) — Writes a note.")
    assert 0 < large["tokens"] < 1_000
    assert small == {"id": 100, "level": "none", "text": "", "tokens": 0}


@pytest.mark.figures
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


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("args", '{"tool": {"name": "t", "schema": {"properties": {"a": {"type": [["x"], {}]}}}}, "raw": {"a": 1}}'),
        ("refusals", '{"status": "x"}'),
        ("refusals", '{"status": 400, "headers": [1]}'),
        ("streams", '{"wire": [], "chunks": true}'),
        ("streams", '{"wire": "anthropic", "tools": [], "chunks": ["data: {\\"type\\": []}\\n\\n"]}'),
        ("words", '{"tools": [1], "text": "x"}'),
        ("render", '{"kind": "answer", "results": [null]}'),
        ("listing", '{"tools": [null], "window": 8192}'),
    ],
)
def test_an_odd_case_has_an_answer_and_so_has_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str, line: str
) -> None:
    first, second = answers_to(monkeypatch, capsys, f"{line}\n{line}\n", kind)
    assert first == second
    assert len(first) > 1
