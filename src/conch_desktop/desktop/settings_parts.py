"""Rows of the settings: a provider with its key, a fact, an allowance. Each announces what the person wants with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.parts import Card, Line, Tile, label, set_tone


class CardList(Card):
    """Rows in one frame, with lines between them."""

    def __init__(self) -> None:
        super().__init__("raised", "line", 10)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)

    def put(self, rows: list[QWidget]) -> None:
        """Shows other rows."""
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for at, row in enumerate(rows):
            if at:
                self._column.addWidget(Line())
            self._column.addWidget(row)
        self.setVisible(bool(rows))


class ProviderRow(QWidget):
    """A provider: what it is, what it last said, its key."""

    key_given = Signal(str, str)
    tested = Signal(str)
    removed = Signal(str)

    def __init__(self, provider: str, name: str, address: str, *, own: bool, said: str = "", bad: bool = False) -> None:
        super().__init__()
        self._provider, self._name = provider, name
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(name, "ui", "t1", 500))
        words.addWidget(label(address, "small", "t2", wrap=True))
        self._said = label(said, "small", "err" if bad else "t2", wrap=True)
        self._said.setVisible(bool(said))
        words.addWidget(self._said)
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(Tile(name), 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addLayout(head)
        self._key = Field("New key", "The new key")
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key_line = QWidget()
        self._sure = QWidget()
        if own:
            self._build(column)

    def _build(self, column: QVBoxLayout) -> None:
        buttons = Flow(8)
        buttons.setContentsMargins(32, 0, 0, 0)
        change, test, remove = (
            Button("Change key…", height=28),
            Button("Test", height=28),
            Button("Remove…", "danger", height=28),
        )
        for button, words in ((change, "Change the key of"), (test, "Test"), (remove, "Remove")):
            button.setAccessibleName(f"{words} {self._name}")
            buttons.addWidget(button)
        column.addLayout(buttons)
        save, cancel = Button("Keep key", height=32), Button("Cancel", "quiet", height=32)
        line = QHBoxLayout(self._key_line)
        line.setContentsMargins(0, 0, 0, 0)
        for part in (self._key, save, cancel):
            line.addWidget(part, 1 if part is self._key else 0)
        column.addWidget(self._key_line)
        self._key_line.hide()
        yes, no = Button("Remove", "danger", height=28), Button("Keep", "quiet", height=28)
        line = QHBoxLayout(self._sure)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(label(f"Remove {self._name} with its key and its list of models?", "ui", "t1", wrap=True), 1)
        line.addWidget(yes)
        line.addWidget(no)
        column.addWidget(self._sure)
        self._sure.hide()
        change.clicked.connect(self.ask_key)
        cancel.clicked.connect(self._key_line.hide)
        save.clicked.connect(self._give)
        self._key.entered.connect(self._give)
        test.clicked.connect(lambda: self.tested.emit(self._provider))
        remove.clicked.connect(self._sure.show)
        remove.clicked.connect(lambda: no.setFocus(Qt.FocusReason.ShortcutFocusReason))
        no.clicked.connect(self._sure.hide)
        yes.clicked.connect(lambda: self.removed.emit(self._provider))

    def ask_key(self) -> None:
        """Opens the line for a new key."""
        self._key_line.show()
        self._key.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def say(self, words: str, *, bad: bool) -> None:
        """What a test or a change came to."""
        set_tone(self._said, "err" if bad else "t2")
        self._said.setText(words)
        self._said.setVisible(bool(words))

    def _give(self) -> None:
        key = self._key.text().strip()
        if key:
            self._key.clear()
            self._key_line.hide()
            self.key_given.emit(self._provider, key)


class FactRow(QWidget):
    """A fact that can be edited and deleted."""

    edited = Signal(int, str)
    removed = Signal(int)

    def __init__(self, number: int, text: str, when: str) -> None:
        super().__init__()
        self._number, self._text = number, text
        self._words = label(text, "ui", "t1", wrap=True)
        self._field = Field("Fact")
        self._field.hide()
        edit, delete = IconButton("pencil", f"Edit: {text[:40]}", 24), IconButton("trash", f"Delete: {text[:40]}", 24)
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 12, 10)
        line.setSpacing(8)
        line.addWidget(self._words, 1)
        line.addWidget(self._field, 1)
        line.addWidget(label(when, "small", "t2"))
        line.addWidget(edit)
        line.addWidget(delete)
        edit.clicked.connect(self._edit)
        delete.clicked.connect(lambda: self.removed.emit(self._number))
        self._field.entered.connect(self._done)
        self._field.escaped.connect(self._close)

    def _edit(self) -> None:
        self._words.hide()
        self._field.setText(self._text)
        self._field.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _done(self) -> None:
        text = self._field.text().strip()
        self._close()
        if text and text != self._text:
            self.edited.emit(self._number, text)

    def _close(self) -> None:
        self._field.hide()
        self._words.show()


class AllowanceRow(QWidget):
    """A tool that always may run, until it is taken back."""

    revoked = Signal(str, str)

    def __init__(self, source: str, tool: str) -> None:
        super().__init__()
        back = Button("Ask again", height=28)
        back.setAccessibleName(f"Ask again before {tool} runs")
        back.clicked.connect(lambda: self.revoked.emit(source, tool))
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 12, 10)
        line.addWidget(label(tool, "code", "t1", 500))
        line.addWidget(label("this program" if source == "builtin" else source, "ui", "t2"), 1)
        line.addWidget(back)
