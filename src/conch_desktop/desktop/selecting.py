"""Selecting in the chat with pointer and keys, within a message and across them, also beyond what is on screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QTextDocument
from PySide6.QtWidgets import QApplication, QWidget

from conch_desktop.desktop.blocks import Block
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.document import Builder, write_table
from conch_desktop.desktop.selection import Part, Place, Span, copied
from conch_desktop.desktop.text_block import TextBlock, plain_between
from conch_desktop.domain.messages import Outline

if TYPE_CHECKING:
    from conch_desktop.desktop.chat_view import ChatView
    from conch_desktop.desktop.message_row import MessageRow

_WHOLE = 1 << 60
_STEP = 16


def face(block: Block) -> Any:
    """The part of a block's widget that text is chosen in."""
    return block.widget.text if isinstance(block.widget, CodeBlock) else block.widget


class Selecting(QObject):
    """The selection of one chat view."""

    def __init__(self, view: ChatView) -> None:
        super().__init__(view)
        self._view = view
        self.span: Span | None = None
        self._pressed: QPoint | None = None
        self._held: MessageRow | None = None
        self._clicks = 0
        self._double_at = QPoint()
        self._last = QPoint()
        self._scroll = QTimer(self)
        self._scroll.setInterval(_STEP)
        self._scroll.timeout.connect(self._scroll_on)

    @property
    def empty(self) -> bool:
        """Whether nothing is selected."""
        return self.span is None or self.span.empty

    def clear(self) -> None:
        """Selects nothing."""
        self.span = None
        self.paint()

    def choose_all(self) -> None:
        """Selects the whole chat."""
        count = len(self._view.entries)
        if count:
            self.span = Span(Place(0, 0, 0), Place(count - 1, _WHOLE, _WHOLE))
            self.paint()

    # Pointer --------------------------------------------------------------------------------------------------------

    def place_at(self, point: QPoint) -> Place | None:
        """The place in the chat under a point of the viewport, or the nearest one."""
        rows = [(at, row) for at, row in self._view.live() if row.blocks]
        if not rows:
            return None
        at, row = rows[0]
        for number, other in rows:
            if other.y() <= point.y():
                at, row = number, other
        inside = point - row.pos()
        best = None
        for number, block in row.shown:
            if block.plain is None or block.widget is None:
                continue
            if best is None or block.widget.y() <= inside.y():
                best = number
        if best is None:
            return Place(at, 0, 0)
        block = row.blocks[best]
        part: QWidget = face(block)
        viewport = getattr(part, "viewport", None)
        target = viewport() if viewport is not None else part
        spot = target.mapFrom(self._view.viewport(), point)
        if spot.y() < 0 and best == _first(row):
            return Place(at, best, 0)
        spot.setY(max(0, min(target.height() - 1, spot.y())))
        return Place(at, best, part.hit(spot))  # type: ignore[attr-defined]

    def press(self, event: QMouseEvent) -> None:
        """The button goes down: a selection begins, or grows with Shift."""
        point = event.position().toPoint()
        self._view.list.setFocus(Qt.FocusReason.MouseFocusReason)
        again = (point - self._double_at).manhattanLength() < QApplication.startDragDistance()
        if self._clicks == 2 and again:
            self._clicks = 3
            self._choose_block(point)
            return
        self._clicks = 1
        place = self.place_at(point)
        self._pressed = point
        for _, row in self._view.live():
            if row.geometry().contains(point):
                self._held = row
                row.hold(row.childAt(point - row.pos()))
        if place is None:
            return
        extend = event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self.span is not None
        self.span = Span(self.span.anchor, place) if extend and self.span is not None else Span(place, place)
        self.paint()

    def drag(self, point: QPoint) -> None:
        """The pointer moves with the button down."""
        if self._pressed is None or self.span is None:
            return
        self._last = point
        place = self.place_at(point)
        if place is not None and place != self.span.head:
            self.span = Span(self.span.anchor, place)
            self.paint()
        outside = not 0 <= point.y() < self._view.viewport().height()
        if outside != self._scroll.isActive():
            self._scroll.start() if outside else self._scroll.stop()

    def _scroll_on(self) -> None:
        """Goes on selecting where the pointer left the window."""
        y = self._last.y()
        far = y if y < 0 else y - self._view.viewport().height()
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + max(-80, min(80, far)))
        inside = QPoint(self._last.x(), max(0, min(self._view.viewport().height() - 1, y)))
        place = self.place_at(inside)
        if place is not None and self.span is not None:
            self.span = Span(self.span.anchor, place)
            self.paint()

    def release(self, point: QPoint) -> None:
        """The button goes up: a link that was only pressed is followed."""
        self._scroll.stop()
        if self._held is not None:
            self._held.let_go()
            self._held = None
        pressed, self._pressed = self._pressed, None
        if pressed is None or (point - pressed).manhattanLength() > 3:
            self._to_primary()
            return
        if self.empty:
            for _, row in self._view.live():
                for _, block in row.shown:
                    if isinstance(block.widget, TextBlock) and block.widget.isVisible():
                        spot = block.widget.viewport().mapFrom(self._view.viewport(), point)
                        if block.widget.viewport().rect().contains(spot) and block.widget.press_link(spot):
                            return

    def double(self, point: QPoint) -> None:
        """A double press selects a word; one more the block."""
        self._clicks = 2
        self._double_at = point
        place = self.place_at(point)
        block = self._block(place)
        if place is not None and block is not None:
            start, end = face(block).word_at(place.at)
            self.span = Span(Place(place.row, place.block, start), Place(place.row, place.block, end))
            self.paint()

    def _choose_block(self, point: QPoint) -> None:
        place = self.place_at(point)
        if place is not None:
            self.span = Span(Place(place.row, place.block, 0), Place(place.row, place.block, _WHOLE))
            self.paint()

    def _block(self, place: Place | None) -> Block | None:
        if place is None:
            return None
        row = dict(self._view.live()).get(place.row)
        return row.blocks[place.block] if row is not None and place.block < len(row.blocks) else None

    # Paint and copy -------------------------------------------------------------------------------------------------

    def paint(self) -> None:
        """Shows on the live widgets what of them is selected."""
        for at, row in self._view.live():
            for number, block in row.shown:
                if block.plain is None:
                    continue
                start, end = self.span.inside(at, number, _WHOLE) if self.span is not None else (0, 0)
                face(block).choose(*_short(start, end))

    def text(self) -> str:
        """What is selected, as plain text in order."""
        if self.span is None or self.span.empty:
            return ""
        return copied(self.span, self._row_parts)

    def _row_parts(self, at: int) -> Sequence[tuple[int, Callable[[], str], Part]]:
        return [
            (number, block.plain, lambda start, end, block=block: part_of(block, start, end))  # type: ignore[misc]
            for number, block in enumerate(self._view.blocks_of(at))
            if block.plain is not None
        ]

    def missing(self) -> tuple[int, int] | None:
        """The messages that must be read before all of the selection can be copied."""
        if self.span is None:
            return None
        first, last = self.span.first.row, self.span.last.row + 1
        found = any(isinstance(entry, Outline) for entry in self._view.entries[first:last])
        return (first, last) if found else None

    def copy(self) -> None:
        """Copies what is selected; what was not read yet is asked for first."""
        missing = self.missing()
        if missing is not None:
            self._view.wanted.emit(*missing)
            QTimer.singleShot(60, self, self.copy)
            return
        text = self.text()
        if text:
            QGuiApplication.clipboard().setText(text)

    def _to_primary(self) -> None:
        """What was selected with the pointer can be pasted with the middle button, where that is the custom."""
        board = QGuiApplication.clipboard()
        if board.supportsSelection() and not self.empty and self.missing() is None:
            board.setText(self.text(), board.Mode.Selection)


def _short(start: int, end: int) -> tuple[int, int]:
    return min(start, 1 << 30), min(end, 1 << 30)


def _first(row: MessageRow) -> int:
    return next((at for at, block in enumerate(row.blocks) if block.plain is not None), 0)


def part_of(block: Block, start: int, end: int) -> str:
    """The words of a block between two places, whether it is on screen or not."""
    if block.kind == "code":
        return str(block.what[0])[start:end]
    if block.kind in ("math", "picture"):
        whole = block.plain() if block.plain is not None else ""
        return whole if end > start else ""
    document = QTextDocument()
    if block.kind == "table":
        table, band = block.data
        write_table(document, table.cells(band), table.shape, head=band == 0)
    elif block.kind == "user":
        Builder(document).write_plain(block.what)
    else:
        Builder(document).write(block.data.tokens)
    return plain_between(document, start, min(end, document.characterCount() - 1))


def key_pressed(view: ChatView, event: QKeyEvent) -> bool:
    """A key while the messages have the focus; False when it means nothing here."""
    selecting, bar, at = view.selecting, view.verticalScrollBar(), view.list.row
    if event.matches(QKeySequence.StandardKey.Copy):
        if selecting.empty:
            view.copy_message(at)
        else:
            selecting.copy()
    elif event.matches(QKeySequence.StandardKey.SelectAll):
        selecting.choose_all()
    elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        step = -1 if event.key() == Qt.Key.Key_Up else 1
        last = len(view.entries) - 1
        view.list.go(max(0, min(last, at + step)) if at >= 0 else last)
    elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Space):
        back = event.key() == Qt.Key.Key_PageUp or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        bar.setValue(bar.value() + (-1 if back else 1) * max(40, bar.pageStep() - 40))
    elif event.key() == Qt.Key.Key_Home:
        bar.setValue(0)
    elif event.key() == Qt.Key.Key_End:
        view.go_to_end()
    elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        view.open_message(at)
    elif event.key() == Qt.Key.Key_Menu:
        view.open_menu_of(at)
    else:
        return False
    return True
