"""Joins the composer's count of tools and what is switched on: groups of own tools, apps in the chat that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from conch_desktop.desktop.wording import count
from conch_desktop.store.settings import SINGLE_TOOLS_OFF, TOOLS_OFF

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program
    from conch_desktop.engine.integrations import Switches


class ToolsDesk(QObject):
    """Which tools models are given: a menu with a switch for each group."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        self._switches: Switches = {}
        window.composer.tools.connect(self.open)
        chats.model_changed.connect(self._chat_opened)
        self.show_count()

    def show_count(self) -> None:
        """How many tools the next message can use."""
        many = len(self._program.offered(switches=self._switches).tools)
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
        single = self._program.settings.get(SINGLE_TOOLS_OFF)
        for group in filter(None, tools.groups):
            many = sum(1 for tool in tools.tools if tool.group == group and tool.name not in single)
            action = menu.addAction(f"{group[0].upper()}{group[1:]}, {count(many, 'tool')}".replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(group not in off)
            action.toggled.connect(lambda on, group=group: self._switch(group, on=on))
        self._add_apps(menu)
        return menu

    def _add_apps(self, menu: QMenu) -> None:
        """The apps that run, each switched for this chat alone. A chat without a word has nothing to keep it with."""
        running = [view for view in self._program.integrations.all() if view.state == "running"]
        if not running:
            return
        where = menu.addAction("Apps in this chat" if self._chats.chat else "Apps: switch them once the chat has begun")
        menu.insertSeparator(where)
        where.setEnabled(False)
        for view in running:
            action = menu.addAction(f"{view.name}, {count(len(view.tools), 'tool')}".replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(self._switches.get((view.id, ""), True))
            action.setEnabled(bool(self._chats.chat))
            action.toggled.connect(lambda on, one=view.id: self._switch_app(one, on=on))

    def _switch_app(self, integration: str, *, on: bool) -> None:
        self._tasks.spawn(self._keep_app(self._chats.chat, integration, on=on), "switch the app")

    async def _keep_app(self, chat: str, integration: str, *, on: bool) -> None:
        # On is what every chat follows: then nothing is kept for this one.
        await self._program.integrations.switch_in_chat(chat, integration, "", None if on else False)
        await self._read()

    def _chat_opened(self) -> None:
        self._tasks.spawn(self._read(), "read which apps are switched off")

    async def _read(self) -> None:
        chat = self._chats.chat
        switches = await self._program.integrations.switches(chat) if chat else {}
        if chat == self._chats.chat:
            self._switches = switches
            self.show_count()

    def _switch(self, group: str, *, on: bool) -> None:
        self._tasks.spawn(self._keep(group, on=on), "keep which tools are switched on")

    async def _keep(self, group: str, *, on: bool) -> None:
        off = [one for one in self._program.settings.get(TOOLS_OFF) if one != group]
        await self._program.settings.set(TOOLS_OFF, off if on else [*off, group])
        self.show_count()
