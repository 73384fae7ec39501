"""The window: its columns and pages, its shortcuts, and the order in which Escape closes things."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QMainWindow, QStackedLayout, QStackedWidget, QVBoxLayout, QWidget

from conch_desktop.desktop.activity import Activity
from conch_desktop.desktop.chat_view import SIDE, ChatView
from conch_desktop.desktop.composer import Composer
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.header import Header
from conch_desktop.desktop.icons import app_icon
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.shell import Shell
from conch_desktop.desktop.sidebar import Nothing, Sidebar
from conch_desktop.desktop.theme import look

LEAST = (480, 360)
FIRST = (1280, 800)
_SAID_FOR = 8000


class ChatPage(QWidget):
    """The chat with the composer below it."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.view = ChatView()
        self.composer = Composer()
        self.empty = Nothing("chat", "Start a chat", "Write below. Type / to ask for a tool by its name.")
        for part in (self.view, self.composer, self.empty):
            part.setParent(self)
        self.empty.hide()
        self.setAccessibleName("Chat")

    def show_empty(self, empty: bool) -> None:
        """Whether there is no message yet."""
        self.empty.setVisible(empty)
        self.view.setVisible(not empty)

    def arrange(self) -> None:
        """The composer is as wide as the column of text and stands at the bottom."""
        width = max(120, min(look.px(680), self.width() - 2 * SIDE))
        high = fit_layout(self.composer, width)
        left = max(SIDE, (self.width() - width) // 2)
        bottom = 15 if self.height() > 420 else 8
        self.composer.setGeometry(left, self.height() - bottom - high, width, high)
        above = QRect(0, 0, self.width(), self.height() - bottom - high)
        self.view.setGeometry(above)
        self.empty.setGeometry(above)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.arrange()


class Window(QMainWindow):
    """Everything that is seen. It holds no state of the program; it announces and shows."""

    closing = Signal()
    new_chat = Signal()
    pick_model = Signal()
    zoomed = Signal(int)
    """A step larger (1), smaller (-1), or back to 100 % (0)."""
    settings_asked = Signal()
    stop_asked = Signal()
    question_asked = Signal()
    check_asked = Signal()
    palette_asked = Signal()
    shortcuts_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("Conch Desktop")
        self.setMinimumSize(*LEAST)
        self.resize(*FIRST)
        self.sidebar = Sidebar()
        self.header = Header()
        self.page = ChatPage()
        self.view, self.composer = self.page.view, self.page.composer
        self.activity = Activity()
        self._said = label("", "small", "t2", wrap=True)
        self._said.setObjectName("said")
        self._said.setContentsMargins(20, 6, 20, 6)
        self._said.hide()
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.timeout.connect(self._said.hide)
        middle = QWidget()
        middle.setObjectName("chat")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.page)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._said)
        column.addWidget(self.pages, 1)
        self.shell = Shell(self.sidebar, middle, self.activity, self.header)
        whole = QWidget()
        self.whole = QStackedLayout(whole)
        self.whole.setContentsMargins(0, 0, 0, 0)
        self.whole.addWidget(self.shell)
        self.setCentralWidget(whole)
        self.popups: list[Popup] = []
        self.escapes: list[Callable[[], bool]] = []
        self.escapes.append(self.view.close_find)
        self.allow_close = False
        self._wire()
        self._shortcuts()
        self.page.show_empty(True)
        self.composer.setFocus()
        QTimer.singleShot(0, self, lambda: self.setWindowIcon(app_icon()))

    def _wire(self) -> None:
        self.shell.arranged.connect(self.show_columns)
        self.sidebar.folded.connect(self.shell.toggle_sidebar)
        self.sidebar.new_chat.connect(self.new_chat)
        self.sidebar.naming.connect(self.name_chat)
        self.sidebar.settings.connect(self.settings_asked)
        self.header.unfold.connect(self.shell.toggle_sidebar)
        self.header.panel.connect(self.shell.toggle_panel)
        self.header.pick.connect(self.pick_model)
        self.header.find_asked.connect(self.find_in_chat)
        self.activity.closed.connect(lambda: self.shell.show_panel(False))
        self.activity.stopped.connect(self.stop_asked)
        self.composer.stopped.connect(self.stop_asked)
        self.composer.changed.connect(self._composer_grew)
        look.changed.connect(self._restyled)

    def _shortcuts(self) -> None:
        for keys, work in (
            ("Ctrl+N", self.new_chat.emit),
            ("Ctrl+M", self.pick_model.emit),
            ("Ctrl+Shift+O", self.header.options.emit),
            ("Ctrl+B", self.shell.toggle_sidebar),
            ("Ctrl+J", self.shell.toggle_panel),
            ("Ctrl+F", self.find_in_chat),
            ("Ctrl+Shift+F", self.search_chats),
            ("Ctrl+Shift+J", self.question_asked.emit),
            ("Ctrl+Shift+T", self.check_asked.emit),
            ("Ctrl+K", self.palette_asked.emit),
            ("F1", self.shortcuts_asked.emit),
            ("Ctrl+,", self.settings_asked.emit),
            ("Ctrl++", lambda: self.zoomed.emit(1)),
            ("Ctrl+=", lambda: self.zoomed.emit(1)),
            ("Ctrl+-", lambda: self.zoomed.emit(-1)),
            ("Ctrl+0", lambda: self.zoomed.emit(0)),
            ("Ctrl+End", self.view.go_to_end),
            ("Ctrl+Q", self.close),
            ("F6", lambda: self.next_area(1)),
            ("Shift+F6", lambda: self.next_area(-1)),
            ("Escape", self.escape),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(work)

    # Columns --------------------------------------------------------------------------------------------------------

    def show_columns(self) -> None:
        """Tells the header and the panel what is open."""
        bare = self.pages.currentWidget() is not self.page
        self.header.show_state(sidebar=self.shell.sidebar_shown, panel=self.shell.panel_shown, bare=bare)
        self.activity.show_state(overlay=self.shell.overlay == "panel", running=self.composer.send.running)

    def _composer_grew(self) -> None:
        self.page.arrange()

    def _restyled(self) -> None:
        self.shell.arrange()
        self.page.arrange()
        QTimer.singleShot(0, self.page, self.page.arrange)

    def show_page(self, page: QWidget | None) -> None:
        """Shows a page in the place of the chat; None for the chat."""
        page = page or self.page
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        self.shell.show_chat(page is self.page)
        self.show_columns()

    def show_whole(self, page: QWidget | None) -> None:
        """Shows a page in the place of everything; None for the columns."""
        page = page or self.shell
        if self.whole.indexOf(page) < 0:
            self.whole.addWidget(page)
        self.whole.setCurrentWidget(page)

    def say(self, words: str) -> None:
        """A quiet line below the header, for a while."""
        self._said.setText(words)
        self._said.setVisible(bool(words))
        self._quiet.start(_SAID_FOR)

    # Keys -----------------------------------------------------------------------------------------------------------

    def escape(self) -> None:
        """The input method first, then popup, search, overlay, then the turn; else the focus goes to the composer."""
        if self.composer.composing or getattr(self.focusWidget(), "composing", False):
            return
        for popup in reversed(self.popups):
            if popup.isVisible():
                popup.close_popup()
                return
        for close in self.escapes:
            if close():
                return
        if self.sidebar.search.field.text():
            self.sidebar.search.field.clear()
            return
        if self.shell.close_overlay():
            self.composer.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        if self.whole.currentWidget() is not self.shell:
            return  # a page stands before the chat: what runs there goes on, and no key goes where nobody sees it
        if self.composer.send.running:
            self.stop_asked.emit()
        self.composer.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focusNextPrevChild(self, following: bool) -> bool:
        from conch_desktop.desktop.tabbing import move_focus

        return move_focus(self, forward=following) or super().focusNextPrevChild(following)

    def next_area(self, step: int) -> None:
        """The next area of the window that is seen: sidebar, header, chat, composer, activity."""
        areas: list[tuple[QWidget, Callable[[], None]]] = [
            (self.sidebar, lambda: self.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)),
            (self.header, lambda: self.header.model.setFocus(Qt.FocusReason.TabFocusReason)),
            (self.view, self._focus_chat),
            (self.composer, lambda: self.composer.setFocus(Qt.FocusReason.TabFocusReason)),
            (self.activity, self.activity.take_focus),
        ]
        seen = [(area, work) for area, work in areas if area.isVisible()]
        focus: QWidget | None = self.focusWidget()
        inside = [at for at, (area, _) in enumerate(seen) if focus is not None and area.isAncestorOf(focus)]
        now = inside[0] if inside else -1
        for distance in range(1, len(seen) + 1):
            seen[(now + step * distance) % len(seen)][1]()
            if self.focusWidget() is not focus:
                return

    def _focus_chat(self) -> None:
        card = self.view.question_card()
        take = getattr(card, "take_focus", None)
        if take is not None:
            take()
            return
        self.view.take_focus()

    def find_in_chat(self) -> None:
        """Opens the search in this chat."""
        if self.view.isVisible():
            self.view.open_find()

    def name_chat(self, chat: str) -> None:
        """Lets the person give a chat another name, in its row of the sidebar."""
        self.show_sidebar()
        self.sidebar.list.rename(chat)

    def show_sidebar(self) -> None:
        """Unfolds the sidebar."""
        if not self.shell.sidebar_shown:
            self.shell.toggle_sidebar()

    def search_chats(self) -> None:
        """Puts the keys into the search of all chats."""
        self.show_sidebar()
        self.sidebar.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    # Place ----------------------------------------------------------------------------------------------------------

    def geometry_text(self) -> str:
        """Where the window is, as text."""
        return bytes(self.saveGeometry().toBase64().data()).decode()

    def take_geometry(self, text: str) -> None:
        """Puts the window where it was; Qt moves it onto a screen that exists."""
        if text:
            self.restoreGeometry(QByteArray.fromBase64(text.encode()))

    def closeEvent(self, event: QCloseEvent) -> None:
        # Qt must not end the loop under running tasks: whoever listens ends them, then closes for good.
        if self.allow_close:
            event.accept()
            return
        event.ignore()
        self.closing.emit()

    def to_front(self) -> None:
        """Shows the window in front of the others."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
