"""Marks in a read-only text: dotted, filled, struck or red, and the ring around the places a line is about.

Marks are only paint: what is shown and copied stays byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from conch_desktop.desktop.marks import Span
from conch_desktop.desktop.theme import look

_RINGED_MOST = 400
"""Characters of a place that are ringed; a longer one is ringed as far as this."""


def utf16(text: str, characters: int) -> int:
    """A place in characters as a place in Qt's UTF-16."""
    return len(text[:characters].encode("utf-16-le", "surrogatepass")) // 2


def mark_text(edit: QTextEdit, text: str, marks: Iterable[tuple[int, int, str]]) -> None:
    """Paints `marks` (start, end, kind) into the editor that shows `text`."""
    edit.setExtraSelections([_selection(edit, text, start, end, kind) for start, end, kind in marks])


def _selection(edit: QTextEdit, text: str, start: int, end: int, kind: str) -> QTextEdit.ExtraSelection:
    form = QTextCharFormat()
    if kind == "value":
        form.setBackground(look.colour("mendM"))
    elif kind == "out":
        form.setBackground(look.colour("errS"))
        form.setFontStrikeOut(True)
    elif kind == "wrong":
        form.setBackground(look.colour("errS"))
        form.setForeground(look.colour("err"))
    elif kind == "note":
        form.setForeground(look.colour("t2"))
    else:
        form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        form.setUnderlineColor(look.colour("mend"))
    selection = QTextEdit.ExtraSelection()
    selection.format = form
    selection.cursor = _cursor(edit, text, start, end)
    return selection


def _cursor(edit: QTextEdit, text: str, start: int, end: int) -> QTextCursor:
    most = edit.document().characterCount() - 1
    cursor = QTextCursor(edit.document())
    cursor.setPosition(min(utf16(text, start), most))
    cursor.setPosition(min(utf16(text, end), most), QTextCursor.MoveMode.KeepAnchor)
    return cursor


class Rings(QWidget):
    """Rounded boxes over the places a mend is about, one a line. Takes no mouse."""

    def __init__(self, edit: QTextEdit, text: str) -> None:
        super().__init__(edit.viewport())
        self._edit, self._text = edit, text
        self.spans: Sequence[Span] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        edit.viewport().installEventFilter(self)
        edit.verticalScrollBar().valueChanged.connect(self.update)
        self.hide()

    def ring(self, spans: Sequence[Span]) -> None:
        """Rings these places, or none."""
        self.spans = spans
        self.setGeometry(self._edit.viewport().rect())
        self.setVisible(bool(spans))
        self.raise_()
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._edit.viewport().rect())
        return False

    def boxes(self) -> list[QRectF]:
        """The boxes, in the editor's own place."""
        found: list[QRectF] = []
        for start, end in self.spans:
            line: QRectF | None = None
            for at in range(start, min(end, start + _RINGED_MOST) + 1):
                spot = QRectF(self._edit.cursorRect(_cursor(self._edit, self._text, at, at)))
                if line is None or spot.top() > line.top() + 2:
                    line = QRectF(spot)
                    found.append(line)
                line.setRight(max(line.right(), spot.left() + 1))
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("mend"), 1.5))
        for box in self.boxes():
            if box.width() > 2:
                painter.drawRoundedRect(box.adjusted(-1.5, 0, 1.5, 0), 3, 3)
