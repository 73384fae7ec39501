"""An integration in the settings: how it stands, and when open its tools, its log and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.integration_words import changed_words, deed_of, place_words, state_words
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.parts import ElidedLabel, IconMark, label, set_tone
from conch_desktop.desktop.slash_menu import first_sentence
from conch_desktop.desktop.switch import Switch
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import EFFECT_WORDS

if TYPE_CHECKING:
    from conch_desktop.engine.held import IntegrationView, ToolView

_LEFT = 46
_LAST_WORDS = 3
"""Lines of its log that are shown of a server that failed."""
_LOG_MOST = 400
"""Lines of a log that are shown; Copy takes all."""
_TOOLS_MOST = 60
"""Tools that are shown before the rest is asked for: a server may list a thousand."""


class Warned(QWidget):
    """A sentence on the ground of what needs a look."""

    def __init__(self, words: str) -> None:
        super().__init__()
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 6, 12, 6)
        line.setSpacing(8)
        line.addWidget(IconMark("warning", "mend"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(label(words, "small", "t1", wrap=True), 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("mendS"))
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)


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
    """One integration. `done` carries its id and what is wanted: restart, stop, sign_in, edit, remove."""

    done = Signal(str, str)
    switched = Signal(str, bool)
    tool_switched = Signal(str, str, bool)

    def __init__(self, view: IntegrationView) -> None:
        super().__init__()
        self.view = view
        self._tools: dict[str, ToolLine] = {}
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
        self._said.setText(state_words(view))
        words, _ = deed_of(view)
        if words:
            self.deed.change(words)
            self.deed.setAccessibleName(f"{words.rstrip('…')}: {view.name}")
        self.deed.setVisible(bool(words))
        self.switch.show_state(view.state != "off")

    def _show_notes(self) -> None:
        _clear(self._note_column)
        if changed := changed_words(self.view):
            self._note_column.addWidget(Warned(changed))
        if self.view.state == "failed":
            if self.view.log:
                self._note_column.addWidget(MonoBox("Its last words", "\n".join(self.view.log[-_LAST_WORDS:])))
            copy = Button("Copy details", "link", height=24)
            copy.setAccessibleName(f"Copy details of {self.view.name}")
            copy.clicked.connect(self._copy)
            self._note_column.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
        self._notes.setVisible(self._note_column.count() > 0)

    def _copy(self) -> None:
        """Everything there is to say of it; secrets are hidden in all of it."""
        view = self.view
        lines = [view.name, place_words(view.definition), state_words(view), "", *view.log]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _fill(self) -> None:
        _clear(self._column)
        self._tools = {}
        self._add_tools(self.view.tools[:_TOOLS_MOST])
        rest = len(self.view.tools) - _TOOLS_MOST
        if rest > 0:
            more = Button(f"Show {rest:,} more", "link", height=24)
            more.clicked.connect(lambda: self._rest(more))
            self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
        for out in self.view.left_out[:_TOOLS_MOST]:
            self._column.addWidget(label(f"{out.name or 'A tool'} can’t be used: {out.why}", "small", "err", wrap=True))
        self._column.addWidget(self._deeds())

    def _add_tools(self, tools: Sequence[ToolView], at: int = 0) -> None:
        for place, tool in enumerate(tools):
            line = self._tools[tool.label] = ToolLine(tool)
            line.switch.clicked.connect(lambda on, one=tool.label: self.tool_switched.emit(self.view.id, one, on))
            self._column.insertWidget(at + place, line)

    def _rest(self, more: Button) -> None:
        at = self._column.indexOf(more)
        more.hide()
        self._add_tools(self.view.tools[_TOOLS_MOST:], at)

    def _deeds(self) -> QWidget:
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        buttons = Flow(8)
        log = Button("Log", height=28)
        log.clicked.connect(lambda: self._turn_log(column))
        buttons.addWidget(log)
        log.setAccessibleName(f"Log of {self.view.name}")
        deeds = [("Edit…", "edit", "plain")] if self.view.saved else []
        if self.view.state == "running":
            deeds += [("Restart", "restart", "plain"), ("Stop", "stop", "plain")]
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
        last = column.itemAt(column.count() - 1)
        shown = last.widget() if last is not None else None
        if isinstance(shown, MonoBox):
            shown.hide()
            shown.deleteLater()
            column.removeWidget(shown)
            return
        text = "\n".join(self.view.log[-_LOG_MOST:]) or "It has written nothing so far."
        column.addWidget(MonoBox(f"Log of {self.view.name}", text))


def _noted(view: IntegrationView) -> object:
    failed = view.state == "failed"
    return (changed_words(view), failed, view.log[-_LAST_WORDS:] if failed else ())


def _listed(view: IntegrationView) -> object:
    return (view.state, [(tool.name, tool.label, tool.description) for tool in view.tools], view.left_out)


def _clear(column: QVBoxLayout) -> None:
    while (item := column.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
