"""Joins the window and the program: the only place in the window that knows all of both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QDesktopServices

from conch_desktop.desktop.archive_desk import ArchiveDesk
from conch_desktop.desktop.calls_desk import CallsDesk
from conch_desktop.desktop.chats_desk import ChatsDesk
from conch_desktop.desktop.integrations_desk import IntegrationsDesk
from conch_desktop.desktop.lessons_desk import LessonsDesk
from conch_desktop.desktop.markdown import link_allowed
from conch_desktop.desktop.models_desk import ModelsDesk
from conch_desktop.desktop.offline_desk import OfflineDesk
from conch_desktop.desktop.options_desk import OptionsDesk
from conch_desktop.desktop.palette_desk import PaletteDesk
from conch_desktop.desktop.saving_desk import SavingDesk
from conch_desktop.desktop.search_desk import SearchDesk
from conch_desktop.desktop.settings_desk import SettingsDesk
from conch_desktop.desktop.tools_desk import ToolsDesk
from conch_desktop.desktop.undo_desk import UndoDesk

if TYPE_CHECKING:
    from conch_desktop.desktop.link_card import LinkCard
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program


class Desk:
    """Chats, models and settings at work in one window."""

    def __init__(self, window: Window, program: Program, tasks: Tasks) -> None:
        self._window, self._program = window, program
        self._link: LinkCard | None = None
        self.chats = ChatsDesk(window, program, tasks)
        self.undo = UndoDesk(window, program, self.chats, tasks)
        self.calls = CallsDesk(window, program, self.chats, tasks)
        self.lessons = LessonsDesk(window, program, self.chats, tasks)
        self.models = ModelsDesk(window, program, self.chats, self.lessons, tasks)
        self.archive = ArchiveDesk(window, program, self.chats, tasks)
        self.offline = OfflineDesk(window, program, self.chats, tasks)
        self.settings = SettingsDesk(window, program, self, tasks)
        self.options = OptionsDesk(window, program, self.chats, self.models, tasks)
        self.palette = PaletteDesk(window, self)
        self.search = SearchDesk(window, program, tasks, self.chats.open)
        self.tools = ToolsDesk(window, program, self.chats, tasks)
        self.integrations = IntegrationsDesk(program, self.chats, self.tools, window.composer.missing)
        self.integrations.changed.connect(self.settings.integrations_changed)
        window.composer.missing.asked.connect(lambda: self.settings.open("Apps"))
        self.settings.tools_changed.connect(self.tools.show_count)
        self.saving = SavingDesk(window, program, tasks)
        self.chats.key_wanted.connect(lambda model: self.settings.open("Providers", model.partition("/")[0]))
        self.models.apps_wanted.connect(lambda: self.settings.open("Apps"))
        window.view.link_pressed.connect(self._ask_link)
        window.header.more.connect(self._chat_menu)

    def _chat_menu(self, spot: QPoint) -> None:
        """What can be done with the chat that is open."""
        if self.chats.chat:
            self._window.sidebar.more(self.chats.chat, spot)

    def _ask_link(self, url: str) -> None:
        """Shows where a link goes before it is followed."""
        from conch_desktop.desktop.link_card import LinkCard

        if not link_allowed(url):
            return
        if self._link is None:
            self._link = LinkCard(self._window)
            self._link.opened.connect(open_link)
            self._window.popups.append(self._link)
        self._link.ask(url)

    async def start(self, model: str = "") -> None:
        """Shows what is kept."""
        self.settings.take()
        await self._program.tidy()
        await self.chats.start()
        await self.models.start(model)
        self.chats.ready = True
        self.chats.show_now()
        await self.lessons.read()
        if self._program.notes:
            self._window.say(" ".join(self._program.notes))

    async def aclose(self) -> None:
        """Keeps what must come back."""
        self.integrations.close()
        await self.chats.aclose()
        await self.settings.keep()


def open_link(url: str) -> None:
    """Opens a link of a message in the person's own browser or mail program, never anything else."""
    if link_allowed(url):
        QDesktopServices.openUrl(QUrl(url))
