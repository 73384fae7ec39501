"""Joins the composer's count of tools and the groups that are switched on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from conch_desktop.desktop.wording import count
from conch_desktop.store.settings import TOOLS_OFF

if TYPE_CHECKING:
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program


class ToolsDesk(QObject):
    """Which tools models are given: a menu with a switch for each group."""

    def __init__(self, window: Window, program: Program, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._tasks = window, program, tasks
        window.composer.tools.connect(self.open)
        self.show_count()

    def show_count(self) -> None:
        """How many tools the next message can use."""
        many = len(self._program.offered().tools)
        self._window.composer.tools_button.change(count(many, "tool") if many else "No tools")

    def open(self) -> None:
        """Opens the menu above the button."""
        button = self._window.composer.tools_button
        menu = self.menu()
        spot = button.mapToGlobal(QPoint(0, 0))
        menu.popup(QPoint(spot.x(), spot.y() - menu.sizeHint().height() - 4))

    def menu(self) -> QMenu:
        """The groups, each with its number of tools and whether it is on."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        off = self._program.settings.get(TOOLS_OFF)
        tools = self._program.everything()
        for group in filter(None, tools.groups):
            many = sum(1 for tool in tools.tools if tool.group == group)
            action = menu.addAction(f"{group[0].upper()}{group[1:]}, {count(many, 'tool')}".replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(group not in off)
            action.toggled.connect(lambda on, group=group: self._switch(group, on=on))
        return menu

    def _switch(self, group: str, *, on: bool) -> None:
        self._tasks.spawn(self._keep(group, on=on), "keep which tools are switched on")

    async def _keep(self, group: str, *, on: bool) -> None:
        off = [one for one in self._program.settings.get(TOOLS_OFF) if one != group]
        await self._program.settings.set(TOOLS_OFF, off if on else [*off, group])
        self.show_count()
