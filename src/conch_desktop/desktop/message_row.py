"""One message in the chat: its author, its words, its calls, what went wrong, and what can be done with it.

It is a column of blocks. Only those near the window have a widget; the others are as tall as they are thought to be.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.attachments import AttachedStrip
from conch_desktop.desktop.blocks import UNFILLED, USER_WIDTH, Block, Kept, carry, message_blocks
from conch_desktop.desktop.buttons import IconButton
from conch_desktop.desktop.call_line import BEYOND, CallLine
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.edit_block import EditBlock
from conch_desktop.desktop.heights import Heights
from conch_desktop.desktop.math_block import MathBlock
from conch_desktop.desktop.message_parts import Actions, Author, Loading, Pulse, Stopped
from conch_desktop.desktop.notice_line import NoticeLine
from conch_desktop.desktop.picture_block import PictureBlock
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.table_block import TableBlock, TableMore
from conch_desktop.desktop.text_block import MARGIN, TextBlock
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.thinking import Thinking
from conch_desktop.desktop.trouble import Trouble, TroubleBlock
from conch_desktop.domain.messages import Message, Outline
from conch_desktop.domain.tools import BUILTIN

if TYPE_CHECKING:
    from conch_desktop.tools.guard import Question

_USER_PAD_X, _USER_PAD_Y = 14, 7.5
_INDENT = 22
_STRIP_GAP = 8
_FAR = 1 << 30

_GAPS = {
    ("author", "text"): 6,
    ("author", "call"): 7,
    ("author", "think"): 4,
    ("text", "text"): 12,
    ("text", "item"): 3,
    ("code", "item"): 8,
    ("text", "head"): 20,
    ("text", "call"): 4,
    ("call", "call"): 1,
    ("call", "text"): 9,
    ("call", "head"): 14,
    ("think", "text"): 6,
    ("think", "think"): 0,
    ("think", "call"): 4,
    ("call", "think"): 4,
    ("text", "question"): 7,
    ("text", "table"): 6,
    ("table", "text"): 14,
    ("table", "band"): 0,
    ("user", "user"): 0,
}
"""Space between two kinds of parts, in px; any other pair gets 12."""
_BEFORE = {"head": "text", "item": "text", "band": "table"}

_COPIED_FOR = 1600


class MessageRow(QWidget):
    """A message as a column of blocks. It is laid out by whoever scrolls it: `arrange`, or `fit` for all of it."""

    acted = Signal(str, str)
    """What the person wants with this message: (message id, "retry" | "go_on" | "key" | "model")."""
    edited = Signal(str, str)
    """The person changed this message: (message id, the new words)."""
    call_pressed = Signal(str)
    menu_asked = Signal(QPoint)
    """The menu of this message is wanted at this place on the screen."""
    answered = Signal(str, str, str)
    link_pressed = Signal(str)
    picture_asked = Signal(str)
    attachment_opened = Signal(object)
    refit = Signal()
    grown = Signal()
    """A block is another height by itself; `refit`: because the person pressed something."""

    def __init__(self, message: Message | Outline, parent: QWidget, store: dict[Any, Any] | None = None) -> None:
        super().__init__(parent)
        self.message = message
        self._user = message.role == "user"
        self._store = {} if store is None else store
        self.blocks: list[Block] = []
        self._tops = Heights()
        self._shown: dict[int, Block] = {}
        self._width = 680
        self._parts = Kept()
        self._bubble = QRectF()
        self._last = False
        self._state: tuple[Any, ...] = ()
        self._open_call = ""
        self._caret: Block | None = None
        self._held: QWidget | None = None
        self.dirty = True
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # What is moved is copied, not painted again,
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)  # and what grows is painted only where it is new.
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_COPIED_FOR)
        self._back.timeout.connect(lambda: self._mark_copied(False))

    @property
    def is_user(self) -> bool:
        """Whether the person wrote it."""
        return self._user

    # Content --------------------------------------------------------------------------------------------------------

    def show_message(self, message: Message | Outline, *, running: bool, last: bool, question: Question | None) -> bool:
        """Shows the message as it is now; False when nothing of it changed."""
        state = (running, last, question)
        if message is self.message and state == self._state:
            return False
        self.message, self._state, self._last = message, state, last
        editing = bool(self._store.get("editing"))
        blocks = message_blocks(message, self._parts, running=running, last=last, question=question, editing=editing)
        self._caret = blocks[-1] if running and blocks and blocks[-1].kind == "text" else None
        self._take(blocks)
        self._show_actions()
        self.dirty = True
        return True

    def _take(self, blocks: list[Block]) -> None:
        """Shows other blocks; those at the start that are the same are not looked at."""
        old = self.blocks
        same = _same(old, blocks)
        carry(old[same:], blocks[same:])
        for number in [number for number in self._shown if number >= same]:
            self._drop(self._shown.pop(number))
        self.blocks = blocks
        self._tops.cut(same)
        for number in range(same, len(blocks)):
            block = blocks[number]
            if block.widget is not None:
                self._shown[number] = block
            elif block.width < 0:
                block.height = block.guess(self._width)
            self._tops.append(self._gap(number) + block.height)

    def _gap(self, number: int) -> int:
        """The space above a block."""
        if not number:
            return 0
        before = self.blocks[number - 1].rule
        return look.px(_GAPS.get((_BEFORE.get(before, before), self.blocks[number].rule), 12))

    @property
    def shown(self) -> list[tuple[int, Block]]:
        """The blocks that have widgets, with their numbers, from the top."""
        return sorted(self._shown.items(), key=itemgetter(0))

    # Widgets --------------------------------------------------------------------------------------------------------

    def _make(self, block: Block) -> QWidget:
        made = _MAKERS[block.kind](self, block)
        for name, work in (("refit", self._refit), ("grown", self._grown), ("link_pressed", self.link_pressed)):
            signal = getattr(made, name, None)
            if signal is not None:
                signal.connect(work)
        made.show()
        return made

    def make_question(self, block: Block) -> QuestionCard:
        """The card of a question."""
        question = block.what
        card = QuestionCard(question, "" if question.source == BUILTIN else question.source, self)
        card.answered.connect(self.answered)
        return card

    def make_line(self, block: Block) -> CallLine:
        """The line of a call."""
        line = CallLine(self)
        line.clicked.connect(lambda: self.call_pressed.emit(line.call.id if line.call is not None else ""))
        return line

    def make_notice(self, block: Block) -> NoticeLine:
        """A quiet line; its *Why?* opens the panel."""
        line = NoticeLine(block.what, self)
        line.asked.connect(lambda: self.call_pressed.emit(""))
        return line

    def make_trouble(self, block: Block) -> TroubleBlock:
        """What went wrong."""
        trouble: Trouble = block.what
        made = TroubleBlock(trouble, self)
        made.acted.connect(self._act)
        return made

    def make_stopped(self, block: Block) -> Stopped:
        """That the person stopped it."""
        made = Stopped(self)
        made.acted.connect(self._act)
        return made

    def make_actions(self, block: Block) -> Actions:
        """What can be done with an answer."""
        actions = Actions(self)
        actions.cost.setText(block.what)
        actions.copied.connect(self.copy_markdown)
        actions.again.connect(lambda: self._act("retry"))
        actions.more.connect(lambda: self.menu_asked.emit(actions.menu.mapToGlobal(actions.menu.rect().center())))
        self._show_action(actions)
        return actions

    def make_button(self, block: Block) -> IconButton:
        """What can be done with the person's message."""
        if block.kind == "copy":
            button = IconButton("copy", "Copy as Markdown", 24, parent=self)
            button.clicked.connect(self.copy_markdown)
        else:
            button = IconButton("pencil", "Edit and resend", 24, parent=self)
            button.clicked.connect(self.edit)
        return button

    def make_edit(self, block: Block) -> EditBlock:
        """The field in which the message is changed."""
        made = EditBlock(self.markdown(), self)
        made.sent.connect(self._edited)
        made.left.connect(self.leave_edit)
        return made

    def make_more(self, block: Block) -> TableMore:
        """The rest of a table."""
        made = TableMore(self)
        made.opened.connect(lambda: self._open_table(block))
        return made

    def make_picture(self, block: Block) -> PictureBlock:
        """A picture."""
        made = PictureBlock(self)
        made.asked.connect(self.picture_asked)
        return made

    def make_attached(self, block: Block) -> AttachedStrip:
        """What is attached to the person's message."""
        made = AttachedStrip(self)
        made.opened.connect(self.attachment_opened)
        return made

    def _open_table(self, block: Block) -> None:
        self._store["whole", block.key] = True
        block.filled = UNFILLED
        self._refit()

    def _fill(self, block: Block) -> None:
        widget, what = block.widget, block.what
        if isinstance(widget, CodeBlock):
            widget.show_code(what[0], what[1], whole=what[2])
        elif isinstance(widget, TableBlock):
            widget.show_band(*block.data)
        elif isinstance(widget, TextBlock):
            if block.kind == "user":
                widget.show_plain(what)
            else:
                widget.show_tokens(block.data.tokens)
                block.data.forget()
        elif isinstance(widget, Author):
            widget.set_name(what)
        elif isinstance(widget, CallLine):
            widget.show_call(what)
            widget.set_open(what.id == self._open_call)
        else:
            self._fill_rest(block)
        block.filled = what
        block.width = -1

    def _fill_rest(self, block: Block) -> None:
        widget, what = block.widget, block.what
        if isinstance(widget, Thinking):
            if block.filled is UNFILLED and block.key in self._store:
                widget.restore(self._store[block.key])
            widget.show_text(what[0], running=what[1])
        elif isinstance(widget, MathBlock):
            widget.show_formula(what[0])
        elif isinstance(widget, PictureBlock):
            widget.show_picture(what[0], what[1])
            if ("image", what[0]) in self._store:
                widget.show_image(*self._store["image", what[0]])
        elif isinstance(widget, AttachedStrip):
            widget.show_attached(what)
        elif isinstance(widget, TableMore):
            widget.show_more(block.data, whole=("whole", block.key) in self._store)

    def _drop(self, block: Block) -> None:
        if block.widget is not None:
            if isinstance(block.widget, Thinking):
                self._store[block.key] = block.widget.state()
            block.widget.hide()
            block.widget.deleteLater()
            block.widget = None
            block.filled = UNFILLED

    def hold(self, widget: QWidget | None) -> None:
        """Keeps the block of a widget however far it is from the window: the pointer holds it.

        If the widget under the button went, Qt would tell nobody any more where the pointer is or that it let go.
        """
        while widget is not None and widget.parentWidget() is not self:
            widget = widget.parentWidget()
        self._held = widget

    def held(self) -> bool:
        """Whether the pointer holds something of it, or the person works in it."""
        return self._held is not None or bool(self._store.get("editing"))

    def let_go(self) -> None:
        """The pointer holds nothing any more. What is kept of it when it goes is noted."""
        self._held = None
        for block in self.blocks:
            if isinstance(block.widget, Thinking):
                self._store[block.key] = block.widget.state()

    def restyle(self) -> None:
        """Writes everything again in the look of now."""
        for block in self.blocks:
            block.width = -1
            restyle = getattr(block.widget, "restyle", None)
            if restyle is not None:
                restyle()
        self.dirty = True

    def show_image(self, address: str, image: Any, trouble: str) -> None:
        """A picture that was asked for came, or did not."""
        self._store["image", address] = (image, trouble)
        for block in self.blocks:
            if isinstance(block.widget, PictureBlock) and block.what[0] == address:
                block.widget.show_image(image, trouble)
                block.width = -1
        self._refit()

    def set_open_call(self, call: str) -> None:
        """Marks the line of the call whose card is open."""
        self._open_call = call
        for line in self.lines():
            line.set_open(line.call is not None and line.call.id == call)

    def question_card(self) -> QuestionCard | None:
        """The open question, if it is in this message."""
        return next((block.widget for block in self._shown.values() if isinstance(block.widget, QuestionCard)), None)

    def lines(self) -> list[CallLine]:
        """The lines of the calls that are near the window."""
        return [block.widget for _, block in self.shown if isinstance(block.widget, CallLine)]

    def place_of(self, call: str) -> int | None:
        """How far down in this row a call's line or question is."""
        for at, block in enumerate(self.blocks):
            if block.kind in ("call", "question") and block.what.id == call:
                return self.top_of(at)
        return None

    # Place ----------------------------------------------------------------------------------------------------------

    def fit(self, width: int) -> int:
        """Lays everything out for a column of `width`; the row itself is wider by `BEYOND` on both sides."""
        self.arrange(width, -_FAR, _FAR)
        return self.tall

    @property
    def _bubbled(self) -> bool:
        """Whether it is the person's words in their bubble: not an answer, and not open to be changed."""
        return bool(self.blocks) and self.blocks[0].kind in ("user", "attached")

    @property
    def tall(self) -> int:
        """How tall the row is, as far as it is known."""
        return self._tall

    _tall = 0

    def arrange(self, width: int, top: int, bottom: int) -> bool:
        """Gives the blocks between two heights their widgets and places; True when the row is another height now."""
        self.dirty = False
        before = self._tall
        if self._bubbled:
            self._tall = self._arrange_user(width, top, bottom)
        else:
            self._tall = self._arrange_answer(width, top, bottom)
        return self._tall != before

    def _arrange_answer(self, width: int, top: int, bottom: int) -> int:
        self._width = width
        near: set[int] = set()
        number = self._tops.find(top) if top > 0 else 0
        while number < len(self.blocks):
            y = self._tops.above(number)
            if y > bottom:
                break
            near.add(number)
            self._lay(number, width)
            number += 1
        for number, block in list(self._shown.items()):
            if number in near:
                continue
            if block.kind in _KEPT or block.widget is self._held:
                self._lay(number, width)
            else:
                self._drop(block)
                del self._shown[number]
        for number, block in self._shown.items():
            self._put(number, width)
            self._set_caret(block)
        return self._tops.total

    def _lay(self, number: int, width: int) -> None:
        """Gives a block its widget and finds its true height."""
        block = self.blocks[number]
        if block.widget is not None and block.width == width and block.filled == block.what:
            return
        self._prepare(block, width - look.px(_INDENT) * block.depth, width)
        self._shown[number] = block
        self._tops[number] = self._gap(number) + block.height

    def _prepare(self, block: Block, own: int, width: int) -> None:
        if block.widget is None:
            block.widget = self._make(block)
            block.filled = UNFILLED
        if block.filled is UNFILLED or block.filled != block.what:
            self._fill(block)
        if block.width != width:
            if isinstance(block.widget, TextBlock):
                block.height = block.widget.fit(own + 2 * MARGIN) - 2 * MARGIN
            elif isinstance(block.widget, Loading):
                block.height = block.guess(own)
            else:
                fit: Callable[[int], int] = block.widget.fit  # type: ignore[attr-defined]
                block.height = fit(own)
            block.width = width

    def _put(self, number: int, width: int) -> None:
        block = self.blocks[number]
        widget = block.widget
        own = width - look.px(_INDENT) * block.depth
        left = BEYOND + width - own
        y = self.top_of(number)
        if isinstance(widget, TextBlock):
            lead = 0 if isinstance(widget, TableBlock) else widget.lead()
            place = QRect(left - MARGIN, y - MARGIN + lead, own + 2 * MARGIN, block.height + 2 * MARGIN)
        elif isinstance(widget, CallLine):
            place = QRect(0, y, own + 2 * BEYOND, block.height)
        else:
            place = QRect(left - 4 if block.kind == "actions" else left, y, own, block.height)
        if widget is not None and widget.geometry() != place:
            widget.setGeometry(place)

    def _set_caret(self, block: Block) -> None:
        widget = block.widget
        caret = block is self._caret
        if isinstance(widget, TextBlock) and widget.caret != caret:
            widget.caret = caret
            widget.viewport().update()

    def _arrange_user(self, width: int, top: int, bottom: int) -> int:
        pad_x, pad_y = look.px(_USER_PAD_X), look.px(_USER_PAD_Y)
        most = min(look.px(USER_WIDTH), width)
        inner = most - 2 * pad_x + 2 * MARGIN
        words = [(number, block) for number, block in enumerate(self.blocks) if block.kind == "user"]
        y = pad_y
        wide = inner if words else 0
        for number, block in words:
            if block.width != width and block.widget is None:
                block.height, block.width = block.guess(width), -1
            if y + block.height >= top and y <= bottom:
                wide = self._lay_words(number, inner, width, alone=len(words) == 1)
            elif block.widget is not None and block.widget is not self._held:
                self._drop(block)
                del self._shown[number]
            self._tops[number] = block.height
            y += block.height
        strip = self._lay_attached(inner - 2 * MARGIN)
        if strip is not None:
            wide = max(wide, strip.ideal + 2 * MARGIN)
        left = BEYOND + width - wide - 2 * pad_x + 2 * MARGIN
        y = pad_y
        for _, block in words:
            if isinstance(block.widget, TextBlock):
                lead = block.widget.lead()
                place = QRect(left + pad_x - MARGIN, y - MARGIN + lead, wide, block.height + 2 * MARGIN)
                block.widget.setGeometry(place)
            y += block.height
        if strip is not None:
            y += look.px(_STRIP_GAP) if words else 0
            strip.setGeometry(left + pad_x, y, strip.ideal, strip.height())
            y += strip.height()
        bubble = QRectF(left, 0, wide + 2 * pad_x - 2 * MARGIN, y + pad_y)
        if bubble != self._bubble:
            self._bubble = bubble
            self.update()
        self._place_buttons(left, y + pad_y)
        return y + pad_y

    def _lay_attached(self, width: int) -> AttachedStrip | None:
        """Lays out what is attached to the message, below its words in the same bubble."""
        number = len(self.blocks) - 3
        if number < 0 or self.blocks[number].kind != "attached":
            return None
        block = self.blocks[number]
        self._prepare(block, width, width)
        self._shown[number] = block
        assert isinstance(block.widget, AttachedStrip)
        block.widget.resize(width, block.height)
        self._tops[number] = block.height + (look.px(_STRIP_GAP) if number else 0)
        return block.widget

    def _lay_words(self, number: int, inner: int, width: int, *, alone: bool) -> int:
        """Lays out a piece of the person's words; gives how wide the bubble is."""
        block = self.blocks[number]
        if block.widget is None:
            block.widget = self._make(block)
            block.filled = UNFILLED
        self._shown[number] = block
        if block.filled is UNFILLED or block.filled != block.what:
            self._fill(block)
        assert isinstance(block.widget, TextBlock)
        wide = inner
        block.height = block.widget.fit(inner) - 2 * MARGIN
        if alone:
            wide = min(block.widget.ideal_width() + 1, inner)
            block.height = block.widget.fit(wide) - 2 * MARGIN
        block.width = width
        return wide

    def _place_buttons(self, left: int, bottom: int) -> None:
        size = look.px(24)
        for at in range(2):
            number = len(self.blocks) - 2 + at
            block = self.blocks[number]
            if block.widget is None:
                block.widget = self._make(block)
                self._shown[number] = block
                self._show_actions()
            block.widget.setGeometry(max(0, left - (size + 2) * (at + 1) - 2), bottom - size - 4, size, size)

    def stick(self, above: int) -> None:
        """Keeps heads of code in view; `above` is how much of the row is above the window."""
        for block in self._shown.values():
            if isinstance(block.widget, CodeBlock):
                block.widget.stick(above - block.widget.y())

    def top_of(self, number: int) -> int:
        """How far down in this row a block begins."""
        if self._bubbled:
            return look.px(_USER_PAD_Y) + self._tops.above(number)
        return self._tops.above(number) + self._gap(number)

    def block_at(self, y: int) -> int:
        """The block at a height; that below a gap in the gap."""
        return self._tops.find(max(0, y - (look.px(_USER_PAD_Y) if self._bubbled else 0)))

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), look.colour("chat"))
        if not self._bubbled:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high_contrast = look.name.startswith("high")
        painter.setPen(look.colour("line") if high_contrast else Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("user"))
        painter.drawRoundedRect(self._bubble, 10, 10)

    # What the person does -------------------------------------------------------------------------------------------

    def markdown(self) -> str:
        """The message as it was written, without calls."""
        if isinstance(self.message, Outline):
            return ""
        text = self.message.text
        return f"/{self.message.asked} {text}".rstrip() if self.message.asked else text

    def edit(self) -> None:
        """Opens the message to be changed."""
        self._set_editing(True)
        self._refit()
        for block in self.blocks:
            if isinstance(block.widget, EditBlock):
                block.widget.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave_edit(self) -> None:
        """Closes the field without a change."""
        self._set_editing(False)
        self._refit()

    def _set_editing(self, editing: bool) -> None:
        self._store["editing"] = editing
        if isinstance(self.message, Message):
            self._take(message_blocks(self.message, self._parts, editing=editing))
        self.update()

    def _edited(self, text: str) -> None:
        self._set_editing(False)
        self.edited.emit(self.message.id, text)

    def _act(self, what: str) -> None:
        self.acted.emit(self.message.id, what)

    def _grown(self) -> None:
        self._measure_again()
        self.grown.emit()

    def _refit(self) -> None:
        self._measure_again()
        self.refit.emit()

    def _measure_again(self) -> None:
        sender = self.sender()
        for block in self.blocks:
            if block.widget is not None and (block.widget is sender or block.kind not in ("text", "code", "table")):
                block.width = -1
        self.dirty = True

    def copy_markdown(self) -> None:
        """Copies the message as it was written."""
        QGuiApplication.clipboard().setText(self.markdown())
        self._mark_copied(True)
        self._back.start()

    def _mark_copied(self, copied: bool) -> None:
        for block in self.blocks:
            button = block.widget.copy if isinstance(block.widget, Actions) else block.widget
            if isinstance(button, IconButton) and block.kind != "pencil":
                button.set_icon("check" if copied else "copy")
                button.set_name("Copied" if copied else "Copy as Markdown")

    def enterEvent(self, event: QEnterEvent) -> None:
        self._show_actions()

    def leaveEvent(self, event: QEvent) -> None:
        self._show_actions()

    def _show_actions(self) -> None:
        """Actions keep their place always; they are seen under the pointer and below the last message."""
        for block in self._shown.values():
            widget = block.widget
            if block.kind in ("copy", "pencil") and widget is not None:
                busy = bool(self._state and self._state[0])
                widget.setVisible((self.underMouse() or widget.hasFocus()) and not (busy and block.kind == "pencil"))
            elif isinstance(widget, Actions):
                self._show_action(widget)

    def _show_action(self, actions: Actions) -> None:
        seen = self.underMouse() or self._last
        for button in (actions.copy, actions.menu):
            button.setVisible(seen)
        actions.retry.setVisible(seen and self._last)
        actions.cost.setVisible(seen)


_KEPT = ("question", "edit")
"""What the person works in: it stays however far the window is."""


def _same(old: list[Block], new: list[Block]) -> int:
    """How many blocks at the start are the very same; quick when only the end is another."""
    shared = min(len(old), len(new))
    most = max(0, shared - 8)
    at = most if old[:most] == new[:most] else 0
    while at < shared and old[at] is new[at]:
        at += 1
    return at


_MAKERS: dict[str, Callable[[MessageRow, Block], QWidget]] = {
    "text": lambda row, block: TextBlock("chat", "t1", row),
    "user": lambda row, block: TextBlock("chat", "t1", row),
    "code": lambda row, block: CodeBlock(row),
    "table": lambda row, block: TableBlock(row),
    "more": MessageRow.make_more,
    "math": lambda row, block: MathBlock(row),
    "picture": MessageRow.make_picture,
    "author": lambda row, block: Author("", row),
    "think": lambda row, block: Thinking(row),
    "notice": MessageRow.make_notice,
    "call": MessageRow.make_line,
    "question": MessageRow.make_question,
    "trouble": MessageRow.make_trouble,
    "stopped": MessageRow.make_stopped,
    "actions": MessageRow.make_actions,
    "attached": MessageRow.make_attached,
    "copy": MessageRow.make_button,
    "pencil": MessageRow.make_button,
    "edit": MessageRow.make_edit,
    "pulse": lambda row, block: Pulse(row),
    "waiting": lambda row, block: Loading(row),
}
