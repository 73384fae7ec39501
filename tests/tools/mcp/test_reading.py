"""Other programs' settings are read kindly, and what can't be read is named by line and column."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conch_desktop.domain.errors import UsageError
from conch_desktop.domain.integrations import Definition
from conch_desktop.tools.mcp.elsewhere import found_elsewhere, places
from conch_desktop.tools.mcp.reading import FoundServer, read_json, read_servers

BERTH = Definition("berth", "stdio", command="npx", args=("-y", "berth"), env={"ROOM": "7"})
INNER = '{"command": "npx", "args": ["-y", "berth"], "env": {"ROOM": 7}}'

FORMS = [
    ("Claude Desktop, Cursor, Windsurf", '{"mcpServers": {"berth": @}}'),
    ("VS Code's mcp.json, with comments", '{\n// mine\n"servers": {"berth": @, /* the last */ },\n}'),
    ("VS Code's settings.json", '{"editor.fontSize": 12, "mcp": {"servers": {"berth": @}}}'),
    ("Zed", '{"context_servers": {"berth": @}}'),
    (
        "Zed of earlier",
        '{"context_servers": {"berth": {"command": {"path": "npx", "args": ["-y", "berth"]}, "env": {"ROOM": 7}}}}',
    ),
    ("Claude Code's projects", '{"projects": {"/home/me": {"mcpServers": {"berth": @}}}}'),
    ("only the inside", '{"berth": @}'),
    ("one server", '{"name": "berth", "command": "npx", "args": ["-y", "berth"], "env": {"ROOM": "7"}}'),
    ("a byte order mark", '\ufeff{"mcpServers": {"berth": @}}'),
]
"""@ stands for the server."""


@pytest.mark.parametrize(("form", "text"), FORMS, ids=[form for form, _ in FORMS])
def test_every_form_gives_the_same_server(form: str, text: str) -> None:
    assert [found.definition for found in read_servers(text.replace("@", INNER))] == [BERTH]


URLS = [
    ('{"url": "https://pier.example/mcp"}', ""),
    ('{"type": "http", "url": "https://pier.example/mcp"}', ""),
    ('{"type": "streamableHttp", "url": "https://pier.example/mcp"}', ""),
    ('{"httpUrl": "https://pier.example/mcp"}', ""),
    ('{"serverUrl": "https://pier.example/mcp"}', ""),
    ('{"type": "sse", "url": "https://pier.example/mcp"}', "old SSE"),
    ('{"url": "https://pier.example/sse"}', "old SSE"),
    ('{"type": "websocket", "url": "https://pier.example/mcp"}', "websocket"),
    ('{"url": "pier.example"}', "http://"),
    ('{"command": ""}', "neither a command nor an address"),
    ('{"command": "x", "args": "y"}', "args"),
    ('{"command": "x", "env": ["y"]}', "env"),
]


@pytest.mark.parametrize(("server", "why"), URLS)
def test_what_keeps_a_server_from_being_used_is_said(server: str, why: str) -> None:
    (found,) = read_servers(f'{{"mcpServers": {{"pier": {server}}}}}')
    assert why in found.why
    assert bool(found.why) == bool(why)


def test_a_server_that_is_switched_off_there_stays_off_and_what_is_asked_for_is_named() -> None:
    text = '{"servers": {"a": {"command": "x", "disabled": true}, "b": {"command": "x", "env": {"K": "${input:key}"}}}}'
    first, second = read_servers(text)
    assert not first.is_on
    assert second == FoundServer(Definition("b", "stdio", command="x", env={"K": "${input:key}"}), needs=("key",))


COMMA_MISSING = '{\n"mcpServers": {\n"a": {\n"command": "x"\n},\n"b": {\n"command": "y"\n"args": []\n}\n}\n}'

BROKEN = [
    (COMMA_MISSING, 7, 15, "comma"),
    ('{"mcpServers": {"a": {"command": "x}}}', 1, 34, "not closed"),
    ('{"mcpServers":\n {"a" {}}}', 2, 6, "colon"),
    ('{"mcpServers": {"a": {"command": "C:\\Users"}}}', 1, 37, "backslash"),
    ('{"mcpServers": {"a": }}', 1, 22, "value"),
    ('{"mcpServers": {}', 1, 18, "comma"),
    ("{} {}", 1, 4, "more follows"),
    ("// nothing\n{'mcpServers': {}}", 2, 2, "double quotes"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "what"), BROKEN)
def test_a_fault_is_named_by_line_and_column(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_servers(text)
    assert f"Line {line}, column {column}:" in raised.value.what
    assert what in raised.value.what


def test_a_text_without_servers_is_told() -> None:
    for text in ("{}", "[]", "7", '{"mcpServers": {}}'):
        with pytest.raises(UsageError, match="no servers"):
            read_servers(text)


def test_depth_and_many_comments_end_with_words_and_in_time() -> None:
    with pytest.raises(UsageError):
        read_servers("[" * 200_000)
    with pytest.raises(UsageError):
        read_servers("[," + "/* */" * 50_000)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_plain_json_means_what_it_says(value: object) -> None:
    assert read_json(json.dumps(value)) == value


@given(st.text(alphabet='{}[]",:/*\\\n a1', max_size=60))
def test_any_garbage_is_read_or_named(text: str) -> None:
    with contextlib.suppress(UsageError):
        assert read_servers(text)


def test_other_programs_are_read_and_never_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "roaming"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    where = dict(places())
    texts = {
        "Claude Desktop": FORMS[0][1].replace("@", INNER),
        "Cursor": COMMA_MISSING,
        "Gemini CLI": '{"theme": "dark"}',
    }
    for program, text in texts.items():
        where[program].parent.mkdir(parents=True, exist_ok=True)
        where[program].write_text(text, "utf-8")
    where["Windsurf"].parent.mkdir(parents=True)
    where["Windsurf"].write_bytes(b"\xff\xfe\x00")
    before = {program: (where[program].read_bytes(), where[program].stat().st_mtime_ns) for program in texts}
    found = {file.program: file for file in found_elsewhere()}
    assert [server.definition for server in found["Claude Desktop"].servers] == [BERTH]
    assert "Line 7, column 15" in found["Cursor"].why
    assert str(where["Cursor"]) in found["Cursor"].why
    assert "could not be read" in found["Windsurf"].why
    assert set(found) == {"Claude Desktop", "Cursor", "Windsurf"}
    assert before == {p: (where[p].read_bytes(), where[p].stat().st_mtime_ns) for p in texts}
