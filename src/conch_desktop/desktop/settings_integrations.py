"""The integrations' page of the settings: MCP servers with their states and tools, added, switched and taken away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.integration_form import IntegrationForm
from conch_desktop.desktop.integration_row import IntegrationRow
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.settings_section import Section, make_page, quiet_line
from conch_desktop.desktop.wording import count
from conch_desktop.domain.errors import ConchError
from conch_desktop.domain.integrations import Definition
from conch_desktop.domain.tools import Tool
from conch_desktop.engine.integrations import open_browser

_TICK = 1000
"""Milliseconds between two looks at how long servers run and start."""


class IntegrationsSection(Section):
    """MCP servers."""

    name = "Apps"
    open_browser = staticmethod(open_browser)
    """Opens the page of a sign-in."""

    def page(self) -> QWidget:
        """The form, not seen at first, and the list."""
        bring, add = Button("Import a file…"), Button("Add app…", "plain", "plus")
        buttons = QWidget()
        line = QHBoxLayout(buttons)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(bring)
        line.addWidget(add)
        said = "MCP servers. Their tools are offered to every model; switch off what a chat doesn’t need."
        page, content = make_page("Apps", said, buttons)
        self.form = IntegrationForm()
        self.rows: dict[str, IntegrationRow] = {}
        self._list = CardList()
        self._none = quiet_line("app", "No apps yet. Add one, or take those that other programs have.")
        for part in (self.form, self._list, self._none):
            content.addWidget(part)
        add.clicked.connect(lambda: self.form.begin())
        bring.clicked.connect(self._choose_file)
        self.form.saved.connect(lambda one, made: self._try(self._save(one, made)))
        self.form.pasted.connect(lambda text: self._try(self._paste(text)))
        self.form.taken.connect(lambda servers: self._try(self._take(servers)))
        self.form.looked.connect(lambda: self.behind.do(self._look(), "look for servers"))
        self.show_now()
        self._page, self._timer = page, QTimer(self)
        self._timer.setInterval(_TICK)
        self._timer.timeout.connect(self._tick)
        self._timer.start()
        return page

    def _tick(self) -> None:
        if self._page.isVisible():
            for row in self.rows.values():
                row.tick()

    async def fill(self) -> None:
        """Shows how they stand."""
        self.show_now()

    def show_now(self) -> None:
        """Shows how they stand; what did not change stays untouched."""
        views = {view.id: view for view in self.behind.program.integrations.all()}
        if list(views) != list(self.rows):
            opened = {one for one, row in self.rows.items() if row.is_open}
            self.rows = {one: self._row(one) for one in views}
            self._list.put(list(self.rows.values()))
            for one in opened & set(self.rows):
                self.rows[one].set_open(True)
        for one, view in views.items():
            self.rows[one].show_view(view)
        self._none.setVisible(not views)

    def _row(self, integration: str) -> IntegrationRow:
        program = self.behind.program.integrations
        view = next(one for one in program.all() if one.id == integration)
        row = IntegrationRow(view, self.behind.program.clock)
        row.switched.connect(lambda one, on: self.behind.do(program.switch(one, on), "switch the app"))
        row.tool_switched.connect(
            lambda one, tool, on: self.behind.do(program.switch_tool(one, tool, on), "switch the tool")
        )
        row.done.connect(self._done)
        row.changed_seen.connect(lambda one, tool: self.behind.do(self._tell_allowed(one, tool), "look at the tool"))
        row.accepted.connect(lambda *what: self.behind.do(self._accept(*what), "accept the tool"))
        return row

    # A tool that changed --------------------------------------------------------------------------------------------

    async def _allowed(self, integration: str, tool: str) -> Tool | None:
        """The tool as it is offered now, if it was always allowed as it was before."""
        view = self.rows[integration].view
        name = next((one.name for one in view.tools if one.label == tool), "")
        given = {(one.source, one.tool) for one in await self.behind.program.hands.allowed()}
        offered = self.behind.program.integrations.tools()
        return next(
            (one for one in offered if one.name == name and (view.name, name) in given and one.source == view.name),
            None,
        )

    async def _tell_allowed(self, integration: str, tool: str) -> None:
        if await self._allowed(integration, tool) is not None and integration in self.rows:
            self.rows[integration].was_allowed(tool)

    async def _accept(self, integration: str, tool: str, seen: str) -> None:
        """What was always allowed is so again, for the definition the person saw and no other."""
        program = self.behind.program
        allowed = await self._allowed(integration, tool)
        shown = next(one for one in program.integrations.all() if one.id == integration)
        if allowed is not None and any(one.label == tool and one.now == seen for one in shown.tools):
            await program.hands.guard.take("always", allowed, chat="")
        await program.integrations.accept_tool(integration, tool, seen)

    def _done(self, integration: str, deed: str) -> None:
        program = self.behind.program.integrations
        deeds: dict[str, Callable[[str], Coroutine[Any, Any, None]]] = {
            "restart": program.restart,
            "stop": program.stop,
            "sign_in": self.sign_in,
            "sign_out": program.sign_out,
            "remove": program.remove,
        }
        if deed == "edit":
            view = self.rows[integration].view
            self.form.begin("fill", (integration, view.definition))
        elif deed == "choose":
            self._choose_program(integration)
        else:
            self.behind.do(deeds[deed](integration), f"{deed.replace('_', ' ')} the app")

    async def sign_in(self, integration: str) -> None:
        """Sends the person to the server's page in their browser."""
        await self.behind.program.integrations.sign_in(integration, self.open_browser)

    def _choose_program(self, integration: str) -> None:
        dialog = QFileDialog(self.behind.window, "Choose the program", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda path: self.behind.do(self.use_program(integration, Path(path)), "choose the program")
        )
        dialog.open()

    async def use_program(self, integration: str, path: Path) -> None:
        """Starts the server with the program at `path` in the place of one that was not found."""
        definition = self.rows[integration].view.definition
        await self.behind.program.integrations.change(integration, replace(definition, command=str(path)))

    # Adding ---------------------------------------------------------------------------------------------------------

    def _try(self, work: Coroutine[Any, Any, None]) -> None:
        self.behind.do(self._tried(work), "add the app")

    async def _tried(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except ConchError as error:
            self.form.say(str(error), bad=True)

    async def _save(self, integration: str, definition: Definition) -> None:
        if integration:
            await self.behind.program.integrations.change(integration, definition)
        else:
            await self.behind.program.integrations.add(definition)
        self.form.hide()

    async def _paste(self, text: str) -> None:
        from conch_desktop.tools.mcp.reading import read_servers

        await self._take(read_servers(text))

    async def _take(self, servers: list[Any]) -> None:
        added = await self.behind.program.integrations.add_found(servers)
        unfit = [f"{one.definition.name}: {one.why}" for one in servers if one.why]
        there = len(servers) - len(added) - len(unfit)
        said = [f"{count(len(added), 'app')} added."]
        if there:
            said.append(f"{count(there, 'app')} {'was' if there == 1 else 'were'} there already.")
        said += [f"Left out: {one}" for one in unfit]
        if unfit or not added:
            self.form.say(" ".join(said), bad=bool(unfit))
        else:
            self.form.hide()
        self.behind.window.say(" ".join(said))

    async def _look(self) -> None:
        from conch_desktop.tools.mcp.elsewhere import found_elsewhere

        self.form.found.show_files(await asyncio.to_thread(found_elsewhere))

    def _choose_file(self) -> None:
        dialog = QFileDialog(self.behind.window, "Import a file", str(Path.home()), "JSON (*.json);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._try(self.bring(Path(path))))
        dialog.open()

    async def bring(self, path: Path) -> None:
        """Reads a file of another program into the form, where all that would be run is seen before it is added. A file
        that can't be read is shown as it is; nothing is ever written to it."""
        self.form.begin("paste")
        try:
            text = await asyncio.to_thread(path.read_text, "utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", "") or "it is no text"
            self.form.say(f"{path.name} could not be read: {why}.", bad=True)
            return
        self.form.text.setPlainText(text)
        from conch_desktop.tools.mcp.elsewhere import FoundFile
        from conch_desktop.tools.mcp.reading import read_servers

        found = read_servers(text)
        self.form.begin("found", files=[FoundFile("Servers", path, tuple(found))])
        self.form.say(f"{count(len(found), 'server')} in {path.name}. Secrets go into this computer’s key store.")
