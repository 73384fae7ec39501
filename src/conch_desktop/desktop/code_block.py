"""A block of code: its language, Copy, and the text in colours, without wrapping."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.document import line_percent
from conch_desktop.desktop.parts import Line, label, paint_card
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
    lexer = find_lexer(language)
    if lexer is None:
        return []
    lines: list[list[tuple[int, int, str]]] = [[]]
    at = 0
    for kind, text in lexer.get_tokens(code):
        name = str(kind).removeprefix("Token.")
        tone = next((tone for start, tone in _KINDS if name.startswith(start)), "")
        pieces = text.split("\n")
        for number, piece in enumerate(pieces):
            if number:
                lines.append([])
                at = 0
            size = len(piece.encode("utf-16-le")) // 2  # Qt counts in UTF-16.
            if tone and piece:
                lines[-1].append((at, size, tone))
            at += size
    return lines


class _Colours(QSyntaxHighlighter):
    """Gives lines the colours that were found for them."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self.lines: list[list[tuple[int, int, str]]] = []

    def highlightBlock(self, text: str) -> None:
        number = self.currentBlock().blockNumber()
        if number < len(self.lines):
            for start, length, tone in self.lines[number]:
                self.setFormat(start, length, look.colour(tone))


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

    def append_text(self, text: str) -> None:
        """Adds text at the end."""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

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


class CodeBlock(QWidget):
    """Head and text in a frame. While it streams, only what is new is added."""

    refit = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._code, self._language = "", ""
        self._coloured = -1
        self._title = label("", "ui", "t2")
        self._copy = Button("Copy", "quiet", "copy", 28)
        self._copy.setAccessibleName("Copy the code")
        self._copy.clicked.connect(self._pressed)
        self.text = CodeText("Code")
        self._colours: _Colours | None = None
        head = QHBoxLayout()
        head.setContentsMargins(12, 2, 3, 2)
        head.addWidget(self._title, 1)
        head.addWidget(self._copy)
        body = QHBoxLayout()
        body.setContentsMargins(12, 8, 4, 8)
        body.addWidget(self.text)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)
        self._column.addLayout(head)
        self._column.addWidget(Line())
        self._column.addLayout(body, 1)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_COLOUR_AFTER)
        self._later.timeout.connect(self._colour)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_COPIED_FOR)
        self._back.timeout.connect(lambda: self._copy.change("Copy", "copy"))

    def show_code(self, code: str, language: str, *, whole: bool) -> None:
        """Shows the code; `whole` when no more of it comes."""
        if language != self._language or not self._title.text():
            self._language = language
            self._title.setText(language_title(language))
        if code != self._code:
            self._put(code)
        if whole:
            self._later.stop()
            self._colour()
        elif not self._later.isActive() and len(code) <= COLOURED_MOST:
            self._later.start()

    def _put(self, code: str) -> None:
        shown, new = _shown(self._code), _shown(code)
        if new.startswith(shown) and shown:
            self.text.append_text(new[len(shown) :])
        elif new != shown:
            self.text.show_text(new)
        self._code = code

    def _colour(self) -> None:
        if self._coloured == len(self._code) or not self._language:
            return
        if self._colours is None:
            self._colours = _Colours(self.text.document())
        self._colours.lines = coloured(self._code[:COLOURED_MOST], self._language)
        self._colours.rehighlight()
        self._coloured = len(self._code)

    def restyle(self) -> None:
        """Takes the look of now."""
        self.text.restyle()
        if self._colours is not None:
            self._colours.rehighlight()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        document = self.text.document()
        bar = look.px(12) if document.idealWidth() > width - 18 else 0
        text = min(math.ceil(document.size().height()) + bar, look.px(HEIGHT_MOST) - look.px(32))
        return look.px(32) + 3 + text + 16

    def _pressed(self) -> None:
        QGuiApplication.clipboard().setText(self._code)
        self._copy.change("Copied", "check")
        self._back.start()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._copy.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(QPainter(self), QRectF(self.rect()), look.colour("code"), look.colour("line"))


def _shown(code: str) -> str:
    """The code as it is shown: the line feed at its end opens no empty line."""
    return code[:-1] if code.endswith("\n") else code
