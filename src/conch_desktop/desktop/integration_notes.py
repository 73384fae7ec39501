"""What stands under an integration that needs a look: a tool that changed, the last words of a server that failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.diff_box import DiffView
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.integration_words import changed_lines, changed_words, definition_lines, log_text
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.engine.held import IntegrationView, ToolView

_LAST_WORDS = 3
"""Lines of its log that are shown of a server that failed."""


def _rename(button: Button, words: str, of: str) -> None:
    """Other words on a button that says in its name what it is about."""
    button.change(words)
    button.setAccessibleName(f"{words.rstrip('…')}: {of}")


def _column(parent: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(parent)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    return column


class Warned(QWidget):
    """A sentence and what can be done about it, on the ground of what needs a look."""

    def __init__(self, words: str, deed: Button) -> None:
        super().__init__()
        self.words = words
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 8, 12, 8)
        line.setSpacing(8)
        line.addWidget(IconMark("warning", "mend"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(label(words, "small", "t1", wrap=True), 1)
        line.addWidget(deed, 0, Qt.AlignmentFlag.AlignTop)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("mendS"))
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)


class ChangedTool(QWidget):
    """A tool that is not as the person accepted it. Opened: how it was and how it is, and what to do about it.

    The signals carry the server's own name of the tool, `accepted` also the definition that is shown. `looked`: it
    was opened.
    """

    looked = Signal(str)
    accepted = Signal(str, str)
    switched_off = Signal(str)

    def __init__(self, tool: ToolView) -> None:
        super().__init__()
        self.tool = tool
        self.see = Button("See what changed", "link", height=20)
        _rename(self.see, "See what changed", tool.label)
        self.see.clicked.connect(self._turn)
        self.accept = Button("Accept it", height=28)
        _rename(self.accept, "Accept it", tool.label)
        self.accept.clicked.connect(lambda: self.accepted.emit(tool.label, tool.now))
        column = _column(self)
        column.addWidget(Warned(changed_words(tool), self.see))
        self.more = QWidget()
        self.more.hide()
        column.addWidget(self.more)

    def was_allowed(self) -> None:
        """Accepting it allows it always again, as it was before it changed."""
        _rename(self.accept, "Allow again", self.tool.label)

    def _turn(self) -> None:
        if self.more.layout() is None:
            self._fill(_column(self.more))
        self.more.setVisible(self.more.isHidden())
        _rename(self.see, "See what changed" if self.more.isHidden() else "Fold what changed", self.tool.label)
        if not self.more.isHidden():
            self.looked.emit(self.tool.label)

    def _fill(self, column: QVBoxLayout) -> None:
        tool = self.tool
        if diff := changed_lines(tool):
            column.addWidget(DiffView(diff))
        elif tool.before:
            column.addWidget(label("Its definition is as it was; its server is reached otherwise.", "small", "t2"))
        else:
            column.addWidget(label("How it was is not known any more. This is how it is now:", "small", "t2"))
            column.addWidget(MonoBox(f"Definition of {tool.label}", definition_lines(tool.now)))
        off = Button("Switch it off", height=28)
        _rename(off, "Switch it off", tool.label)
        off.setVisible(tool.is_on)
        off.clicked.connect(lambda: self.switched_off.emit(tool.label))
        buttons = Flow(8)
        buttons.addWidget(self.accept)
        buttons.addWidget(off)
        column.addLayout(buttons)


class LogView(QWidget):
    """A log. What is selected in it stays until it is let go."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._box: MonoBox | None = None
        self._place = _column(self)

    def show_lines(self, lines: tuple[tuple[float, str], ...]) -> None:
        """Shows other lines."""
        text = log_text(lines) or "It has written nothing so far."
        old = self._box
        if old is not None and (old.content == text or old.text.textCursor().hasSelection()):
            return
        box = self._box = MonoBox(self._name, text)
        self._place.addWidget(box)
        if old is not None:
            at = old.text.verticalScrollBar().value()
            self._place.removeWidget(old)
            old.hide()
            old.deleteLater()
            box.text.verticalScrollBar().setValue(at)

    @property
    def content(self) -> str:
        """What is shown."""
        return self._box.content if self._box is not None else ""


class Failure(QWidget):
    """What a server that failed said last, or where its command was looked for. `chosen`: another program is wanted."""

    copied = Signal()
    chosen = Signal()

    def __init__(self, view: IntegrationView) -> None:
        super().__init__()
        self._view = view
        self.folders = label("\n".join(view.looked_in), "mono", "t2", wrap=True)
        self.folders.hide()
        self.log = LogView(f"Log of {view.name}")
        self.log.show_lines(view.log[-_LAST_WORDS:])
        self.log.setVisible(bool(view.log))
        column = _column(self)
        column.addWidget(self.log)
        links = Flow(12)
        self._whole = self._link(links, "Open the whole log", self._turn_log, bool(view.log[:-_LAST_WORDS]))
        self._where = self._link(links, "Show the folders", self._turn_folders, bool(view.looked_in))
        self._link(links, "Choose the program…", self.chosen.emit, bool(view.looked_in) and view.saved)
        self._link(links, "Copy details", self.copied.emit, True)
        column.addLayout(links)
        column.addWidget(self.folders)

    def _link(self, links: Flow, words: str, deed: Callable[[], None], is_shown: bool) -> Button:
        button = Button(words, "link", height=24)
        _rename(button, words, self._view.name)
        button.clicked.connect(deed)
        if is_shown:
            links.addWidget(button)
        else:
            button.setParent(self)
            button.hide()
        return button

    def _turn_log(self) -> None:
        is_whole = self._whole.text() != "Open the whole log"
        self.log.show_lines(self._view.log[-_LAST_WORDS:] if is_whole else self._view.log)
        _rename(self._whole, "Open the whole log" if is_whole else "Only its last words", self._view.name)

    def _turn_folders(self) -> None:
        self.folders.setVisible(self.folders.isHidden())
        _rename(self._where, "Show the folders" if self.folders.isHidden() else "Fold the folders", self._view.name)
