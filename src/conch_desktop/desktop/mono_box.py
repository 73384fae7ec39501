"""A framed text in mono: what was sent, what ran, what came back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from PySide6.QtCore import QMimeData, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from conch_desktop.desktop.code_text import CodeText
from conch_desktop.desktop.parts import paint_card
from conch_desktop.desktop.theme import look

_BIG = 20_000
"""Characters from which a text is laid out only where it is seen."""

_WIDTH = 320
"""About how wide it is, in px, until it is known."""

_PIECE = 2_000
"""Characters of a line that are laid out together."""

_WHOLE, _GOES_ON = 0, 1
"""The state of a block that ends with its line, and of one whose line goes on in the next."""

_UNBROKEN = re.compile(r"\S{400}")
"""A word too long to look for its end: Qt does so anew at each line, which takes a minute for a picture in base64."""

_PAD = 8


def _wrapping(text: str) -> QTextOption.WrapMode:
    """Lines end between words, unless a word is so long that they end anywhere."""
    modes = QTextOption.WrapMode
    return modes.WrapAnywhere if _UNBROKEN.search(text) else modes.WrapAtWordBoundaryOrAnywhere


class _Long(QPlainTextEdit):
    """A text of any length."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(look.font("mono"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.document().setDocumentMargin(0)

    def show_text(self, text: str) -> None:
        """Shows the text. A line of any length is laid out piece by piece: as one it would hold up the window."""
        lines = text.split("\n")
        if all(len(line) <= _PIECE for line in lines):
            self.setPlainText(text)
            return
        cut = [(piece, last) for line in lines for piece, last in _pieces(line)]
        self.setPlainText("\n".join(piece for piece, _ in cut))
        block = self.document().firstBlock()
        for _, last in cut:
            block.setUserState(_WHOLE if last else _GOES_ON)
            block = block.next()

    def createMimeDataFromSelection(self) -> QMimeData:
        """What was selected, without the breaks between the pieces of a line."""
        cursor, words = self.textCursor(), ""
        block = self.document().findBlock(cursor.selectionStart())
        while block.isValid() and block.position() <= cursor.selectionEnd():
            begin = max(0, cursor.selectionStart() - block.position()) * 2
            end = min(cursor.selectionEnd() - block.position(), block.length() - 1) * 2
            # Qt counts in UTF-16.
            words += block.text().encode("utf-16-le", "surrogatepass")[begin:end].decode("utf-16-le", "surrogatepass")
            if block.userState() != _GOES_ON and cursor.selectionEnd() >= block.position() + block.length():
                words += "\n"
            block = block.next()
        made = QMimeData()
        made.setText(words)
        return made


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """A line in pieces that end with a blank where there is one, each with whether it is the last."""
    start = 0
    while len(line) - start > _PIECE:
        blank = line.rfind(" ", start + _PIECE // 2, start + _PIECE)
        end = blank + 1 if blank >= 0 else start + _PIECE
        yield line[start:end], False
        start = end
    yield line[start:], True


class MonoBox(QWidget):
    """The text in its frame; as tall as it needs, at most `most` px, then with a bar of its own."""

    def __init__(self, name: str, text: str, *, most: int = 320, edge: str = "line", role: str = "mono") -> None:
        super().__init__()
        self._edge, self._most = edge, most
        self.content = text
        self.long = len(text) > _BIG
        self._heights: dict[tuple[int, int], int] = {}
        self.text: CodeText | _Long
        if self.long:
            self.text = _Long(name)
            self.text.setWordWrapMode(_wrapping(text))
            self.text.show_text(text)
        else:
            self.text = CodeText(name, role, wrap=True)
            self.text.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
            self.text.setWordWrapMode(_wrapping(text))
            self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            # Before the text: at no width at all one long word is laid out in time that grows with its square.
            self.text.setLineWrapColumnOrWidth(_WIDTH)
            self.text.show_text(text)
        # No layout: it would answer for the height in this widget's place.
        self.text.setParent(self)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        most = look.px(self._most)
        high = most if self.long else self._text_height(width)
        return min(high, most) + 2 * _PAD

    def _text_height(self, width: int) -> int:
        """The height of all lines; asked for dozens of times, so each width is laid out once."""
        asked = (width, look.zoom)
        if asked not in self._heights:
            self._wrap(width)
            self._heights[asked] = math.ceil(self.text.document().size().height())
        return self._heights[asked]

    def _wrap(self, width: int) -> None:
        """Breaks the lines for a box of this width."""
        wide = max(40, width - 10 - 8)
        if isinstance(self.text, CodeText) and wide != self.text.lineWrapColumnOrWidth():
            self.text.setLineWrapColumnOrWidth(wide)

    def sizeHint(self) -> QSize:
        return QSize(look.px(200), look.px(36))

    def resizeEvent(self, event: QResizeEvent) -> None:
        if not self.long:
            self._wrap(self.width())
            bar = self._text_height(self.width()) > look.px(self._most)
            policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if bar else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            self.text.setVerticalScrollBarPolicy(policy)
        self.text.setGeometry(self.rect().adjusted(10, _PAD, -4, -_PAD))

    def paintEvent(self, event: QPaintEvent) -> None:
        ground, edge = look.colour("code"), look.colour(self._edge)
        paint_card(QPainter(self), QRectF(self.rect()), ground, edge, 6)
