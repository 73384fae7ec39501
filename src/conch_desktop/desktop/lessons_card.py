"""What this model taught: a card on top of the activity panel, each lesson with Forget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import Card, IconMark, label


@dataclass(frozen=True, slots=True)
class LessonLine:
    """A lesson as it is shown: its kind, a sentence, and when it was learnt."""

    kind: str
    text: str
    since: str
    words: str = ""


class LessonsCard(Card):
    """The lessons of the model of the open chat. `forgotten` tells the kind of the one that is to go."""

    forgotten = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", "line", 8, "", parent)
        self.setAccessibleName("What this model taught")
        self.lines: Sequence[LessonLine] = ()
        self.buttons: dict[str, Button] = {}
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(IconMark("lesson", "t2"))
        head.addWidget(label("What this model taught", "small", "t2", 600), 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 10, 12, 12)
        self._column.setSpacing(6)
        self._column.addLayout(head)
        self._rows: list[QWidget] = []

    def show_lessons(self, lines: Sequence[LessonLine]) -> bool:
        """Shows these; False when they are shown already."""
        if tuple(lines) == tuple(self.lines):
            return False
        self.lines = tuple(lines)
        self.buttons = {}
        for row in self._rows:
            row.hide()
            self._column.removeWidget(row)
            row.deleteLater()
        self._rows = [self._row(line) for line in lines]
        for row in self._rows:
            self._column.addWidget(row)
            row.show()
        return True

    def _row(self, line: LessonLine) -> QWidget:
        row = QWidget(self)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(label(line.text, "ui", "t1", wrap=True))
        if line.since:
            words.addWidget(label(line.since, "small", "t2"))
        forget = self.buttons[line.kind] = Button("Forget", "link", height=24)
        forget.setAccessibleName(f"Forget: {line.text}")
        forget.setToolTip(line.words or "It is learnt anew when it is met")
        forget.clicked.connect(lambda: self.forgotten.emit(line.kind))
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(8)
        across.addLayout(words, 1)
        across.addWidget(forget, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        return fit_layout(self, width)
