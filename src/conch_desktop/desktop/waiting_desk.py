"""Messages written while an answer runs: they wait, go one after the other, can be taken back, and are never lost.

Each waits with what is attached to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject, Qt

from conch_desktop.desktop.attached_chip import name_of
from conch_desktop.domain.errors import StoreError
from conch_desktop.domain.messages import Attached

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.session import Session


Waits: TypeAlias = tuple[str, Sequence[Attached]]
"""A message that waits: its text and what is attached to it."""


class WaitingDesk(QObject):
    """What waits, by chat."""

    def __init__(self, window: Window, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._chats, self._tasks = window, chats, tasks
        self._texts: dict[str, list[Waits]] = {}
        self._going: dict[str, Waits] = {}
        """What is being sent; until the store has it, it waits."""
        window.composer.queued.connect(self._queue)
        window.composer.taken_back.connect(self._take_back)

    def show(self) -> None:
        """Shows what waits in the chat that is open."""
        self._window.composer.show_waiting([_shown(one) for one in self._texts.get(self._chats.chat, ())])

    def _all(self, chat: str) -> list[Waits]:
        going = self._going.get(chat)
        return [*([going] if going is not None else []), *self._texts.get(chat, ())]

    def before(self, chat: str, draft: str) -> str:
        """What is kept as the draft of a chat: what waits there, then what is written."""
        texts = [text for text, _ in self._all(chat) if text.strip()]
        return "\n\n".join([*texts, draft] if draft.strip() or not texts else texts)

    def attached(self, chat: str) -> list[Attached]:
        """What is attached to what waits in a chat."""
        return [one for _, attached in self._all(chat) for one in attached]

    def gone(self, chat: str) -> None:
        """The message that was being sent is in the store."""
        self._going.pop(chat, None)

    def _queue(self, text: str) -> None:
        session = self._chats.session
        if session is None or not session.running:
            self._window.composer.sent.emit(text)
            return
        if self._chats.doubts(text):
            return
        self._texts.setdefault(session.chat_id, []).append((text, self._chats.attach.take()))
        self._chats.rewrite("")
        self._chats.keep_draft(session.chat_id)
        self.show()

    def send_next(self, session: Session) -> None:
        """After a whole answer the next message goes; after one that was stopped or failed, all go back."""
        waiting = self._texts.get(session.chat_id)
        if not waiting or session.running:
            return
        last = session.messages[-1] if session.messages else None
        if last is not None and last.state == "done" and last.failure is None:
            going = self._going[session.chat_id] = waiting.pop(0)
            self._tasks.spawn(self._deliver(session, *going), "send the message")
        else:
            self.give_back(session.chat_id)
        self.show()

    async def _deliver(self, session: Session, text: str, attached: Sequence[Attached]) -> None:
        try:
            await self._chats.deliver(session, text, attached)
        except StoreError as error:
            self.gone(session.chat_id)
            self._texts.setdefault(session.chat_id, []).insert(0, (text, attached))
            self.give_back(session.chat_id)
            self._window.say(str(error))

    def _take_back(self, number: int) -> None:
        waiting = self._texts.get(self._chats.chat, [])
        if 0 <= number < len(waiting):
            self._write_back([waiting.pop(number)])
            self.show()
            self._window.composer.setFocus(Qt.FocusReason.OtherFocusReason)

    def give_back(self, chat: str) -> None:
        """All that waits in a chat becomes its draft again, before what was written since."""
        waited = self._texts.pop(chat, [])
        if waited and chat == self._chats.chat:
            self._write_back(waited)
            self.show()
        elif waited:
            self._chats.put_before_draft(chat, [text for text, _ in waited])
            self._chats.attach.put_before(chat, [one for _, attached in waited for one in attached])

    def give_all_back(self) -> None:
        """The program ends: everything becomes a draft."""
        for chat in list(self._texts):
            self.give_back(chat)

    def _write_back(self, waited: list[Waits]) -> None:
        texts = [text for text, _ in waited if text.strip()]
        written = self._window.composer.text()
        self._chats.rewrite("\n\n".join([*texts, written] if written.strip() else texts))
        self._chats.attach.put_before(self._chats.chat, [one for _, attached in waited for one in attached])


def _shown(waits: Waits) -> str:
    """A waiting message in a line."""
    text, attached = waits
    names = ", ".join(map(name_of, attached))
    return " ".join(part for part in (text, f"[{names}]" if names else "") if part)
