"""The small parts: lines that are cut, lists and answers that are mended, names, commands, logs."""

from __future__ import annotations

import base64
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import ListToolsResult

from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Definition, ListedTool, what_changed
from conch_desktop.domain.pictures import PictureContent
from conch_desktop.domain.tools import StructuredContent, TextContent
from conch_desktop.tools.mcp.answers import LONGEST_ANSWER, read_answer
from conch_desktop.tools.mcp.commands import Paths, expanded
from conch_desktop.tools.mcp.cutting import Line, Lines, answer_of_cut
from conch_desktop.tools.mcp.log import LONGEST_LINE, MOST_LINES, Log
from conch_desktop.tools.mcp.mending import Mender, mended_root
from conch_desktop.tools.mcp.offering import Key, effect_of, fitted_names, free_name
from conch_desktop.tools.mcp.troubles import in_words

# Lines ----------------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=30)), st.integers(1, 40))
def test_lines_are_the_same_however_they_are_cut_and_never_longer_than_allowed(
    pieces: list[bytes], longest: int
) -> None:
    lines = Lines(longest)
    found = [line for piece in pieces for line in lines.feed(piece)]
    found.append(lines.close())
    whole = b"".join(pieces).split(b"\n")
    assert [line.head for line in found] == [line[:longest] for line in whole]
    assert [line.size for line in found] == [len(line) for line in whole]
    assert all(line.was_cut == (len(full) > longest) for line, full in zip(found, whole, strict=True))


def cut(text: str, longest: int = 200) -> Line:
    lines = Lines(longest)
    return next(lines.feed(text.encode() + b"\n"))


@pytest.mark.parametrize(
    "text",
    [
        '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"Beginning \\u00e9 '
        + "x" * 9_000
        + '"}]}}',
        '{"result":{"content":[{"type":"text","text":"Beginning \\u00e9 '
        + "x" * 9_000
        + '"}]},"jsonrpc":"2.0","id":7}',
    ],
)
def test_a_cut_answer_keeps_its_beginning_and_its_id(text: str) -> None:
    answer = answer_of_cut(cut(text))
    assert answer is not None
    assert answer["id"] == 7
    texts = [part["text"] for part in answer["result"]["content"]]
    assert texts[0].startswith("Beginning é x")
    assert "was cut" in texts[1]


def test_a_cut_line_that_answers_nothing_is_none() -> None:
    assert answer_of_cut(cut("x" * 5_000)) is None


@given(st.text(max_size=60))
def test_any_beginning_of_a_text_can_be_read(text: str) -> None:
    written = '{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":' + json.dumps(text + "x" * 300)
    answer = answer_of_cut(cut(written, 120))
    assert answer is not None
    kept = answer["result"]["content"][0]["text"]
    assert kept[:3] == text[:3] or kept.startswith("[The answer") or len(text) < 3 or "\ud800" <= text[:1] <= "\udfff"


# Lists ----------------------------------------------------------------------------------------------------------------

ROOTS: list[tuple[Any, Any]] = [
    ({"$schema": "x"}, {"$schema": "x", "type": "object"}),
    (None, {"type": "object", "properties": {}}),
    (True, {"type": "object", "properties": {}}),
    ({"type": ["object", "null"]}, {"type": "object"}),
    ({"properties": {"a": {}}, "required": True}, {"type": "object", "properties": {"a": {}}}),
    ({"anyOf": [{}]}, {"anyOf": [{}], "type": "object"}),
    ({"type": "string"}, "no object"),
    ({"type": "object", "properties": []}, "no table"),
    ([], "no schema"),
    ("text", "no schema"),
    ({"type": "object", "description": "x" * 2_000_000}, "characters"),
    ({"type": "object", "properties": {"a": json.loads('{"a":' * 120 + "1" + "}" * 120)}}, "deep"),
]


@pytest.mark.parametrize(("schema", "expected"), ROOTS, ids=range(len(ROOTS)))
def test_a_root_is_mended_or_beyond_help_for_a_reason(schema: Any, expected: Any) -> None:
    found = mended_root(schema)
    assert found == expected if isinstance(expected, dict) else isinstance(found, str) and expected in found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["name", "inputSchema", "type", "properties", "description", "annotations", "tools", "text"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@given(st.dictionaries(st.sampled_from(["tools", "nextCursor", "_meta"]), JSON))
def test_any_list_comes_out_so_that_the_library_takes_it(result: dict[str, Any]) -> None:
    mended = Mender().listing(result)
    ListToolsResult.model_validate(mended, by_name=False)


# Answers --------------------------------------------------------------------------------------------------------------

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20

ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a\nb"),
    ({"content": "plain"}, "plain"),
    ({"content": {"type": "text", "text": "alone"}}, "alone"),
    ({"content": []}, "The tool answered without a word."),
    ({}, "The tool answered without a word."),
    ({"content": [{"type": "image", "data": "%%%", "mimeType": "image/png"}]},
     "[A picture (image/png) that can’t be read: its data is no base64.]"),
    ({"content": [{"type": "resource_link", "uri": "file:///a", "name": "A"}]}, "[Link] A — file:///a"),
    ({"content": [{"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}}]}, "[file:///a]\ninside"),
    ({"content": [{"type": "resource", "resource": {"uri": "file:///a", "blob": "AAAA"}}]},
     "[file:///a (bytes, 3 bytes), which is not shown.]"),
    ({"content": [{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}]},
     "[Sound (audio/wav), which can’t be played here.]"),
    ({"content": [{"type": "hologram", "x": 1}]}, '{"type": "hologram", "x": 1}'),
    ({"content": [{"type": "text", "text": '{"a": 1}'}], "structuredContent": {"a": 1}}, '{"a": 1}'),
    ({"content": [{"type": "text", "text": "same"}], "structuredContent": {"result": "same"}}, "same"),
    ({"content": [{"type": "text", "text": "Found 1"}], "structuredContent": {"a": 1}}, 'Found 1\n{"a": 1}'),
]  # fmt: skip


@pytest.mark.parametrize(("result", "text"), ANSWERS)
def test_every_kind_of_part_is_words_a_model_can_use(result: dict[str, Any], text: str) -> None:
    assert read_answer(result).text == text


def test_pictures_and_json_are_parts_of_their_own() -> None:
    data = base64.b64encode(PNG).decode()
    picture = {"type": "image", "data": data, "mimeType": "image/png"}
    assert read_answer({"content": [picture]}).parts == (PictureContent(PNG, "image/png"),)
    blob = {"type": "resource", "resource": {"blob": data, "mimeType": "image/png"}}
    assert read_answer({"content": [blob]}).pictures == (PictureContent(PNG, "image/png"),)
    assert read_answer({"structuredContent": [1]}).parts == (StructuredContent([1]),)
    assert read_answer({"content": [], "isError": True}).is_error
    assert not read_answer({"content": [], "isError": "no"}).is_error


def test_an_answer_is_cut_with_words() -> None:
    answer = read_answer({"content": [{"type": "text", "text": "x" * 2_800_000}] * 3})
    assert len(answer.text) < LONGEST_ANSWER + 500
    assert "4,000,000 of 8,400,000 characters" in answer.text
    many = read_answer({"content": [{"type": "text", "text": "x"}] * 2_000})
    assert "2,000 parts" in many.text


@given(st.dictionaries(st.sampled_from(["content", "structuredContent", "isError"]), JSON))
def test_any_answer_is_read(result: dict[str, Any]) -> None:
    answer = read_answer(result)
    assert isinstance(answer.text, str)
    assert all(isinstance(part, TextContent | StructuredContent | PictureContent) for part in answer.parts)


# Names and effects ----------------------------------------------------------------------------------------------------


def test_names_fit_and_differ_and_do_not_depend_on_order() -> None:
    keys = [
        Key("harbour", "search"),
        Key("weather", "search"),
        Key("weather", "s" * 90),
        Key("weather", "get forecast (beta)"),
        Key("weather", "get_forecast_beta"),
        Key("weather", "Remember"),
        Key("weather", "日本"),
        Key("a_b", "c"),
        Key("a", "b_c"),
    ]
    names = fitted_names(keys, ["remember"])
    assert names == fitted_names(reversed(keys), ["remember"])
    assert len(set(names.values()) | {"remember"}) == len(keys) + 1
    assert all(len(name) <= 64 and name.replace("-", "_").isidentifier() and name.isascii() for name in names.values())
    assert names[Key("harbour", "search")] == "harbour_search"
    assert names[Key("weather", "Remember")] == "weather_Remember"
    assert names[Key("weather", "get_forecast_beta")] == "get_forecast_beta"


TEXTS = st.text(max_size=8) | st.sampled_from(["search", "remember", "a_b", "a b", "Search"])


@given(st.lists(st.builds(Key, TEXTS, TEXTS), max_size=12))
def test_no_two_tools_ever_share_a_name(keys: list[Key]) -> None:
    names = fitted_names(keys, ["remember", "a_b_c"])
    assert len({*names.values(), "remember", "a_b_c"}) == len(set(keys)) + 2


@pytest.mark.parametrize(
    ("reads", "inside", "kind", "effect"),
    [
        (True, True, "stdio", "read"),
        (False, True, "stdio", "write"),
        (True, False, "stdio", "outside"),
        (False, False, "stdio", "outside"),
        (True, True, "http", "outside"),
    ],
)
def test_what_a_server_leaves_unsaid_counts_as_the_worst(reads: bool, inside: bool, kind: Any, effect: str) -> None:
    assert effect_of(ListedTool("a", "", "", {}, reads, inside), kind) == effect


def test_what_changed_is_told_by_its_part() -> None:
    before = ListedTool("a", "", "old", {"type": "object"})
    assert what_changed(before.digest, before.digest) == ""
    assert (
        what_changed(before.digest, ListedTool("a", "", "new", {"type": "object"}).digest) == "its description changed"
    )
    other = ListedTool("a", "", "old", {"type": "object", "properties": {}}, reads=True)
    assert what_changed(before.digest, other.digest) == "its arguments and what it may do changed"


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert free_name("  Harbour ", []) == "Harbour"
    assert free_name("harbour", ["Harbour", "harbour 2"]) == "harbour 3"
    assert free_name("builtin", []) == "builtin 2"
    assert free_name("", []) == "app"


# Commands -------------------------------------------------------------------------------------------------------------


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.skipif(os.name == "nt", reason="Windows has no login shell")
async def test_a_command_that_only_the_login_shell_knows_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = program(tmp_path / "only here" / "npx-of-test")
    shell = program(
        tmp_path / "bash", f'#!/bin/sh\necho Welcome, said the start-up file\nPATH="{wanted.parent}:$PATH"\neval "$4"\n'
    )
    monkeypatch.setenv("SHELL", str(shell))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    found, env = await Paths().find(Definition("a", "stdio", command="npx-of-test", env={"ROOM": "${env:SHELL}"}))
    assert found == str(wanted)
    assert env["PATH"].split(os.pathsep)[0] == str(wanted.parent)
    assert env["ROOM"] == str(shell)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no login shell")
async def test_a_shell_that_hangs_or_breaks_costs_only_its_own_folders(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("conch_desktop.tools.mcp.commands.SHELL_LIMIT", 0.3)
    for text in ("#!/bin/sh\nsleep 60 & wait\n", "#!/bin/sh\nexit 7\n", "no program"):
        monkeypatch.setenv("SHELL", str(program(tmp_path / "shell", text)))
        found, _ = await Paths().find(Definition("a", "stdio", command="sh"))
        assert Path(found).name == "sh"


async def test_what_was_tried_is_said_and_where_a_command_comes_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHELL", "/nowhere")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("conch_desktop.tools.mcp.commands._USUAL", ())
    with pytest.raises(IntegrationError) as raised:
        await Paths().find(Definition("a", "stdio", command="uvx"))
    assert str(tmp_path) in raised.value.what
    assert "install uv" in raised.value.advice
    with pytest.raises(IntegrationError, match="is not there"):
        await Paths().find(Definition("a", "stdio", command=str(tmp_path / "gone")))


def test_references_are_filled_in_and_unknown_ones_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTH", "7")
    assert expanded("${env:BERTH} ${BERTH} ${NOWHERE:-8} ${input:x} $BERTH") == "7 7 8 ${input:x} $BERTH"
    assert expanded("${userHome}/x") == f"{Path.home()}/x"


# Logs and words -------------------------------------------------------------------------------------------------------


def test_a_log_keeps_the_last_lines_within_bounds() -> None:
    log = Log(lambda text: text.replace("secret", "•••"))
    log.feed(b"first\nsec")
    log.feed(b"ret\x1b[31m line\n" + b"x" * 100_000)
    assert log.lines[0] == "first"
    assert log.lines[1] == "•••\x20[31m line"
    for number in range(1_000):
        log.add(f"line {number}")
    assert len(log.lines) <= MOST_LINES + 1
    assert all(len(line) <= LONGEST_LINE + 1 for line in log.lines)
    assert log.last(1)


def test_troubles_are_told_from_their_inside() -> None:
    inner = ExceptionGroup("a", [ExceptionGroup("b", [ConnectionError("no way there")])])
    assert in_words(inner) == "no way there"
    assert in_words(RuntimeError()) == "Something went wrong (RuntimeError)."
    assert "HTTP 503" in in_words(RuntimeError("no"), status=503)
    old = IntegrationError("AttributeError: 'Server' object has no attribute 'list_resources'")
    assert "mcp<2" in in_words(old)
