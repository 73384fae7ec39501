"""The settings: every page by its name, every control with a name, a provider's row."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.provider_row import ProviderFacts, ProviderRow
from conch_desktop.desktop.settings_page import SettingsPage
from conch_desktop.desktop.settings_pages import PAGES, Page
from conch_desktop.desktop.settings_providers import ProvidersSection
from tests.desktop.at_work import at_work, until
from tests.servers import ScriptedServer, json_reply

Run = Callable[[Coroutine[Any, Any, Any]], Any]


def test_every_page_is_reached_and_every_control_has_a_name(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, _):
            await program.memories.add("Ana likes tea")
            await program.permissions.allow(source="harbour", tool="delete_note", digest="x", definition="{}")
            desk.settings.open("Providers")
            await until(lambda: isinstance(window.whole.currentWidget(), SettingsPage))
            page = window.whole.currentWidget()
            assert isinstance(page, SettingsPage)
            assert list(page.nav) == [row.name for row in PAGES] == list(desk.settings.sections)
            for name in page.nav:
                page.show_page(name)
                assert page.nav[name].isChecked()
            for control in [*page.findChildren(QAbstractButton), *page.findChildren(QLineEdit)]:
                name = control.accessibleName()
                assert any(letter.isalnum() for letter in name), control
                in_group = isinstance(control, QAbstractButton) and control.group() is not None  # Arrows walk there.
                assert in_group or control.focusPolicy() & Qt.FocusPolicy.TabFocus, name
            window.escape()
            assert window.whole.currentWidget() is window.shell

    run(scenario())


def test_a_page_is_found_by_what_it_is_about(qtbot: QtBot, run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, _, _):
            desk.settings.open("Providers")
            await until(lambda: isinstance(window.whole.currentWidget(), SettingsPage))
            page = window.whole.currentWidget()
            assert isinstance(page, SettingsPage)
            QTest.keyClicks(page.search.field, "dark")
            assert [name for name, row in page.nav.items() if not row.isHidden()] == ["Appearance"]
            QTest.keyClick(page.search.field, Qt.Key.Key_Return)
            assert page.nav["Appearance"].isChecked()
            assert not page.nav["Models"].isHidden()

    run(scenario())


def test_a_test_of_a_provider_says_what_it_found(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, server, model):
            desk.settings.open("Providers")
            await until(lambda: window.findChildren(ProviderRow))
            provider = model.partition("/")[0]
            row = next(one for one in window.findChildren(ProviderRow) if one.head.isCheckable())
            row.head.click()
            row.tested.emit(provider)
            await until(lambda: row.said().startswith("1 model, answered in"))
            server.route("GET /v1/models", json_reply({"error": {"message": "no"}}, 404))
            row.tested.emit(provider)
            await until(lambda: "404" in row.said())

    run(scenario())


def test_one_row_shows_what_can_be_done_and_asks_before_it_removes(qtbot: QtBot) -> None:
    row = ProviderRow("p", ProviderFacts("Pier", "http://127.0.0.1:1/v1", said="3 models"), own=True)
    qtbot.addWidget(row)
    row.show()
    heard: list[tuple[Any, ...]] = []
    row.removed.connect(lambda *told: heard.append(told))
    buttons = {one.accessibleName(): one for one in row.findChildren(QAbstractButton)}
    assert not buttons["Test Pier"].isVisible()
    row.head.click()
    assert buttons["Test Pier"].isVisible()
    buttons["Remove Pier"].click()
    assert not heard
    buttons["Remove"].click()
    assert heard == [("p",)]


def test_a_provider_gets_another_address_and_its_key_does_not_follow_unasked(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, program, desk, _, model), ScriptedServer() as other:
            other.route("GET /v1/models", json_reply({"data": [{"id": "a"}, {"id": "b"}]}))
            provider = model.partition("/")[0]
            await program.set_key(provider, "sk-first-1")
            desk.settings.open("Providers")
            await until(lambda: isinstance(window.whole.currentWidget(), SettingsPage))
            section = desk.settings.sections["Providers"]
            assert isinstance(section, ProvidersSection)
            before = section.rows[provider]
            before.head.click()
            buttons = {one.accessibleName(): one for one in before.findChildren(QAbstractButton)}
            QTest.mouseClick(buttons["Change name and address of Pier"], Qt.MouseButton.LeftButton)
            edit = before.edit
            assert window.focusWidget() is edit.url
            edit.url.clear()
            QTest.keyClicks(edit.url, "http://pier.example")
            QTest.keyClick(edit.url, Qt.Key.Key_Return)
            await until(lambda: "unencrypted" in before.said())
            assert edit.save.text() == "Save anyway"
            edit.url.clear()
            QTest.keyClicks(edit.url, other.url)
            QTest.keyClick(edit.url, Qt.Key.Key_Return)
            await until(lambda: before.said().startswith("The key was given for 127.0.0.1:"))
            assert other.requests == []
            QTest.keyClicks(edit.key, "sk-second-2")
            QTest.mouseClick(edit.save, Qt.MouseButton.LeftButton)
            await until(lambda: section.rows[provider] is not before)
            assert "2 models" in section.rows[provider].head.accessibleName()
            assert f"{other.url}/v1" in section.rows[provider].head.accessibleName()
            assert {one.headers["authorization"] for one in other.requests} == {"Bearer sk-second-2"}
            kept = await program.provider(provider)
            assert kept is not None
            assert kept.url == other.url

    run(scenario())


def test_a_click_on_a_page_takes_the_focus_along(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, _, _):
            await desk.settings._open("Providers", "")
            page = window.whole.currentWidget()
            assert isinstance(page, SettingsPage)
            assert window.focusWidget() == page.nav["Providers"]
            QTest.mouseClick(page.nav["Appearance"], Qt.MouseButton.LeftButton)
            assert window.focusWidget() == page.nav["Appearance"]
            assert page.nav["Appearance"].isChecked()

    run(scenario())


def test_the_size_of_text_is_said_once(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path) as (window, _, desk, _, _):
            await desk.settings._open("Appearance", "")
            page = window.whole.currentWidget()
            assert page is not None
            seen = [one.text() for one in page.findChildren(QAbstractButton) if one.isVisible()]
            seen += [one.text() for one in page.findChildren(QLabel) if one.isVisible()]
            assert seen.count("100 %") == 1

    run(scenario())


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
def test_the_code_of_a_page_is_where_its_row_says(row: Page) -> None:
    assert row.section().name == row.name
