"""Chips: one of a few choices, each in a pill."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.theme import look


class Chip(Painted):
    """One of a few choices."""

    def __init__(self, words: str, icon: str = "") -> None:
        super().__init__()
        self._icon = icon
        self.setCheckable(True)
        self.setText(words)
        self.setAccessibleName(words)

    def sizeHint(self) -> QSize:
        wide = self.fontMetrics().horizontalAdvance(self.text()) + look.px(28)
        return QSize(wide + (look.px(20) if self._icon else 0), look.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isChecked()
        painter.setPen(QPen(look.colour("accL" if on else "line2"), 2 if look.high and on else 1))
        painter.setBrush(look.colour("accS" if on else self._ground("raised", "btnH") or "raised"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setFont(look.font("ui", 500 if on else 400))
        ink = look.colour("acc" if on else "t1")
        painter.setPen(ink)
        if not self._icon:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            return
        mark = look.px(16)
        spot = QRectF(look.px(11), (self.height() - mark) / 2, mark, mark)
        icons.paint(painter, self._icon, spot, ink)
        words = QRectF(self.rect()).adjusted(spot.right() + look.px(5), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())


def chip_line(choices: Sequence[tuple[str, str]], chosen: Callable[[str], None]) -> tuple[dict[str, Chip], QWidget]:
    """A line of choices (name and words), and each by its name."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(8)
    group = QButtonGroup(row)
    chips: dict[str, Chip] = {}
    for name, words in choices:
        chip = chips[name] = Chip(words)
        group.addButton(chip)
        line.addWidget(chip)
        chip.clicked.connect(lambda _=False, name=name: chosen(name))
    line.addStretch(1)
    return chips, row
