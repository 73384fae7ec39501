"""Joins the settings page and the program; also theme, text size and everything of the window that comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from conch_desktop.desktop.first_look import FirstLook, write_first_look
from conch_desktop.desktop.settings_page import SettingsPage
from conch_desktop.desktop.settings_pages import PAGES
from conch_desktop.desktop.settings_section import Behind, Section
from conch_desktop.desktop.theme import ZOOM_STEP, Choice, Contrast, look
from conch_desktop.store.settings import (
    CONTRAST,
    GEOMETRY,
    PANEL_OPEN,
    PANEL_WIDTH,
    SEND_KEY,
    SIDEBAR_OPEN,
    SIDEBAR_WIDTH,
    TEXT_ZOOM,
    THEME,
)

if TYPE_CHECKING:
    from conch_desktop.desktop.desk import Desk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

_KEEP_AFTER = 600
"""Milliseconds."""
_SOON = 0.15
"""Seconds a page is waited for; then it is shown as it is, and filled when it is known."""


class SettingsDesk(QObject):
    """What the person sets."""

    tools_changed = Signal()
    """Models are given other tools from now on."""

    def __init__(self, window: Window, program: Program, desk: Desk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._tasks = window, program, tasks
        self._page: SettingsPage | None = None
        self._behind = Behind(
            window, program, desk, self._do, lambda: self._keep.start(), self.tools_changed.emit, self.open
        )
        self._one_fills = asyncio.Lock()
        self.sections: dict[str, Section] = {}
        """By their names; none before the settings are first opened."""
        self._keep = QTimer(self)
        self._keep.setSingleShot(True)
        self._keep.setInterval(_KEEP_AFTER)
        self._keep.timeout.connect(lambda: self._do(self.keep(), "keep the settings of the window"))
        window.settings_asked.connect(lambda: self.open())
        window.zoomed.connect(self._zoom)
        desk.models.providers_wanted.connect(lambda: self.open("Providers"))
        desk.models.lessons_wanted.connect(lambda: self.open("Models"))
        window.escapes.append(self._leave)

    def _do(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.spawn(work, name)

    # The window -----------------------------------------------------------------------------------------------------

    def take(self) -> None:
        """Gives the window what the settings say; what was already right stays untouched."""
        settings, shell = self._program.settings, self._window.shell
        look.choose(cast(Choice, settings.get(THEME)))
        look.choose_contrast(cast(Contrast, settings.get(CONTRAST)))
        look.set_zoom(settings.get(TEXT_ZOOM))
        self._window.composer.send_with(settings.get(SEND_KEY))
        shell.sidebar_open, shell.panel_open = settings.get(SIDEBAR_OPEN), settings.get(PANEL_OPEN)
        shell.sidebar_width, shell.panel_width = settings.get(SIDEBAR_WIDTH), settings.get(PANEL_WIDTH)
        shell.arrange()
        shell.arranged.connect(self._keep.start)

    async def keep(self) -> None:
        """Keeps how the window is now."""
        settings, shell = self._program.settings, self._window.shell
        now = FirstLook(
            look.choice,
            look.zoom,
            self._window.geometry_text(),
            shell.sidebar_open,
            shell.panel_open,
            shell.sidebar_width,
            shell.panel_width,
            look.contrast,
        )
        if settings.get(GEOMETRY) != now.geometry:
            await settings.set(GEOMETRY, now.geometry)
        for switch, on in ((SIDEBAR_OPEN, now.sidebar_open), (PANEL_OPEN, now.panel_open)):
            if settings.get(switch) != on:
                await settings.set(switch, on)
        for width, wide in ((SIDEBAR_WIDTH, now.sidebar_width), (PANEL_WIDTH, now.panel_width)):
            if settings.get(width) != wide:
                await settings.set(width, wide)
        write_first_look(self._program.data_dir, now)

    def _zoom(self, step: int) -> None:
        look.set_zoom(look.zoom + step * ZOOM_STEP if step else 100)
        self._do(self._program.settings.set(TEXT_ZOOM, look.zoom), "keep the text size")
        self._keep.start()

    # The page -------------------------------------------------------------------------------------------------------

    def open(self, name: str = "General", key_of: str = "") -> None:
        """Opens the settings; with `key_of` at the new key of that provider."""
        self._do(self._open(name, key_of), "open the settings")

    async def _open(self, name: str, key_of: str) -> None:
        page = await self._made_page()
        filling = asyncio.ensure_future(self._fill(name))
        try:
            await asyncio.wait([filling], timeout=_SOON)
            self._window.show_whole(page)
            page.show_page(name)
            await filling
        finally:
            filling.cancel()
        self.sections[name].begin(key_of)
        for other in self.sections:
            if other != name:
                await self._fill(other)

    async def _fill(self, name: str) -> None:
        async with self._one_fills:  # Opened twice in a moment, a page is not filled by both at once.
            await self.sections[name].fill()

    def integrations_changed(self) -> None:
        """An app started, ended or changed: its page shows it, if it was made."""
        if self._page is not None:
            self.sections["Apps"].show_now()

    async def _made_page(self) -> SettingsPage:
        async with self._one_fills:
            if self._page is None:
                page = SettingsPage()
                page.left.connect(self._leave)
                for row in PAGES:
                    await asyncio.sleep(0)  # Each takes a moment: the window draws in between.
                    section = self.sections[row.name] = row.section()(self._behind)
                    page.add(row.name, row.icon, f"{row.about} {row.also}", section.page())
                self._page = page
            return self._page

    def _leave(self) -> bool:
        if self._page is None or self._window.whole.currentWidget() is not self._page:
            return False
        self._window.show_whole(None)
        self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)
        return True
