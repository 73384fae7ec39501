"""Rows of the settings: a setting, a fact, an allowance. Each announces what the person wants with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.parts import Card, ElidedLabel, Line, label, set_tone


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
        line.addWidget(self._words, 1, Qt.AlignmentFlag.AlignVCenter)
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
    """A tool that may run without a question, until it is taken back; `where` says in which chat."""

    revoked = Signal(str, str)

    def __init__(self, source: str, tool: str, where: str = "") -> None:
        super().__init__()
        back = Button("Ask again", height=28)
        back.setAccessibleName(f"Ask again before {tool} runs")
        back.clicked.connect(lambda: self.revoked.emit(source, tool))
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 12, 10)
        line.addWidget(label(tool, "code", "t1", 500))
        origin = "this program" if source == "builtin" else source
        line.addWidget(ElidedLabel(f"{origin}, {where}" if where else origin, "ui", "t2"), 1)
        line.addWidget(back)


class SettingRow(QWidget):
    """A setting: its words, a sentence about it, and at the right what it is set with."""

    def __init__(self, words: str, sentence: str, control: QWidget) -> None:
        super().__init__()
        self._usual = sentence
        self._said = label(sentence, "small", "t2", wrap=True)
        texts = QVBoxLayout()
        texts.setSpacing(1)
        texts.addWidget(label(words, "ui", "t1", 500, wrap=True))
        texts.addWidget(self._said)
        self._said.setVisible(bool(sentence))
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 10, 16, 10)
        line.setSpacing(16)
        line.addLayout(texts, 1)
        line.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)

    def said(self) -> str:
        """The sentence that is shown."""
        return self._said.text()

    def say(self, words: str = "", *, bad: bool = False) -> None:
        """Another sentence for now; the usual one without words."""
        set_tone(self._said, "err" if bad else "t2")
        self._said.setText(words or self._usual)
        self._said.setVisible(bool(words or self._usual))
