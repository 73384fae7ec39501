"""Finding words in the chat that is open: a bar above the messages, every hit marked, the one that is meant in view."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.blocks import Block
from conch_desktop.desktop.buttons import IconButton
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.popup import paint_shadow
from conch_desktop.desktop.selecting import face, part_of
from conch_desktop.desktop.theme import look
from conch_desktop.domain.messages import Message, Outline

if TYPE_CHECKING:
    from conch_desktop.desktop.chat_view import ChatView

_SLICE = 0.006
_AFTER = 60
_MARKUP = str.maketrans("", "", "*_`~\\")
_SHADOW = 10

Hit = tuple[int, int, int, int]
"""Message, block, start, end."""


def hits_in(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Where words stand in a text, whatever their case."""
    if words:
        for match in re.finditer(re.escape(words), text, re.IGNORECASE):
            yield match.start(), match.end()


class FindBar(QWidget):
    """The bar, and the search it steers. The search goes on in small slices while the window lives."""

    def __init__(self, view: ChatView) -> None:
        super().__init__(view)
        self._view = view
        self.setAccessibleName("Find in this chat")
        self.field = Field("Find in this chat", "Find in this chat", self)
        self._said = label("", "small", "t2", parent=self)
        self._up = IconButton("chevron-up", "Hit before (Shift+Enter)", 24, parent=self)
        self._down = IconButton("chevron-down", "Next hit (Enter)", 24, parent=self)
        self._close = IconButton("close", "Close (Esc)", 24, parent=self)
        line = QHBoxLayout(self)
        line.setContentsMargins(_SHADOW + 4, _SHADOW + 4, _SHADOW + 4, _SHADOW + 4)
        line.setSpacing(4)
        for part in (self.field, self._said, self._up, self._down, self._close):
            line.addWidget(part, 1 if part is self.field else 0)
        self._up.clicked.connect(lambda: self.step(-1))
        self._down.clicked.connect(lambda: self.step(1))
        self._close.clicked.connect(self.close_bar)
        self.field.entered.connect(lambda: self.step(1))
        self.field.went_back.connect(lambda: self.step(-1))
        self.field.escaped.connect(self.close_bar)
        self._hits: list[Hit] = []
        self._at = -1
        self._next = 0
        self._words = ""
        self._begun: tuple[int, int] = (0, 0)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_AFTER)
        self._soon.timeout.connect(self._begin)
        self.field.textChanged.connect(self._soon.start)
        self._work = QTimer(self)
        self._work.setInterval(0)
        self._work.timeout.connect(self._slice)
        self.hide()

    # The bar --------------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Shows the bar and gives it the keys."""
        self.place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._begin()

    def close_bar(self) -> bool:
        """Takes the bar and the marks away; False when it was not open."""
        if not self.isVisible():
            return False
        self.hide()
        self._work.stop()
        self._words = ""
        self.paint()
        self._view.list.setFocus(Qt.FocusReason.PopupFocusReason)
        return True

    def place(self) -> None:
        """At the top right of the chat."""
        wide = min(look.px(380) + 2 * _SHADOW, self._view.width() - 8)
        high = self.sizeHint().height()
        self.setGeometry(self._view.width() - wide - 6, 0, wide, high)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(self.rect()).adjusted(_SHADOW, _SHADOW / 2, -_SHADOW, -_SHADOW)
        paint_shadow(painter, card, 10, _SHADOW)
        painter.setPen(QPen(look.colour("line2"), 1))
        painter.setBrush(look.colour("raised"))
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)

    # The search -----------------------------------------------------------------------------------------------------

    @property
    def hits(self) -> list[Hit]:
        """The hits so far, from the top."""
        return self._hits

    def _begin(self) -> None:
        self._words = self.field.text().strip()
        self._hits, self._at, self._next = [], -1, 0
        self._say()
        self.paint()
        if self._words:
            self._work.start()

    def _slice(self) -> None:
        """Looks through messages for a few milliseconds."""
        end = time.monotonic() + _SLICE
        entries = self._view.entries
        while self._next < len(entries) and time.monotonic() < end:
            entry = entries[self._next]
            if isinstance(entry, Outline):
                self._work.stop()
                last = next((at for at in range(self._next, len(entries)) if isinstance(entries[at], Message)), None)
                self._view.wanted.emit(self._next, min(self._next + 200, len(entries) if last is None else last))
                self._soon_again()
                return
            if _may_hold(entry, self._words):
                self._look_into(self._next)
            self._next += 1
        if self._next >= len(entries):
            self._work.stop()
        if self._at < 0 and self._hits and (self._next >= len(entries) or self._hits[-1][0] >= self._first_seen()):
            self._go(self._nearest())
        self._say()

    def _soon_again(self) -> None:
        QTimer.singleShot(10, self, lambda: self._words and self.isVisible() and self._work.start())

    def _look_into(self, at: int) -> None:
        for number, block in enumerate(self._view.blocks_of(at)):
            if block.plain is not None:
                self._hits += [(at, number, *found) for found in hits_in(shown_text(block), self._words)]

    def _first_seen(self) -> int:
        live = [at for at, row in self._view.live() if row.geometry().bottom() > 0]
        return live[0] if live else 0

    def _nearest(self) -> int:
        seen = self._first_seen()
        return next((at for at, hit in enumerate(self._hits) if hit[0] >= seen), len(self._hits) - 1)

    def step(self, way: int) -> None:
        """The next hit, or the one before."""
        if self._soon.isActive():
            self._soon.stop()
            self._begin()
        if self._hits:
            self._go((self._at + way) % len(self._hits))

    def _go(self, at: int) -> None:
        self._at = at
        self._view.go_to_place(*self._hits[at][:3])
        self._say()
        self.paint()

    def _say(self) -> None:
        if not self._words:
            words = ""
        elif self._hits:
            words = f"{self._at + 1} of {len(self._hits):,}{'…' if self._work.isActive() else ''}"
        else:
            words = "…" if self._work.isActive() else "Not found"
        self._said.setText(words)
        for button in (self._up, self._down):
            button.setEnabled(bool(self._hits))

    def paint(self) -> None:
        """Marks the hits on what is live."""
        current = self._hits[self._at] if 0 <= self._at < len(self._hits) else None
        for at, row in self._view.live():
            for number, block in row.shown:
                if block.plain is None:
                    continue
                found = hits_in(shown_text(block), self._words) if self._words else ()
                face(block).mark([(start, end, (at, number, start, end) == current) for start, end in found])


def _may_hold(message: Message, words: str) -> bool:
    """Whether the words may stand in a message: they do in its source, with or without the marks of Markdown."""
    folded = words.casefold()
    text = message.text.casefold()
    return folded in text or folded.translate(_MARKUP) in text.translate(_MARKUP)


def shown_text(block: Block) -> str:
    """The text of a block in which places count: as Qt counts in documents, as characters in code."""
    if block.kind == "code":
        return str(block.what[0])
    if block.kind in ("math", "picture") and block.plain is not None:
        return block.plain()
    widget = block.widget
    document = getattr(widget, "document", None)
    if document is not None and block.filled == block.what:
        return str(document().toRawText())
    return raw_text(block)


def raw_text(block: Block) -> str:
    """The same for a block that is not on screen."""
    from PySide6.QtGui import QTextDocument

    from conch_desktop.desktop.document import Builder, write_table

    document = QTextDocument()
    if block.kind == "table":
        table, band = block.data
        write_table(document, table.cells(band), table.shape, head=band == 0)
    elif block.kind == "user":
        Builder(document).write_plain(block.what)
    else:
        Builder(document).write(block.data.tokens)
        block.data.forget()
    return document.toRawText()


__all__ = ["FindBar", "hits_in", "part_of", "raw_text", "shown_text"]
