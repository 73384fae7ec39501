"""An integration in the settings: how it stands, and when open its tools, its log and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.integration_notes import ChangedTool, Failure, LogView
from conch_desktop.desktop.integration_words import deed_of, details, limits_words, place_words, state_words
from conch_desktop.desktop.parts import ElidedLabel, IconMark, label, set_tone
from conch_desktop.desktop.slash_menu import first_sentence
from conch_desktop.desktop.switch import Switch
from conch_desktop.desktop.wording import EFFECT_WORDS, count

if TYPE_CHECKING:
    from conch_desktop.domain.clock import Clock
    from conch_desktop.engine.held import IntegrationView, ToolView

_LEFT = 46
_CHANGED_MOST = 5
"""Changed tools that are shown one by one before the rest is only counted."""
_TOOLS_MOST = 60
"""Tools that are shown at once before more are asked for: a server may list a thousand."""


class ToolLine(QWidget):
    """A tool of a server with its switch."""

    def __init__(self, tool: ToolView) -> None:
        super().__init__()
        self.switch = Switch(f"Offer the tool {tool.label}", on=tool.is_on)
        words = QVBoxLayout()
        words.setSpacing(0)
        name = ElidedLabel(tool.label, "code", "t1", 500)
        if tool.name != tool.label:
            name.setToolTip(f"Models are given it as {tool.name}")
        words.addWidget(name)
        about = " · ".join(filter(None, (EFFECT_WORDS.get(tool.effect, ""), first_sentence(tool.description))))
        words.addWidget(ElidedLabel(about, "small", "t2"))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 4, 0, 4)
        line.setSpacing(12)
        line.addLayout(words, 1)
        line.addWidget(self.switch)


class IntegrationRow(QWidget):
    """One integration. `done` carries its id and what is wanted: restart, stop, sign in or out, edit, choose, remove.

    `changed_seen` and `accepted` carry its id and the server's own name of a tool that changed, `accepted` also the
    definition that was shown.
    """

    done = Signal(str, str)
    switched = Signal(str, bool)
    tool_switched = Signal(str, str, bool)
    changed_seen = Signal(str, str)
    accepted = Signal(str, str, str)

    def __init__(self, view: IntegrationView, clock: Clock) -> None:
        super().__init__()
        self.view, self._clock = view, clock
        self._tools: dict[str, ToolLine] = {}
        self._changed: dict[str, ChangedTool] = {}
        self._log: LogView | None = None
        self._mark = IconMark("app", "t2")
        self._place = ElidedLabel("", "mono", "t2")
        self._said = label("", "small", "t2", wrap=True)
        self.deed = Button("", height=28)
        self.deed.clicked.connect(lambda: self.done.emit(self.view.id, deed_of(self.view)[1]))
        self.chevron = IconButton("chevron-right", f"Open {view.name}", 24)
        self.chevron.clicked.connect(lambda: self.set_open(not self.is_open))
        self.switch = Switch(f"Use {view.name}")
        self.switch.clicked.connect(lambda on: self.switched.emit(self.view.id, on))
        self._notes, self._more = QWidget(), QWidget()
        self._note_column, self._column = QVBoxLayout(self._notes), QVBoxLayout(self._more)
        for column in (self._note_column, self._column):
            column.setContentsMargins(_LEFT, 6, 16, 4)
            column.setSpacing(8)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 10, 0, 10)
        whole.setSpacing(0)
        whole.addLayout(self._head())
        whole.addWidget(self._notes)
        whole.addWidget(self._more)
        self._more.hide()
        self._show_head()
        self._show_notes()

    def _head(self) -> QHBoxLayout:
        names = QHBoxLayout()
        names.setSpacing(8)
        names.addWidget(label(self.view.name, "ui", "t1", 500))
        names.addWidget(self._place, 1)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addLayout(names)
        words.addWidget(self._said)
        line = QHBoxLayout()
        line.setContentsMargins(18, 0, 16, 0)
        line.setSpacing(12)
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        for part in (self.deed, self.chevron, self.switch):
            line.addWidget(part, 0, Qt.AlignmentFlag.AlignTop)
        return line

    def show_view(self, view: IntegrationView) -> None:
        """Shows it as it is now; what did not change stays as it is, and with it the focus."""
        before, self.view = self.view, view
        if view == before:
            return
        self._show_head()
        if _noted(view) != _noted(before):
            self._show_notes()
        if self._more.isHidden():
            return
        if self._log is not None and not self._log.isHidden():
            self._log.show_lines(view.log)
        if _listed(view) != _listed(before):
            self._fill()
        for tool in view.tools:
            if tool.label in self._tools:
                self._tools[tool.label].switch.show_state(tool.is_on)

    @property
    def is_open(self) -> bool:
        """Whether its tools are shown."""
        return not self._more.isHidden()

    def set_open(self, is_open: bool) -> None:
        """Shows or folds its tools and what can be done with it."""
        if is_open:
            self._fill()
        self._more.setVisible(is_open)
        self.chevron.set_icon("chevron-down" if is_open else "chevron-right")
        self.chevron.set_name(f"{'Fold' if is_open else 'Open'} {self.view.name}")

    def tick(self) -> None:
        """Time went on: says how long it runs or starts by now."""
        self._said.setText(state_words(self.view, self._clock.now()))

    def was_allowed(self, tool: str) -> None:
        """The tool that changed was always allowed before."""
        if tool in self._changed:
            self._changed[tool].was_allowed()

    def said(self) -> str:
        """What is said of how it stands."""
        return self._said.text()

    def tool(self, name: str) -> ToolLine | None:
        """The line of a tool, by the server's own name, while it is shown."""
        return self._tools.get(name)

    def _show_head(self) -> None:
        view, failed = self.view, self.view.state == "failed"
        icon, tone = {"starting": ("running", "acc"), "failed": ("failed", "err")}.get(view.state, ("app", "t2"))
        self._mark.set_icon(icon, tone)
        self._place.set_text(place_words(view.definition))
        set_tone(self._said, "err" if failed and not view.wants_sign_in else "t2")
        self.tick()
        words, _ = deed_of(view)
        if words:
            self.deed.change(words)
            self.deed.setAccessibleName(f"{words.rstrip('…')}: {view.name}")
        self.deed.setVisible(bool(words))
        self.switch.show_state(view.state != "off")

    def _show_notes(self) -> None:
        _clear(self._note_column)
        self._changed = {}
        view = self.view
        changed = [tool for tool in view.tools if tool.changed]
        for tool in changed[:_CHANGED_MOST]:
            note = self._changed[tool.label] = ChangedTool(tool)
            note.looked.connect(lambda one: self.changed_seen.emit(self.view.id, one))
            note.accepted.connect(lambda one, seen: self.accepted.emit(self.view.id, one, seen))
            note.switched_off.connect(lambda one: self.tool_switched.emit(self.view.id, one, False))
            self._note_column.addWidget(note)
        rest = len(changed) - _CHANGED_MOST
        if rest > 0:
            words = f"{count(rest, 'more tool', 'more tools')} changed; each is shown when one above is settled."
            self._note_column.addWidget(label(words, "small", "t2", wrap=True))
        if view.state == "failed" and not view.wants_sign_in:
            failure = Failure(view)
            failure.copied.connect(self._copy)
            failure.chosen.connect(lambda: self.done.emit(self.view.id, "choose"))
            self._note_column.addWidget(failure)
        self._notes.setVisible(self._note_column.count() > 0)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(details(self.view, self._clock.now()))

    def _fill(self) -> None:
        _clear(self._column)
        self._tools = {}
        self._add_tools(0)
        for out in self.view.left_out[:_TOOLS_MOST]:
            self._column.addWidget(label(f"{out.name or 'A tool'} can’t be used: {out.why}", "small", "err", wrap=True))
        self._column.addWidget(self._deeds())

    def _add_tools(self, first: int) -> None:
        """The tools from one on, as many as are shown at once, and a button for the next.

        They are put into a widget of their own before they are shown: else the page is laid out anew for each.
        """
        shown, last = QWidget(), first + _TOOLS_MOST
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self._column.spacing())
        for tool in self.view.tools[first:last]:
            line = self._tools[tool.label] = ToolLine(tool)
            line.switch.clicked.connect(lambda on, one=tool.label: self.tool_switched.emit(self.view.id, one, on))
            column.addWidget(line)
        if rest := len(self.view.tools[last:]):
            more = Button(f"Show {min(rest, _TOOLS_MOST)} more of {rest:,}", "link", height=24)
            more.clicked.connect(more.hide)
            more.clicked.connect(lambda: self._add_tools(last))
            column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.insertWidget(first // _TOOLS_MOST, shown)

    def _deeds(self) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._log = None
        column.addWidget(label(limits_words(self.view.definition), "small", "t2", wrap=True))
        buttons = Flow(8)
        log = Button("Log", height=28)
        log.clicked.connect(lambda: self._turn_log(column))
        buttons.addWidget(log)
        log.setAccessibleName(f"Log of {self.view.name}")
        deeds = [("Edit…", "edit", "plain")] if self.view.saved else []
        if self.view.state == "running":
            deeds += [("Restart", "restart", "plain"), ("Stop", "stop", "plain")]
        if self.view.signed_in:
            deeds += [("Sign out", "sign_out", "plain")]
        copy = Button("Copy details", height=28)
        copy.setAccessibleName(f"Copy details of {self.view.name}")
        copy.clicked.connect(self._copy)
        buttons.addWidget(copy)
        sure = self._sure()
        for words, deed, kind in [*deeds, ("Remove…", "sure", "danger")]:
            button = Button(words, kind, height=28)
            button.setAccessibleName(f"{words.rstrip('…')} {self.view.name}")
            if deed == "sure":
                button.clicked.connect(sure.show)
            else:
                button.clicked.connect(lambda _=False, deed=deed: self.done.emit(self.view.id, deed))
            buttons.addWidget(button)
        column.addLayout(buttons)
        column.addWidget(sure)
        return row

    def _sure(self) -> QWidget:
        sure = QWidget()
        yes, no = Button("Remove", "danger", height=28), Button("Keep", "quiet", height=28)
        yes.setAccessibleName(f"Remove {self.view.name} now")
        no.setAccessibleName(f"Keep {self.view.name}")
        line = QHBoxLayout(sure)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(label(f"Remove {self.view.name} with its secrets and its sign-in?", "ui", "t1", wrap=True), 1)
        line.addWidget(yes)
        line.addWidget(no)
        no.clicked.connect(sure.hide)
        yes.clicked.connect(lambda: self.done.emit(self.view.id, "remove"))
        sure.hide()
        return sure

    def _turn_log(self, column: QVBoxLayout) -> None:
        if self._log is None:
            self._log = LogView(f"Log of {self.view.name}")
            self._log.hide()
            column.addWidget(self._log)
        self._log.setVisible(self._log.isHidden())
        self._log.show_lines(self.view.log)


def _noted(view: IntegrationView) -> object:
    changed = [(tool.label, tool.changed, tool.now, tool.is_on) for tool in view.tools if tool.changed]
    failed = view.state == "failed"
    return (changed, failed, view.wants_sign_in, view.looked_in, view.log if failed else ())


def _listed(view: IntegrationView) -> object:
    return (
        view.state,
        view.definition,
        view.signed_in,
        [(tool.name, tool.label, tool.description) for tool in view.tools],
        view.left_out,
    )


def _clear(column: QVBoxLayout) -> None:
    while (item := column.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
