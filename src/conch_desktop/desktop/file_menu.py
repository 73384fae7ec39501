"""The menu that opens at "@": files in the granted folders, by name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.slash_menu import SlashMenu, ToolRow
from conch_desktop.desktop.theme import look


class FileMenu(SlashMenu):
    """Looks and is steered like the menu of tools. What is taken is named as it is shown."""

    head = "Attach a file from a folder you granted"
    many = "files"

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAccessibleName("Files")

    def offer_files(self, names: Sequence[str], above: QRect) -> bool:
        """Opens with these, or closes when there is none; tells whether it is open."""
        return self.show_rows([ToolRow(name, "", "", "") for name in names], above)

    def row_height(self) -> int:
        """The height of a row."""
        return look.px(36)

    def _paint_words(self, painter: QPainter, rect: QRectF, tool: ToolRow) -> None:
        mark = look.px(18)
        spot = QRectF(rect.x() + 12, rect.y() + (rect.height() - mark) / 2, mark, mark)
        icons.paint(painter, "file", spot, look.colour("t2"))
        folder, slash, name = tool.name.rpartition("/")
        left = rect.x() + 12 + mark + 14
        room = int(rect.right() - 12 - left)
        flags = Qt.AlignmentFlag.AlignVCenter
        font = look.font("ui", 500)
        shown = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        painter.drawText(QRectF(left, rect.y(), room, rect.height()), flags, shown)
        after = QFontMetrics(font).horizontalAdvance(shown) + 10
        if slash and room - after > 40:
            small = look.font("small")
            painter.setFont(small)
            painter.setPen(look.colour("t2"))
            where = QFontMetrics(small).elidedText(folder, Qt.TextElideMode.ElideLeft, int(room - after))
            painter.drawText(QRectF(left + after, rect.y(), room - after, rect.height()), flags, where)
