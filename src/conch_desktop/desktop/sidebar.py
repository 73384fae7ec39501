"""The sidebar: chats, searched by words, named in place, deleted with Undo."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.chat_list import ChatList, Row
from conch_desktop.desktop.chat_menu import ChatDeeds, open_chat_menu
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.groups import NEW_CHAT, grouped, matches
from conch_desktop.desktop.parts import IconMark, Line, label
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.domain.messages import Chat

UNDO_FOR = 8000
"""Milliseconds for which a deleted chat can be brought back here."""


class SearchField(QWidget):
    """A search box: an icon, the field, and what clears it."""

    def __init__(self, name: str, hint: str, keys: str = "") -> None:
        super().__init__()
        self.field = Field(name, hint)
        self.field.setObjectName("bare")
        self.clear = IconButton("close", "Clear the search", 24)
        self.clear.clicked.connect(self.field.clear)
        self.clear.hide()
        self._keys = label(keys, "tiny", "t3")
        self.field.textChanged.connect(self._changed)
        line = QHBoxLayout(self)
        line.setContentsMargins(8, 0, 4, 0)
        line.setSpacing(6)
        line.addWidget(IconMark("search", "t3"))
        line.addWidget(self.field, 1)
        line.addWidget(self._keys)
        line.addSpacing(4)
        line.addWidget(self.clear)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.field)
        self.field.installEventFilter(self)
        look.changed.connect(self._restyled)
        self._restyled()

    def _restyled(self) -> None:
        self.setMinimumHeight(look.px(32))
        self._show_keys()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_keys()

    def _show_keys(self) -> None:
        """The shortcut is shown where the hint has room beside it."""
        metrics = QFontMetrics(look.font("ui"))
        hint = metrics.horizontalAdvance(self.field.placeholderText())
        room = self.width() - look.px(16) - 36 - QFontMetrics(look.font("tiny")).horizontalAdvance(self._keys.text())
        self._keys.setVisible(not self.field.text() and room > hint)

    def eventFilter(self, watched: object, event: object) -> bool:
        if isinstance(event, QFocusEvent):
            self.update()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus = self.field.hasFocus()
        painter.setPen(QPen(look.colour("acc" if focus else "line2"), 2 if focus else 1))
        painter.setBrush(look.colour("raised"))
        inset = 1.0 if focus else 0.5
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 6, 6)

    def _changed(self, text: str) -> None:
        self.clear.setVisible(bool(text))
        self._show_keys()


class Undo(QWidget):
    """What is said for a while after something was deleted, with the way back."""

    undone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = label("", "ui", "chat")
        self._button = Button("Undo", "inverse", height=28)
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 4, 4, 4)
        line.addWidget(self._words, 1)
        line.addWidget(self._button)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        self._button.clicked.connect(self._pressed)
        self.hide()

    def say(self, words: str) -> None:
        """Shows itself for `UNDO_FOR`."""
        self._words.setText(words)
        self.show()
        self._timer.start(UNDO_FOR)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("t1"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)

    def _pressed(self) -> None:
        self._timer.stop()
        self.hide()
        self.undone.emit()


class SettingsRow(QWidget):
    """The foot of the sidebar."""

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._button = Button("Settings", "row", "settings")
        self._button.setToolTip("Settings (Ctrl+,)")
        self._button.clicked.connect(self.pressed)
        line = QHBoxLayout(self)
        line.setContentsMargins(4, 8, 16, 8)
        line.addWidget(self._button)
        line.addStretch(1)
        line.addWidget(label("Ctrl+,", "tiny", "t3"))


class Nothing(QWidget):
    """What stands where there is nothing: an icon, a line, a sentence, at most one button."""

    def __init__(self, icon: str, line: str, sentence: str, button: str = "") -> None:
        super().__init__()
        self.title = label(line, "ui", "t1", 500)
        self.sentence = label(sentence, "small", "t2", wrap=True)
        self.button = Button(button, height=28)
        self.button.setVisible(bool(button))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(4)
        column.addStretch(1)
        column.addWidget(IconMark(icon, "t3", 20), 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(6)
        for words in (self.title, self.sentence):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(words)
        column.addSpacing(8)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)


class Sidebar(QWidget):
    """Chats at the left. It announces what the person wants; it changes nothing itself."""

    new_chat = Signal()
    opened = Signal(str)
    renamed = Signal(str, str)
    deleted = Signal(str)
    undone = Signal()
    pinned = Signal(str, bool)
    naming = Signal(str)
    """The person wants to give this chat another name, in its row."""
    copied = Signal(str)
    """The whole chat is wanted as Markdown."""
    saved = Signal(str)
    """The whole chat is wanted in a file."""
    exported = Signal(str)
    """The whole chat is wanted as JSON in a file."""
    folded = Signal()
    settings = Signal()
    searched = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Sidebar")
        self._chats: Sequence[Chat] = ()
        self._waiting: Collection[str] = ()
        self._streaming: Collection[str] = ()
        self._found: frozenset[str] = frozenset()
        self.search = SearchField("Search all chats", "Search all chats", "Ctrl+Shift+F")
        self.list = ChatList()
        self._nothing = Nothing("search", "", "Titles, messages and calls were searched.", "Clear the search")
        self._build()
        self.search.field.textChanged.connect(self._typed)
        self.search.field.escaped.connect(self.search.field.clear)
        self._nothing.button.clicked.connect(self.search.field.clear)
        self.list.opened.connect(self.opened)
        self.list.renamed.connect(self.renamed)
        self.list.deleted.connect(self._delete)
        self.list.asked_more.connect(self.more)

    def _build(self) -> None:
        new = IconButton("new-chat", "New chat", keys="Ctrl+N")
        fold = IconButton("sidebar", "Fold the sidebar", keys="Ctrl+B")
        new.clicked.connect(self.new_chat)
        fold.clicked.connect(self.folded)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 8)
        head.setSpacing(4)
        head.addWidget(label("Chats", "ui", "t1", 600), 1)
        head.addWidget(new)
        head.addWidget(fold)
        box = QHBoxLayout()
        box.setContentsMargins(16, 0, 16, 4)
        box.addWidget(self.search)
        lists = QWidget()
        self._pages = QStackedLayout(lists)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self.list)
        self._pages.addWidget(self._nothing)
        self.undo = Undo(self)
        self.undo.undone.connect(self.undone)
        undo = QHBoxLayout()
        undo.setContentsMargins(8, 0, 8, 8)
        undo.addWidget(self.undo)
        foot = SettingsRow()
        foot.pressed.connect(self.settings)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(box)
        column.addWidget(lists, 1)
        column.addLayout(undo)
        column.addWidget(Line())
        column.addWidget(foot)

    def show_chats(
        self, chats: Sequence[Chat], *, waiting: Collection[str] = (), streaming: Collection[str] = ()
    ) -> None:
        """Shows these chats; some wait for the person, some are answering."""
        self._chats, self._waiting, self._streaming = chats, waiting, streaming
        self._refresh()

    def show_found(self, words: str, chats: Collection[str]) -> None:
        """Chats whose messages hold the searched words, besides those whose title does."""
        if words == self.search.field.text():
            self._found = frozenset(chats)
            self._refresh()

    def choose(self, chat: str) -> None:
        """Marks the chat that is open."""
        self.list.choose(chat)

    def _refresh(self) -> None:
        words = self.search.field.text().strip()
        shown = [chat for chat in self._chats if not words or chat.id in self._found or matches(words, chat.title)]
        rows: list[Row] = []
        for heading, chats in grouped(shown, time.time()):
            rows.append(Row(heading))
            rows += [Row(chat.title or NEW_CHAT, chat.id, self._mark(chat)) for chat in chats]
        self.list.put(rows)
        empty = bool(words) and not rows
        if empty:
            self._nothing.title.setText(f"Nothing found for “{words[:40]}”")
        self._pages.setCurrentWidget(self._nothing if empty else self.list)

    def _mark(self, chat: Chat) -> str:
        if chat.id in self._waiting:
            return "waiting"
        if chat.id in self._streaming:
            return "streaming"
        return "pin" if chat.pinned else ""

    def _typed(self, text: str) -> None:
        self._found = frozenset()
        self._refresh()
        self.searched.emit(text)

    def take_first(self) -> None:
        """Opens the first chat of the list."""
        first = next((row.chat for row in self.list.rows.rows if row.chat), "")
        if first:
            self.opened.emit(first)

    def _delete(self, chat: str) -> None:
        self.deleted.emit(chat)
        self.undo.say("Chat deleted")

    def more(self, chat: str, spot: QPoint) -> None:
        """Opens the menu of a chat at a place on the screen."""
        pinned = any(one.id == chat and one.pinned for one in self._chats)
        deeds = ChatDeeds(
            rename=lambda: self.naming.emit(chat),
            pin=lambda: self.pinned.emit(chat, not pinned),
            copy=lambda: self.copied.emit(chat),
            save=lambda: self.saved.emit(chat),
            export=lambda: self.exported.emit(chat),
            delete=lambda: self._delete(chat),
        )
        open_chat_menu(self, spot, deeds, pinned=pinned)
