"""Joins the command palette and the window: which actions there are now."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from conch_desktop.desktop.groups import NEW_CHAT, grouped
from conch_desktop.desktop.palette import Action, CommandPalette
from conch_desktop.desktop.settings_pages import PAGES
from conch_desktop.desktop.shortcuts import keys_in_place
from conch_desktop.desktop.wording import model_name, pretty

if TYPE_CHECKING:
    from conch_desktop.desktop.desk import Desk
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.calls import CallRecord


class PaletteDesk(QObject):
    """Opens the palette with every action of the window, of the open chat, and all chats."""

    def __init__(self, window: Window, desk: Desk) -> None:
        super().__init__(window)
        self._window, self._desk = window, desk
        self.palette: CommandPalette | None = None
        window.palette_asked.connect(self.open)
        window.shortcuts_asked.connect(lambda: self.open(keys_only=True))

    def open(self, *, keys_only: bool = False) -> None:
        """Opens the palette, or the list of shortcuts."""
        window = self._window
        if self.palette is None:
            self.palette = CommandPalette(window)
            window.popups.append(self.palette)
        for popup in window.popups:
            if popup.isVisible():
                popup.close_popup()
        if keys_only:
            self.palette.open_with(self.shortcuts(), keys_only=True)
        else:
            self.palette.open_with([*self._now(), *self._chats()])

    def shortcuts(self) -> list[Action]:
        """Everything that has a key: of the window, and of the places where the focus can be."""
        window = self._window
        in_place = keys_in_place(
            window.composer.send_key,
            composer=self._write,
            question=window.question_asked.emit,
            chats=self._to_chats,
            models=window.pick_model.emit,
            finding=window.find_in_chat,
        )
        named = {one.name for one in in_place}
        here = [
            Action("Do something, or find a chat", "palette", window.palette_asked.emit, "Ctrl+K", also="commands"),
            Action("Close what is open, else stop the answer", "close", window.escape, "Esc", also="escape cancel"),
        ]
        return [
            *here,
            *(one for one in self._now() if one.keys not in ("", "Esc") and one.name not in named),
            *in_place,
        ]

    def _now(self) -> list[Action]:
        return [*self._window_actions(), *self._chat_actions(), *self._places()]

    def _write(self) -> None:
        self._window.composer.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _to_chats(self) -> None:
        self._window.show_sidebar()
        self._window.sidebar.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _window_actions(self) -> list[Action]:
        window, shell, archive = self._window, self._window.shell, self._desk.archive
        return [
            Action("New chat", "new-chat", window.new_chat.emit, "Ctrl+N"),
            Action("Choose a model", "reading", window.pick_model.emit, "Ctrl+M", also="switch find"),
            Action("Check this model", "done", window.check_asked.emit, "Ctrl+Shift+T", self._model()),
            Action("Add a provider", "plus", lambda: self._desk.models.open_form("openrouter"), also="key server"),
            Action("Show or hide Activity", "activity", shell.toggle_panel, "Ctrl+J", also="panel calls"),
            Action("Show or hide the sidebar", "sidebar", shell.toggle_sidebar, "Ctrl+B", also="chats fold"),
            Action("Open the newest call", "tool", self._newest_call, also="tool row activity"),
            Action("Copy Ran of the newest call", "copy", self._copy_ran, also="tool row arguments"),
            Action("Larger text", "plus", lambda: window.zoomed.emit(1), "Ctrl++", also="zoom size"),
            Action("Smaller text", "search", lambda: window.zoomed.emit(-1), "Ctrl+-", also="zoom size"),
            Action("Text at 100 %", "search", lambda: window.zoomed.emit(0), "Ctrl+0", also="zoom size"),
            Action("Next area", "keyboard", lambda: window.next_area(1), "F6", also="focus"),
            Action("Area before", "keyboard", lambda: window.next_area(-1), "Shift+F6", also="focus"),
            Action("All shortcuts", "keyboard", window.shortcuts_asked.emit, "F1", also="keys help"),
            Action("Export all chats as JSON…", "export", lambda: archive.ask_where(), also="backup save file"),
            Action("Import chats…", "folder", lambda: archive.ask_which(), also="json file bring back"),
            Action("Quit", "close", window.close, "Ctrl+Q", also="exit end"),
        ]

    def _chat_actions(self) -> list[Action]:
        window, chats = self._window, self._desk.chats
        actions = [
            Action("Find in this chat", "search", window.find_in_chat, "Ctrl+F", also="search"),
            Action(
                "Options of this chat",
                "settings",
                window.header.options.emit,
                "Ctrl+Shift+O",
                also="temperature thinking system limit cost",
            ),
            Action("Search all chats", "search", window.search_chats, "Ctrl+Shift+F", also="find another chat"),
            Action("Write a message", "pencil", self._write, also="composer"),
            Action("Send the message", "send", window.composer.press_send, "Enter"),
            Action("Go to the newest words", "latest", window.view.go_to_end, "Ctrl+End", also="end latest"),
        ]
        waits = chats.session is not None and chats.session.question is not None
        approve = "approve allow deny a call waiting guard"
        beside = "a call waits for you" if waits else ""
        actions.append(
            Action("Go to the question", "waiting", window.question_asked.emit, "Ctrl+Shift+J", beside, approve)
        )
        if window.composer.send.running:
            actions.insert(0, Action("Stop the answer", "stop", window.stop_asked.emit, "Esc"))
        if chats.chat:
            chat, sidebar = chats.chat, window.sidebar
            pinned = any(one.id == chat and one.pinned for one in chats.chats)
            actions += [
                Action("Rename this chat", "pencil", lambda: sidebar.naming.emit(chat), also="title"),
                Action(
                    "Unpin this chat" if pinned else "Pin this chat",
                    "pin",
                    lambda: sidebar.pinned.emit(chat, not pinned),
                ),
                Action("Copy this chat as Markdown", "copy", lambda: sidebar.copied.emit(chat), also="export"),
                Action("Save this chat as Markdown…", "export", lambda: sidebar.saved.emit(chat), also="export file"),
                Action("Export this chat as JSON…", "export", lambda: sidebar.exported.emit(chat), also="file save"),
                Action("Delete this chat", "trash", lambda: sidebar.deleted.emit(chat), also="remove"),
            ]
        return actions

    def _places(self) -> list[Action]:
        settings = self._desk.settings
        made = [
            Action(
                f"{one.name}: {one.about}",
                one.icon,
                partial(settings.open, one.name),
                "",
                "Settings",
                one.also,
                "Go to",
            )
            for one in PAGES
        ]
        first = Action("Settings", "settings", self._window.settings_asked.emit, "Ctrl+,", group="Go to")
        return [first, *made]

    def _chats(self) -> list[Action]:
        found: list[Action] = []
        for heading, chats in grouped(self._desk.chats.chats, time.time()):
            for chat in chats:
                title = chat.title or NEW_CHAT
                found.append(Action(title, "chat", partial(self._open, chat.id), "", heading, "", "Chats"))
        return found

    def _open(self, chat: str) -> None:
        self._window.sidebar.opened.emit(chat)

    def _calls(self) -> list[CallRecord]:
        session = self._desk.chats.session
        return [call for message in session.messages for call in message.calls] if session is not None else []

    def _copy_ran(self) -> None:
        """Copies what ran as the newest call's card shows it."""
        ran = next((call for call in reversed(self._calls()) if call.args is not None), None)
        if ran is None or ran.args is None:
            self._window.say("Nothing has run in this chat yet.")
            return
        QGuiApplication.clipboard().setText(pretty(dict(ran.args)))
        self._window.say(f"Copied what ran of {ran.name}.")

    def _newest_call(self) -> None:
        calls = self._calls()
        self._window.shell.show_panel(True)
        if calls:
            self._window.activity.open_call(calls[-1].id)
            card = self._window.activity.card(calls[-1].id)
            if card is not None:
                card.take_focus()
        else:
            self._window.say("No calls in this chat yet.")
            self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def _model(self) -> str:
        model = self._desk.chats.model_id
        known = self._desk.models.model(model)
        name = model_name(known, model.partition("/")[2])
        return f"{name}, three harmless calls" if name else "three harmless calls"
