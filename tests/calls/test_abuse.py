"""Nothing here widens what a call may do: a table of attempts for each sentence of that rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from conch_desktop.calls.read import read_call
from conch_desktop.domain.calls import Json
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer
from tests.calls.tools import FIND_BERTH, NOTE, PRESS, STATE, TASK, TEXT, TRY, WHOLE, closed, tool

DOCUMENT = tool("save", closed({"path": TEXT, "content": TEXT}, "path", "content"))

NO_TEXT_IS_REWRITTEN = [
    "  blanks at both ends  ",
    "cafe\u0301 ﬁn Ⅷ",
    "&amp; &#39; %20 \\n",
    "[1, 2, 3]",
    '{"a": 1,}',
    "true",
    "007",
    "null",
    "None",
    "'quoted'",
    "“curly”",
    "a,b;c",
    "```json\n{}\n```",
    "</tool_call>",
    "// no comment /* none */ # none",
    "tabs\tand\r\nlines",
    "nul \x00 and \x7f",
    "\ufeffbom and \u200b",
    "C:\\temp\\new",
    "🍵 \U0001f600",
    "x" * 5_000,
]


@pytest.mark.parametrize("text", NO_TEXT_IS_REWRITTEN)
@pytest.mark.parametrize("slip", ["", ",", "// c\n"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_no_text_is_rewritten(text: str, slip: str, ascii_only: bool) -> None:
    written = json.dumps({"path": "p", "content": text}, ensure_ascii=ascii_only)
    read = read_call(f"{written[:-1]}{slip}}}", DOCUMENT)
    assert read.ok, read.error
    assert read.args == {"path": "p", "content": text}


@pytest.mark.parametrize("text", NO_TEXT_IS_REWRITTEN)
def test_no_text_is_rewritten_in_single_quotes(text: str) -> None:
    body = json.dumps(text)[1:-1].replace("'", "\\'")
    read = read_call(f"{{'path': 'p', 'content': '{body}'}}", DOCUMENT)
    assert read.args == {"path": "p", "content": text}


NO_VALUE_IS_INVENTED: list[tuple[Tool, str]] = [
    (FIND_BERTH, "{}"),
    (FIND_BERTH, '{"harbour": null, "length_m": 3}'),
    (FIND_BERTH, '{"harbour": "", "length_m": ""}'),
    (FIND_BERTH, '{"harbour": "N", "length_m": null}'),
    (FIND_BERTH, '{"harbour": "N", "length_m": , }'),
    (FIND_BERTH, '{"harbour": "N", "length_m":'),
    (FIND_BERTH, '{"harbour": "N", "length_m": ten}'),
    (FIND_BERTH, '{"harbour": "N", "length_m": "ten"}'),
    (FIND_BERTH, '{"harbour": "N", "length_m": true}'),
    (FIND_BERTH, '{"harbour": "N", "lengthM": 3}'),
    (FIND_BERTH, '{"harbour": 5, "length_m": 3}'),
    (FIND_BERTH, '{"harbour": ["N"], "length_m": 3}'),
    (FIND_BERTH, '{"harbour": "N", "length_m": 2*3}'),
    (FIND_BERTH, '{"harbour": __import__("os").getcwd(), "length_m": 3}'),
    (NOTE, '{"text": "x", "pinned": "yes"}'),
    (NOTE, '{"text": "x", "pinned": 1}'),
    (TASK, '{"id": 5}'),
    (tool("t", closed({"n": {"type": "integer", "default": 5}}, "n")), "{}"),
]


@pytest.mark.parametrize(("known", "raw"), NO_VALUE_IS_INVENTED)
def test_no_value_is_invented(known: Tool, raw: str) -> None:
    assert not read_call(raw, known).ok


def test_no_default_is_filled_in() -> None:
    known = tool("t", closed({"n": {"type": "integer", "default": 5}}))
    assert read_call("{}", known).args == {}
    assert read_call('{"n": null}', known).args == {}


NO_UNKNOWN_FIELD_GETS_THROUGH: list[tuple[str, tuple[str, ...]]] = [
    ('{"text": "x", "path": "/etc"}', ("path",)),
    ('{"text": "x", "__proto__": {"pinned": true}}', ("__proto__",)),
    ('{"text": "x", "constructor": {"prototype": {}}}', ("constructor",)),
    ('{"text": "x", "text ": "y"}', ("text ",)),
    ('{"text": "x", "Text": "y"}', ("Text",)),
    ('{"text": "x", "te\\u200bxt": "y"}', ("te\u200bxt",)),
    ('{"text": "x", "": 1}', ("",)),
    ("{text: 'x', __class__: 'y'}", ("__class__",)),
    ('{"arguments": {"text": "x", "path": 1}, "path": 2}', ("path",)),
    ('{"text": "x"}{"path": 1}', ("path",)),
    ('"{\\"text\\": \\"x\\", \\"path\\": 1}"', ("path",)),
]


@pytest.mark.parametrize(("raw", "paths"), NO_UNKNOWN_FIELD_GETS_THROUGH)
def test_no_unknown_field_gets_through(raw: str, paths: tuple[str, ...]) -> None:
    read = read_call(raw, NOTE)
    assert read.args == {"text": "x"}
    assert read.dropped == paths


def test_proto_and_constructor_are_plain_keys_where_fields_are_open() -> None:
    read = read_call("{app: 'a', input: {__proto__: {x: 1}, constructor: 'c', toString: 's',}}", TRY)
    assert read.args == {"app": "a", "input": {"__proto__": {"x": 1}, "constructor": "c", "toString": "s"}}
    assert isinstance(read.args, dict)


@pytest.mark.parametrize(
    "ref",
    ["e12] >> css=body", "[ref=e12][ref=e13]", "#save", "e12\\u0000", "e12;alert(1)", "e１２", "12", "e12 e13", ""],
)
def test_a_ref_is_only_ever_bare(ref: str) -> None:
    assert not read_call(f'{{"ref": "{ref}"}}', PRESS).ok
    assert read_call('{"ref": "[ref=e12]"}', PRESS).args == {"ref": "e12"}


HIDDEN_CALLS = [
    ('{"text": "\\"}{\\"text\\": \\"other"}', '"}{"text": "other'),
    ("""{"text": "x', 'pinned': True, 'y': '"}""", "x', 'pinned': True, 'y': '"),
    ('{"text": "x\\", \\"pinned\\": true, \\"y\\": \\""}', 'x", "pinned": true, "y": "'),
    ('{"text": "/*"} // */, "pinned": true}', None),
    ('{"text": "x" /* } */ , /* "pinned": true */ }', "x"),
    ('{"text": "x"} {"pinned": true} and more', "x"),
]


@pytest.mark.parametrize(("raw", "text"), HIDDEN_CALLS)
def test_no_text_can_hide_a_second_call_or_a_field(raw: str, text: str | None) -> None:
    read = read_call(raw, NOTE)
    if text is None:
        assert not read.ok or read.args == {"text": "/*"}
    else:
        assert read.args is not None
        assert read.args["text"] == text


SENT: list[tuple[Tool, Any]] = [
    (STATE, "{deep: 'true', since: \"5\", part: 'x', more: 1,}"),
    (NOTE, '```json\n{"text": "x", "labels": "a"}\n```'),
    (TRY, '{"app": "a", "input": "{\\"k\\": [1]}"}'),
]


@pytest.mark.parametrize(("known", "raw"), SENT)
async def test_what_is_read_is_what_the_guard_sees_and_what_runs(known: Tool, raw: str) -> None:
    ran: list[Mapping[str, Json]] = []

    async def run(args: Mapping[str, Json], context: ToolContext) -> ToolAnswer:
        ran.append(args)
        return answer("")

    read = read_call(raw, known)
    assert read.args is not None
    running = Tool(known.name, "", known.parameters, "read", run)
    await running.run(read.args, ToolContext("chat", "call"))
    again = read_call(json.dumps(ran[0]), known)
    assert again.args == read.args == ran[0]
    assert (again.mends, again.dropped) == ((), ())


NUMBERS = ["NaN", "-Infinity", "1e999", "-1e999", '"1e999"', '"NaN"', "9" * 4301, f'"{"9" * 4301}"']


@pytest.mark.parametrize("number", NUMBERS)
def test_no_number_passes_that_is_none(number: str) -> None:
    for schema in ({"type": "number"}, WHOLE, {}):
        read = read_call(f'{{"n": {number}}}', tool("t", closed({"n": schema})))
        assert not read.ok or read.args == {"n": number.strip('"')}


def test_a_400_digit_number_keeps_every_digit() -> None:
    digits = "1234567890" * 40
    for raw in (f'{{"n": {digits}}}', f'{{"n": "{digits}",}}'):
        assert read_call(raw, tool("t", closed({"n": WHOLE}))).args == {"n": int(digits)}
