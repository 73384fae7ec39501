"""The open card of a call: what is marked, what each mend says, what can be copied."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.calls.cases import read_case
from conch_desktop.calls.read import read_call
from conch_desktop.desktop.activity import Activity
from conch_desktop.desktop.call_body import CallBody, Folded
from conch_desktop.desktop.call_card import CallCard
from conch_desktop.desktop.copied_case import case_line, masked
from conch_desktop.desktop.marks import MARKED_MOST, members, ran_marks, sent_marks
from conch_desktop.desktop.mend_words import FIELD, READ, mend_lines
from conch_desktop.desktop.wording import pretty, tags
from conch_desktop.domain.calls import CallRecord, CallState, Mend, MendKind
from conch_desktop.domain.messages import Message
from conch_desktop.domain.tools import Tool, ToolAnswer, ToolContext, answer


async def _run(args: object, context: ToolContext) -> ToolAnswer:
    return answer("")


def _tool(name: str, properties: dict[str, object], required: list[str]) -> Tool:
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, "", schema, "read", _run, source="harbour-weather")


TEXT = {"type": "string"}
ROUTE = _tool(
    "plan_route",
    {
        "from": TEXT,
        "to": TEXT,
        "legs": {"type": "integer"},
        "mode": {"type": "string", "enum": ["walk", "tram", "ferry"]},
        "via": {"type": "array", "items": TEXT},
        "fast": {"type": "boolean"},
    },
    ["from", "to"],
)
RAW = (
    """{from: 'Quay 4', to: 'Mill Lane', legs: "3", mode: 'Ferry', via: "Old Bridge", fast: "true", colour: 'blue',}"""
)
BERTH = _tool(
    "find_berth",
    {"harbour": TEXT, "length_m": {"type": "number"}, "side": {"enum": ["port", "starboard"]}},
    ["harbour", "length_m"],
)


def made(raw: str, tool: Tool) -> CallRecord:
    read = read_call(raw, tool)
    state: CallState = "done" if read.ok else "not_run"
    said = "" if read.ok else read.error
    return CallRecord(
        "c1", tool.name, raw, source=tool.source, state=state, args=read.args, mends=read.mends, dropped=read.dropped,
        sent_back=said, is_error=not read.ok, started=1.0 if read.ok else None,
    )  # fmt: skip


@pytest.fixture
def call() -> CallRecord:
    return made(RAW, ROUTE)


def opened(qtbot: QtBot, call: CallRecord) -> CallBody:
    card = CallCard(call, call.source)
    qtbot.addWidget(card)
    card.resize(356, card.fit(356))
    card.show()
    card.set_open(True)
    card.resize(356, card.fit(356))
    assert card.body is not None
    return card.body


def shown(body: QWidget) -> str:
    return "\n".join(box.toPlainText() for box in body.findChildren(QWidget) if hasattr(box, "toPlainText"))


# Marks --------------------------------------------------------------------------------------------------------------


def test_each_kind_of_place_in_what_was_sent_is_marked_as_what_it_is(call: CallRecord) -> None:
    by_kind: dict[str, list[str]] = {}
    for start, end, kind in sent_marks(call):
        by_kind.setdefault(kind, []).append(RAW[start:end])
    assert by_kind["value"] == ['"3"', "'Ferry'", '"Old Bridge"', '"true"', ","]
    assert by_kind["out"] == ["colour: 'blue'"]
    assert {"from", "'Quay 4'", "colour"} <= set(by_kind["read"])


def test_changed_values_are_marked_in_what_ran(call: CallRecord) -> None:
    text = pretty(call.args)
    assert [text[start:end] for start, end in ran_marks(call, text)] == ["true", "3", '"ferry"', '["Old Bridge"]']


def test_what_did_not_fit_is_marked_in_a_call_that_was_not_run() -> None:
    call = made('{"length_m":"ten","side":"left"}', BERTH)
    assert [(call.raw[start:end], kind) for start, end, kind in sent_marks(call)] == [
        ('"ten"', "wrong"),
        ('"left"', "wrong"),
    ]


@pytest.mark.parametrize(
    ("text", "path", "member"),
    [
        ('{"a": 1}', "a", '"a": 1'),
        ("{a: {b: [1, 'x']}}", "a.b[1]", "'x'"),
        ('{"a": [{"b": 1}, {"b": 2}]}', "a[1].b", '"b": 2'),
        ('{"a, b": 1, "c": 2}', "c", '"c": 2'),
        ('{"a": "}", "b": 2}', "b", '"b": 2'),
        ('{"a": 1, "b": [1, 2', "b", '"b": [1, 2'),
        ('Well: {"a": True}', "a", '"a": True'),
    ],
)
def test_a_member_is_found_by_its_path(text: str, path: str, member: str) -> None:
    place = members(text)[path]
    assert text[place.key : place.end] == member


@pytest.mark.parametrize(
    "text", ["", "}", "]]]", ":", '{"', "{'a", "{{{{", "[" * 2000, "{:::,,,}", "x" * (MARKED_MOST + 1)]
)
def test_any_text_may_be_looked_through(text: str) -> None:
    for place in members(text).values():
        assert 0 <= place.key <= place.end <= len(text)


# Words --------------------------------------------------------------------------------------------------------------


def test_every_mend_is_said_in_a_line(call: CallRecord) -> None:
    said = [f"{line.name}: {line.words}" if line.name else line.words for line in mend_lines(call)]
    assert said == [
        "7 keys without quotes were read as keys",
        "4 texts in single quotes were read as text",
        "The comma before } was left out",
        "legs: the text “3” became the number 3",
        "mode: “Ferry” is the option ferry",
        "via: one text became a list of one",
        "fast: the text “true” became true",
        "colour: was left out: plan_route has no such field",
    ]
    assert [line.where for line in mend_lines(call)][:2] == ["1 to 99", "7 to 107"]
    assert tags(call) == [("7 mended", "mend"), ("1 field left out", "plain")]


@pytest.mark.parametrize("what", get_args(MendKind))
@pytest.mark.parametrize("path", ["", "from"])
def test_every_kind_of_mend_has_words(call: CallRecord, what: MendKind, path: str) -> None:
    mends = (Mend(what, path, (1, 5)), Mend(what, path))
    for few in (mends[:1], mends):
        for line in mend_lines(replace(call, mends=few, dropped=())):
            assert line.words
            assert "{" not in line.words
    assert what in READ
    assert set(FIELD) <= set(READ)


# The card -----------------------------------------------------------------------------------------------------------


def test_a_mend_rings_its_places_while_it_has_the_focus(qtbot: QtBot, call: CallRecord) -> None:
    body = opened(qtbot, call)
    row = next(row for row in body.mends if row.line.ran == "mode")
    row.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: bool(body.rings[0].spans))
    sent, ran = body.rings
    assert [RAW[start:end] for start, end in sent.spans] == ["'Ferry'"]
    assert [pretty(call.args)[start:end] for start, end in ran.spans] == ['"ferry"']
    assert all(box.width() > 2 for box in [*sent.boxes(), *ran.boxes()])
    body.mends[0].setFocus(Qt.FocusReason.TabFocusReason)
    assert not ran.spans
    assert len(sent.spans) == 7


def test_copy_gives_the_very_bytes(qtbot: QtBot, call: CallRecord) -> None:
    body = opened(qtbot, call)
    buttons = {one.accessibleName(): one for one in body.findChildren(QWidget) if one.accessibleName()}
    for name, text in (("Copy Sent", RAW), ("Copy Ran", pretty(call.args))):
        button = buttons[name]
        assert hasattr(button, "click")
        button.click()
        assert QGuiApplication.clipboard().text() == text


def test_json_in_an_answer_is_folded_until_it_is_wanted(qtbot: QtBot) -> None:
    text = json.dumps({"berths": [{"number": number} for number in range(20)]})
    body = opened(qtbot, CallRecord("c1", "berths", "{}", state="done", args={}, answer=text, sent_back=text))
    assert '"number": 19' not in shown(body)
    folded = body.findChild(Folded)
    assert isinstance(folded, Folded)
    with qtbot.waitSignal(body.refit):
        folded.button.click()
    assert '"number": 19' in shown(body)


def test_arrows_walk_through_the_calls(qtbot: QtBot, call: CallRecord) -> None:
    panel = Activity()
    qtbot.addWidget(panel)
    panel.resize(380, 700)
    calls = (call, replace(call, id="c2"))
    panel.show_messages([Message("a", "assistant", calls, mode="native")], {})
    panel.show()
    panel.take_focus()
    first, second = panel.card("c1"), panel.card("c2")
    assert first is not None
    assert second is not None
    for key, card in ((Qt.Key.Key_Down, second), (Qt.Key.Key_Down, second), (Qt.Key.Key_Up, first)):
        focus = panel.focusWidget()
        assert focus is not None
        qtbot.keyClick(focus, key)
        now = panel.focusWidget()
        assert now is not None
        assert card.isAncestorOf(now)


# As a case ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("raw", "tool"), [(RAW, ROUTE), ('{"length_m":"ten","side":"left"}', BERTH), ("", ROUTE)])
def test_a_call_as_a_case_is_read_the_same_way_again(raw: str, tool: Tool) -> None:
    call = made(raw, tool)
    line = case_line(call, tool)
    assert "\n" not in line
    case = json.loads(line)
    assert (case["raw"], case["source"]) == (raw, "integration")
    again = read_case(case)
    assert again["ok"] == (call.args is not None)
    assert again.get("args") == call.args
    assert again.get("error", "") == call.sent_back


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ('{"api_key": "abc123", "n": 1}', '{"api_key": "******", "n": 1}'),
        ("{password: 'hunter2'}", "{password: '*******'}"),
        ('{"text": "sk-abcdefghijkl"}', '{"text": "sk-…"}'),
        ('{"tokens": 3}', '{"tokens": 3}'),
    ],
)
def test_secrets_are_not_copied(raw: str, kept: str) -> None:
    assert masked(raw) == kept
