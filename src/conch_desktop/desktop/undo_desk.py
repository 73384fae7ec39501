"""Joins what is told of calls and the program: progress, names of apps' tools, and taking back what a call did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from conch_desktop.desktop.announce import announce
from conch_desktop.desktop.call_news import news
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.events import CallMoved, CallResult
from conch_desktop.domain.messages import Message
from conch_desktop.domain.tools import BUILTIN
from conch_desktop.engine.session import MessageChanged, MessageEnded

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program
    from conch_desktop.engine.session import SessionEvent


class UndoDesk(QObject):
    """What beside its record is known of a call, and Undo."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        self._asked: set[str] = set()
        self._taking: set[str] = set()
        chats.heard.connect(self._heard)
        chats.model_changed.connect(self.look)  # another chat is open
        chats.read_more.connect(self.look)
        news.undo_asked.connect(self._undo)  # a method: it ends with this desk

    def _heard(self, _chat: str, event: SessionEvent) -> None:
        if isinstance(event, CallMoved):
            news.move(event.id, event.text)
        elif isinstance(event, CallResult):
            news.ended(event.id)
            if event.state == "done":
                self._find_running(event.id)
        elif isinstance(event, (MessageEnded, MessageChanged)):
            self._find([event.message])

    def look(self) -> None:
        """Finds out which calls of the chat that is open can be taken back; each is asked for once."""
        session = self._chats.session
        if session is not None:
            self._find([entry for entry in session.entries if isinstance(entry, Message)])

    def _find_running(self, call: str) -> None:
        """Asks for a call of an answer that goes on: what it did can be taken back at once."""
        session = self._chats.session
        if session is not None and session.messages:
            self._find_calls([one for one in session.messages[-1].calls if one.id == call])

    def _find(self, messages: list[Message]) -> None:
        self._find_calls([call for message in messages if message.state != "streaming" for call in message.calls])

    def _find_calls(self, calls: Iterable[CallRecord]) -> None:
        changing = {tool.name for tool in self._program.toolbox.tools if tool.effect != "read"}
        new = [
            call.id
            for call in calls
            if call.source == BUILTIN and call.name in changing and call.state == "done" and call.id not in self._asked
        ]
        if new:
            self._asked.update(new)
            self._tasks.spawn(self._ask(new), "find what can be taken back")

    async def _ask(self, calls: list[str]) -> None:
        can = [call for call in calls if await self._program.hands.can_take_back(call)]
        news.set_undoable(can, on=True)

    def _undo(self, call: str) -> None:
        self._tasks.spawn(self._take_back(call), "take it back")

    async def _take_back(self, call: str) -> None:
        session = self._chats.session
        if session is None or call in self._taking:
            return
        self._taking.add(call)
        try:
            said = await session.take_back(call)
            news.set_undoable([call], on=False)
        except ConchError as error:
            news.set_undoable([call], on=await self._program.hands.can_take_back(call))
            said = str(error)
        finally:
            self._taking.discard(call)
        self._window.say(said)
        announce(self._window, said)
