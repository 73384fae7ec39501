"""The page of the apps by keyboard and pointer: what changed, signing in, what failed, other programs' apps."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollArea, QWidget

from conch_desktop.desktop.diff_box import DiffView
from conch_desktop.desktop.integration_notes import Failure
from conch_desktop.desktop.integration_row import IntegrationRow, ToolLine
from conch_desktop.desktop.settings_integrations import IntegrationsSection
from conch_desktop.desktop.window import Window
from conch_desktop.domain.integrations import Definition
from conch_desktop.engine.assembly import Program
from conch_desktop.tools.mcp import elsewhere
from conch_desktop.tools.toolbox import digest
from tests.desktop.at_work import at_work
from tests.desktop.test_tools_pages import opened
from tests.servers import ScriptedServer
from tests.tools.mcp.conftest import HOSTILE, MemoryKeys, hostile, until
from tests.tools.mcp.test_http import TOKEN, guarded

Run = Callable[[Coroutine[Any, Any, Any]], Any]
LONG = 30.0
"""Seconds that are waited for what a server does."""


class Page:
    """The page of the apps, and a person before it."""

    def __init__(self, window: Window, program: Program, section: IntegrationsSection, keys: MemoryKeys) -> None:
        self.window, self.program, self.section, self.keys = window, program, section, keys

    def row(self, name: str) -> IntegrationRow:
        return next(row for row in self.section.rows.values() if row.view.name == name)

    def named(self, name: str) -> list[QAbstractButton]:
        return [one for one in self.window.findChildren(QAbstractButton) if one.accessibleName() == name]

    def button(self, name: str) -> QAbstractButton:
        """The one button in sight of that name."""
        seen = [one for one in self.named(name) if one.isVisible()]
        assert len(seen) == 1, (name, len(seen))
        return seen[0]

    async def seen(self, name: str) -> QAbstractButton:
        """The button, once it is in sight."""
        await until(lambda: any(one.isVisible() for one in self.named(name)), LONG)
        return self.button(name)

    async def click(self, name: str) -> None:
        """Scrolls to the button and presses it with the pointer."""
        button = await self.seen(name)
        above: QWidget | None = button
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        place, before = button.mapToGlobal(button.rect().center()), None
        while place != before:  # what was just opened is still being laid out
            if isinstance(above, QScrollArea):
                above.ensureWidgetVisible(button)
            before = place
            await asyncio.sleep(0.03)
            place = button.mapToGlobal(button.rect().center())
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    async def key(self, name: str) -> None:
        """Goes to the button with Tab, and presses it with Space."""
        button = await self.seen(name)
        for _ in range(120):
            focus: QWidget | None = self.window.focusWidget()
            if focus is button:
                QTest.keyClick(button, Qt.Key.Key_Space)
                return
            QTest.keyClick(self.window if focus is None else focus, Qt.Key.Key_Tab)
        raise AssertionError(f"{name} is not reached by Tab")

    def back_to(self, name: str) -> None:
        """Goes back to the button with Shift and Tab."""
        button = self.button(name)
        for _ in range(120):
            focus: QWidget | None = self.window.focusWidget()
            if focus is button:
                return
            QTest.keyClick(
                self.window if focus is None else focus, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier
            )
        raise AssertionError(f"{name} is not reached by Shift and Tab")

    async def add(self, definition: Definition) -> IntegrationRow:
        """Adds a server and waits until it is known how it is."""
        added = await self.program.integrations.add(definition)
        await self.program.integrations.settled()
        await until(lambda: added in self.section.rows and self.section.rows[added].view.state != "starting", LONG)
        return self.section.rows[added]

    def texts(self) -> str:
        """Every word in sight."""
        return "\n".join(one.text() for one in self.window.findChildren(QLabel) if one.isVisible())


@asynccontextmanager
async def page(folder: Path) -> AsyncIterator[Page]:
    """The window at the page of the apps, with a key store that keeps nothing on this computer."""
    async with at_work(folder, "") as (window, program, desk, _, _):
        keys, integrations = MemoryKeys(), program.integrations
        integrations._keys = keys
        integrations._workshop = replace(integrations._workshop, keys=keys)
        await opened(window, desk, "Apps")
        section = desk.settings.sections["Apps"]
        assert isinstance(section, IntegrationsSection)
        yield Page(window, program, section, keys)


def server_of(at: Page, row: IntegrationRow) -> Any:
    return at.program.integrations._get(row.view.id).server


def test_a_changed_tool_is_seen_as_a_diff_and_allowed_again_as_it_is_now(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at:
            row = await at.add(hostile(name="harbour"))
            (echo,) = (tool for tool in at.program.integrations.tools() if tool.name == "echo")
            await at.program.hands.guard.take("always", echo, chat="")
            await server_of(at, row).call("change", {})
            await until(lambda: bool(row._changed), LONG)
            assert "The tool echo: its description changed since you accepted it. It asks again." in at.texts()
            await at.click("See what changed: echo")
            (diff,) = row.findChildren(DiffView)
            lines = [(line.sign, line.text) for line in diff.box.diff.lines]
            assert lines[:2] == [("-", "Says it again."), ("+", "Something else now.")]
            await until(lambda: row._changed["echo"].accept.text() == "Allow again", LONG)
            await at.key("Allow again: echo")
            await until(lambda: not row._changed, LONG)
            (now,) = at.program.integrations.tools()
            (allowed,) = await at.program.hands.allowed()
            assert (allowed.tool, allowed.digest) == ("echo", digest(now))
            assert digest(now) != digest(echo)

    run(scenario())


def test_a_changed_tool_that_was_never_allowed_is_accepted_or_switched_off_and_nothing_is_allowed(
    run: Run, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at:
            row = await at.add(hostile(name="harbour"))
            await server_of(at, row).call("change", {})
            await until(lambda: bool(row._changed), LONG)
            await at.key("See what changed: echo")
            await at.click("Switch it off: echo")
            await until(lambda: not row.view.tools[0].is_on, LONG)
            assert at.program.integrations.tools() == []
            assert row._changed, "it is still not as it was accepted"
            await at.click("See what changed: echo")
            await at.click("Accept it: echo")
            await until(lambda: not row._changed, LONG)
            assert await at.program.hands.allowed() == []

    run(scenario())


def test_a_call_and_the_tools_are_told_in_the_row_and_the_log_goes_on_while_it_is_open(
    run: Run, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at:
            row = await at.add(hostile(name="harbour"))
            assert "13 tools, " in row.said()
            assert "Last call" not in row.said()
            await at.click("Open harbour")
            assert "A call may take 120 s, starting 30 s." in at.texts()
            await at.click("Log of harbour")
            assert row._log is not None
            shown = row._log
            await server_of(at, row).call("echo", {"text": "ahoy"})
            await until(lambda: "Last call" in row.said(), LONG)
            await until(lambda: "got tools/call" in shown.content, LONG)
            await at.key("Restart harbour")
            await until(lambda: row.view.state == "running" and "Last call" not in row.said(), LONG)
            await at.click("Stop harbour")
            await until(lambda: row.view.state == "stopped", LONG)
            assert row.said() == "Stopped. Its tools are missing until it is restarted."
            await at.key("Restart: harbour")
            await until(lambda: row.view.state == "running", LONG)

    run(scenario())


def test_a_server_that_ended_shows_its_last_words_its_log_and_copies_them(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at:
            row = await at.add(replace(hostile("flood", "exit", name="berth-book"), env={"BERTH_TOKEN": "noise"}))
            assert row.said() == "It exited with 3. It last said:"
            failure = row.findChild(Failure)
            assert isinstance(failure, Failure)
            last = failure.log.content.splitlines()
            assert len(last) == 3
            assert last[-1].endswith("  exited with 3")
            await at.key("Open the whole log: berth-book")
            assert len(failure.log.content.splitlines()) > 50
            assert "noise" not in failure.log.content, "a secret shows in the log"
            await at.click("Only its last words: berth-book")
            assert failure.log.content.splitlines() == last
            await at.click("Copy details: berth-book")
            copied = QGuiApplication.clipboard().text()
            assert copied.startswith("berth-book\n")
            assert "It exited with 3." in copied
            assert "noise" not in copied

    run(scenario())


def test_a_command_that_is_not_found_shows_the_folders_and_another_program_is_chosen(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at:
            row = await at.add(replace(hostile(name="chart-room"), command="chartroomd-nowhere"))
            assert row.said().startswith("The command chartroomd-nowhere was not found. Looked in ")
            assert "/usr/bin" not in at.texts()
            await at.click("Show the folders: chart-room")
            assert "/usr/bin" in at.texts()
            await at.section.use_program(row.view.id, Path(sys.executable))
            await until(lambda: row.view.state == "running", LONG)
            assert row.findChildren(Failure) == [] or not any(one.isVisible() for one in row.findChildren(Failure))

    run(scenario())


def test_a_thousand_tools_and_those_beyond_help_are_listed_when_they_are_wanted(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at:
            row = await at.add(hostile("thousand", "bad-schemas", name="harbour"))
            assert "1,016 tools, 5 can’t be used, " in row.said(), row.said()
            await at.click("Open harbour")
            assert len(row.findChildren(ToolLine)) == 60
            assert "large can’t be used" in at.texts()
            await at.click("Show 60 more of 956")
            await at.click("Show 60 more of 896")
            await until(lambda: sum(one.isVisible() for one in row.findChildren(ToolLine)) == 180, LONG)
            wanted = [tool.label for tool in row.view.tools[:180]]
            lines = sorted(row.findChildren(ToolLine), key=lambda one: one.mapTo(row, QPoint()).y())
            assert [one.switch.accessibleName() for one in lines] == [f"Offer the tool {name}" for name in wanted]

    run(scenario())


async def signed_in(address: str) -> None:
    """A person's browser that says yes."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    async with httpx.AsyncClient(trust_env=False) as client:
        back = await client.get(asked["redirect_uri"], params={"code": "c0de", "state": asked["state"]}, timeout=20)
    assert "close this page" in back.text


def test_a_person_signs_in_and_out_and_the_tokens_are_in_the_key_store_alone(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with page(tmp_path) as at, ScriptedServer() as http:
            guarded(http)
            row = await at.add(Definition("library-desk", "http", url=f"{http.url}/mcp", start_limit=20))
            assert (row.view.state, row.deed.text()) == ("failed", "Sign in…")
            assert row.said().startswith("It asks you to sign in.")
            assert not http.of("/register"), "nothing goes out before the person asks"
            opened: list[str] = []

            async def nobody(address: str) -> None:
                opened.append(address)

            at.section.open_browser = nobody
            await at.key("Sign in: library-desk")
            await until(lambda: bool(opened), LONG)
            await until(lambda: row.said().startswith("Waiting for your sign-in in the browser"), LONG)
            await at.click("Stop: library-desk")
            await until(lambda: row.view.state == "stopped", LONG)
            await at.click("Restart: library-desk")
            await until(lambda: row.view.wants_sign_in, LONG)

            at.section.open_browser = signed_in
            await at.click("Sign in: library-desk")
            await until(lambda: row.view.state == "running", LONG)
            assert row.said().startswith("Signed in. 1 tool, ")
            assert [tool.name for tool in at.program.integrations.tools()] == ["echo"]
            assert [account for account, kept in at.keys.kept.items() if TOKEN in kept] == [f"sign-in {row.view.id}"]
            assert TOKEN not in at.texts()

            await at.click("Open library-desk")
            await at.key("Sign out library-desk")
            await until(lambda: row.view.wants_sign_in, LONG)
            assert not any(TOKEN in kept for kept in at.keys.kept.values())
            assert at.program.integrations.tools() == []
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert files
        assert not any(TOKEN.encode() in path.read_bytes() for path in files)

    run(scenario())


SPOILT = '{\n  // mine\n  "mcpServers": {\n    "crane" {"command": "crane"}\n  }\n}\n'


def fake_home(monkeypatch: pytest.MonkeyPatch, home: Path, texts: dict[str, str]) -> dict[Path, tuple[bytes, int]]:
    """A home with settings of other programs; each file with its bytes and its time."""
    for name, place in (("HOME", ""), ("USERPROFILE", ""), ("XDG_CONFIG_HOME", ".config"), ("APPDATA", "roaming")):
        monkeypatch.setenv(name, str(home / place))
    where: dict[str, Path] = {}
    for program, path in elsewhere.places():
        where.setdefault(program, path)
    for program, text in texts.items():
        where[program].parent.mkdir(parents=True, exist_ok=True)
        where[program].write_text(text, "utf-8")
    return {where[one]: (where[one].read_bytes(), where[one].stat().st_mtime_ns) for one in texts}


def test_apps_of_other_programs_are_found_chosen_and_started_only_then(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched = tmp_path / "touched"

    def marked(name: str) -> dict[str, Any]:
        """A server that leaves a trace when it is started."""
        code = f"import pathlib, runpy, sys; pathlib.Path({str(touched)!r}).open('a').write({name!r} + ' ');"
        code += f" sys.argv = ['hostile']; runpy.run_path({str(HOSTILE)!r}, run_name='__main__')"
        return {"command": sys.executable, "args": ["-c", code]}

    texts = {
        "Claude Desktop": json.dumps({"mcpServers": {"tide": marked("tide"), "quay": marked("quay")}}),
        "VS Code": '{\n  // kept by hand\n  "servers": {"pier": ' + json.dumps(marked("pier")) + ",}\n}\n",
        "Cursor": SPOILT,
    }
    before = fake_home(monkeypatch, tmp_path / "home", texts)

    async def scenario() -> None:
        async with page(tmp_path / "profile") as at:
            await at.key("Add app…")
            at.back_to("Found on this computer")
            QTest.keyClick(at.window.focusWidget(), Qt.Key.Key_Space)
            await until(lambda: "Claude Desktop: " in at.texts(), LONG)
            seen = at.texts()
            assert "VS Code: " in seen
            assert "Line 4, column 12" in seen
            assert "It is left as it is." in seen
            assert not any(at.button(f"Take {name}").isChecked() for name in ("tide", "quay", "pier"))
            await at.click("Add")
            assert at.section.form.said.text() == "Nothing is chosen yet."
            await at.click("Take quay")
            await at.key("Take pier")
            assert at.program.integrations.all() == []
            assert not touched.exists()
            await at.key("Add")
            await until(lambda: sorted(row.view.name for row in at.section.rows.values()) == ["pier", "quay"], LONG)
            await until(lambda: all(row.view.state == "running" for row in at.section.rows.values()), LONG)
            assert sorted(touched.read_text().split()) == ["pier", "quay"]
        assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before}

    run(scenario())
