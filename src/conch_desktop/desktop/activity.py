"""The activity panel: per turn the mode and why, and a card for each call; the newest turn first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import IconButton
from conch_desktop.desktop.composer import SendButton
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import IconMark, Line, label
from conch_desktop.desktop.scroll import Scroll
from conch_desktop.desktop.sidebar import Nothing
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.turn_head import TurnHead
from conch_desktop.desktop.wording import BADGE_WORDS, call_marks, clock, source_text

if TYPE_CHECKING:
    from conch_desktop.desktop.call_card import CallCard
    from conch_desktop.desktop.lessons_card import LessonLine, LessonsCard
    from conch_desktop.desktop.tries_card import TriesCard
    from conch_desktop.domain.calls import CallRecord
    from conch_desktop.domain.messages import Message, Part, TriedPart

_EDGE = 12
_FILTERS = {"": "All calls", "mended": "Mended", "ended badly": "Not run or failed"}
_NOTHING = (
    "activity",
    "No calls in this chat yet",
    "When a model uses a tool, you see here what it sent, what was mended and what ran.",
)


class Activity(QWidget):
    """The panel. It shows messages; what a call is about to do is decided elsewhere."""

    closed = Signal()
    stopped = Signal()
    asked = Signal(str)
    forgotten = Signal(str)
    """A lesson of this kind is to go."""
    case_wanted = Signal(str)
    """The call of this id, as a case."""
    again_wanted = Signal(str)
    """The call of this id is to run once more."""
    opened = Signal(str)
    """The card of this call is open ("" for none)."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Activity")
        self._groups: Mapping[str, str] = {}
        self._messages: Sequence[Message] = ()
        self._items: list[QWidget] = []
        self._shown: list[QWidget] = []
        self._cards: dict[str, CallCard] = {}
        self._heads: dict[str, TurnHead] = {}
        self._lessons: LessonsCard | None = None
        self._notes: dict[tuple[str, int], QWidget] = {}
        self._tries: dict[tuple[str, int], TriesCard] = {}
        self._only = ""
        self._build()
        look.changed.connect(self._restyle)

    def _build(self) -> None:
        close = IconButton("close", "Close Activity", keys="Ctrl+J")
        close.clicked.connect(self.closed)
        self.stop = SendButton()
        self.stop.show_state(running=True, ready=False)
        self.stop.clicked.connect(self.stopped)
        self.stop.hide()
        self.filter = IconButton("filter", "Which calls are shown")
        self.filter.setCheckable(True)
        self.filter.clicked.connect(self._choose_filter)
        head = self._head_line = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 7)
        head.setSpacing(4)
        head.addWidget(label("Activity", "ui", "t1", 600), 1)
        head.addWidget(self.stop)
        head.addWidget(self.filter)
        head.addWidget(close)
        self.area = Scroll()
        self._column = QWidget()
        self._column.setObjectName("panel")
        self._column.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.area.setWidget(self._column)
        self._nothing, self._none_below = Nothing(*_NOTHING), Nothing(*_NOTHING)
        self._none_below.setParent(self._column)
        pages = QWidget()
        self._pages = QStackedLayout(pages)
        self._pages.addWidget(self._nothing)
        self._pages.addWidget(self.area)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(Line())
        column.addWidget(pages, 1)

    # What is shown --------------------------------------------------------------------------------------------------

    def show_state(self, *, overlay: bool, running: bool) -> None:
        """Over the chat it covers the composer's Stop, so it has one of its own."""
        self.stop.setVisible(overlay and running)
        self._head_line.setContentsMargins(16, 4 if overlay else 8, 8, 3 if overlay else 7)  # less room, less head

    def show_messages(self, messages: Sequence[Message], groups: Mapping[str, str]) -> None:
        """Shows the calls of these messages; `groups` names the group of each of the program's own tools."""
        if groups != self._groups:
            self._groups = groups
        self._messages = messages
        items: list[QWidget] = []
        for message in reversed(messages):
            if message.role != "assistant":
                continue
            parts = self._parts(message)
            if parts:
                items += [self._head(message), *parts]
        self._shown = items
        self._arrange()

    def show_lessons(self, lines: Sequence[LessonLine]) -> None:
        """What the model of this chat taught; nothing, when it taught nothing."""
        from conch_desktop.desktop.lessons_card import LessonsCard

        if self._lessons is None:
            if not lines:
                return
            self._lessons = LessonsCard(self._column)
            self._lessons.forgotten.connect(self.forgotten)
        if self._lessons.show_lessons(lines):
            self._lessons.setVisible(bool(lines))
            self._arrange()

    @property
    def lessons(self) -> Sequence[LessonLine]:
        """The lessons that are shown."""
        return self._lessons.lines if self._lessons is not None else ()

    def _arrange(self) -> None:
        taught = self._lessons if self._lessons is not None and self._lessons.lines else None
        items = [taught, *self._shown] if taught is not None else self._shown
        self._settle(items)
        self._pages.setCurrentWidget(self.area if items else self._nothing)
        self._place()

    def _parts(self, message: Message) -> list[QWidget]:
        from conch_desktop.domain.calls import CallRecord
        from conch_desktop.domain.messages import NoticePart, TriedPart

        items: list[QWidget] = []
        before: Part | None = None
        for at, part in enumerate(message.parts):
            if isinstance(part, CallRecord):
                if self._only in ("", *call_marks(part)):
                    items.append(self._card(part))
            elif isinstance(part, TriedPart) and not self._only:
                tries = [one for one in message.parts if isinstance(one, TriedPart) and one.step == part.step]
                if part is tries[0]:  # one card for all of a step
                    items.append(self._tries_card(message.id, tries))
            elif isinstance(part, NoticePart) and not self._only and not _told_by_tries(message.parts, at):
                if isinstance(before, NoticePart):
                    items.pop()  # Of several in a row the last says it all.
                items.append(self._note(message.id, at, part.text))
                before = part
                continue
            before = None
        return items

    def _tries_card(self, message: str, tries: Sequence[TriedPart]) -> TriesCard:
        from conch_desktop.desktop.tries_card import TriesCard

        card = self._tries.get((message, tries[0].step))
        if card is None:
            card = self._tries[message, tries[0].step] = TriesCard(self._column)
        card.show_tries(tries)
        return card

    def _card(self, call: CallRecord) -> QWidget:
        from conch_desktop.desktop.call_card import CallCard

        card = self._cards.get(call.id)
        source = source_text(call, self._groups)
        if card is None:
            card = self._cards[call.id] = CallCard(call, source, self._column)
            card.opened.connect(self._opened)
            card.asked.connect(self.asked)
            card.walked.connect(self._walk)
            card.case_wanted.connect(self.case_wanted)
            card.again_wanted.connect(self.again_wanted)
            card.refit.connect(self._place)
        card.show_call(call, source)
        return card

    def _head(self, message: Message) -> QWidget:
        head = self._heads.get(message.id)
        if head is None:
            head = self._heads[message.id] = TurnHead(self._column)
        head.say(BADGE_WORDS.get(message.mode, ""), message.why, clock(message.created))
        return head

    def _note(self, message: str, at: int, text: str) -> QWidget:
        note = self._notes.get((message, at))
        if note is None:
            note = self._notes[message, at] = _note(text, self._column)
        return note

    def _settle(self, items: list[QWidget]) -> None:
        keep = {id(item) for item in items}
        _drop_others(self._cards, keep)
        _drop_others(self._heads, keep)
        _drop_others(self._notes, keep)
        _drop_others(self._tries, keep)
        for item in items:
            if item.isHidden():
                item.show()
        self._items = items

    def _choose_filter(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for mark, words in _FILTERS.items():
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(mark == self._only)
            action.triggered.connect(lambda _=False, mark=mark: self.show_only(mark))
        self.filter.setChecked(bool(self._only))
        menu.popup(self.filter.mapToGlobal(QPoint(0, self.filter.height())))

    def show_only(self, mark: str) -> None:
        """Leaves only calls with this mark (of `call_marks`); "" shows all."""
        self._only = mark
        self.filter.setChecked(bool(mark))
        self.filter.set_name(f"Which calls are shown: {_FILTERS[mark].lower()}")
        self.show_messages(self._messages, self._groups)

    # Place ----------------------------------------------------------------------------------------------------------

    def _place(self) -> None:
        bar = self.area.verticalScrollBar()
        anchor = next((item for item in self._items if item.y() + item.height() > bar.value()), None)
        offset = bar.value() - anchor.y() if anchor is not None and bar.value() else 0
        moved = bar.value() > 0
        width = self.area.viewport().width() - 2 * _EDGE
        y = _EDGE
        for at, item in enumerate(self._items):
            if at and isinstance(item, TurnHead):
                y += look.px(16)
            fit = getattr(item, "fit", None)
            high = fit(width) if fit is not None else fit_layout(item, width)
            item.setGeometry(_EDGE, y, width, high)
            y += high + 8
        whole = max(y + 4, self.area.viewport().height())
        self._none_below.setVisible(not self._shown)
        self._none_below.setGeometry(_EDGE, y, width, whole - y)
        self._column.resize(self.area.viewport().width(), whole)
        if moved and anchor is not None:
            bar.setValue(anchor.y() + offset)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _restyle(self) -> None:
        for card in self._cards.values():
            card.restyle()
        self._place()

    # Cards ----------------------------------------------------------------------------------------------------------

    def _opened(self, call: str, is_open: bool) -> None:
        if is_open:
            for other, card in self._cards.items():
                if other != call and card.is_open:
                    card.set_open(False)
        self.opened.emit(call if is_open else "")

    def open_call(self, call: str) -> None:
        """Opens a call's card and brings it into view."""
        card = self._cards.get(call)
        if card is None:
            return
        card.set_open(True)
        self._place()
        self.area.verticalScrollBar().setValue(max(0, card.y() - _EDGE))

    def _walk(self, call: str, step: int) -> None:
        """To the next or the last card from that of a call."""
        own = {id(card): card for card in self._cards.values()}
        cards = [own[id(item)] for item in self._items if id(item) in own]
        at = next((at for at, card in enumerate(cards) if card.call.id == call), 0) + step
        if 0 <= at < len(cards):
            cards[at].take_focus()
            self.area.ensureWidgetVisible(cards[at], 0, _EDGE)

    def card(self, call: str) -> CallCard | None:
        """The card of a call."""
        return self._cards.get(call)

    def take_focus(self) -> None:
        """Puts the keys on the newest call."""
        for item in self._items:
            take = getattr(item, "take_focus", None)
            if take is not None:
                take()
                return


def _told_by_tries(parts: Sequence[Part], at: int) -> bool:
    """Whether the card of the tries says what this notice says: why it was asked again, or what was learnt of it."""
    from conch_desktop.domain.messages import TriedPart

    return any(isinstance(part, TriedPart) for part in (*parts[max(0, at - 1) : at], *parts[at + 1 : at + 2]))


def _drop_others(book: dict[Any, Any], keep: set[int]) -> None:
    """Takes away the widgets that are shown no more."""
    for key, widget in list(book.items()):
        if id(widget) not in keep:
            del book[key]
            widget.hide()
            widget.deleteLater()


def _note(text: str, parent: QWidget) -> QWidget:
    note = QWidget(parent)
    line = QHBoxLayout(note)
    line.setContentsMargins(4, 0, 4, 0)
    line.setSpacing(8)
    line.addWidget(IconMark("info", "t2"), 0, Qt.AlignmentFlag.AlignTop)
    line.addWidget(label(text, "small", "t2", wrap=True), 1)
    return note
