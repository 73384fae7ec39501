"""The permissions' page of the settings: everything that runs without a question, each to be taken back."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.groups import NEW_CHAT
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.settings_parts import AllowanceRow, CardList
from conch_desktop.desktop.settings_section import Section, make_page, quiet_line


class PermissionsSection(Section):
    """What may run without a question."""

    name = "Permissions"

    def page(self) -> QWidget:
        """The lists of allowances: for good, and in single chats."""
        said = "Tools that you always allow. A tool that changes asks again by itself."
        page, content = make_page("Permissions", said)
        self._allowed, self._in_chats = CardList(), CardList()
        self._chats = label("In single chats, until the program ends", "ui", "t1", 600)
        self._none = quiet_line("guard", "Nothing may run without a question, except what only reads.")
        for part in (self._allowed, self._chats, self._in_chats, self._none):
            content.addWidget(part)
        reads = "What only reads runs without a question. So do the tools above, until others’ words are in the chat."
        content.addWidget(label(reads, "small", "t2", wrap=True))
        return page

    async def fill(self) -> None:
        """Reads the allowances."""
        hands = self.behind.program.hands
        rows = [self._row(one.source, one.tool) for one in await hands.allowed()]
        titles = {chat.id: chat.title for chat in await self.behind.program.chats.listing()}
        here = [
            self._row(source, tool, f"in “{titles.get(chat) or NEW_CHAT}”")
            for chat, source, tool in hands.allowed_in_chats()
        ]
        self._allowed.put(rows)
        self._in_chats.put(here)
        self._chats.setVisible(bool(here))
        self._none.setVisible(not rows and not here)

    def _row(self, source: str, tool: str, where: str = "") -> QWidget:
        row = AllowanceRow(source, tool, where)
        row.revoked.connect(lambda source, tool: self.behind.do(self._revoke(source, tool), "take it back"))
        return row

    async def _revoke(self, source: str, tool: str) -> None:
        await self.behind.program.hands.revoke(source=source, tool=tool)
        await self.fill()
