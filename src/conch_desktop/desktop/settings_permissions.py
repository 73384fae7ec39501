"""The permissions' page of the settings: which tools may always run, each to be taken back."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.settings_parts import AllowanceRow, CardList
from conch_desktop.desktop.settings_section import Section, make_page, quiet_line


class PermissionsSection(Section):
    """What may always run."""

    name, icon = "Permissions", "guard"
    about, also = "what may always run", "allow always ask"

    def page(self) -> QWidget:
        """The list of allowances."""
        said = "Tools that you always allow. A tool that changes asks again by itself."
        page, content = make_page("Permissions", said)
        self._allowed = CardList()
        self._none = quiet_line("guard", "Nothing may run without a question, except what only reads.")
        content.addWidget(self._allowed)
        content.addWidget(self._none)
        return page

    async def fill(self) -> None:
        """Reads the allowances."""
        rows: list[QWidget] = []
        for one in await self.behind.program.permissions.all():
            row = AllowanceRow(one.source, one.tool)
            row.revoked.connect(lambda source, tool: self.behind.do(self._revoke(source, tool), "take it back"))
            rows.append(row)
        self._allowed.put(rows)
        self._none.setVisible(not rows)

    async def _revoke(self, source: str, tool: str) -> None:
        await self.behind.program.hands.revoke(source=source, tool=tool)
        await self.fill()
