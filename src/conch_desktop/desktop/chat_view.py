"""The chat: a virtual list of messages that never moves what is being read.

Heights of messages are estimates from their lengths, kept in a Fenwick tree, until they come near the window; only
there they have widgets. What is first in view is the anchor: whatever turns out taller or shorter, it stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from conch_desktop.desktop.heights import Heights
from conch_desktop.desktop.pill import Pill
from conch_desktop.desktop.reading_list import ReadingList
from conch_desktop.desktop.scroll import OverBar
from conch_desktop.desktop.theme import look
from conch_desktop.domain.messages import Message, Outline

if TYPE_CHECKING:
    from conch_desktop.desktop.blocks import Block
    from conch_desktop.desktop.finding import FindBar
    from conch_desktop.desktop.message_row import MessageRow
    from conch_desktop.desktop.selecting import Selecting
    from conch_desktop.tools.guard import Question

COLUMN, SIDE = 680, 24
_AT_END = 8
_TOP, _BOTTOM = 28, 20
_BEYOND = 8
_NEAR = 300
"""How far from the window a message has widgets."""
_READ_AHEAD = 12
_ROUNDS = 12
_SETTLE = 250
_GROWTH = 1024

Entry = Message | Outline


@dataclass(frozen=True, slots=True)
class Anchor:
    """What stays where it is: a message, a block of it, and how far below its top the window begins."""

    row: int
    block: int
    offset: int


class ChatView(QAbstractScrollArea):
    """Shows what it is given; announces what the person wants."""

    acted = Signal(str, str)
    edited = Signal(str, str)
    call_pressed = Signal(str)
    answered = Signal(str, str, str)
    link_pressed = Signal(str)
    picture_asked = Signal(str)
    attachment_opened = Signal(object)
    """The person wants to see what is attached to a message."""
    wanted = Signal(int, int)
    """Messages from one place up to another are needed and were not read yet."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Chat")
        self.setObjectName("chat")
        self._bar = OverBar(self)
        self.viewport().setObjectName("chat")
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.viewport().setMouseTracking(True)
        self._entries: list[Entry] = []
        self._heights = Heights()
        self._live: dict[int, MessageRow] = {}
        self._stores: dict[str, dict[Any, Any]] = {}
        self._chat = ""
        self._width = 0
        self._running = False
        self._question: Question | None = None
        self._open_call = ""
        self._follow = True
        self._placing = False
        self._asked: tuple[int, int] = (0, 0)
        self._left = (0, 0)
        self._news = False
        self._anchor = Anchor(0, 0, 0)
        self._selecting: Selecting | None = None
        self._find: FindBar | None = None
        self.list = ReadingList(self.viewport(), self._key)
        self.list.moved.connect(self._keys_moved)
        self._ringed = -1
        self.setFocusProxy(self.list)
        self._pill = Pill(self)
        self._pill.clicked.connect(self.go_to_end)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLE)
        self._settling.timeout.connect(self._estimate_again)
        self.verticalScrollBar().setSingleStep(40)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        look.changed.connect(self._restyle)

    # What is shown --------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[MessageRow]:
        """The messages that have widgets, from the top."""
        return [self._live[at] for at in sorted(self._live)]

    @property
    def entries(self) -> Sequence[Entry]:
        """All messages."""
        return self._entries

    def show_chat(
        self, chat: str, messages: Sequence[Entry], *, running: bool = False, question: Question | None = None
    ) -> None:
        """Shows the messages of a chat as they are now; another chat is shown from its end."""
        other = chat != self._chat or not self._entries
        new = list(messages)
        if other:
            self._clear()
            self._chat, self._follow = chat, True
            self._width = self.column_width()
            self._heights = Heights()
            if new:
                QTimer.singleShot(0, self, _warm)
        same = self._same(new)
        old, self._entries = self._entries, new
        changed = other or running != self._running or question != self._question or same < max(len(old), len(new))
        self._running, self._question = running, question
        if changed:
            self._renew(old, same)
            self._news = self._news or (not other and not self._follow)
            self._arrange()
            self._tell_new()

    def _same(self, new: list[Entry]) -> int:
        """How many messages at the start are the very same; quick when only the end is another."""
        old = self._entries
        shared = min(len(old), len(new))
        most = max(0, shared - 2)
        at = most if old[:most] == new[:most] else 0
        while at < shared and old[at] is new[at]:
            at += 1
        return at

    def _renew(self, old: list[Entry], same: int) -> None:
        """Makes heights and live rows fit the messages behind the first `same`."""
        from conch_desktop.desktop.blocks import entry_height, entry_heights

        new, heights = self._entries, self._heights
        ids = same
        while ids < min(len(old), len(new)) and old[ids].id == new[ids].id:
            ids += 1
        for at in [at for at in self._live if at >= ids]:
            self._drop(at)
        heights.cut(ids)
        for at in range(same, ids):
            if at not in self._live and old[at] is not new[at]:
                heights[at] = entry_height(new[at], self._width) + self._gap(at)
        if ids < len(new):
            gaps = {role: look.px(24 if role == "user" else 16) for role in ("user", "assistant")}
            more = [
                high + gaps[one.role]
                for one, high in zip(new[ids:], entry_heights(new[ids:], self._width), strict=True)
            ]
            if not ids:
                more[0] += look.px(_TOP) - gaps[new[0].role]
                self._heights = Heights(more)
            else:
                for high in more:
                    heights.append(high)
        if ids < len(old) and self._selecting is not None:
            self._selecting.clear()
        self.list.show_entries(new, ids)
        for at in list(self._live):
            self._show_row(at)

    def _show_row(self, at: int) -> None:
        message, last = self._entries[at], at == len(self._entries) - 1
        running = self._running and last and message.role == "assistant"
        self._live[at].show_message(message, running=running, last=last, question=self._question if last else None)

    def _clear(self) -> None:
        for at in list(self._live):
            self._drop(at)
        self._entries = []
        self._heights = Heights()
        self._stores.clear()
        self._asked = (0, 0)
        self._anchor = Anchor(0, 0, 0)
        if self._selecting is not None:
            self._selecting.clear()
        self.list.show_entries([], 0)

    def _gap(self, at: int) -> int:
        """The space above a message."""
        if at == 0:
            return look.px(_TOP)
        return look.px(24 if self._entries[at].role == "user" else 16)

    def _row(self, at: int) -> MessageRow:
        """The row of a message, made when there is none."""
        found = self._live.get(at)
        if found is None:
            from conch_desktop.desktop.message_row import MessageRow

            store = self._stores.setdefault(self._entries[at].id, {})
            found = self._live[at] = MessageRow(self._entries[at], self.viewport(), store)
            found.acted.connect(self.acted)
            found.edited.connect(self.edited)
            found.call_pressed.connect(self.call_pressed)
            found.answered.connect(self.answered)
            found.link_pressed.connect(self.link_pressed)
            found.picture_asked.connect(self.picture_asked)
            found.attachment_opened.connect(self.attachment_opened)
            found.menu_asked.connect(self._menu_at)
            found.refit.connect(self._refit)
            found.grown.connect(self._grown)
            self._show_row(at)
            found.set_open_call(self._open_call)
            found.show()
        return found

    def _drop(self, at: int) -> None:
        row = self._live.pop(at)
        row.let_go()
        row.hide()
        row.deleteLater()
        if not self._stores.get(row.message.id, True):
            del self._stores[row.message.id]

    def show_open_call(self, call: str) -> None:
        """Marks the line of the call whose card is open."""
        self._open_call = call
        for row in self._live.values():
            row.set_open_call(call)

    def show_image(self, address: str, image: Any, trouble: str = "") -> None:
        """A picture that was asked for came, or did not."""
        for row in self._live.values():
            row.show_image(address, image, trouble)

    def question_card(self) -> QWidget | None:
        """The open question."""
        row = self._live.get(len(self._entries) - 1)
        return row.question_card() if row is not None else None

    def go_to_call(self, call: str) -> None:
        """Brings a call's line or question into view."""
        for at, entry in enumerate(self._entries):
            if isinstance(entry, Message) and any(one.id == call for one in entry.calls):
                place = self._row(at).place_of(call) or 0
                self._go(at, self._row(at).block_at(place), -self.viewport().height() // 3)

    def go_to_message(self, message_id: str) -> None:
        """Brings a message into view."""
        at = next((at for at, entry in enumerate(self._entries) if entry.id == message_id), None)
        if at is not None:
            self._go(at, 0, -look.px(24))

    def go_to_place(self, row: int, block: int, place: int) -> None:
        """Brings a place in a block of a message into view."""
        from conch_desktop.desktop.code_block import CodeBlock

        self._go(row, block, -self.viewport().height() // 3)
        blocks = self._live[row].blocks if row in self._live else []
        part = blocks[block].widget if block < len(blocks) else None
        if isinstance(part, CodeBlock):
            part.text.reveal(place)
        elif part is not None:
            top = part.top_of(place)  # type: ignore[attr-defined]
            if top > self.viewport().height() // 3:
                self._go(row, block, top - self.viewport().height() // 3)

    @property
    def busy(self) -> bool:
        """Whether an answer runs."""
        return self._running

    def _go(self, row: int, block: int, offset: int) -> None:
        self._follow = False
        self._anchor = Anchor(row, block, offset)
        self._arrange()
        self._scrolled(self.verticalScrollBar().value())

    # Place ----------------------------------------------------------------------------------------------------------

    def at_end(self) -> bool:
        """Whether the end is in view."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _AT_END

    def go_to_end(self) -> None:
        """Shows the end and follows it from now on."""
        self._follow = True
        self._arrange()
        self._tell_new()

    def column_width(self) -> int:
        """The width of the column of text."""
        return max(120, min(look.px(COLUMN), self.viewport().width() - 2 * SIDE))

    def _top_of(self, at: int) -> int:
        """How far down the row of a message begins."""
        return self._heights.above(at) + self._gap(at)

    def _whole(self) -> int:
        return self._heights.total + look.px(_BOTTOM)

    def _find_anchor(self, top: int) -> Anchor:
        """What is first in view when the window begins at `top`."""
        if not self._entries:
            return Anchor(0, 0, 0)
        at = self._heights.find(top)
        row = self._live.get(at)
        inside = top - self._top_of(at)
        if row is None or inside < 0:
            return Anchor(at, 0, inside)
        block = row.block_at(inside)
        return Anchor(at, block, inside - row.top_of(block))

    def _start(self) -> int:
        """Where the window begins: at the end, or so that the anchor is where it was."""
        most = max(0, self._whole() - self.viewport().height())
        if self._follow:
            return most
        anchor = self._anchor
        if anchor.row >= len(self._entries):
            return most
        row = self._live.get(anchor.row)
        inside = row.top_of(min(anchor.block, len(row.blocks) - 1)) if row is not None and row.blocks else 0
        return max(0, min(most, self._top_of(anchor.row) + inside + anchor.offset))

    def _arrange(self) -> None:
        """Gives widgets and places to what is near the window, until nothing turns out otherwise than thought."""
        if self._placing:
            return
        self._placing = True
        self._width = self.column_width()
        high = self.viewport().height()
        needed: set[int] = set()
        for _ in range(_ROUNDS):
            start = self._start()
            needed = self._fit_near(start - _NEAR, start + high + _NEAR)
            if self._start() == start and not self._fit_changed:
                break
        for at in [at for at in self._live if at not in needed and not self._live[at].held()]:
            self._drop(at)
        self._place()
        self._placing = False
        self._ask()
        if self._selecting is not None:
            self._selecting.paint()
        if self._find is not None and self._find.isVisible():
            self._find.paint()

    _fit_changed = False

    def _fit_near(self, top: int, bottom: int) -> set[int]:
        """Lays out the messages between two heights; gives their numbers."""
        needed: set[int] = set()
        self._fit_changed = False
        at = self._heights.find(top) if self._entries else 0
        while at < len(self._entries):
            y = self._top_of(at)
            if y > bottom:
                break
            row = self._row(at)
            needed.add(at)
            row.arrange(self._width, top - y, bottom - y)
            whole = row.tall + self._gap(at)
            if self._heights[at] != whole:
                self._heights[at] = whole
                self._fit_changed = True
            at += 1
        return needed

    def _place(self) -> None:
        """Moves the rows to where they are, and the bar with them."""
        start = self._start()
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, self._whole() - self.viewport().height()))
        bar.setValue(start)
        left = max(SIDE, (self.viewport().width() - self._width) // 2) - _BEYOND
        last = len(self._entries) - 1
        for at, row in self._live.items():
            # The last row grows in steps: what is only moved is copied, what is resized is painted again.
            high = -(-(row.tall + 1) // _GROWTH) * _GROWTH if at == last and self._running else max(1, row.tall)
            row.move(left, self._top_of(at) - start)
            row.resize(self._width + 2 * _BEYOND, high)
            row.stick(-row.y())
        if not self._follow:
            self._anchor = self._find_anchor(start)

    def _ask(self) -> None:
        """Asks for messages near the window that were not read yet."""
        missing = [at for at in self._live if isinstance(self._entries[at], Outline)]
        if missing:
            first = max(0, min(missing) - _READ_AHEAD)
            last = min(len(self._entries), max(missing) + 1 + _READ_AHEAD)
            if (first, last) != self._asked:
                self._asked = (first, last)
                self.wanted.emit(first, last)

    def _refit(self) -> None:
        # A row unfolds where it was pressed: its own top is what stays, also at the end of the chat.
        self._follow = self._follow and self._running
        if not self._follow:
            self._anchor = self._find_anchor(self.verticalScrollBar().value())
        self._arrange()

    def _grown(self) -> None:
        # What is first in view stays, or the end does.
        self._arrange()

    def _tell_new(self) -> None:
        if not self._entries:
            self._pill.hide()
            return
        last = len(self._entries) - 1
        if self._follow or self.at_end():
            self._left = (last, self._heights[last])
            self._news = False
            self._pill.hide()
            return
        row, high = self._left
        row = min(row, last)
        line = QFontMetrics(look.font("chat")).lineSpacing()
        more = self._heights.total - self._heights.above(row) - high
        self._pill.say(max(0, more // max(1, line)) if self._news else 0)
        self._pill.show()
        self._put_pill()

    def _put_pill(self) -> None:
        size = self._pill.sizeHint()
        spot = QPoint((self.width() - size.width()) // 2, self.height() - size.height() - 8)
        self._pill.move(spot)
        self._pill.raise_()

    def _scrolled(self, value: int) -> None:
        if self._placing or not self._entries:
            return
        self._follow = self.at_end()
        self._anchor = self._find_anchor(value)
        self._arrange()
        if self.at_end():
            self._follow = True
        self._tell_new()

    def _restyle(self) -> None:
        for row in self._live.values():
            row.restyle()
        self._estimate_again()

    def _estimate_again(self) -> None:
        """After another width or size of type, the messages that are not live are as tall as they are thought to be."""
        from conch_desktop.desktop.blocks import entry_heights

        if not self._entries:
            return
        known = {at: row.tall for at, row in self._live.items()}
        guessed = entry_heights(self._entries, self._width)
        self._heights = Heights(known.get(at, high) + self._gap(at) for at, high in enumerate(guessed))
        self._arrange()
        self._tell_new()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._bar.place()
        self.list.setGeometry(self.viewport().rect())
        if self._find is not None:
            self._find.place()
        if self.column_width() != self._width:
            self._settling.start()
        self._arrange()
        self._put_pill()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The rows are moved by `_arrange`."""

    # Keys and pointer -----------------------------------------------------------------------------------------------

    def live(self) -> list[tuple[int, MessageRow]]:
        """The messages that have widgets, with their numbers, from the top."""
        return sorted(self._live.items())

    def blocks_of(self, at: int) -> list[Block]:
        """The blocks of a message, also of one that has no widgets."""
        if at in self._live:
            return self._live[at].blocks
        from conch_desktop.desktop.blocks import Kept, message_blocks

        return message_blocks(self._entries[at], Kept(), last=at == len(self._entries) - 1)

    def take_focus(self) -> None:
        """Puts the keys on the messages: where they were, or on the last one."""
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
        if self.list.row < 0:
            self.list.go(len(self._entries) - 1)

    def copy_message(self, at: int) -> None:
        """Copies a message as it was written."""
        if 0 <= at < len(self._entries):
            self._row(at).copy_markdown()

    def open_message(self, at: int) -> None:
        """Enter on a message: its last call's card, or the menu of one without calls."""
        entry = self._entries[at] if 0 <= at < len(self._entries) else None
        if isinstance(entry, Message) and entry.calls:
            self.call_pressed.emit(entry.calls[-1].id)
        else:
            self.open_menu_of(at)

    def open_menu_of(self, at: int) -> None:
        """Opens the menu of a message, beside it."""
        from conch_desktop.desktop.message_menu import open_menu

        row = self._live.get(at)
        if row is not None:
            spot = QPoint(row.x() + look.px(24), max(8, min(self.viewport().height() - 40, row.y() + look.px(24))))
            open_menu(self, spot, self.viewport().mapToGlobal(spot))

    def _menu_at(self, where: QPoint) -> None:
        from conch_desktop.desktop.message_menu import open_menu

        open_menu(self, self.viewport().mapFromGlobal(where), where)

    @property
    def selecting(self) -> Selecting:
        """What is selected, and how."""
        if self._selecting is None:
            from conch_desktop.desktop.selecting import Selecting

            self._selecting = Selecting(self)
        return self._selecting

    def open_find(self) -> None:
        """Opens the search in this chat."""
        if self._find is None:
            from conch_desktop.desktop.finding import FindBar

            self._find = FindBar(self)
        self._find.open()

    def close_find(self) -> bool:
        """Closes the search; False when it was not open."""
        return self._find is not None and self._find.close_bar()

    def _keys_moved(self, row: int) -> None:
        if row >= 0:
            top = self._top_of(row) if row < len(self._entries) else 0
            bar = self.verticalScrollBar()
            high = self._heights[row]
            if not (bar.value() <= top and top + min(high, 80) <= bar.value() + self.viewport().height()):
                self._go(row, 0, -look.px(24))
        self._ringed = row
        self.viewport().update()

    def _key(self, event: QKeyEvent) -> bool:
        from conch_desktop.desktop.selecting import key_pressed

        return key_pressed(self, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        row = self._live.get(self._ringed)
        if row is None or not self.list.hasFocus():
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("acc"), 2))
        painter.drawRoundedRect(QRectF(row.geometry()).adjusted(-5, -5, 5, 5), 8, 8)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selecting.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.selecting.drag(event.position().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selecting.release(event.position().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selecting.double(event.position().toPoint())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._menu_at(event.globalPos())


def _warm() -> None:
    """Makes the reader ready before the first words of an answer; an empty window does without it."""
    from conch_desktop.desktop.markdown import warm

    warm()
