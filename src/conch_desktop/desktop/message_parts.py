"""The small parts of a message's row: the author's line, the place of the first word, the actions."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.theme import look


class Author(QWidget):
    """The name of the model above its answer."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label(name, "ui", "t3", parent=self)

    def set_name(self, name: str) -> None:
        """Another name."""
        self._label.setText(name)

    def fit(self, width: int) -> int:
        """Its height."""
        high = look.px(20)
        self._label.setGeometry(0, 0, width, high)
        return high


class Pulse(QWidget):
    """Stands where the first word will be."""

    def fit(self, width: int) -> int:
        """Its height."""
        return look.px(24)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("acc"))
        painter.drawRoundedRect(QRectF(0, look.px(4), look.px(8), look.px(16)), 2, 2)


class Stopped(QWidget):
    """Says that the person stopped it, with the way on."""

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        go_on = Button("Continue", "link", height=20)
        go_on.clicked.connect(lambda: self.acted.emit("go_on"))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(label("Stopped by you.", "small", "t3"))
        line.addWidget(go_on)
        line.addStretch(1)

    def fit(self, width: int) -> int:
        """Its height."""
        return fit_layout(self, width)


class Loading(QWidget):
    """Stands for a message that was not read yet; its bars are seen only when it takes long."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._late = False
        self.setAccessibleName("Loading")
        QTimer.singleShot(200, self, self._show_late)

    def _show_late(self) -> None:
        self._late = True
        self.update()

    def fit(self, width: int) -> int:
        """Whatever room it is given."""
        return max(self.height(), look.px(60))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._late:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("tag"))
        for row, share in enumerate((0.6, 0.65, 0.4)):
            spot = QRectF(0, look.px(4 + 20 * row), self.width() * share, look.px(10))
            painter.drawRoundedRect(spot, spot.height() / 2, spot.height() / 2)


class Actions(QWidget):
    """Copy, Try again and the menu of all else, below an answer, and what it took."""

    copied = Signal()
    again = Signal()
    more = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.copy = IconButton("copy", "Copy as Markdown", 24)
        self.retry = IconButton("again", "Try again", 24)
        self.menu = IconButton("more", "More for this message", 24)
        self.menu.clicked.connect(self.more)
        self.copy.clicked.connect(self.copied)
        self.retry.clicked.connect(self.again)
        self.cost = label("", "small", "t3")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(1)
        line.addWidget(self.copy)
        line.addWidget(self.retry)
        line.addWidget(self.menu)
        line.addSpacing(6)
        line.addWidget(self.cost)
        line.addStretch(1)

    def fit(self, width: int) -> int:
        """Its height."""
        return look.px(24)
