"""An integration is added or changed: filled in, pasted as `mcpServers` JSON, or found in other programs' settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.chips import Chip
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.integration_words import whole_words
from conch_desktop.desktop.parts import Card, label, set_tone
from conch_desktop.desktop.switch import Switch
from conch_desktop.domain.errors import UsageError
from conch_desktop.domain.integrations import CALL_LIMIT, START_LIMIT, Definition

if TYPE_CHECKING:
    from conch_desktop.tools.mcp.elsewhere import FoundFile
    from conch_desktop.tools.mcp.reading import FoundServer

WAYS = {"fill": "Fill it in", "paste": "Paste JSON", "found": "Found on this computer"}


def read_pairs(text: str, sign: str, what: str) -> dict[str, str]:
    """Lines of a name and a value with `sign` between them. Raises `UsageError` that names the line without one."""
    pairs: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, there, value = line.partition(sign)
        if line.strip() and not (there and name.strip()):
            raise UsageError(f"Line {number} of {what} has no “{sign}”.", f"Write one NAME{sign}value a line.")
        if name.strip():
            pairs[name.strip()] = value.strip()
    return pairs


def _seconds(field: Field, otherwise: float) -> float:
    """The number in a field, or the usual one when it is empty. Raises `UsageError`."""
    try:
        seconds = float(field.text().replace(",", ".") or otherwise)
    except ValueError:
        seconds = 0
    if not 0 < seconds < 1e6:
        what = field.accessibleName()
        raise UsageError(f"The {what[0].lower()}{what[1:]} are no number.", f"Enter one like {otherwise:g}.")
    return seconds


class Lines(QPlainTextEdit):
    """A field of a few lines. Tab goes on to the next field."""

    def __init__(self, name: str, hint: str, lines: int = 3) -> None:
        super().__init__()
        self.setObjectName("field")
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * lines + 18)


class FilledIn(QWidget):
    """The fields of one server."""

    def __init__(self) -> None:
        super().__init__()
        self._old: Definition | None = None
        self.name = Field("Name", "As you will call it")
        self.kind, self._kinds = QButtonGroup(self), {}
        kinds = QHBoxLayout()
        for kind, words in (("stdio", "A program on this computer"), ("http", "An address")):
            chip = self._kinds[kind] = Chip(words)
            self.kind.addButton(chip)
            kinds.addWidget(chip)
            chip.clicked.connect(self._show_kind)
        kinds.addStretch(1)
        self.command = Field("Program", "npx, uvx, or the path of a program")
        self.args = Lines("Arguments", "One a line")
        self.env = Lines("Environment", "NAME=value, one a line")
        self.cwd = Field("Folder it starts in", "Your own, when this is empty")
        self.url = Field("Address", "https://…")
        self.headers = Lines("Headers", "Name: value, one a line. A sign-in needs none.")
        self.limit = Field("Seconds a call may take", f"{CALL_LIMIT:g}")
        self.start_limit = Field("Seconds it has to start", f"{START_LIMIT:g}")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._parts: dict[str, list[QWidget]] = {"stdio": [], "http": []}
        self._add(column, self.name)
        column.addLayout(kinds)
        for kind, fields in (
            ("stdio", (self.command, self.args, self.env, self.cwd)),
            ("http", (self.url, self.headers)),
        ):
            for field in fields:
                self._parts[kind] += self._add(column, field)
        self._add(column, self.limit)
        self._add(column, self.start_limit)
        self.show_definition(None)

    def _add(self, column: QVBoxLayout, field: QWidget) -> list[QWidget]:
        name = label(field.accessibleName(), "small", "t2")
        column.addWidget(name)
        column.addWidget(field)
        return [name, field]

    def show_definition(self, old: Definition | None) -> None:
        """Shows the fields of a server, or empty ones."""
        self._old = old
        one = old or Definition("", "stdio")
        self.name.setText(one.name)
        self._kinds[one.kind].setChecked(True)
        self.command.setText(one.command)
        self.args.setPlainText("\n".join(one.args))
        self.env.setPlainText("\n".join(f"{name}={value}" for name, value in one.env.items()))
        self.cwd.setText(one.cwd)
        self.url.setText(one.url)
        self.headers.setPlainText("\n".join(f"{name}: {value}" for name, value in one.headers.items()))
        self.limit.setText("" if one.call_limit == CALL_LIMIT else f"{one.call_limit:g}")
        self.start_limit.setText("" if one.start_limit == START_LIMIT else f"{one.start_limit:g}")
        self._show_kind()

    def _show_kind(self) -> None:
        for kind, parts in self._parts.items():
            for part in parts:
                part.setVisible(self._kinds[kind].isChecked())

    def definition(self) -> Definition:
        """What was filled in. Raises `UsageError` for what can't be read."""
        limit, start_limit = _seconds(self.limit, CALL_LIMIT), _seconds(self.start_limit, START_LIMIT)
        base = self._old or Definition("", "stdio")
        name = self.name.text().strip()
        if self._kinds["http"].isChecked():
            headers = read_pairs(self.headers.toPlainText(), ":", "the headers")
            made = Definition(name or "server", "http", url=self.url.text().strip(), headers=headers)
        else:
            command = self.command.text().strip()
            made = Definition(
                name or command.replace("\\", "/").rpartition("/")[2] or "server",
                "stdio",
                command=command,
                args=tuple(line for line in self.args.toPlainText().splitlines() if line.strip()),
                env=read_pairs(self.env.toPlainText(), "=", "the environment"),
                cwd=self.cwd.text().strip(),
            )
        return replace(made, call_limit=limit, start_limit=start_limit, secrets=base.secrets)


class FoundList(QWidget):
    """The servers in other programs' settings, each to be taken or not. Those files are only read."""

    def __init__(self) -> None:
        super().__init__()
        self._chosen: list[tuple[Switch, FoundServer]] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.show_files(None)

    def show_files(self, files: Sequence[FoundFile] | None, *, taken: bool = False) -> None:
        """Shows what was found; None while it is looked for. `taken`: each is to be added unless it is switched off."""
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._chosen = []
        if not files:
            said = "Looking…" if files is None else "No other program on this computer has servers in its settings."
            self._column.addWidget(label(said, "ui", "t2", wrap=True))
        for file in files or ():
            self._column.addWidget(label(f"{file.program}: {file.path}", "small", "t2", wrap=True))
            if file.why:
                self._column.addWidget(label(f"{file.why} It is left as it is.", "small", "err", wrap=True))
            for server in file.servers:
                self._column.addWidget(self._line(server, taken=taken))

    def _line(self, server: FoundServer, *, taken: bool) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(label(server.definition.name, "ui", "t1", 500))
        why = server.why or (f"It needs: {', '.join(server.needs)}." if server.needs else "")
        if why:
            words.addWidget(label(why, "small", "err" if server.why else "t2", wrap=True))
        words.addWidget(label(_whole(server), "mono", "t2", wrap=True))
        line.addLayout(words, 1)
        switch = Switch(f"Take {server.definition.name}", on=taken and not server.why)
        switch.setEnabled(not server.why)
        line.addWidget(switch)
        if not server.why:
            self._chosen.append((switch, server))
        return row

    def chosen(self) -> list[FoundServer]:
        """The servers that were switched on."""
        return [server for switch, server in self._chosen if switch.isChecked()]


def _whole(server: FoundServer) -> str:
    from conch_desktop.tools.mcp.hiding import split

    return whole_words(split(server.definition)[0])


class IntegrationForm(Card):
    """The card. `saved` carries an id ("" for a new one) and a definition; `taken` servers of a text or file."""

    saved = Signal(str, object)
    pasted = Signal(str)
    taken = Signal(list)
    looked = Signal()
    """What other programs have is wanted."""

    def __init__(self) -> None:
        super().__init__("raised", "line", 10)
        self._id = ""
        self.filled, self.text, self.found = FilledIn(), Lines("JSON", '{"mcpServers": {"name": {…}}}', 10), FoundList()
        self.pages = QStackedWidget()
        self.ways: dict[str, Chip] = {}
        group, ways = QButtonGroup(self), QHBoxLayout()
        ways.setSpacing(8)
        for at, (way, words) in enumerate(WAYS.items()):
            chip = self.ways[way] = Chip(words)
            group.addButton(chip)
            ways.addWidget(chip)
            chip.clicked.connect(lambda _=False, at=at: self._turn_to(at))
            self.pages.addWidget((self.filled, self.text, self.found)[at])
        ways.addStretch(1)
        self._title = label("", "h3", "t1", 600)
        self.said = label("", "small", "t2", wrap=True)
        self.save, cancel = Button("Add", "primary"), Button("Cancel", "quiet")
        self.save.clicked.connect(self._save)
        cancel.clicked.connect(self.hide)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.said, 1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(self._title)
        column.addLayout(ways)
        column.addWidget(self.pages)
        column.addLayout(buttons)
        self.hide()

    def begin(
        self, way: str = "fill", old: tuple[str, Definition] | None = None, files: Sequence[FoundFile] | None = None
    ) -> None:
        """Opens it, empty, with the fields of an integration, or with the servers of `files`."""
        self._id, definition = old or ("", None)
        self.filled.show_definition(definition)
        self.text.clear()
        self._title.setText(f"Change {definition.name}" if definition else "Add an app")
        self.save.change("Save" if definition else "Add")
        for chip in self.ways.values():
            chip.setVisible(definition is None)
        self.ways[way].setChecked(True)
        self._turn_to(list(WAYS).index(way), files)
        self.show()
        first = {"fill": self.filled.name, "paste": self.text}.get(way)
        if first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def say(self, words: str, *, bad: bool = False) -> None:
        """What adding came to."""
        set_tone(self.said, "err" if bad else "t2")
        self.said.setText(words)

    def _turn_to(self, at: int, files: Sequence[FoundFile] | None = None) -> None:
        self.pages.setCurrentIndex(at)
        for place in range(self.pages.count()):  # the page that is shown alone says how high the card is
            page = self.pages.widget(place)
            if page is not None:
                policy = page.sizePolicy()
                ignored = policy.Policy.Ignored if place != at else policy.Policy.Preferred
                page.setSizePolicy(policy.horizontalPolicy(), ignored)
        self.say("Secrets go into this computer’s key store and nowhere else." if at < 2 else "")
        if at == 2:
            self.found.show_files(files, taken=True)
            if files is None:
                self.looked.emit()

    def _save(self) -> None:
        at = self.pages.currentIndex()
        try:
            if at == 0:
                self.saved.emit(self._id, self.filled.definition())
            elif at == 1:
                self.pasted.emit(self.text.toPlainText())
            elif servers := self.found.chosen():
                self.taken.emit(servers)
            else:
                self.say("Nothing is chosen yet.", bad=True)
        except UsageError as error:
            self.say(str(error), bad=True)
