"""The memory's page of the settings: every fact that models are told, to be edited and deleted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.settings_parts import CardList, FactRow
from conch_desktop.desktop.settings_section import Section, make_page, quiet_line

if TYPE_CHECKING:
    from conch_desktop.domain.memories import Memory


class MemorySection(Section):
    """What is remembered."""

    name, icon = "Memory", "memory"
    about, also = "what is remembered", "facts remember forget"

    def page(self) -> QWidget:
        """The list of facts."""
        page, content = make_page("Memory", "Facts that every model is told. Edit or delete them here.")
        self._facts = CardList()
        self._none = quiet_line(
            "memory", "Nothing is remembered yet. Write /remember and a fact, or let a model do it."
        )
        content.addWidget(self._facts)
        content.addWidget(self._none)
        return page

    async def fill(self) -> None:
        """Reads the facts."""
        self._show(await self.behind.program.memories.all())

    def _show(self, facts: Sequence[Memory]) -> None:
        rows: list[QWidget] = []
        for fact in facts:
            day = datetime.fromtimestamp(fact.created)  # noqa: DTZ006 - local days are meant
            row = FactRow(fact.id, fact.content, f"{day.day} {day:%B}" if fact.created else "")
            row.edited.connect(lambda one, text: self.behind.do(self._edit(one, text), "change the fact"))
            row.removed.connect(lambda one: self.behind.do(self._remove(one), "delete the fact"))
            rows.append(row)
        self._facts.put(rows)
        self._none.setVisible(not rows)

    async def _edit(self, fact: int, text: str) -> None:
        await self.behind.program.memories.edit(fact, text)
        await self.fill()

    async def _remove(self, fact: int) -> None:
        await self.behind.program.memories.remove(fact)
        await self.fill()
