"""The button over the end of the chat that tells how much is new there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Painted
from conch_desktop.desktop.popup import paint_shadow
from conch_desktop.desktop.theme import look


class Pill(Painted):
    """ "12 new lines": goes to the end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = ""
        self.hide()

    def say(self, lines: int) -> None:
        """How much is new below; nothing new still leads to the end."""
        self._words = f"{lines} new line{'' if lines == 1 else 's'}" if lines else "Jump to latest"
        self.setAccessibleName(self._words)
        self.setToolTip("Go to the end (Ctrl+End)")
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        wide = QFontMetrics(look.font("ui", 500)).horizontalAdvance(self._words)
        return QSize(wide + look.px(16 + 8 + 28) + 16, look.px(32) + 16)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(8, 8, -8, -8)
        paint_shadow(painter, box, box.height() / 2, 8)
        painter.setPen(QPen(look.colour("line2"), 1))
        painter.setBrush(look.colour(self._ground("raised", "btnH") or "raised"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), box.height() / 2, box.height() / 2)
        mark = look.px(16)
        icons.paint(
            painter,
            "latest",
            QRectF(box.x() + look.px(12), box.y() + (box.height() - mark) / 2, mark, mark),
            look.colour("t1"),
        )
        painter.setFont(look.font("ui", 500))
        painter.setPen(look.colour("t1"))
        words = box.adjusted(look.px(12 + 16 + 8), 0, 0, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._words)
