"""The tools' page of the settings: the program's own tools, what each does, and which of them models are given."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.integration_row import ToolLine
from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.desktop.switch import Switch
from conch_desktop.desktop.wording import TOOL_ICONS
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.held import ToolView
from conch_desktop.store.settings import SINGLE_TOOLS_OFF, TOOLS_OFF

_ABOUT = {
    "memory": "Facts about you that are kept for later chats.",
    "files": "Files in the folders you grant; without a folder models are not given them.",
    "browser": "Pages of the web, in the browser that is installed.",
}
"""What the tools of a group are for."""


class GroupRow(QWidget):
    """A group of tools: its switch, and below it each tool with its own."""

    def __init__(self, group: str, tools: list[Tool]) -> None:
        super().__init__()
        title = f"{group[:1].upper()}{group[1:]}"
        self.switch = Switch(f"Give models the tools of {title}")
        self.lines = {tool.name: ToolLine(_view(tool)) for tool in tools}
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(IconMark(TOOL_ICONS.get(group, "tool"), "t2"))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(title, "ui", "t1", 500))
        words.addWidget(label(_ABOUT.get(group, ""), "small", "t2", wrap=True))
        head.addLayout(words, 1)
        head.addWidget(self.switch)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 10, 16, 10)
        column.setSpacing(4)
        column.addLayout(head)
        inside = QVBoxLayout()
        inside.setContentsMargins(28, 4, 0, 0)
        inside.setSpacing(2)
        for line in self.lines.values():
            inside.addWidget(line)
        column.addLayout(inside)

    def show_state(self, *, on: bool, off: Sequence[str]) -> None:
        """Whether the group is on, and which of its tools are switched off by themselves."""
        self.switch.show_state(on)
        for name, line in self.lines.items():
            line.switch.show_state(name not in off)
            line.switch.setEnabled(on)
            line.switch.setToolTip("" if on else "The whole group is switched off")


def _view(tool: Tool) -> ToolView:
    return ToolView(tool.name, tool.name, tool.title, tool.description, tool.effect, is_on=True)


class ToolsSection(Section):
    """Own tools."""

    name = "Tools"

    def page(self) -> QWidget:
        """A row for each group."""
        said = "The program’s own tools, for every chat. One asked for with / is given in that message all the same."
        page, content = make_page("Tools", said)
        toolbox = self.behind.program.toolbox
        self.rows: dict[str, GroupRow] = {}
        for group in filter(None, toolbox.groups):
            row = self.rows[group] = GroupRow(group, [tool for tool in toolbox.tools if tool.group == group])
            row.switch.clicked.connect(lambda on, group=group: self._do(self._switch(group, on=on)))
            for name, line in row.lines.items():
                line.switch.clicked.connect(lambda on, name=name: self._do(self._switch_one(name, on=on)))
        card = CardList()
        card.put(list(self.rows.values()))
        content.addWidget(card)
        content.addLayout(self._elsewhere())
        return page

    def _elsewhere(self) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setSpacing(16)
        for words, name in (("Folders for the tools of Files", "Files"), ("Tools of apps", "Apps")):
            link = Button(words, "link", height=24)
            link.clicked.connect(lambda _=False, name=name: self.behind.open_page(name))
            line.addWidget(link)
        line.addStretch(1)
        return line

    async def fill(self) -> None:
        """Shows what is on."""
        settings = self.behind.program.settings
        off = settings.get(SINGLE_TOOLS_OFF)
        for group, row in self.rows.items():
            row.show_state(on=group not in settings.get(TOOLS_OFF), off=off)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        self.behind.do(work, "switch the tool")

    async def _switch(self, group: str, *, on: bool) -> None:
        settings = self.behind.program.settings
        off = [one for one in settings.get(TOOLS_OFF) if one != group]
        await settings.set(TOOLS_OFF, off if on else [*off, group])
        await self.fill()
        self.behind.tools_changed()

    async def _switch_one(self, name: str, *, on: bool) -> None:
        settings = self.behind.program.settings
        off = [one for one in settings.get(SINGLE_TOOLS_OFF) if one != name]
        await settings.set(SINGLE_TOOLS_OFF, off if on else [*off, name])
        await self.fill()
        self.behind.tools_changed()
