"""Joins the search box of the sidebar, the page of places, and the chats."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from conch_desktop.desktop.search_page import SearchPage
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

_SEARCH_AFTER = 150
"""Milliseconds after the last key."""


class SearchDesk(QObject):
    """A search in all chats. `open_chat` puts a chat into the window."""

    def __init__(
        self, window: Window, program: Program, tasks: Tasks, open_chat: Callable[[str], Awaitable[None]]
    ) -> None:
        super().__init__(window)
        self._window, self._program, self._tasks, self._open_chat = window, program, tasks, open_chat
        self.page: SearchPage | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_AFTER)
        self._timer.timeout.connect(self._search)
        window.sidebar.searched.connect(self._typed)
        window.sidebar.search.field.moved.connect(self._move)
        window.sidebar.search.field.entered.connect(self._take)

    def _typed(self, words: str) -> None:
        if words.strip():
            self._timer.start()
        else:
            self._timer.stop()
            self._close()

    def _close(self) -> None:
        if self.page is not None and self._window.pages.currentWidget() is self.page:
            self._window.show_page(None)

    def _search(self) -> None:
        words = self._window.sidebar.search.field.text()
        if words.strip():
            self._tasks.spawn(self._search_for(words), "search the chats")

    async def _search_for(self, words: str) -> None:
        found = await self._program.chats.search(words)
        if words != self._window.sidebar.search.field.text():
            return
        self._window.sidebar.show_found(words, {one.chat.id for one in found})
        if not found:
            self._close()
            return
        if self.page is None:
            from conch_desktop.desktop.search_page import SearchPage

            self.page = SearchPage()
            self.page.opened.connect(lambda chat, at: self._tasks.spawn(self._open(chat, at), "open the place"))
        self.page.show_found(words, found, self._program.clock.now())
        self._show()

    def _show(self) -> None:
        if self.page is not None and self._window.shell.overlay != "side":
            self._window.show_page(self.page)

    def _move(self, step: int) -> None:
        if self.page is not None and self._window.sidebar.search.field.text().strip():
            if self._window.pages.currentWidget() is self.page:
                self.page.move_mark(step)
            else:
                self._show()

    def _take(self) -> None:
        """Enter: the place that is marked; without a page the first chat of the list."""
        if self.page is not None and self._window.pages.currentWidget() is self.page:
            self.page.take()
        else:
            self._window.sidebar.take_first()

    async def _open(self, chat: str, message: str) -> None:
        await self._open_chat(chat)
        self._window.show_page(None)
        if message:
            self._window.view.go_to_message(message)
