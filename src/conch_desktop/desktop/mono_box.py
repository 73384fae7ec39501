"""A framed text in mono: what was sent, what ran, what came back."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from conch_desktop.desktop.code_text import CodeText
from conch_desktop.desktop.parts import paint_card
from conch_desktop.desktop.theme import look

_BIG = 20_000
"""Characters from which a text is laid out only where it is seen."""

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


class MonoBox(QWidget):
    """The text in its frame; as tall as it needs, at most `most` px, then with a bar of its own."""

    def __init__(self, name: str, text: str, *, most: int = 320, edge: str = "line", role: str = "mono") -> None:
        super().__init__()
        self._edge, self._most = edge, most
        self.content = text
        self.long = len(text) > _BIG
        self.text: CodeText | _Long
        if self.long:
            self.text = _Long(name)
            self.text.setWordWrapMode(_wrapping(text))
            self.text.setPlainText(text)
        else:
            self.text = CodeText(name, role, wrap=True)
            self.text.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
            self.text.setWordWrapMode(_wrapping(text))
            self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.text.show_text(text)
        # No layout: it would answer for the height in this widget's place.
        self.text.setParent(self)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if isinstance(self.text, CodeText):
            self.text.setLineWrapColumnOrWidth(max(40, width - 10 - 8))
            high = math.ceil(self.text.document().size().height())
            bar = high > look.px(self._most)
            policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if bar else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            self.text.setVerticalScrollBarPolicy(policy)
        else:
            high = look.px(self._most)
        return min(high, look.px(self._most)) + 2 * _PAD

    def sizeHint(self) -> QSize:
        return QSize(look.px(200), look.px(36))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.text.setGeometry(self.rect().adjusted(10, _PAD, -4, -_PAD))

    def paintEvent(self, event: QPaintEvent) -> None:
        ground, edge = look.colour("code"), look.colour(self._edge)
        paint_card(QPainter(self), QRectF(self.rect()), ground, edge, 6)
