"""One message in the chat: its author, its words, its calls, what went wrong, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.buttons import IconButton
from conch_desktop.desktop.call_line import BEYOND, CallLine
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.message_parts import Actions, Author, Pulse, Stopped, Words
from conch_desktop.desktop.question import QuestionCard
from conch_desktop.desktop.table_block import TableBlock
from conch_desktop.desktop.text_block import MARGIN, TextBlock
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.thinking import Thinking
from conch_desktop.desktop.trouble import Trouble, TroubleBlock, trouble_of
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, ReasoningPart, TextPart

if TYPE_CHECKING:
    from conch_desktop.tools.guard import Question

USER_WIDTH = 560
_USER_PAD_X, _USER_PAD_Y = 14, 7.5

_GAPS = {
    ("author", "text"): 6,
    ("author", "call"): 7,
    ("author", "think"): 4,
    ("text", "text"): 12,
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
}
"""Space between two kinds of parts, in px; any other pair gets 12."""

_COPIED_FOR = 1600


class MessageRow(QWidget):
    """A message as a column of blocks. It is laid out by `fit`, by whoever scrolls it."""

    acted = Signal(str, str)
    """What the person wants with this message: (message id, "retry" | "go_on" | "key" | "model")."""
    call_pressed = Signal(str)
    answered = Signal(str, str, str)
    link_pressed = Signal(str)
    refit = Signal()

    def __init__(self, message: Message, parent: QWidget) -> None:
        super().__init__(parent)
        self.message = message
        self._user = message.role == "user"
        self._order: list[tuple[str, QWidget]] = []
        self._words: dict[int, Words] = {}
        self._single: dict[tuple[str, str], QWidget] = {}
        self._bubble = QRectF()
        self._last = False
        self._state: tuple[Any, ...] = ()
        self.dirty = True
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.setInterval(_COPIED_FOR)
        self._back.timeout.connect(lambda: self._mark_copied(False))

    # Content --------------------------------------------------------------------------------------------------------

    def show_message(self, message: Message, *, running: bool, last: bool, question: Question | None) -> bool:
        """Shows the message as it is now; False when nothing of it changed."""
        state = (running, last, question)
        if message is self.message and state == self._state:
            return False
        self.message, self._state, self._last = message, state, last
        who = "You" if self._user else message.author or "The model"
        self.setAccessibleName(f"{who}: {message.text[:2000]}")
        order = self._user_parts(message) if self._user else self._parts(message, running, question)
        self._settle(order)
        self._show_actions()
        self.dirty = True
        return True

    def _user_parts(self, message: Message) -> list[tuple[str, QWidget]]:
        text = message.text
        if message.asked:
            text = f"/{message.asked} {text}".rstrip()
        block = self._keep("user", "", lambda: TextBlock("chat", "t1", self))
        if isinstance(block, TextBlock) and block.toPlainText() != text:
            block.show_plain(text)
        copy = self._keep("copy", "", self._copy_button)
        return [("user", block), ("copy", copy)]

    def _parts(self, message: Message, running: bool, question: Question | None) -> list[tuple[str, QWidget]]:
        order: list[tuple[str, QWidget]] = []
        author = self._keep("author", "", lambda: Author("", self))
        if isinstance(author, Author):
            author.set_name(message.author)
        if message.author:
            order.append(("author", author))
        count = len(message.parts)
        for at, part in enumerate(message.parts):
            ending = running and at == count - 1
            if isinstance(part, TextPart) and part.text.strip():
                words = self._words.setdefault(at, Words(self._make_block))
                words.show(part.text, whole=not ending)
                order += words.widgets
            elif isinstance(part, ReasoningPart) and part.text.strip():
                order.append(("think", self._thinking(at, part, running=ending)))
            elif isinstance(part, CallRecord):
                order.append(self._call(part, question))
        for at in [at for at in self._words if at >= count]:
            self._words.pop(at).drop_from(0)
        order += self._end(message, running, order)
        return order

    def _thinking(self, at: int, part: ReasoningPart, *, running: bool) -> QWidget:
        block = self._keep("think", str(at), self._make_thinking)
        if isinstance(block, Thinking):
            block.show_text(part.text, running=running)
        return block

    def _make_thinking(self) -> QWidget:
        made = Thinking(self)
        made.refit.connect(self._refit)
        return made

    def _call(self, call: CallRecord, question: Question | None) -> tuple[str, QWidget]:
        if question is not None and question.id == call.id:
            return ("question", self._keep("question", call.id, lambda: self._make_question(question)))
        line = self._keep("call", call.id, lambda: self._make_line(call.id))
        if isinstance(line, CallLine):
            line.show_call(call)
        return ("call", line)

    def _make_question(self, question: Question) -> QWidget:
        source = "memory" if question.source == "builtin" else question.source
        card = QuestionCard(question, source, self)
        card.answered.connect(self.answered)
        card.refit.connect(self._refit)
        return card

    def _make_line(self, call: str) -> QWidget:
        line = CallLine(self)
        line.clicked.connect(lambda: self.call_pressed.emit(call))
        return line

    def _end(self, message: Message, running: bool, before: list[tuple[str, QWidget]]) -> list[tuple[str, QWidget]]:
        """What stands below the parts."""
        self._set_caret(before if running else [])
        if running:
            waits = not before or before[-1][0] in ("author", "call")
            states = {call.state for call in message.calls}
            if waits and not states & {"reading", "waiting", "running"}:
                return [("pulse", self._keep("pulse", "", lambda: Pulse(self)))]
            return []
        end: list[tuple[str, QWidget]] = []
        trouble = trouble_of(message)
        if trouble is not None:
            end.append(("trouble", self._trouble(trouble)))
        elif message.state == "stopped" and self._last:
            stopped = self._keep("stopped", "", lambda: Stopped(self))
            if isinstance(stopped, Stopped) and not stopped.property("joined"):
                stopped.setProperty("joined", True)
                stopped.acted.connect(self._act)
            end.append(("stopped", stopped))
        if before:
            end.append(("actions", self._keep("actions", "", self._make_actions)))
        return end

    def _trouble(self, trouble: Trouble) -> QWidget:
        return self._keep("trouble", repr(trouble), lambda: self._make_trouble(trouble))

    def _make_trouble(self, trouble: Trouble) -> QWidget:
        block = TroubleBlock(trouble, self)
        block.acted.connect(self._act)
        return block

    def _make_actions(self) -> QWidget:
        actions = Actions(self)
        actions.copied.connect(self._copy)
        actions.again.connect(lambda: self._act("retry"))
        return actions

    def _copy_button(self) -> QWidget:
        button = IconButton("copy", "Copy the message", 24, parent=self)
        button.clicked.connect(self._copy)
        return button

    def _make_block(self, kind: str) -> QWidget:
        """An empty block for a segment."""
        block: TextBlock | CodeBlock | TableBlock
        if kind == "code":
            block = CodeBlock(self)
            block.refit.connect(self._refit)
        elif kind == "table":
            block = TableBlock(self)
            block.refit.connect(self._refit)
            block.text.link_pressed.connect(self.link_pressed)
        else:
            block = TextBlock("chat", "t1", self)
            block.link_pressed.connect(self.link_pressed)
        return block

    def _keep(self, kind: str, key: str, make: Any) -> QWidget:
        found = self._single.get((kind, key))
        if found is None:
            made: QWidget = make()
            found = self._single[(kind, key)] = made
        return found

    def _settle(self, order: list[tuple[str, QWidget]]) -> None:
        """Shows what is in the order, and takes away what no longer is."""
        wanted = {id(widget) for _, widget in order}
        for key, widget in list(self._single.items()):
            if id(widget) in wanted:
                continue
            if key[0] in ("question", "trouble"):
                del self._single[key]
                widget.deleteLater()
            widget.hide()
        for _, widget in order:
            if widget.isHidden():
                widget.show()
        self._order = order

    def _set_caret(self, order: list[tuple[str, QWidget]]) -> None:
        last = order[-1][1] if order else None
        for words in self._words.values():
            for _, widget in words.widgets:
                if isinstance(widget, TextBlock) and widget.caret != (widget is last):
                    widget.caret = widget is last
                    widget.viewport().update()

    def restyle(self) -> None:
        """Writes everything again in the look of now."""
        for _, widget in self._order:
            if isinstance(widget, (TextBlock, CodeBlock, TableBlock, Thinking)):
                widget.restyle()
        self.dirty = True

    def question_card(self) -> QuestionCard | None:
        """The open question, if it is in this message."""
        return next((widget for _, widget in self._order if isinstance(widget, QuestionCard)), None)

    def lines(self) -> list[CallLine]:
        """The lines of the calls."""
        return [widget for _, widget in self._order if isinstance(widget, CallLine)]

    def place_of(self, call: str) -> int | None:
        """How far down in this row a call's line or question is."""
        for _, widget in self._order:
            if isinstance(widget, CallLine) and widget.call is not None and widget.call.id == call:
                return widget.y()
            if isinstance(widget, QuestionCard) and widget.question.id == call:
                return widget.y()
        return None

    # Place ----------------------------------------------------------------------------------------------------------

    def fit(self, width: int) -> int:
        """Lays out for a column of `width`; the row itself is wider by `BEYOND` on both sides."""
        self.dirty = False
        return self._fit_user(width) if self._user else self._fit_answer(width)

    def _fit_user(self, width: int) -> int:
        block, copy = self._order[0][1], self._order[1][1]
        assert isinstance(block, TextBlock)
        pad_x, pad_y = look.px(_USER_PAD_X), look.px(_USER_PAD_Y)
        most = min(look.px(USER_WIDTH), width)
        block.fit(most - 2 * pad_x + 2 * MARGIN)
        wide = min(block.ideal_width() + 1, most - 2 * pad_x + 2 * MARGIN)
        high = block.fit(wide) - 2 * MARGIN
        left = BEYOND + width - wide - 2 * pad_x + 2 * MARGIN
        self._bubble = QRectF(left, 0, wide + 2 * pad_x - 2 * MARGIN, high + 2 * pad_y)
        block.setGeometry(left + pad_x - MARGIN, pad_y - MARGIN + block.lead(), wide, high + 2 * MARGIN)
        size = look.px(24)
        copy.setGeometry(max(0, left - size - 4), round(self._bubble.height()) - size - 4, size, size)
        return round(self._bubble.height())

    def _fit_answer(self, width: int) -> int:
        y = 0
        before = ""
        for kind, widget in self._order:
            if before:
                after = "text" if before == "head" else before
                y += look.px(_GAPS.get((after, kind), 12))
            if isinstance(widget, TextBlock):
                high = widget.fit(width + 2 * MARGIN)
                widget.setGeometry(BEYOND - MARGIN, y - MARGIN + widget.lead(), width + 2 * MARGIN, high)
                high -= 2 * MARGIN
            elif isinstance(widget, CallLine):
                high = widget.fit(width)
                widget.setGeometry(0, y, width + 2 * BEYOND, high)
            else:
                high = widget.fit(width)  # type: ignore[attr-defined]
                left = BEYOND - 4 if kind == "actions" else BEYOND
                widget.setGeometry(left, y, width, high)
            y += high
            before = kind
        return y

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._user:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        high_contrast = look.name.startswith("high")
        painter.setPen(look.colour("line") if high_contrast else Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("user"))
        painter.drawRoundedRect(self._bubble, 10, 10)

    # What the person does -------------------------------------------------------------------------------------------

    def _act(self, what: str) -> None:
        self.acted.emit(self.message.id, what)

    def _refit(self) -> None:
        self.dirty = True
        self.refit.emit()

    def _copy(self) -> None:
        text = self.message.text
        if self.message.asked:
            text = f"/{self.message.asked} {text}".rstrip()
        QGuiApplication.clipboard().setText(text)
        self._mark_copied(True)
        self._back.start()

    def _mark_copied(self, copied: bool) -> None:
        for _, widget in self._order:
            button = widget.copy if isinstance(widget, Actions) else widget
            if isinstance(button, IconButton):
                button.set_icon("check" if copied else "copy")
                button.set_name("Copied" if copied else "Copy the message")

    def enterEvent(self, event: QEnterEvent) -> None:
        self._show_actions()

    def leaveEvent(self, event: QEvent) -> None:
        self._show_actions()

    def _show_actions(self) -> None:
        """Actions keep their place always; they are seen under the pointer and below the last message."""
        seen = self.underMouse() or (self._last and not self._user)
        for kind, widget in self._order:
            if kind == "copy":
                widget.setVisible(self.underMouse() or widget.hasFocus())
            elif isinstance(widget, Actions):
                widget.copy.setVisible(seen)
                widget.retry.setVisible(seen and self._last)
