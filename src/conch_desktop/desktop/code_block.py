"""A block of code: its language and Copy in a head that stays in view, and the lines below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.code_lines import CodeLines
from conch_desktop.desktop.code_text import COLOURED_MOST, CodeText, coloured, find_lexer, language_title
from conch_desktop.desktop.parts import label, paint_card
from conch_desktop.desktop.theme import look

__all__ = ["COLOURED_MOST", "HEIGHT_MOST", "CodeBlock", "CodeText", "coloured", "find_lexer", "language_title"]

HEIGHT_MOST = 480
_COPIED_FOR = 1600
_PAD = 8


class _Head(QWidget):
    """The line above the code. It has a ground, because code moves below it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = label("", "ui", "t2", parent=self)
        self.copy = Button("Copy", "quiet", "copy", 28, parent=self)
        self.copy.setAccessibleName("Copy the code")
        line = QHBoxLayout(self)
        line.setContentsMargins(13, 3, 4, 2)
        line.addWidget(self.title, 1)
        line.addWidget(self.copy)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, 20)
        shape = QPainterPath()
        shape.addRoundedRect(box, 8, 8)
        painter.setClipRect(self.rect())
        painter.fillPath(shape, look.colour("code"))
        painter.setPen(look.colour("line"))
        painter.drawPath(shape)
        bottom = self.height() - 0.5
        painter.drawLine(0, round(bottom - 0.5), self.width(), round(bottom - 0.5))


class CodeBlock(QWidget):
    """Head and lines in a frame. While it streams, only what is new is added."""

    refit = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = "\0"
        self._code = ""
        self.text = CodeLines(self)
        self._head = _Head(self)
        self._copy = self._head.copy
        self._copy.clicked.connect(self._pressed)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_COPIED_FOR)
        self._back.timeout.connect(lambda: self._copy.change("Copy", "copy"))
        self._stuck = 0

    def show_code(self, code: str, language: str, *, whole: bool) -> None:
        """Shows the code; `whole` when no more of it comes."""
        if language != self._language:
            self._language = language
            self.text.setAccessibleName(f"Code, {language_title(language)}")
        self._code = code
        self.text.show_code(code, language, whole=whole)
        long = whole and self.text.text_height() > look.px(HEIGHT_MOST)
        title = f"{language_title(language)}, {self.text.count:,} lines" if long else language_title(language)
        if title != self._head.title.text():
            self._head.title.setText(title)

    def restyle(self) -> None:
        """Takes the look of now."""
        self.text.restyle()

    def _head_height(self) -> int:
        return look.px(32) + 1

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        head = self._head_height()
        inner = width - 13 - 5
        bar = self.text.horizontalScrollBar().sizeHint().height() if self.text.text_width() > inner else 0
        room = look.px(HEIGHT_MOST) - head
        text = min(self.text.text_height() + bar, room - 2 * _PAD)
        self.text.setGeometry(13, head + _PAD, inner, text)
        self._head.setGeometry(0, self._stuck, width, head)
        return head + text + 2 * _PAD

    def stick(self, above: int) -> None:
        """Keeps the head in view when the block begins `above` px above what is seen."""
        stuck = max(0, min(above, self.height() - 2 * self._head_height()))
        if stuck != self._stuck:
            self._stuck = stuck
            self._head.move(0, stuck)

    def _pressed(self) -> None:
        QGuiApplication.clipboard().setText(self._code)
        self._copy.change("Copied", "check")
        self._back.start()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._copy.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(QPainter(self), QRectF(self.rect()), look.colour("code"), look.colour("line"))
        if self.text.verticalScrollBar().maximum():
            self._paint_bar(QPainter(self))

    def _paint_bar(self, painter: QPainter) -> None:
        """Where in a long text the lines are."""
        bar = self.text.verticalScrollBar()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("line2"))
        track = self.text.geometry()
        whole = bar.maximum() + bar.pageStep()
        high = max(24.0, track.height() * bar.pageStep() / whole)
        top = track.y() + (track.height() - high) * bar.value() / max(1, bar.maximum())
        painter.drawRoundedRect(QRectF(self.width() - 4.5, top, 3, high), 1.5, 1.5)
