"""What is known of the model that is marked in the picker."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.chips import Chip
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.parts import Line, badge_width, label, paint_badge
from conch_desktop.desktop.picker_rows import Entry
from conch_desktop.desktop.scroll import Scroll
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import count

WIDTH = 288

_MODE_SENTENCES = {
    "native": "Calls tools by itself.",
    "strict": "Calls tools by itself, with schemas in the strict form.",
    "words": "Gets its tools in words.",
    "none": "Chats without tools.",
    "untried": "Nobody has asked it for a tool here yet.",
}
CHOICES = {"automatic": "Automatic", "native": "Native", "words": "In words", "none": "No tools"}
"""What a person can choose for a model, and what it is called."""

_SAID = {True: "yes", False: "no", None: "not said"}


class Badge(QWidget):
    """A mode badge."""

    def __init__(self, mode: str = "untried") -> None:
        super().__init__()
        self._mode = mode
        self._checked = False

    def set_mode(self, mode: str, *, checked: bool = False) -> None:
        """Another mode."""
        self._mode, self._checked = mode, checked
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(badge_width(self._mode, self._checked), look.px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        place = QRectF(0, 0, badge_width(self._mode, self._checked), look.px(18))
        paint_badge(QPainter(self), place, self._mode, self._checked)


class ModelDetail(QWidget):
    """Name, mode, what it can't do, figures, the person's own choice, and checking it."""

    choice_made = Signal(str)
    star_wanted = Signal()
    check_wanted = Signal()
    lessons_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._fix_width()
        look.changed.connect(self._fix_width)
        self._name = label("", "h3", "t1", 600, wrap=True)
        self._id = label("", "mono", "t2", wrap=True)
        self._badge = Badge()
        self._mode = label("", "small", "t2", wrap=True)
        self._note = label("", "small", "t2", wrap=True)
        self._facts = [
            (label(name, "small", "t2"), label("", "small", "t1"))
            for name in ("Provider", "Window", "Tools", "Pictures", "Price", "Taught")
        ]
        grid = QGridLayout()
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setVerticalSpacing(6)
        for at, (name, value) in enumerate(self._facts):
            grid.addWidget(name, at, 0)
            grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(1, 1)
        self.star = IconButton("star", "Mark as a favourite", 24, keys="Ctrl+D")
        self.star.clicked.connect(self.star_wanted)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._name, 1)
        head.addWidget(self.star, 0, Qt.AlignmentFlag.AlignTop)
        self._inside = QWidget()
        column = QVBoxLayout(self._inside)
        column.setContentsMargins(16, 12, 12, 16)
        column.setSpacing(6)
        column.addLayout(head)
        for part in (self._id, self._badge, self._mode, self._note):
            column.addWidget(part)
        column.addSpacing(2)
        column.addWidget(Line())
        column.addLayout(grid)
        column.addSpacing(8)
        column.addWidget(label("How it gets tools", "tiny", "t2", 600))
        column.addLayout(self._choice_line())
        column.addStretch(1)
        self._found = label("", "small", "t1", wrap=True)
        column.addWidget(self._found)
        column.addLayout(self._buttons())
        area = Scroll()  # With large letters it is taller than a small screen.
        area.setWidgetResizable(True)
        area.setWidget(self._inside)
        self._inside.setAutoFillBackground(False)
        area.viewport().setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(1, 0, 0, 0)
        whole.addWidget(area)

    def _fix_width(self) -> None:
        self.setFixedWidth(look.px(WIDTH))

    def _choice_line(self) -> Flow:
        self.choices: dict[str, Chip] = {}
        group = QButtonGroup(self)
        flow = Flow(6)
        for choice, words in CHOICES.items():
            chip = self.choices[choice] = Chip(words)
            group.addButton(chip)
            flow.addWidget(chip)
            chip.clicked.connect(lambda _=False, choice=choice: self.choice_made.emit(choice))
        return flow

    def _buttons(self) -> Flow:
        self.check = Button("Check this model", "plain", "done", 28)
        self.check.setToolTip("Three harmless calls show how it gets its tools best (Ctrl+Shift+T)")
        self.check.clicked.connect(self.check_wanted)
        lessons = Button("Lessons", "quiet", height=28)
        lessons.clicked.connect(self.lessons_wanted)
        flow = Flow(6)
        flow.addWidget(self.check)
        flow.addWidget(lessons)
        return flow

    def show_group(self, name: str, many: int) -> None:
        """Shows the heading of a group that is folded."""
        self._name.setText(name)
        self._name.show()
        self._mode.setText(f"{count(many, 'model')}, folded away. Enter or Right shows them.")
        self._mode.show()

    def show_entry(self, entry: Entry | None, *, favourite: bool) -> None:
        """Shows a model, or nothing."""
        self._inside.setVisible(entry is not None)
        if entry is None:
            return
        self._name.setText(entry.label)
        self._id.setText(_breakable(entry.name))
        self._badge.set_mode(entry.mode, checked=entry.checked)
        self.choices[entry.choice].setChecked(True)
        self._found.setText(entry.check)
        self._found.setVisible(bool(entry.check))
        self.check.change(
            "Stop the check" if entry.checking else "Check again" if entry.checked else "Check this model"
        )
        self._mode.setText(_MODE_SENTENCES[entry.mode])
        self._note.setText(entry.note)
        self._note.setVisible(bool(entry.note))
        values = (
            entry.provider,
            _window(entry),
            _SAID[entry.tools],
            "yes" if entry.pictures else "not said",
            _price(entry),
            count(entry.taught, "lesson") if entry.taught else "nothing yet",
        )
        for (_, value), text in zip(self._facts, values, strict=True):
            value.setText(text)
        self.star.set_icon("star-on" if favourite else "star")
        self.star.set_tone("acc" if favourite else "t2")
        self.star.set_name("No favourite any more" if favourite else "Mark as a favourite")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(self.rect(), look.colour("panel"))
        painter.fillRect(0, 0, 1, self.height(), look.colour("line"))


def _window(entry: Entry) -> str:
    if entry.learnt_window:
        return f"{entry.learnt_window:,} tokens, learnt"
    return f"{entry.window:,} tokens" if entry.window else "not said"


def _price(entry: Entry) -> str:
    if entry.local:
        return "free, on this computer"
    if not entry.price:
        return "not said"
    return entry.price if entry.price == "free" else f"$ {entry.price} a million"


def _breakable(name: str) -> str:
    """A long name may be broken after a slash, a dash or a colon."""
    for mark in "/:-":
        name = name.replace(mark, f"{mark}\u200b")
    return name
