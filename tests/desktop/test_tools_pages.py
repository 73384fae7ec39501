"""The settings of apps, files, memory and permissions, in the real window."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.integration_form import FilledIn
from conch_desktop.desktop.settings_files import FilesSection, FolderRow
from conch_desktop.desktop.settings_integrations import IntegrationsSection
from conch_desktop.desktop.settings_memory import MemorySection
from conch_desktop.desktop.settings_page import SettingsPage
from conch_desktop.desktop.settings_parts import AllowanceRow, FactRow
from conch_desktop.desktop.window import Window
from conch_desktop.domain.integrations import Definition
from conch_desktop.store.settings import TOOLS_OFF
from tests.desktop.at_work import at_work, until
from tests.tools.mcp.conftest import MemoryKeys, hostile

Run = Callable[[Coroutine[Any, Any, Any]], Any]


async def opened(window: Window, desk: Desk, name: str) -> SettingsPage:
    """The settings, open at a page."""
    desk.settings.open(name)
    await until(lambda: isinstance(window.whole.currentWidget(), SettingsPage))
    page = window.whole.currentWidget()
    assert isinstance(page, SettingsPage)
    return page


async def apps(window: Window, desk: Desk) -> IntegrationsSection:
    """The page of the apps, with a key store that keeps nothing on this computer."""
    desk._program.integrations._keys = MemoryKeys()
    await opened(window, desk, "Apps")
    section = desk.settings.sections["Apps"]
    assert isinstance(section, IntegrationsSection)
    return section


def facts(window: Window) -> list[str]:
    """The facts that are seen."""
    return sorted(row._text for row in window.findChildren(FactRow) if row.isVisible())


def press(parent: Any, name: str) -> None:
    """Presses the one button of that name."""
    found = [one for one in parent.findChildren(QAbstractButton) if one.accessibleName() == name and one.isVisible()]
    assert len(found) == 1, (name, found)
    found[0].click()


def test_an_app_is_added_by_pasted_json_and_its_tools_come_to_the_menu(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            section = await apps(window, desk)
            one = hostile("bad-schemas", name="harbour")
            text = json.dumps({"mcpServers": {"harbour": {"command": one.command, "args": list(one.args)}}})
            section.form.begin("paste")
            section.form.text.setPlainText(text)
            section.form.save.click()
            await until(lambda: section.rows and next(iter(section.rows.values())).view.state == "running")
            row = next(iter(section.rows.values()))
            assert row.said().startswith("Running. "), row.said()
            assert section.form.isHidden()
            row.set_open(True)
            tool = row.view.tools[0]
            offered = {tool.name for tool in program.everything().tools}
            assert tool.name in offered
            assert tool.name in {one.name for one in desk.chats._menu._tools}
            line = row.tool(tool.label)
            assert line is not None
            line.switch.click()
            await until(lambda: not row.view.tools[0].is_on)
            assert row.tool(tool.label) is line, "what did not change stays as it is"
            assert tool.name not in {tool.name for tool in program.everything().tools}
            await until(lambda: tool.name not in {one.name for one in desk.chats._menu._tools})
            row.switch.click()
            await until(lambda: row.view.state == "off")
            assert row.said() == "Switched off."
            press(row, "Remove harbour")
            press(row, "Remove harbour now")
            await until(lambda: not section.rows)
            assert program.integrations.all() == []

    run(scenario())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"mcpServers": {"a": {"command": "x",, }}}', "Line 1, column"),
        ("{}", "There are no servers in this text."),
        ("", "Line 1, column 1"),
        ("[1, 2", "Line 1, column"),
    ],
)
def test_a_text_that_cant_be_read_is_named_and_nothing_is_added(run: Run, tmp_path: Path, text: str, said: str) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path, "") as (window, program, desk, _, _):
            section = await apps(window, desk)
            section.form.begin("paste")
            section.form.text.setPlainText(text)
            section.form.save.click()
            await until(lambda: said in section.form.said.text())
            assert section.form.text.toPlainText() == text
            assert program.integrations.all() == []

    run(scenario())


def test_an_app_that_wont_start_says_why_and_is_tried_again_after_it_is_changed(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path, "") as (window, program, desk, _, _):
            section = await apps(window, desk)
            section.form.begin("fill")
            section.form.filled.name.setText("chart-room")
            section.form.filled.command.setText("chartroomd-that-is-nowhere")
            section.form.save.click()
            await until(lambda: section.rows and next(iter(section.rows.values())).view.state == "failed")
            row = next(iter(section.rows.values()))
            assert "chartroomd-that-is-nowhere" in row.said()
            assert row.deed.text() == "Try again"
            row.set_open(True)
            press(row, "Edit chart-room")
            right = hostile("bad-schemas")
            section.form.filled.command.setText(right.command)
            section.form.filled.args.setPlainText("\n".join(right.args))
            section.form.save.click()
            await until(lambda: row.view.state == "running")
            assert [view.name for view in program.integrations.all()] == ["chart-room"]

    run(scenario())


def test_secrets_of_a_filled_in_app_are_neither_shown_nor_stored(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path, "") as (window, program, desk, _, _):
            section = await apps(window, desk)
            section.form.begin("fill")
            section.form.filled.command.setText("nowhere-to-be-found")
            section.form.filled.env.setPlainText("BERTH_TOKEN=quay-secret-4711\nPLACE=here")
            section.form.save.click()
            await until(lambda: section.rows and next(iter(section.rows.values())).view.state == "failed")
            row = next(iter(section.rows.values()))
            row.set_open(True)
            press(row, "Edit nowhere-to-be-found")
            assert section.form.filled.env.toPlainText() == "BERTH_TOKEN=•••\nPLACE=here"
            section.form.save.click()
            await until(lambda: section.form.isHidden())
            shown = [label.text() for label in window.findChildren(QLabel)]
            assert not any("quay-secret" in text for text in shown)
            kept = program.integrations._keys
            assert isinstance(kept, MemoryKeys)
            assert any("quay-secret-4711" in value for value in kept.kept.values())
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files
        assert not any(b"quay-secret" in path.read_bytes() for path in files)

    run(scenario())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "There is no command."),
        ({"command": "npx", "env": "NO SIGN"}, "Line 1 of the environment has no “=”."),
        ({"command": "npx", "limit": "soon"}, "The seconds a call may take are no number."),
        ({"kind": "http", "url": "ftp://x"}, "There is no address."),
        ({"kind": "http", "url": "https://x.test", "headers": "Bearer x"}, "Line 1 of the headers has no “:”."),
    ],
)
def test_what_cant_be_used_of_the_fields_is_said_beside_the_button(
    run: Run, tmp_path: Path, fields: dict[str, str], said: str
) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path, "") as (window, program, desk, _, _):
            section = await apps(window, desk)
            section.form.begin("fill")
            filled = section.form.filled
            if "kind" in fields:
                filled._kinds[fields["kind"]].click()
            filled.command.setText(fields.get("command", ""))
            filled.env.setPlainText(fields.get("env", ""))
            filled.url.setText(fields.get("url", ""))
            filled.headers.setPlainText(fields.get("headers", ""))
            filled.limit.setText(fields.get("limit", ""))
            section.form.save.click()
            await until(lambda: said in section.form.said.text())
            assert program.integrations.all() == []

    run(scenario())


def test_servers_of_another_programs_file_are_seen_before_they_are_added(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        file = tmp_path / "claude_desktop_config.json"
        file.write_text('{"mcpServers": {"tide": {"command": "tided-nowhere"}, "quay": {"command": "quayd-nowhere"}}}')
        before = file.read_bytes()
        async with at_work(tmp_path / "profile", "") as (window, program, desk, _, _):
            section = await apps(window, desk)
            await section.bring(file)
            assert section.form.said.text().startswith("2 servers in claude_desktop_config.json.")
            assert program.integrations.all() == []
            section.form.save.click()
            await until(lambda: len(section.rows) == 2)
            section.form.begin("paste")
            section.form.text.setPlainText(file.read_text())
            section.form.save.click()
            await until(lambda: section.form.said.text() == "0 apps added. 2 apps were there already.")
        assert file.read_bytes() == before

    run(scenario())


def test_a_folder_is_granted_and_taken_back(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        notes = tmp_path / "notes"
        notes.mkdir()
        async with at_work(tmp_path / "profile", "") as (window, program, desk, _, _):
            await opened(window, desk, "Files")
            section = desk.settings.sections["Files"]
            assert isinstance(section, FilesSection)
            few = len(program.offered().tools)
            await section.grant(str(notes))
            assert [str(one) for one in program.hands.folders()] == [str(notes.resolve())]
            many = len(program.offered().tools)
            assert many > few
            assert window.composer.tools_button.text() == f"{many} tools"
            await section.grant(str(tmp_path / "nowhere"))
            assert section.said.text()
            assert len(program.hands.folders()) == 1
            await until(lambda: [row for row in window.findChildren(FolderRow) if row.isVisible()])
            press(window, f"Take back {notes.resolve()}")
            await until(lambda: not program.hands.folders())
            await until(lambda: window.composer.tools_button.text() == f"{few} tools")

    run(scenario())


def test_facts_are_found_exported_and_switched_off(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "profile", "") as (window, program, desk, _, _):
            for fact in ("Ana likes tea", "Bo is at sea", "The tea is green"):
                await program.memories.add(fact)
            await opened(window, desk, "Memory")
            section = desk.settings.sections["Memory"]
            assert isinstance(section, MemorySection)
            QTest.keyClicks(section.search.field, "tea")
            await until(lambda: facts(window) == ["Ana likes tea", "The tea is green"])
            await section.save(tmp_path / "facts.json")
            whole = json.loads((tmp_path / "facts.json").read_text("utf-8"))
            assert [one["content"] for one in whole["memories"]] == [
                "Ana likes tea",
                "Bo is at sea",
                "The tea is green",
            ]
            section.switch.click()
            await until(lambda: program.settings.get(TOOLS_OFF) == ["memory"])
            assert "remember" not in program.offered().names
            section.switch.click()
            await until(lambda: program.settings.get(TOOLS_OFF) == [])
            assert "remember" in program.offered().names

    run(scenario())


def test_every_allowance_is_listed_and_taken_back_in_the_guard_too(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path, "") as (window, program, desk, _, _):
            await program.permissions.allow(source="harbour", tool="book", digest="x", definition="{}")
            guard = program.hands.guard
            tool = program.toolbox.find("remember")
            assert tool is not None
            await guard.take("chat", tool, chat="chat-1")
            await opened(window, desk, "Permissions")
            rows = [row for row in window.findChildren(AllowanceRow) if row.isVisible()]
            assert len(rows) == 2
            press(window, "Ask again before book runs")
            press(window, "Ask again before remember runs")
            await until(lambda: not program.hands.allowed_in_chats())
            assert await program.hands.allowed() == []

    run(scenario())


def test_fields_that_nobody_touched_come_back_as_they_were(qtbot: QtBot) -> None:
    old = Definition(
        "harbour",
        "stdio",
        command="uvx",
        args=("harbour-mcp", "--name=a b"),
        env={"A_KEY": "•••", "PLACE": "x=y"},
        cwd="/tmp",
        call_limit=7.5,
        start_limit=9,
        secrets=frozenset({"env/A_KEY"}),
    )
    form = FilledIn()
    qtbot.addWidget(form)
    form.show_definition(old)
    assert form.definition() == old
