"""What is known of the model that is marked in the picker."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.parts import Line, badge_width, label, paint_badge
from conch_desktop.desktop.picker_rows import Entry
from conch_desktop.desktop.theme import look

WIDTH = 288

_MODE_SENTENCES = {
    "native": "Calls tools by itself.",
    "strict": "Calls tools by itself, with schemas in the strict form.",
    "words": "Gets its tools in words.",
    "none": "Chats without tools.",
    "untried": "Nobody has asked it for a tool here yet.",
}
_SAID = {True: "yes", False: "no", None: "not said"}


class Badge(QWidget):
    """A mode badge."""

    def __init__(self, mode: str = "untried") -> None:
        super().__init__()
        self._mode = mode

    def set_mode(self, mode: str) -> None:
        """Another mode."""
        self._mode = mode
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(badge_width(self._mode), look.px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        place = QRectF(0, 0, badge_width(self._mode), look.px(18))
        paint_badge(QPainter(self), place, self._mode)


class ModelDetail(QWidget):
    """Name, mode, what it can't do, and figures."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedWidth(look.px(WIDTH))
        self._name = label("", "h3", "t1", 600, wrap=True)
        self._id = label("", "mono", "t2", wrap=True)
        self._badge = Badge()
        self._mode = label("", "small", "t2", wrap=True)
        self._note = label("", "small", "t2", wrap=True)
        self._facts = [
            (label(name, "small", "t2"), label("", "small", "t1"))
            for name in ("Provider", "Window", "Tools", "Pictures")
        ]
        grid = QGridLayout()
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setVerticalSpacing(6)
        for at, (name, value) in enumerate(self._facts):
            grid.addWidget(name, at, 0)
            grid.addWidget(value, at, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(1, 1)
        self._star = label("", "small", "acc")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(6)
        for part in (self._name, self._id, self._badge, self._mode, self._note):
            column.addWidget(part)
        column.addSpacing(2)
        column.addWidget(Line())
        column.addLayout(grid)
        column.addWidget(self._star)
        column.addStretch(1)
        self._keys = label("Enter chooses. Ctrl+D marks a favourite.", "tiny", "t3", wrap=True)
        column.addWidget(self._keys)

    def show_entry(self, entry: Entry | None, *, favourite: bool) -> None:
        """Shows a model, or nothing."""
        for part in self.findChildren(QWidget):
            part.setVisible(entry is not None)
        if entry is None:
            return
        self._name.setText(entry.label)
        self._id.setText(_breakable(entry.name))
        self._badge.set_mode(entry.mode)
        self._mode.setText(_MODE_SENTENCES[entry.mode])
        self._note.setText(entry.note)
        self._note.setVisible(bool(entry.note))
        values = (
            entry.provider,
            f"{entry.window:,} tokens" if entry.window else "not said",
            _SAID[entry.tools],
            "yes" if entry.pictures else "not said",
        )
        for (_, value), text in zip(self._facts, values, strict=True):
            value.setText(text)
        self._star.setText("One of your favourites" if favourite else "")
        self._star.setVisible(favourite)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(self.rect(), look.colour("panel"))
        painter.fillRect(0, 0, 1, self.height(), look.colour("line"))


def _breakable(name: str) -> str:
    """A long name may be broken after a slash, a dash or a colon."""
    for mark in "/:-":
        name = name.replace(mark, f"{mark}\u200b")
    return name
