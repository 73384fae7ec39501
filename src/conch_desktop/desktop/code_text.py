"""Code: how it is coloured, and a text in mono that is only read."""

from __future__ import annotations

import time
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit

from conch_desktop.desktop.document import line_percent
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE

if TYPE_CHECKING:
    from pygments.lexer import Lexer

HEIGHT_MOST = 480
COLOURED_MOST = 30_000
"""Characters that are coloured; a longer block stays plain behind them."""

_COPIED_FOR = 1600
_COLOUR_AFTER = 120

_KINDS = (
    ("Keyword", "ck"),
    ("Name.Function", "cf"),
    ("Name.Class", "cf"),
    ("Name.Tag", "ck"),
    ("Name.Attribute", "cf"),
    ("Name.Decorator", "cf"),
    ("Literal.String", "cs"),
    ("Literal.Number", "cn"),
    ("Operator.Word", "ck"),
    ("Comment", "cc"),
)
"""pygments' kinds of tokens, and the colour each has."""


@lru_cache(64)
def find_lexer(language: str) -> Lexer | None:
    """The lexer of a language as models name it; None for none and for unknown ones."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def language_title(language: str) -> str:
    """What stands in the block's head."""
    lexer = find_lexer(language)
    return lexer.name if lexer is not None else language or "Text"


def coloured(code: str, language: str) -> list[list[tuple[int, int, str]]]:
    """For each line its coloured places: (start, length, token of the colour)."""
    found = Colouring(code, language)
    while not found.run(1.0):
        pass
    return found.lines


class Colouring:
    """Colours code a little at a time: `run` takes some seconds of work and tells whether all is done."""

    def __init__(self, code: str, language: str) -> None:
        self.lines: list[list[tuple[int, int, str]]] = []
        lexer = find_lexer(language)
        self._tokens = iter(lexer.get_tokens(code)) if lexer is not None else iter(())
        self._at = 0
        if lexer is not None:
            self.lines.append([])

    def run(self, seconds: float) -> bool:
        """Goes on for that long."""
        end = time.monotonic() + seconds
        for count, (kind, text) in enumerate(self._tokens):
            self._add(_tone(kind), text)
            if count % 32 == 31 and time.monotonic() > end:
                return False
        return True

    def _add(self, tone: str, text: str) -> None:
        for number, piece in enumerate(text.split("\n")):
            if number:
                self.lines.append([])
                self._at = 0
            size = units(piece)
            if tone and piece:
                self.lines[-1].append((self._at, size, tone))
            self._at += size


@cache
def _tone(kind: object) -> str:
    name = str(kind).removeprefix("Token.")
    return next((tone for start, tone in _KINDS if name.startswith(start)), "")


def units(text: str) -> int:
    """How long Qt counts a text to be: in UTF-16."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class CodeText(QTextEdit):
    """Text in mono that is only read. The wheel scrolls it only when it has the focus, else what it stands in."""

    def __init__(self, name: str, role: str = "code", *, wrap: bool = False) -> None:
        super().__init__()
        self._role = role
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QTextEdit.LineWrapMode.WidgetWidth if wrap else QTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere if wrap else QTextOption.WrapMode.NoWrap)
        self.setUndoRedoEnabled(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(0)
        self.restyle()

    def restyle(self) -> None:
        """Takes font, line height and size of tabs from the look of now."""
        font = look.font(self._role)
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.setTabStopDistance(QFontMetricsF(font).horizontalAdvance(" ") * 4)
        self._line_heights()

    def show_text(self, text: str) -> None:
        """Shows another text."""
        self.setPlainText(text)
        self._line_heights()

    def _line_heights(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        block = QTextBlockFormat()
        percent = line_percent(look.font(self._role), LINE[self._role])
        block.setLineHeight(percent, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(block)

    def wheelEvent(self, event: QWheelEvent) -> None:
        across = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        bar = self.verticalScrollBar()
        ends = bar.value() == (bar.minimum() if event.angleDelta().y() > 0 else bar.maximum())
        if across or (not ends and self.hasFocus()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())
