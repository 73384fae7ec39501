"""Apps at the window: an answer that is far too long, names that clash, servers that will not start, a file of another
program. By keys and pointer, with real servers over stdio.

What else is proved of them elsewhere:
- that commands are found by the login shell's PATH, and what is said when not: `tests/tools/mcp/test_parts`;
- that names differ whatever servers call their tools: `tests/tools/mcp/test_parts`, by thousands of made-up lists;
- that a text that can't be read is named by line and column in every way it can break: `tests/tools/mcp/test_reading`.
"""

from __future__ import annotations

import asyncio
import json
import re
import stat
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from conch_desktop.desktop.call_card import CallCard
from conch_desktop.desktop.call_line import CallLine
from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.integration_notes import Failure
from conch_desktop.desktop.integration_row import IntegrationRow
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.settings_integrations import IntegrationsSection
from conch_desktop.desktop.switch import Switch
from conch_desktop.desktop.window import Window
from conch_desktop.domain.integrations import Definition
from conch_desktop.domain.tokens import estimate
from tests.desktop.at_harbour import (
    CHAT,
    App,
    button,
    calls,
    card_of,
    click,
    has_button,
    quiet,
    seen,
    soon,
    start,
    view_of,
    write,
)
from tests.desktop.at_work import at_work
from tests.servers import Recorded, call, say
from tests.strict import OPENAI, broken
from tests.tools.mcp.conftest import MemoryKeys, hostile
from tests.tools.mcp.scripted import log_of

Run = Callable[[Coroutine[Any, Any, Any]], Any]
WINDOW = 8_192
REPLY = 1_024
WHOLE = 2_000_000
FIELDS = {"type": "object", "properties": {"text": {"type": "string"}}}
LOOKS = {"readOnlyHint": True, "openWorldHint": False}


def names_of(request: Recorded) -> list[str]:
    """The names of the tools of a request."""
    return [tool["function"]["name"] for tool in request.json.get("tools", [])]


def card(window: Window, call_id: str) -> CallCard:
    """The card of a call in the panel."""
    found = window.activity.card(call_id)
    assert found is not None
    return found


# Far too much -------------------------------------------------------------------------------------------------------


def tokens_of(request: Recorded) -> int:
    """About how many tokens a request takes: all its texts, and its tools."""
    body = request.json
    texts = [
        str(message.get("content") or "") + json.dumps(message.get("tool_calls", "")) for message in body["messages"]
    ]
    return sum(estimate(text) + 8 for text in texts) + estimate(json.dumps(body["tools"]))


def open_row(window: Window, desk: Desk) -> tuple[MonoBox, float]:
    """Presses the line of the newest call in the chat; the box with its answer, once it is painted, and the seconds."""
    line = [one for one in window.view.findChildren(CallLine) if one.isVisible()][-1]
    began = time.monotonic()
    click(line)
    QApplication.processEvents()
    body = card(window, calls(desk)[-1].id).body
    assert body is not None
    window.activity.grab()
    took = time.monotonic() - began
    return [box for box in body.findChildren(MonoBox) if box.long][-1], took


def scroll(box: MonoBox, times: int) -> list[float]:
    """Turns the wheel over a box with the focus; the seconds that each turn took until it was painted."""
    port = box.text.viewport()
    took: list[float] = []
    middle = QPointF(port.rect().center())
    for _ in range(times):
        began = time.monotonic()
        event = QWheelEvent(
            middle,
            QPointF(port.mapToGlobal(middle.toPoint())),
            QPoint(0, 0),
            QPoint(0, -1200),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(port, event)
        box.grab()
        took.append(time.monotonic() - began)
    return took


def test_two_million_characters_are_shown_whole_and_the_chat_goes_on(run: Run, tmp_path: Path) -> None:
    harbour = App(tmp_path, "harbour").offer(
        {"name": "read_log", "description": "Reads.", "inputSchema": FIELDS, "annotations": LOOKS, "long": WHOLE}
    )
    whole = log_of(WHOLE)

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            for turn in range(11):
                server.then(call("read_log", f'{{"text": "{turn}"}}', call_id=f"c{turn}"), say(f"Read {turn}."))
                write(window, f"Read the log, part {turn}")
                await quiet(window, desk, f"Read {turn}.")
                assert calls(desk)[-1].state == "done"
                if turn == 0:
                    shown_whole(window, desk)
            assert len(harbour.ran) == 11
            session = desk.chats.session
            assert session is not None
            assert all(one.failure is None for one in session.messages)
            for request in server.of(CHAT):
                assert tokens_of(request) <= WINDOW - REPLY
                assert broken(OPENAI, request.json) == []
            told = server.of(CHAT)[1].json["messages"][-1]["content"]
            cut = re.search(
                r"\[Cut here: this is ([\d,]+) of 2,000,000 characters\. Ask for less, or for a later part", told
            )
            assert cut is not None
            assert told.endswith("if the tool can do that.]")
            assert int(cut[1].replace(",", "")) == len(told[: cut.start()].removesuffix("\n\n"))

    def shown_whole(window: Window, desk: Desk) -> None:
        box, _ = open_row(window, desk)
        assert box.content == whole
        assert box.text.toPlainText() == whole
        shown = card(window, calls(desk)[-1].id)
        assert re.search(r"2,000,000 characters, the model got [\d,]+", seen(shown))
        from conch_desktop.desktop.wording import tags

        assert any(re.fullmatch(r"[\d,]+ of 2,000,000 characters", words) for words, _ in tags(shown.call))
        scroll(box, 5)
        assert box.text.verticalScrollBar().value() > 0

    run(scenario())


@pytest.mark.long
@pytest.mark.figures
@pytest.mark.parametrize("kind", ["lines", "one line", "one word"])
def test_a_row_of_two_million_characters_opens_in_200_ms_and_scrolls_smoothly(
    run: Run, tmp_path: Path, kind: str
) -> None:
    """Of 20 tries the 95th percentile; smooth is a frame of a screen, 16 ms, for nearly every turn of the wheel."""
    says = {"one line": "berth 7 is free " * (WHOLE // 16), "one word": "x" * WHOLE}
    tool: dict[str, Any] = {"name": "read_log", "description": "Reads.", "inputSchema": FIELDS, "annotations": LOOKS}
    harbour = App(tmp_path, "harbour").offer({**tool, **({"says": says[kind]} if kind in says else {"long": WHOLE})})
    opened: list[float] = []
    turned: list[float] = []

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour)
            server.then(call("read_log", "{}"), say("Read."))
            write(window, "Read the log")
            await quiet(window, desk, "Read.")
            for _ in range(21):
                box, took = open_row(window, desk)
                opened.append(took)
                turned.extend(scroll(box, 10))
                card(window, calls(desk)[-1].id).set_open(False)
                await asyncio.sleep(0.05)

    run(scenario())
    row, turn = sorted(opened[1:])[18], sorted(turned)[int(len(turned) * 0.95)]
    print(f"a row, {kind}: {row * 1000:.0f} ms; a turn of the wheel: {turn * 1000:.1f} ms")  # noqa: T201 - the figure
    assert row < 0.2
    assert turn < 0.016


# Names --------------------------------------------------------------------------------------------------------------


def test_the_same_tool_of_two_servers_and_a_long_name_stay_apart(run: Run, tmp_path: Path) -> None:
    long = "forecast_for_every_harbour_along_the_coast_with_tides_winds_swell_and_" + "visibility_to" + "_" * 7
    assert len(long) == 90
    looks = {"description": "Looks.", "inputSchema": FIELDS, "annotations": LOOKS}
    tools = [{**looks, "name": name, "says": f"{name} here"} for name in ("search", long, "get forecast (beta)")]
    harbour, weather = App(tmp_path, "harbour").offer(tools[0]), App(tmp_path, "weather").offer(*tools)
    sent: list[list[str]] = []

    async def first() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            await start(program, harbour, weather)
            for name, words in (("", "One."), (long, "Two."), ("search", "Three.")):
                given = {tool.label: tool.name for tool in program.everything().tools if tool.source == "weather"}
                server.then(*([call(given[name], '{"text": "gale"}')] if name else []), say(words))
                write(window, "Look")
                await quiet(window, desk, words)
            sent.extend(names_of(request) for request in server.of(CHAT))
            assert harbour.ran == []
            assert weather.ran == [(long, {"text": "gale"}), ("search", {"text": "gale"})]
            assert [one.answer for one in calls(desk)] == [f"{long} here", "search here"]
            for one, name in zip(calls(desk), (long, "search"), strict=True):
                head = card(window, one.id)._head
                assert head.accessibleName().startswith(f"{name}, weather, done"), head.accessibleName()
                assert name in head.toolTip()
                assert one.name in head.toolTip()  # what models are given
            line = next(one for one in window.view.findChildren(CallLine) if one.isVisible())
            assert long in line.toolTip()

    async def again() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, model):
            # Before anything runs the rows have the servers' own names too.
            await soon(lambda: calls(desk), "the chat that was open")
            assert card(window, calls(desk)[-1].id)._head.accessibleName().startswith("search, weather")
            await asyncio.wait_for(program.integrations.settled(), 30)
            await desk.models.choose(model)
            server.then(say("Four."))
            write(window, "Look")
            await quiet(window, desk, "Four.")
            sent.append(names_of(server.of(CHAT)[0]))

    run(first())
    run(again())
    for names in sent:
        assert names == sent[0]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)


# Servers that will not start ----------------------------------------------------------------------------------------


def program_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def row(section: IntegrationsSection, name: str) -> IntegrationRow:
    """The row of an app in the settings."""
    return next(one for one in section.rows.values() if one.view.name == name)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no login shell")
def test_each_server_that_wont_start_says_why_and_the_others_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = {
        "name": "tide",
        "description": "Tells.",
        "inputSchema": FIELDS,
        "annotations": LOOKS,
        "says": "high at noon",
    }
    by_npx, good, pump = App(tmp_path, "by-npx"), App(tmp_path, "good"), App(tmp_path, "pump")
    for app, name in ((by_npx, "moon"), (good, "tide"), (pump, "bilge")):
        app.offer({**tool, "name": name})
    npx = program_file(tmp_path / "only the shell knows" / "npx", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shell = program_file(tmp_path / "shell", f'#!/bin/sh\nPATH="{npx.parent}:$PATH"\neval "$4"\n')
    monkeypatch.setenv("SHELL", str(shell))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    through_npx = Definition("by-npx", "stdio", command="npx", args=by_npx.definition().args)

    async def first() -> None:
        """Pump runs once, so that its tools are known; then everything is as it is found at the next start."""
        async with at_work(tmp_path / "profile") as (_, program, _, _, _):
            await start(program, pump)
            (pump.folder / "pump.json").unlink()  # from now on it ends at once
            for definition in (through_npx, Definition("chart-room", "stdio", command="chartroomd-nowhere"),
                               hostile("exit", name="token"), good.definition(),
                               hostile("hang", name="sleeper"),
                               hostile("hang", name="napper", start_limit=4)):  # fmt: skip
                await program.integrations.add(definition)

    async def again() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, server, _):
            # The window is usable before any server answered.
            assert view_of(program, "sleeper").state == "starting"
            QTest.keyClicks(window.composer.writing, "hel")
            assert window.composer.text() == "hel"
            assert desk.chats.ready
            line = window.composer.missing
            settled = ("by-npx", "good", "token", "chart-room", "pump")
            await soon(
                lambda: {view_of(program, name).state for name in settled} == {"running", "failed"}, "all but one"
            )
            # What is missing is named before the first message is sent, with the tools that are known.
            await soon(lambda: "sleeper is still starting" in line.words, "what is late is named")
            await soon(lambda: all(f"{name} is not running" in line.words for name in ("chart-room", "token", "pump")))
            assert "pump is not running, so bilge is missing." in line.words
            assert line.isVisible()
            assert server.of(CHAT) == []
            # The chat works meanwhile.
            assert view_of(program, "sleeper").state == "starting"
            window.composer.set_text("")
            server.then(call("tide", "{}"), call("moon", "{}", call_id="b"), say("Noon."))
            write(window, "When is high water?")
            await quiet(window, desk, "Noon.")
            assert [one.answer for one in calls(desk)] == ["high at noon", "high at noon"]
            assert {"moon", "tide"} <= set(names_of(server.of(CHAT)[0]))
            assert by_npx.ran == [("moon", {})]
            # One that never answers is given up after its limit (30 s unless changed), and only that one.
            await soon(lambda: view_of(program, "napper").state == "failed", "it is given up")
            assert view_of(program, "napper").why == "It did not start within 4 s."
            assert view_of(program, "sleeper").definition.start_limit == 30
            assert {view.name for view in program.integrations.all() if view.state == "running"} == {"by-npx", "good"}
            click(line.look)
            await soon(lambda: "Apps" in desk.settings.sections, "the page of the apps")
            section = desk.settings.sections["Apps"]
            assert isinstance(section, IntegrationsSection)
            await soon(lambda: hasattr(section, "rows") and row(section, "good").isVisible(), "the rows")
            gone = row(section, "chart-room")
            assert "The command chartroomd-nowhere was not found. Looked in " in gone.said()
            click(button(gone, "Show the folders: chart-room"))
            (where,) = gone.findChildren(Failure)
            assert where.folders.isVisible()
            assert {str(npx.parent), "/usr/bin", "/bin"} <= set(where.folders.text().split("\n"))
            token = row(section, "token")
            assert token.said().startswith("It exited with 3.")
            assert "bad token" in token.findChildren(MonoBox)[0].content
            for name in ("chart-room", "token", "napper"):
                one = row(section, name)
                assert one.deed.isVisible()
                assert one.deed.text() == "Try again"
                click(button(one, f"Copy details: {name}"))
                copied = QGuiApplication.clipboard().text()
                assert copied.startswith(f"{name}\n")
                assert view_of(program, name).why.split("\n")[0].split(". Looked in")[0] in copied
            assert not has_button(row(section, "good"), "Copy details: good")
            # What was mended is tried again, and is named no more.
            pump.offer({**tool, "name": "bilge"})
            click(row(section, "pump").deed)
            await soon(lambda: view_of(program, "pump").state == "running", "it runs again")
            await soon(lambda: "pump" not in line.words and "chart-room" in line.words, "it is named no more")

    run(first())
    run(again())


def test_what_is_missing_can_be_hidden_until_it_is_something_else(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, _, _, _):
            line = window.composer.missing
            assert not line.isVisible()
            await program.integrations.add(Definition("chart-room", "stdio", command="chartroomd-nowhere"))
            await soon(line.isVisible, "the line")
            assert line.words == "chart-room is not running, so its tools are missing."
            click(line.close_button)
            assert not line.isVisible()
            await program.integrations.add(hostile("bad-schemas"))
            await soon(line.isVisible, "other words")
            assert "of harbour can’t be used." in line.words
            for view in program.integrations.all():
                await program.integrations.remove(view.id)
            await soon(lambda: not line.isVisible(), "nothing is missing any more")

    run(scenario())


# A file of another program ------------------------------------------------------------------------------------------

GOOD = {
    "mcpServers": {
        "berth": {"command": "berthd-nowhere", "args": ["--quay", "7 north"], "env": {"BERTH_TOKEN": "bt-55-SECRET"}},
        "tide": {"command": "tided-nowhere", "args": ["serve"]},
        "pier": {"url": "http://127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer pier-66-SECRET"}},
    }
}
SECRETS = ("bt-55-SECRET", "pier-66-SECRET")


async def import_file(window: Window, section: IntegrationsSection, path: Path, said: str) -> None:
    """Presses *Import a file…* and takes this file in the dialog."""
    await soon(lambda: not window.findChildren(QFileDialog), "the last dialog is gone")
    section.form.say("")
    click(button(window, "Import a file…"))
    await soon(lambda: window.findChildren(QFileDialog), "the dialog")
    dialog = window.findChildren(QFileDialog)[-1]
    dialog.setDirectory(str(path.parent))
    dialog.selectFile(str(path))
    await soon(lambda: dialog.selectedFiles() == [str(path)], "the file is chosen")
    dialog.accept()
    await soon(lambda: section.form.isVisible() and said in section.form.said.text(), said)


def test_a_file_is_seen_in_full_before_anything_starts_and_its_secrets_are_kept_apart(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    good, bad = folder / "good.json", folder / "bad.json"
    good.write_text(json.dumps(GOOD, indent=2))
    lines = ["{", ' "mcpServers": {', '  "a": {', '   "command": "x",', '   "args": [', '    "one",',
             '    "two"', '    "three"', "   ]", "  }", " }", "}"]  # fmt: skip
    bad.write_text("\n".join(lines))  # after "two" on line 7 a comma is missing
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (good, bad)}
    keys = MemoryKeys()

    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, program, desk, _, _):
            monkeypatch.setattr(program.integrations, "_keys", keys)
            desk.settings.open("Apps")
            await soon(lambda: "Apps" in desk.settings.sections and has_button(window, "Import a file…"), "the page")
            section = desk.settings.sections["Apps"]
            assert isinstance(section, IntegrationsSection)
            await import_file(window, section, good, "3 servers in good.json.")
            await soon(lambda: section.form.found.isVisible(), "the list")
            boxes = [one for one in section.form.found.findChildren(Switch) if one.isVisible()]
            assert [(one.accessibleName(), one.isChecked()) for one in boxes] == [
                ("Take berth", True),
                ("Take tide", True),
                ("Take pier", True),
            ]
            words = seen(section.form)
            assert "3 servers in good.json." in words
            for whole in ("berthd-nowhere --quay '7 north'\nwith BERTH_TOKEN=•••", "tided-nowhere serve",
                          "http://127.0.0.1:9/mcp\nwith Authorization: •••"):  # fmt: skip
                assert whole in words, words
            assert not any(secret in words for secret in SECRETS)
            assert program.integrations.all() == []
            assert keys.kept == {}
            click(boxes[1])  # not the tide
            click(section.form.save)
            await soon(lambda: len(section.rows) == 2, "two are added")
            assert sorted(view.name for view in program.integrations.all()) == ["berth", "pier"]
            # Importing it again adds what was left out, and no doubles.
            await import_file(window, section, good, "3 servers in good.json.")
            click(section.form.save)
            await soon(lambda: len(section.rows) == 3, "the third is added")
            await import_file(window, section, good, "3 servers in good.json.")
            click(section.form.save)
            await soon(lambda: section.form.said.text() == "0 apps added. 3 apps were there already.", "no doubles")
            assert len(program.integrations.all()) == 3
            # A file that can't be read changes nothing.
            await import_file(window, section, bad, "Line 7, column 10: a comma is missing")
            assert len(program.integrations.all()) == 3
            assert len(keys.kept) == 2
            assert all(any(secret in value for value in keys.kept.values()) for secret in SECRETS)
            assert not any(secret in seen(window) for secret in SECRETS)

    run(scenario())
    for path, was in before.items():
        assert (path.read_bytes(), path.stat().st_mtime_ns) == was
    files = [path for path in (tmp_path / "profile").rglob("*") if path.is_file()]
    assert files
    for secret in SECRETS:
        assert not [path for path in files if secret.encode() in path.read_bytes()]


# Asking for a tool by name ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said", "then"),
    [
        ("/nosuchtool do it", "There is no tool named nosuchtool.", "/nosuchtool do it"),
        ("/remembr I like tea", "There is no tool named remembr. Did you mean /remember?", "/remembr I like tea"),
        ("/remember", "There is nothing behind /remember. Write what it is for", "/remember "),
    ],
)
def test_a_tool_that_is_not_there_is_said_and_not_sent_in_silence(
    run: Run, tmp_path: Path, text: str, said: str, then: str
) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, _, desk, server, _):
            write(window, text)
            if window.composer.text().endswith(" "):  # Enter took it from the menu
                QTest.keyClick(window.composer.writing, Qt.Key.Key_Return)
            await soon(lambda: said in seen(window), "it is said")
            assert window.composer.text().strip() == text
            assert server.of(CHAT) == []
            server.then(say("As you say."))
            QTest.keyClick(window.composer.writing, Qt.Key.Key_Return)  # once more: it is meant
            await quiet(window, desk, "As you say.")
            assert server.of(CHAT)[0].json["messages"][-1]["content"] == then

    run(scenario())


def test_a_path_at_the_start_is_no_tool(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with at_work(tmp_path / "profile") as (window, _, desk, server, _):
            server.then(say("A file."))
            write(window, "/etc/hosts: what is it?")
            await quiet(window, desk, "A file.")
            assert card_of(window) is None

    run(scenario())
