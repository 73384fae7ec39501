"""The guard's question as a card in the chat: what will happen, what would run, and four answers.

It never takes the focus and has no default button, so that a key meant for the composer never allows anything. With
the focus on it, O, C, A and D answer, alone or with Alt: they are underlined as menus underline theirs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.diff_box import DiffView
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.flow import Flow, fit_layout
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.parts import Card, ElidedLabel, IconMark, Line, Paragraph, Tag, label
from conch_desktop.desktop.wording import pretty

if TYPE_CHECKING:
    from conch_desktop.tools.guard import Question

_LETTERS = {Qt.Key.Key_O: "once", Qt.Key.Key_C: "chat", Qt.Key.Key_A: "always", Qt.Key.Key_D: "deny"}
_HELD = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier)


class QuestionCard(Card):
    """One question. `answered` tells its id, the choice and the reason of a no."""

    answered = Signal(str, str, str)
    refit = Signal()

    def __init__(self, question: Question, source: str, parent: QWidget | None = None) -> None:
        super().__init__("raised", "acc", 10, "acc", parent)
        self.question = question
        self.setAccessibleName(f"Question: {question.title}")
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 1, 1, 1)
        column.setSpacing(0)
        column.addLayout(self._head(question, source))
        self.diff: DiffView | None = None
        if question.preview:
            self.diff = DiffView(question.preview)
            column.addWidget(self.diff)
        column.addLayout(self._ran(question))
        column.addWidget(Line())
        self._feet = QStackedWidget()
        self._feet.addWidget(self._choices())
        self._feet.addWidget(self._reason_line())
        self._feet.currentChanged.connect(self.refit)
        column.addWidget(self._feet)

    def _head(self, question: Question, source: str) -> QHBoxLayout:
        line = QHBoxLayout()
        line.setContentsMargins(14, 12, 12, 10)
        line.setSpacing(10)
        line.addWidget(IconMark("guard", "acc", 20), 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(question.title, "ui", "t1", 600, wrap=True))
        origin = f"{question.tool} from {source}" if source else question.tool
        why = f" {question.why[0].upper()}{question.why[1:]}." if question.why else ""
        nothing = "Nothing has been written yet." if question.preview else "Nothing has run yet."
        second = label(f"{origin}.{why} {nothing}", "small", "t2", wrap=True)
        if isinstance(second, Paragraph):
            second.mono = len(question.tool)
        words.addWidget(second)
        line.addLayout(words, 1)
        if question.mends:
            line.addWidget(Tag(f"{question.mends} mended", "mend", icon="mend"), 0, Qt.AlignmentFlag.AlignTop)
        return line

    def _ran(self, question: Question) -> QVBoxLayout:
        box = QVBoxLayout()
        # The button of the line brings its own room.
        box.setContentsMargins(*((4, 2, 14, 2) if question.preview else (14, 0, 14, 12)))
        box.setSpacing(6)
        self.ran = MonoBox("What will run", pretty(dict(question.args)))
        if question.preview:
            box.addLayout(self._ran_line(question))
            self.ran.hide()  # The diff says it better.
        else:
            box.addWidget(label("What will run", "small", "t2"))
        box.addWidget(self.ran)
        return box

    def _ran_line(self, question: Question) -> QHBoxLayout:
        """One line that opens what will run."""
        self.ran_button = Button("What will run", "quiet", "chevron-right", 28)
        self.ran_button.clicked.connect(self._turn_ran)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.ran_button)
        whole = json.dumps(dict(question.args), ensure_ascii=False, separators=(",", ":"))
        line.addWidget(ElidedLabel(whole, "mono", "t2"), 1)
        return line

    def _turn_ran(self) -> None:
        shown = self.ran.isHidden()
        self.ran.setVisible(shown)
        self.ran_button.change("What will run", "chevron-down" if shown else "chevron-right")
        self.refit.emit()

    def _choices(self) -> QWidget:
        page = QWidget()
        flow = Flow(8, apart=1)
        self.buttons: dict[str, Button] = {}
        for choice, words in (
            ("once", "Allow &once"),
            ("chat", "Always allow in this &chat"),
            ("always", "&Always allow"),
            ("deny", "&Deny…"),
        ):
            button = self.buttons[choice] = Button(words)
            flow.addWidget(button)
            button.clicked.connect(lambda _=False, choice=choice: self._chosen(choice))
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 10, 14, 10)
        column.addLayout(flow)
        return page

    def _reason_line(self) -> QWidget:
        page = QWidget()
        self.reason = Field("Reason for the model", "Why not? The model reads this.")
        deny = Button("Deny")
        back = Button("Back", "quiet")
        deny.clicked.connect(self._deny)
        back.clicked.connect(self._back)
        self.reason.entered.connect(self._deny)
        self.reason.escaped.connect(self._back)
        line = QHBoxLayout(page)
        line.setContentsMargins(14, 10, 14, 10)
        line.setSpacing(8)
        line.addWidget(self.reason, 1)
        line.addWidget(deny)
        line.addWidget(back)
        return page

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        page = self._feet.currentWidget()
        if page is not None:
            self._feet.setFixedHeight(fit_layout(page, width - 5))
        return fit_layout(self, width)

    def take_focus(self) -> None:
        """Puts the keys here, because the person asked for it."""
        self.buttons["once"].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self._feet.currentIndex() == 0 and event.modifiers() in _HELD and key in _LETTERS:
            self._chosen(_LETTERS[key])
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._feet.currentIndex() == 0:
            self.focusNextPrevChild(key == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def _chosen(self, choice: str) -> None:
        if choice == "deny":
            self._feet.setCurrentIndex(1)
            self.reason.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self._answer(choice, "")

    def _deny(self) -> None:
        self._answer("deny", self.reason.text().strip())

    def _back(self) -> None:
        self._feet.setCurrentIndex(0)
        self.buttons["deny"].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _answer(self, choice: str, reason: str) -> None:
        self.setEnabled(False)  # One answer is enough; the card goes when the turn has taken it.
        self.answered.emit(self.question.id, choice, reason)
