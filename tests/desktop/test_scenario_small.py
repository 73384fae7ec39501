"""What is left of S04, S07 and S24 beside `test_scenarios.py`.

S04 here: after each key the list holds exactly what has all the words, favourites then recent then the rest, the model
that is 377th, Escape; there: the shortcut, `not tried`, the first request with `tools`, the restart.
S07 here: *Sent* and *Ran* whole, the changed values marked; there: a line for each repair, the answer that names what
was left out. S24 here: the composer, with a reply that runs; there: the other three fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTextEdit

from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.picker import ModelPicker
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.window import Window
from tests.desktop.at_work import at_work, said
from tests.desktop.hands import press, settle, soon, with_keys, write
from tests.desktop.test_scenario_streaming import ask
from tests.desktop.test_scenarios import ROUTE, SENT, Kept, calls, compose, give
from tests.desktop.test_scenarios import press as press_named
from tests.servers import HANG, call, chunk, json_reply, say, sse

Run = Callable[[Coroutine[Any, Any, Any]], Any]
CHAT = "/v1/chat/completions"

NAMES = [f"maker-{at % 7}/{'coder' if at % 9 == 8 else 'writer'}-{at}" for at in range(412)]


def picker_of(window: Window) -> ModelPicker:
    (found,) = [one for one in window.findChildren(ModelPicker) if one.isVisible()]
    return found


def listed(picker: ModelPicker) -> list[str]:
    """The provider's models in the list, each once."""
    return list(dict.fromkeys(row.entry.name for row in picker.rows.rows if row.entry and row.entry.provider == "Pier"))


def test_after_each_key_the_list_holds_what_has_all_the_words(run: Run, tmp_path: Path) -> None:
    async def first() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, model):
            server.route("GET /v1/models", json_reply({"data": [{"id": name} for name in NAMES]}))
            press(window, "Ctrl+M")
            picker = picker_of(window)
            await soon(lambda: len(listed(picker)) == 412, "the models are listed")
            typed = ""
            for letter in "3 PIER Coder-1":
                write(window, letter)
                typed += letter.lower()
                words = typed.split()
                assert set(listed(picker)) == {
                    name for name in NAMES if all(word in f"pier {name}".lower() for word in words)
                }
            press(window, "Escape")
            assert not picker.isVisible()
            assert desk.chats.model_id == model
            for number in (1, 2, 3, 4, 5, 6, 376):  # The last is the 377th; it is liked.
                press(window, "Ctrl+M")
                write(window, NAMES[number].rpartition("/")[2])
                wanted = listed(picker).index(NAMES[number])
                press(window, *["Down"] * wanted)
                if number == 376:
                    press(window, "Ctrl+d")
                press(window, "Enter")
                await soon(lambda number=number: desk.chats.model_id.endswith(NAMES[number]))  # type: ignore[misc]
                server.then(say("Hello."))
                await ask(window, "hello")
                await soon(
                    lambda number=number: (
                        server.of(CHAT)[-1:]  # type: ignore[misc]
                        and server.of(CHAT)[-1].json["model"] == NAMES[number]
                    ),
                    "it answers",
                )
                await soon(lambda: not window.composer.send.running)
            assert server.of(CHAT)[-1].json["tools"]

    async def look_at_groups(window: Window) -> None:
        press(window, "Ctrl+M")
        picker = picker_of(window)
        await soon(lambda: len(listed(picker)) >= 400, "the models are listed")
        groups: dict[str, list[str]] = {}
        for row in picker.rows.rows:
            if row.kind == "heading":
                groups[row.text] = []
            elif row.entry:
                list(groups.values())[-1].append(row.entry.name)
        names = list(groups)
        assert names[:2] == ["Favourites", "Recent"]
        assert groups["Favourites"] == [NAMES[376]]
        recent = [one for one in groups["Recent"] if one != NAMES[376]]
        assert recent == [NAMES[at] for at in (6, 5, 4, 3, 2)][: len(recent)]
        assert len(groups["Recent"]) <= 5
        assert len(recent) >= 4
        press(window, "Escape")

    async def again() -> None:
        async with at_work(tmp_path, provider="") as (window, _, _, server, _):
            server.route("GET /v1/models", json_reply({"data": [{"id": name} for name in NAMES]}))
            await look_at_groups(window)

    run(first())
    run(again())


def test_sent_and_ran_are_whole_and_what_was_changed_is_marked(run: Run, tmp_path: Path) -> None:
    ran = Kept()
    wanted = {"from": "Quay 4", "to": "Mill Lane", "legs": 3, "mode": "ferry", "via": ["Old Bridge"], "fast": True}

    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            give(program, ran.tool("plan_route", ROUTE))
            server.then(call("plan_route", SENT), say("Take the ferry."))
            await ask(window, "How do I get to Mill Lane?")
            await soon(lambda: said(desk) == "Take the ferry." and not window.composer.send.running, "the end")
            press(window, "Ctrl+K")
            write(window, "newest call")
            press(window, "Enter")
            await settle()
            card = window.activity.card(calls(desk)[0].id)
            assert card is not None
            press_named("Copy Sent", card)
            assert QGuiApplication.clipboard().text() == SENT
            press_named("Copy Ran", card)
            copied = QGuiApplication.clipboard().text()
            assert list(json.loads(copied).items()) == list(wanted.items())
            assert ran == [wanted]
            sent, shown = [box.text for box in card.findChildren(MonoBox)][:2]
            assert isinstance(sent, QTextEdit)
            assert isinstance(shown, QTextEdit)
            assert (sent.toPlainText(), shown.toPlainText()) == (SENT, copied)
            marks = {
                one.cursor.selectedText().strip()
                for one in shown.extraSelections()
                if one.format.background().color() == look.colour("mendM")
            }
            marked = " ".join(marks)
            for value in ("3", '"ferry"', "Old Bridge", "true"):
                assert value in marked
            for same in ("Quay 4", "Mill Lane"):
                assert same not in marked

    run(scenario())


def test_enter_and_escape_while_composing_neither_send_nor_stop(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, _):
            server.then(sse(chunk("Half"), HANG, done=False))
            writing = window.composer.writing
            writing.setFocus()
            compose(with_keys(window), "ni")
            press(window, "Enter")
            assert server.of(CHAT) == []
            compose(with_keys(window), "", "你")
            assert window.composer.text() == "你"
            press(window, "Shift+Enter")
            assert window.composer.text() == "你\n"
            write(window, "x")
            press(window, "Enter")
            await soon(lambda: said(desk) == "Half", "the reply begins")
            compose(with_keys(window), "hao")
            press(window, "Escape")
            await settle()
            assert window.composer.send.running
            assert window.composer.composing
            compose(with_keys(window), "", "")
            press(window, "Escape")
            await soon(lambda: not window.composer.send.running, "now it stops")
            assert len(server.of(CHAT)) == 1
            assert server.of(CHAT)[0].json["messages"][-1]["content"] == "你\nx"

    run(scenario())
