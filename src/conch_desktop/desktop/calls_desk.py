"""Joins the cards of calls and the program: opened from the chat, copied as a case, run once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.copied_case import case_line

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.domain.calls import CallRecord
    from conch_desktop.engine.assembly import Program


class CallsDesk(QObject):
    """What happens with the calls of the chat that is open."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats = window, program, chats
        window.view.call_pressed.connect(self._open)
        window.activity.opened.connect(window.view.show_open_call)
        window.activity.case_wanted.connect(self._copy_case)
        window.activity.again_wanted.connect(lambda call: tasks.spawn(self._run_again(call), "run the call again"))

    def _call(self, call_id: str) -> CallRecord | None:
        session = self._chats.session
        messages = session.messages if session is not None else []
        return next((call for message in messages for call in message.calls if call.id == call_id), None)

    def _open(self, call: str) -> None:
        self._window.shell.show_panel(True)
        self._window.activity.open_call(call)

    def _copy_case(self, call_id: str) -> None:
        call = self._call(call_id)
        if call is not None:
            QGuiApplication.clipboard().setText(case_line(call, self._program.everything().find(call.name)))
            self._window.say("Copied one line for conch-desktop check args.")

    async def _run_again(self, call_id: str) -> None:
        """Runs a call once more, by hand; another chat may be open when it ends."""
        call, card = self._call(call_id), self._window.activity.card(call_id)
        if call is None or card is None:
            return
        card.show_again(None, running=True)
        again = await self._program.run_again(self._chats.chat, call)
        card = self._window.activity.card(call_id)
        if card is not None:
            card.show_again(again)
        announce(self._window, f"{call.name} ran again" if again.ran else again.text)
