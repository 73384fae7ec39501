"""The memory's page of the settings: every fact that models are told, to be found, edited, deleted and taken along."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.groups import matches
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.settings_parts import CardList, FactRow
from conch_desktop.desktop.settings_section import Section, make_page, quiet_line
from conch_desktop.desktop.sidebar import SearchField
from conch_desktop.desktop.switch import Switch
from conch_desktop.store.settings import TOOLS_OFF

if TYPE_CHECKING:
    from conch_desktop.domain.memories import Memory

GROUP = "memory"
_SHOWN = 200
"""Facts that are shown at once; a search finds the others."""


class MemorySection(Section):
    """What is remembered."""

    name = "Memory"

    def page(self) -> QWidget:
        """The switch, the search and the list of facts."""
        self.export = Button("Export…", "plain", "export")
        self.export.clicked.connect(self._choose_file)
        said = "Facts that every model is told. Edit or delete them here."
        page, content = make_page("Memory", said, self.export)
        self._facts = CardList()
        self._all: Sequence[Memory] = ()
        self.search = SearchField("Search facts", "Search facts")
        self.search.field.textChanged.connect(lambda _: self._show())
        self._none = quiet_line(
            "memory", "Nothing is remembered yet. Write /remember and a fact, or let a model do it."
        )
        self._found = label("", "small", "t2", wrap=True)
        for part in (self._switch_line(), self.search, self._facts, self._none, self._found):
            content.addWidget(part)
        return page

    def _switch_line(self) -> QWidget:
        self.switch = Switch("Use memory")
        self.switch.clicked.connect(lambda on: self.behind.do(self._switch(on=on), "switch memory"))
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 8)
        line.setSpacing(12)
        said = "Use memory. While it is off, models are told no facts and can keep none; nothing is deleted."
        line.addWidget(label(said, "ui", "t1", wrap=True), 1)
        line.addWidget(self.switch)
        return row

    async def fill(self) -> None:
        """Reads the facts."""
        self._all = await self.behind.program.memories.all()
        self.switch.show_state(GROUP not in self.behind.program.settings.get(TOOLS_OFF))
        self._show()

    def _show(self) -> None:
        words = self.search.field.text()
        found = [fact for fact in self._all if matches(words, fact.content)]
        rows: list[QWidget] = []
        for fact in found[:_SHOWN]:
            day = datetime.fromtimestamp(fact.created)  # noqa: DTZ006 - local days are meant
            row = FactRow(fact.id, fact.content, f"{day.day} {day:%B}" if fact.created else "")
            row.edited.connect(lambda one, text: self.behind.do(self._edit(one, text), "change the fact"))
            row.removed.connect(lambda one: self.behind.do(self._remove(one), "delete the fact"))
            rows.append(row)
        self._facts.put(rows)
        self._none.setVisible(not self._all)
        self.search.setVisible(bool(self._all))
        self.export.setEnabled(bool(self._all))
        self.export.setToolTip("" if self._all else "Nothing is remembered yet")
        said = "" if found or not self._all else "No fact has these words."
        if len(found) > _SHOWN:
            said = f"The newest {_SHOWN:,} of {len(found):,} are shown. Search for the others."
        self._found.setText(said)
        self._found.setVisible(bool(said))

    async def _switch(self, *, on: bool) -> None:
        settings = self.behind.program.settings
        off = [group for group in settings.get(TOOLS_OFF) if group != GROUP]
        await settings.set(TOOLS_OFF, off if on else [*off, GROUP])
        self.behind.tools_changed()

    async def _edit(self, fact: int, text: str) -> None:
        await self.behind.program.memories.edit(fact, text)
        await self.fill()

    async def _remove(self, fact: int) -> None:
        await self.behind.program.memories.remove(fact)
        await self.fill()

    def _choose_file(self) -> None:
        start = str(Path.home() / "memories.json")
        dialog = QFileDialog(self.behind.window, "Export the facts", start, "JSON (*.json)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.behind.do(self.save(Path(path)), "export the facts"))
        dialog.open()

    async def save(self, path: Path) -> None:
        """Writes every fact into a file and says how it went."""
        text = await self.behind.program.hands.export_memories()
        try:
            await asyncio.to_thread(path.write_text, text, "utf-8")
        except OSError as error:
            self.behind.window.say(f"{path.name} could not be saved: {error.strerror or error}.")
        else:
            self.behind.window.say(f"Saved as {path}.")
