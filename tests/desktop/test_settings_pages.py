"""The general, tools', keyboard's, data's and about pages: what is set there holds, also after a restart."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.composer import Composer
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.licences import packages, text_of
from conch_desktop.desktop.palette import key_parts
from conch_desktop.desktop.settings_about import AboutSection, report
from conch_desktop.desktop.settings_data import DataSection
from conch_desktop.desktop.settings_general import GeneralSection
from conch_desktop.desktop.settings_keys import KeyboardSection, KeyRow
from conch_desktop.desktop.settings_tools import ToolsSection
from conch_desktop.desktop.window import Window
from conch_desktop.domain.integrations import Definition
from conch_desktop.domain.messages import Message, TextPart
from conch_desktop.engine.assembly import Program
from conch_desktop.store.settings import DAY_LIMIT, NEW_MODEL, SEND_KEY, START_APPS, START_WITH, STEP_LIMIT
from tests.desktop.at_work import at_work, said, until
from tests.desktop.test_tools_pages import opened, press
from tests.servers import call, say

Run = Callable[[Coroutine[Any, Any, Any]], Any]
Kind = Any


async def page(window: Window, desk: Desk, kind: type[Kind]) -> Kind:
    """A page of the settings, open and filled."""
    await opened(window, desk, kind.name)
    await desk.settings._open(kind.name, "")
    return desk.settings.sections[kind.name]


def settled(desk: Desk) -> Callable[[], bool]:
    """Whether nothing is at work."""
    return lambda: not desk.settings._tasks._running


# General ------------------------------------------------------------------------------------------------------------


def test_new_chats_begin_with_the_model_that_was_set(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            other = f"{model.partition('/')[0]}/other"
            await desk.models.read(refresh=True)
            await desk.models.choose(model)
            await desk.models.choose(other)
            general = await page(window, desk, GeneralSection)
            names = [general.model.itemData(at) for at in range(general.model.count())]
            assert names == ["", other, model]
            general.model.setCurrentIndex(2)
            general.model.activated.emit(2)
            await until(lambda: program.settings.get(NEW_MODEL) == model)
            window.new_chat.emit()
            await until(lambda: desk.chats.model_id == model)
        async with at_work(tmp_path, provider="") as (_, program, desk, _, _):
            assert await program.default_model() == model
            assert desk.chats.model_id == model

    run(scenario())


@pytest.mark.parametrize(("choice", "open_"), [("last", True), ("new", False)])
def test_the_program_begins_with_what_was_set(run: Run, tmp_path: Path, choice: str, open_: bool) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chat = await program.chats.create(model=model, title="Tea")
            await program.chats.put(chat.id, Message("1", "user", (TextPart("Tea?"),)))
            await desk.chats.refresh()
            await desk.chats.open(chat.id)
            general = await page(window, desk, GeneralSection)
            general.starts[choice].click()
            await until(lambda: program.settings.get(START_WITH) == choice)
        async with at_work(tmp_path, provider="") as (_, _, desk, _, _):
            assert bool(desk.chats.chat) is open_

    run(scenario())


def test_another_key_sends_from_now_on_and_after_a_restart(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            general = await page(window, desk, GeneralSection)
            general.keys["ctrl_enter"].click()
            await until(lambda: program.settings.get(SEND_KEY) == "ctrl_enter")
            assert "Ctrl+Enter" in [row.keys for row in desk.palette.shortcuts()]
        async with at_work(tmp_path, provider="") as (window, _, _, _, _):
            writing = window.composer.writing
            QTest.keyClicks(writing, "one")
            QTest.keyClick(writing, Qt.Key.Key_Return)
            QTest.keyClicks(writing, "two")
            assert window.composer.text() == "one\ntwo"
            assert window.composer.send.toolTip() == "Send (Ctrl+Enter)"

    run(scenario())


@pytest.mark.parametrize(
    ("key", "pressed", "held", "sends"),
    [
        ("enter", Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, True),
        ("enter", Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier, False),
        ("enter", Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier, True),
        ("enter", Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, True),
        ("ctrl_enter", Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, False),
        ("ctrl_enter", Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, True),
        ("ctrl_enter", Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier, False),
    ],
)
def test_which_keys_send(qtbot: QtBot, key: str, pressed: Qt.Key, held: Qt.KeyboardModifier, sends: bool) -> None:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show_state(running=False, ready=True)
    composer.send_with(key)
    composer.set_text("tea")
    sent: list[str] = []
    composer.sent.connect(sent.append)
    QTest.keyClick(composer.writing, pressed, held)
    assert (sent, composer.text()) == ((["tea"], "tea") if sends else ([], "tea\n"))


def test_limits_are_taken_while_they_are_some_and_hold_in_a_turn(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            general = await page(window, desk, GeneralSection)
            general.steps.selectAll()
            QTest.keyClicks(general.steps, "0")
            assert "from 1 to 1,000" in general.steps_row.said()
            general.steps.selectAll()
            QTest.keyClicks(general.steps, "2")
            QTest.keyClicks(general.day, "x")
            assert "An amount like" in general.day_row.said()
            general.day.selectAll()
            QTest.keyClicks(general.day, "1,5")
            await until(lambda: program.settings.get(DAY_LIMIT) == 1.5)
        async with at_work(tmp_path, provider="") as (window, program, desk, _, _):
            assert (program.settings.get(STEP_LIMIT), program.settings.get(DAY_LIMIT)) == (2, 1.5)
            general = await page(window, desk, GeneralSection)
            assert (general.steps.text(), general.day.text()) == ("2", "1.5")

    run(scenario())


def test_the_limit_of_steps_pauses_the_turn(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, server, _):
            await program.settings.set(STEP_LIMIT, 2)
            server.then(*(call("recall", f'{{"about": "{word}"}}') for word in ("tea", "cake", "jam")), say("Done"))
            window.composer.set_text("What do I like?")
            window.composer.writing.enter.emit()
            await until(lambda: desk.chats.session is not None and not desk.chats.session.running and said(desk) == "")
            await until(lambda: len(server.requests) >= 2)
            session = desk.chats.session
            assert session is not None
            await until(lambda: not session.running)
            assert len(session.messages[-1].calls) == 2

    run(scenario())


def test_apps_wait_when_they_do_not_start_with_the_program(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            await program.integrations.add(Definition("harbour", "stdio", command="no-such-program"))
            general = await page(window, desk, GeneralSection)
            general.apps.click()
            await until(lambda: not program.settings.get(START_APPS))
        async with at_work(tmp_path, provider="") as (_, program, _, _, _):
            view = program.integrations.all()[0]
            assert view.state == "stopped"
            assert program.integrations.missing() == ["harbour is not started, so its tools are missing."]
            await program.integrations.restart(view.id)
            await program.integrations.settled()
            assert program.integrations.all()[0].state == "failed"

    run(scenario())


# Tools --------------------------------------------------------------------------------------------------------------


def test_a_tool_or_a_group_that_is_switched_off_is_not_given(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            await program.hands.grant(str(tmp_path.parent))
            tools = await page(window, desk, ToolsSection)
            assert set(tools.rows) == set(program.toolbox.groups)
            tools.rows["memory"].switch.click()
            tools.rows["files"].lines["write_file"].switch.click()
            await until(lambda: "write_file" not in program.offered().names and "recall" not in program.offered().names)
            await until(lambda: not tools.rows["memory"].lines["recall"].switch.isEnabled())
        async with at_work(tmp_path, provider="") as (window, program, desk, _, _):
            offered = program.offered().names
            assert "read_file" in offered
            assert not {"write_file", "remember"} & set(offered)
            assert "write_file" in program.offered("write_file").names
            assert window.composer.tools_button.text() == f"{len(offered)} tools"
            tools = await page(window, desk, ToolsSection)
            assert not tools.rows["memory"].switch.isChecked()
            tools.rows["files"].lines["write_file"].switch.click()
            await until(lambda: "write_file" in program.offered().names)

    run(scenario())


# Keyboard -----------------------------------------------------------------------------------------------------------


def test_every_shortcut_of_the_window_is_listed_and_can_be_found(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, _, _):
            keys = await page(window, desk, KeyboardSection)

            def shown() -> dict[str, str]:
                return {row.name: row.keys for row in window.findChildren(KeyRow) if row.isVisible()}

            listed = {QKeySequence(one).toString() for one in shown().values()}
            desk.models._made_picker()
            there = {one.key().toString() for one in window.findChildren(QShortcut)}
            assert there - listed == {"Ctrl+="}  # another way to say Ctrl++
            assert shown() == {one.name: one.keys for one in desk.palette.shortcuts()}
            for one in desk.palette.shortcuts():
                if one.group not in ("Actions", "Go to"):
                    one.do()  # leads to where the key means something
            QTest.keyClicks(keys.search.field, "question")
            await until(lambda: list(shown()) == ["Go to the question"])
            QTest.keyClicks(keys.search.field, " nothing")
            assert not shown()
            assert keys._none.isVisible()

    run(scenario())


@pytest.mark.parametrize(
    ("keys", "parts"),
    [("Ctrl++", ["Ctrl", "+"]), ("Ctrl+-", ["Ctrl", "-"]), ("Ctrl+Shift+F", ["Ctrl", "Shift", "F"]), ("", [])],
)
def test_keys_are_shown_one_by_one(keys: str, parts: list[str]) -> None:
    assert key_parts(keys) == parts


# Chats and data -----------------------------------------------------------------------------------------------------


async def with_chats(program: Program, desk: Desk, model: str) -> list[str]:
    """Two chats, the first of them open."""
    made = []
    for title in ("Tea", "Cake"):
        chat = await program.chats.create(model=model, title=title)
        await program.chats.put(chat.id, Message("1", "user", (TextPart(f"{title}?"),)))
        made.append(chat.id)
    await desk.chats.refresh()
    await desk.chats.open(made[0])
    return made


def test_all_chats_are_deleted_after_a_question_and_come_back_with_undo(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chats = await with_chats(program, desk, model)
            data = await page(window, desk, DataSection)
            assert data.chats_row.said() == "2 chats with 2 messages are here."
            data.delete.click()
            assert window.focusWidget() == data.no
            data.no.click()
            assert not data.sure.isVisible()
            assert len(await program.chats.listing()) == 2
            data.delete.click()
            data.yes.click()
            await until(lambda: data.undo.isVisible() and not data.delete.isEnabled())
            assert (desk.chats.chat, desk.chats.chats, await program.chats.listing()) == ("", [], [])
            data.undo.click()
            await until(lambda: len(desk.chats.chats) == 2 and data.delete.isEnabled())
            data.delete.click()
            data.yes.click()
            await until(lambda: data.undo.isVisible())
        async with at_work(tmp_path, provider="") as (_, program, desk, _, _):
            assert desk.chats.chats == []
            assert await program.chats.get(chats[0]) is None

    run(scenario())


def test_chats_are_exported_and_imported_from_the_page(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        file = tmp_path / "chats.json"
        async with at_work(tmp_path / "one") as (window, program, desk, _, model):
            await with_chats(program, desk, model)
            data = await page(window, desk, DataSection)
            await desk.archive.export(file, (), data._tell)
            assert data.said.text() == f"2 chats exported to {file}."
            await desk.archive.export(tmp_path / "none" / "chats.json", (), data._tell)
            assert "could not be written" in data.said.text()
        async with at_work(tmp_path / "two") as (window, program, desk, _, _):
            data = await page(window, desk, DataSection)
            assert not data.export.isEnabled()
            await desk.archive.bring(file, data._tell)
            assert data.said.text() == "2 chats added."
            assert {chat.title for chat in desk.chats.chats} == {"Tea", "Cake"}
            await until(lambda: data.export.isEnabled())
            file.write_text("{")
            await desk.archive.bring(file, data._tell)
            assert data.said.text().startswith("chats.json: The file is no JSON")

    run(scenario())


def test_the_database_is_checked_and_its_damage_told(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            await with_chats(program, desk, model)
            data = await page(window, desk, DataSection)
            assert re.match(r"Database [\d,.]+ (kB|MB)", data.size_row.said())
            assert str(tmp_path) in data.folder_row.said()
            press(window, "Check it")
            await until(lambda: data.check_row.said() == "The database is whole.")
            program.keeping.path = tmp_path / "other"
            program.keeping.path.write_bytes(b"no database at all" * 100)
            press(window, "Check it")
            await until(lambda: "damaged" in data.check_row.said())

    run(scenario())


def test_one_chat_is_exported_from_its_menu(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model):
            chats = await with_chats(program, desk, model)
            wanted: list[Any] = []
            monkeypatch.setattr(desk.archive, "_ask", lambda dialog, work: wanted.append((dialog, work)))
            window.sidebar.exported.emit(chats[1])
            dialog, work = wanted[0]
            assert dialog.selectedFiles()[0].endswith("Cake.json")
            file = tmp_path / "Cake.json"
            await work(file)
            assert '"title":"Cake"' in file.read_text("utf-8")
            assert '"title":"Tea"' not in file.read_text("utf-8")

    run(scenario())


# About --------------------------------------------------------------------------------------------------------------


def test_about_names_the_versions_and_the_licences(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, _, _):
            about = await page(window, desk, AboutSection)
            about.copy.click()
            assert QGuiApplication.clipboard().text() == report()
            row = next(one for one in about.rows if one.package.name == "httpx")
            row.button.click()
            await until(lambda: "Encode OSS" in row.text())
            assert row.button.text() == "Hide licence"
            row.button.click()
            assert (row.text(), row.button.text()) == ("", "Show licence")

    run(scenario())


def test_what_is_inside_is_read_from_what_is_installed() -> None:
    found = {one.name.casefold(): one for one in packages()}
    assert (
        "lgpl" in found["pyside6_essentials" if "pyside6_essentials" in found else "pyside6-essentials"].licence.lower()
    )
    assert {"qasync", "httpx", "jsonschema", "keyring", "pygments", "mcp"} <= set(found)
    assert not {"pytest", "ruff", "mypy"} & set(found)
    assert all(one.version and one.licence for one in found.values())
    assert "Permission" in text_of("keyring")
