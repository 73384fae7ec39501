"""What a call would change, as a diff: lines that come in green, lines that go in red, both told by their marks too."""

from __future__ import annotations

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.theme import look

_COLOURS = {"+": ("add", "addS"), "-": ("err", "errS")}
_COLOURED = 2_000
"""Lines that are coloured; what is longer is read by its marks."""


class DiffBox(MonoBox):
    """The diff in its frame."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, text)
        self.colour()
        look.changed.connect(self.colour)

    def colour(self) -> None:
        """Paints the lines in the colours of the theme; the text stays as it is."""
        painted = []
        block = self.text.document().firstBlock()
        while block.isValid() and block.blockNumber() < _COLOURED:
            line = block.text()
            if line[:1] in _COLOURS and line[:3] not in ("+++", "---"):
                ink, ground = _COLOURS[line[0]]
                style = QTextCharFormat()
                style.setForeground(look.colour(ink))
                style.setBackground(look.colour(ground))
                style.setProperty(QTextFormat.Property.FullWidthSelection, True)
                selection = QTextEdit.ExtraSelection()
                selection.cursor = QTextCursor(block)
                selection.format = style
                painted.append(selection)
            block = block.next()
        self.text.setExtraSelections(painted)
