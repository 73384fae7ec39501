"""Apps that a test starts, and a person's hands and eyes at the window: keys where the focus is, presses of buttons."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from conch_desktop.desktop.desk import Desk
from conch_desktop.desktop.parts import Tag
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.window import Window
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.integrations import Definition
from conch_desktop.engine.assembly import Program
from conch_desktop.engine.held import IntegrationView

SCRIPT = Path(__file__).parents[1] / "tools" / "mcp" / "scripted.py"
CHAT = "/v1/chat/completions"
PATIENCE = 30.0

NOTE = {
    "name": "delete_note",
    "description": "Deletes a note.",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    "says": "deleted {arguments}",
}
ECHO = {"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object", "properties": {}}}


@dataclass(frozen=True)
class App:
    """A scripted server. `got` tells what it was asked, in order."""

    folder: Path
    name: str

    def offer(self, *tools: Mapping[str, Any]) -> App:
        """Its tools from its next start on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._tools.write_text(json.dumps(tools), "utf-8")
        return self

    @property
    def _tools(self) -> Path:
        return self.folder / f"{self.name}.json"

    @property
    def _log(self) -> Path:
        return self.folder / f"{self.name}.jsonl"

    def definition(self, *more: str) -> Definition:
        """How it is started; `more` are arguments that change nothing but the command."""
        return Definition(
            self.name, "stdio", command=sys.executable, args=(str(SCRIPT), str(self._tools), str(self._log), *more)
        )

    def got(self, method: str) -> list[dict[str, Any]]:
        """The messages of a method it got."""
        if not self._log.exists():
            return []
        # A line that is being written is not looked at yet.
        lines = self._log.read_text("utf-8").split("\n")[:-1]
        return [message for message in map(json.loads, lines) if message.get("method") == method]

    @property
    def ran(self) -> list[tuple[str, Any]]:
        """The tools that ran, each with its arguments."""
        return [(one["params"]["name"], one["params"].get("arguments")) for one in self.got("tools/call")]


async def start(program: Program, *apps: App) -> list[str]:
    """Adds apps and waits until they run; their ids."""
    ids = [await program.integrations.add(app.definition()) for app in apps]
    await asyncio.wait_for(program.integrations.settled(), PATIENCE)
    assert {view.state for view in program.integrations.all()} == {"running"}
    return ids


def view_of(program: Program, name: str) -> IntegrationView:
    """How an app stands."""
    return next(view for view in program.integrations.all() if view.name == name)


async def soon(true: Callable[[], object], what: str = "") -> None:
    """Waits until something is true; fails with words for it."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"This did not happen in {PATIENCE:.0f} s: {what}"
        await asyncio.sleep(0.01)


# Hands --------------------------------------------------------------------------------------------------------------

_KEYS = {"Enter": Qt.Key.Key_Return, "Escape": Qt.Key.Key_Escape, "F6": Qt.Key.Key_F6, "Tab": Qt.Key.Key_Tab}
_HELD = {
    "Ctrl": Qt.KeyboardModifier.ControlModifier,
    "Shift": Qt.KeyboardModifier.ShiftModifier,
    "Alt": Qt.KeyboardModifier.AltModifier,
}


def keys(window: Window, *names: str) -> None:
    """Presses keys by name ("Enter", "Ctrl+Shift+J", "o"), each where the focus is then."""
    for name in names:
        *held, last = name.split("+")
        modifiers = Qt.KeyboardModifier.NoModifier
        for one in held:
            modifiers |= _HELD[one]
        target = next(one for one in (QApplication.focusWidget(), window.focusWidget(), window) if one is not None)
        QTest.keyClick(target, _KEYS.get(last) or Qt.Key(ord(last.upper())), modifiers)


def write(window: Window, text: str) -> None:
    """Types into the composer and sends."""
    QTest.keyClicks(window.composer.writing, text)
    QTest.keyClick(window.composer.writing, Qt.Key.Key_Return)


def click(target: QWidget) -> None:
    """Presses the left button in the middle of something."""
    assert target.isVisible(), target
    QTest.mouseClick(target, Qt.MouseButton.LeftButton, pos=QPoint(target.width() // 2, target.height() // 2))


def button(within: QWidget, name: str) -> QAbstractButton:
    """The one visible button of that name."""
    found = [one for one in within.findChildren(QAbstractButton) if one.accessibleName() == name and one.isVisible()]
    assert len(found) == 1, (name, [one.accessibleName() for one in within.findChildren(QAbstractButton)])
    return found[0]


def has_button(within: QWidget, name: str) -> bool:
    """Whether a button of that name is seen."""
    return any(one.accessibleName() == name and one.isVisible() for one in within.findChildren(QAbstractButton))


# Eyes ---------------------------------------------------------------------------------------------------------------


def seen(within: QWidget) -> str:
    """The words that are seen in labels and tags."""
    labels = [one.text() for one in within.findChildren(QLabel) if one.isVisible()]
    return "\n".join([*labels, *(one.text() for one in within.findChildren(Tag) if one.isVisible())])


def card_of(window: Window) -> QuestionCard | None:
    """The question that waits."""
    found = [one for one in window.view.findChildren(QuestionCard) if one.isVisible() and one.isEnabled()]
    return found[-1] if found else None


async def asked(window: Window, before: QuestionCard | None = None) -> QuestionCard:
    """The question, once there is one (another than `before`)."""
    await soon(lambda: card_of(window) not in (None, before), "a question")
    card = card_of(window)
    assert card is not None
    return card


def calls(desk: Desk) -> list[CallRecord]:
    """The calls of the chat that is open."""
    session = desk.chats.session
    return [one for message in session.messages for one in message.calls] if session is not None else []


async def quiet(window: Window, desk: Desk, said: str = "") -> None:
    """Waits until the answer has ended, with these words."""

    def over() -> bool:
        session = desk.chats.session
        if session is None or window.composer.send.running or not session.messages:
            return False
        return session.messages[-1].role == "assistant" and said in session.messages[-1].text

    await soon(over, f"the answer ends: {said}")
