"""The parts of a message's row: the author's line, the place of the first word, the actions, and a text in segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.markdown import Segment, Segmenter, segments
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.table_block import TableBlock
from conch_desktop.desktop.text_block import TextBlock
from conch_desktop.desktop.theme import look


class Block(Protocol):
    """What a message is made of: a widget that lays itself out for a width and says how tall it is."""

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        ...


class Author(QWidget):
    """The name of the model above its answer."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label(name, "ui", "t3", parent=self)

    def set_name(self, name: str) -> None:
        """Another name."""
        self._label.setText(name)

    def fit(self, width: int) -> int:
        """Its height."""
        high = look.px(20)
        self._label.setGeometry(0, 0, width, high)
        return high


class Pulse(QWidget):
    """Stands where the first word will be."""

    def fit(self, width: int) -> int:
        """Its height."""
        return look.px(24)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("acc"))
        painter.drawRoundedRect(QRectF(0, look.px(4), look.px(8), look.px(16)), 2, 2)


class Stopped(QWidget):
    """Says that the person stopped it, with the way on."""

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        go_on = Button("Continue", "link", height=20)
        go_on.clicked.connect(lambda: self.acted.emit("go_on"))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(label("Stopped by you.", "small", "t3"))
        line.addWidget(go_on)
        line.addStretch(1)

    def fit(self, width: int) -> int:
        """Its height."""
        return fit_layout(self, width)


class Actions(QWidget):
    """Copy and Try again below an answer."""

    copied = Signal()
    again = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.copy = IconButton("copy", "Copy the message", 24)
        self.retry = IconButton("again", "Try again", 24)
        self.copy.clicked.connect(self.copied)
        self.retry.clicked.connect(self.again)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(1)
        line.addWidget(self.copy)
        line.addWidget(self.retry)
        line.addStretch(1)

    def fit(self, width: int) -> int:
        """Its height."""
        return look.px(24)


class Words:
    """The widgets of one part of text: those of settled segments stay, those of the last are written again.

    `make` makes an empty block for a kind of segment.
    """

    def __init__(self, make: Callable[[str], QWidget]) -> None:
        self._make = make
        self._text = ""
        self._segmenter: Segmenter | None = None
        self.widgets: list[tuple[str, QWidget]] = []
        self._settled = 0
        self.whole = False

    def show(self, text: str, *, whole: bool) -> None:
        """Shows the text as it is now; `whole` when no more of it comes."""
        if text == self._text and whole == self.whole:
            return
        if whole and self._segmenter is None:
            self._replace(segments(text), len(text), whole=True)
        else:
            if self._segmenter is None or not text.startswith(self._text):
                self._segmenter, self._settled, self._text = Segmenter(), 0, ""
            self._segmenter.put(text[len(self._text) :])
            rest = self._segmenter.close() if whole else self._segmenter.read()
            done = self._segmenter.settled
            new = done[self._settled :] + ([] if whole else rest)
            self._replace(new, len(done) - self._settled, whole=whole)
            self._settled = len(done)
        self._text, self.whole = text, whole

    def _replace(self, new: list[Segment], settled: int, *, whole: bool) -> None:
        """Shows `new` behind the widgets that are settled already; the first `settled` of them will not change."""
        for at, segment in enumerate(new):
            place = self._settled + at
            last = at == len(new) - 1 and not whole
            kind = segment.kind
            if place < len(self.widgets) and _fits(self.widgets[place][1], kind):
                widget = self.widgets[place][1]
            else:
                widget = self._make(kind)
                self.drop_from(place)
                self.widgets.append((kind, widget))
            self.widgets[place] = (_gap_kind(segment), widget)
            _fill(widget, segment, whole=not last)
        self.drop_from(self._settled + len(new))

    def drop_from(self, place: int) -> None:
        """Takes the widgets from `place` on away."""
        for _, widget in self.widgets[place:]:
            widget.hide()
            widget.deleteLater()
        del self.widgets[place:]


def _fits(widget: QWidget, kind: str) -> bool:
    return isinstance(widget, {"text": TextBlock, "code": CodeBlock, "table": TableBlock}[kind])


def _gap_kind(segment: Segment) -> str:
    if segment.kind == "text" and segment.tokens and segment.tokens[0].type == "heading_open":
        return "head"
    return segment.kind


def _fill(widget: QWidget, segment: Segment, *, whole: bool) -> None:
    if isinstance(widget, CodeBlock):
        widget.show_code(segment.code, segment.language, whole=whole)
    elif isinstance(widget, TableBlock):
        widget.show_table(segment.tokens)
    elif isinstance(widget, TextBlock):
        widget.show_tokens(segment.tokens)
