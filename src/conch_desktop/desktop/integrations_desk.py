"""Joins what integrations tell of themselves and everything in the window that lists tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from conch_desktop.desktop.call_news import news

if TYPE_CHECKING:
    from conch_desktop.desktop.chats_desk import ChatsDesk
    from conch_desktop.desktop.tools_desk import ToolsDesk
    from conch_desktop.engine.assembly import Program

_TOGETHER = 60
"""Milliseconds in which changes are taken together: a server's log alone can tell of thousands a second."""


class IntegrationsDesk(QObject):
    """Shows tools as they come and go. `changed` is told after each change, never more often than is seen."""

    changed = Signal()

    def __init__(self, program: Program, chats: ChatsDesk, tools: ToolsDesk) -> None:
        super().__init__(chats)
        self._program, self._chats, self._tools = program, chats, tools
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
        news.set_labels(
            {(view.name, tool.name): tool.label for view in self._program.integrations.all() for tool in view.tools}
        )
        self.changed.emit()

    def close(self) -> None:
        """Listens no more."""
        self._timer.stop()
        self._stop()
