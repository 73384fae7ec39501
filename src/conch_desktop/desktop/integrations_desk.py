"""Joins what integrations tell of themselves and everything in the window that lists tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from conch_desktop.desktop.call_news import news
from conch_desktop.desktop.integration_words import missing_words

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.missing_line import MissingLine
    from conch_desktop.desktop.tools_desk import ToolsDesk
    from conch_desktop.engine.assembly import Program

_LATE_AFTER = 3000
"""Milliseconds from which an app that still starts is named as missing."""

_TOGETHER = 60
"""Milliseconds in which changes are taken together: a server's log alone can tell of thousands a second."""


class IntegrationsDesk(QObject):
    """Shows tools as they come and go. `changed` is told after each change, never more often than is seen."""

    changed = Signal()

    def __init__(self, program: Program, chats: ChatsDesk, tools: ToolsDesk, line: MissingLine) -> None:
        super().__init__(chats)
        self._program, self._chats, self._tools, self._line = program, chats, tools, line
        self._late: frozenset[str] = frozenset()
        self._waiting = QTimer(self)
        self._waiting.setSingleShot(True)
        self._waiting.setInterval(_LATE_AFTER)
        self._waiting.timeout.connect(self._name_late)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TOGETHER)
        self._timer.timeout.connect(self._show)
        self._stop = program.integrations.listen(self._heard)
        self._show()

    def _heard(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _show(self) -> None:
        self._chats.show_tools()
        self._tools.show_count()
        news.set_labels(self._program.integrations.labels())
        self._show_missing()
        self.changed.emit()

    def _show_missing(self) -> None:
        views = self._program.integrations.all()
        starting = self._starting()
        self._late &= starting
        if starting - self._late and not self._waiting.isActive():
            self._waiting.start()
        self._line.say(missing_words(views, self._late))

    def _starting(self) -> frozenset[str]:
        return frozenset(view.id for view in self._program.integrations.all() if view.state == "starting")

    def _name_late(self) -> None:
        self._late = self._starting()
        self._line.say(missing_words(self._program.integrations.all(), self._late))

    def close(self) -> None:
        """Listens no more."""
        self._timer.stop()
        self._waiting.stop()
        self._stop()
