"""Knows when a provider can't be reached, says so above the chat, and holds messages back until it can be.

Nobody is asked without a reason: the first look comes after an answer broke off or never began, or when the system
says that it has no network; from then on one every few seconds, until something answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from conch_desktop.desktop.announce import announce
from conch_desktop.domain.errors import ConchError
from conch_desktop.engine.session import MessageEnded

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.spawn import Tasks
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program
    from conch_desktop.engine.session import SessionEvent

LOOK_AGAIN = 5_000
"""Milliseconds between two looks whether a provider can be reached again."""
_ASK_SYSTEM = 500
"""Milliseconds after the first letter until the system is asked for its network: who writes nothing needs none."""


class OfflineDesk(QObject):
    """Which providers can't be reached, by their ids, and what follows from that for the chat that is open."""

    def __init__(self, window: Window, program: Program, chats: ChatsDesk, tasks: Tasks) -> None:
        super().__init__(window)
        self._window, self._program, self._chats, self._tasks = window, program, chats, tasks
        self.away: dict[str, str] = {}
        """The name of each provider that can't be reached."""
        self._looking: set[str] = set()
        self._network: Any = None
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_AGAIN)
        self._timer.timeout.connect(self._look_again)
        chats.heard.connect(self._heard)
        chats.model_changed.connect(self.show_state)
        window.composer.held.connect(lambda: self.look(self._here()))
        self._wanted = QTimer(self)
        self._wanted.setSingleShot(True)
        self._wanted.setInterval(_ASK_SYSTEM)
        self._wanted.timeout.connect(self._ask_system)
        window.composer.writing.textChanged.connect(self._typed)

    def _here(self) -> str:
        """The provider of the chat that is open."""
        return self._chats.model_id.partition("/")[0]

    def _heard(self, _chat: str, event: SessionEvent) -> None:
        if not isinstance(event, MessageEnded):
            return
        provider, failure = event.message.model.partition("/")[0], event.message.failure
        if failure is not None and failure.kind == "network":
            self.look(provider)
        elif provider in self.away and event.message.state == "done":
            self._set(provider, "")

    def _look_again(self) -> None:
        for provider in self.away:
            self.look(provider)

    def look(self, provider: str) -> None:
        """Looks whether this provider can be reached."""
        if provider and provider not in self._looking:
            self._looking.add(provider)
            self._tasks.spawn(self._look(provider), "look whether the provider can be reached")

    async def _look(self, provider: str) -> None:
        try:
            known = await self._program.provider(provider)
            reached = known is None or await self._program.can_reach(provider)
        except ConchError:
            return  # no address: it can't be reached for another reason, which is told where it is asked
        finally:
            self._looking.discard(provider)
        self._set(provider, "" if reached or known is None else known.name)

    def _set(self, provider: str, name: str) -> None:
        if self.away.get(provider, "") == name:
            return
        if name:
            self.away[provider] = name
            announce(self._window, f"Offline: {name} can’t be reached.")
        else:
            announce(self._window, f"{self.away.pop(provider)} can be reached again.")
        if bool(self.away) != self._timer.isActive():
            self._timer.start() if self.away else self._timer.stop()
        self.show_state()

    def show_state(self) -> None:
        """Says above the chat that its provider can't be reached, and holds back what is sent to it."""
        name = self.away.get(self._here(), "")
        self._window.header.show_offline(f"{name} can’t be reached. It is tried again by itself." if name else "")
        self._window.composer.hold(f"Offline. It is sent when {name} can be reached." if name else "")

    def _typed(self) -> None:
        if self._window.composer.text():
            self._window.composer.writing.textChanged.disconnect(self._typed)
            self._wanted.start()

    def _ask_system(self) -> None:
        """Hears from the system when the network goes and comes; some systems tell nothing."""
        from PySide6.QtNetwork import QNetworkInformation

        if not QNetworkInformation.loadBackendByFeatures(QNetworkInformation.Feature.Reachability):
            return
        self._network = QNetworkInformation.instance()
        if self._network is not None:
            self._network.reachabilityChanged.connect(self._network_changed)
            self._network_changed()

    def _network_changed(self) -> None:
        from PySide6.QtNetwork import QNetworkInformation

        gone = self._network.reachability() == QNetworkInformation.Reachability.Disconnected
        for provider in {*self.away, *([self._here()] if gone else [])}:
            self.look(provider)
