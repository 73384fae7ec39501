"""The composer: where the next message is written, and Send or Stop."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCursor,
)
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.attachments import Attachments
from conch_desktop.desktop.buttons import Button, IconButton, Painted
from conch_desktop.desktop.countdown import Countdown
from conch_desktop.desktop.drop_target import holds_files
from conch_desktop.desktop.missing_line import MissingLine
from conch_desktop.desktop.offer_card import OfferCard
from conch_desktop.desktop.parts import ElidedLabel, label
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.waiting import Waiting

LINES_LEAST, LINES_MOST = 3, 12
_NAMED = re.compile(r"(?:^|\s)/([\w-]*)$")
_READING = "A file is being read. It is sent in a moment."
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Writing(QPlainTextEdit):
    """The text itself. Keys that mean more than a letter are signals; while an input method composes, none is."""

    enter = Signal()
    steered = Signal(int)
    """A key for the menu above the text: -1 up, 1 down, 0 take."""
    painted = Signal()
    attached = Signal(object)
    """Files or a picture came from the clipboard; the QMimeData is only there as long as the signal is at work."""
    takes_files = False
    send_key = "enter"
    """What sends: "enter", or "ctrl_enter", with which Enter alone begins a new line."""

    def __init__(self) -> None:
        super().__init__()
        self.composing = False
        self.steering = False
        self.seen = False
        self.setAccessibleName("Message")
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self.composing and (key in _ENTER or key == Qt.Key.Key_Escape):
            return
        if self.steering and self._steer(key, event.modifiers()):
            return
        held = event.modifiers()
        newline = held & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier) or (
            self.send_key == "ctrl_enter" and not held & Qt.KeyboardModifier.ControlModifier
        )
        if key in _ENTER and not newline:
            self.enter.emit()
            return
        if key in _ENTER:
            self.textCursor().insertText("\n")
            self.ensureCursorVisible()
            return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, following: bool) -> bool:
        # While a menu is open Tab takes what is chosen in it, and does not go on.
        return False if self.steering else super().focusNextPrevChild(following)

    def _steer(self, key: int, modifiers: Qt.KeyboardModifier) -> bool:
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.steered.emit(-1 if key == Qt.Key.Key_Up else 1)
            return True
        if (key in _ENTER or key == Qt.Key.Key_Tab) and not modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.steered.emit(0)
            return True
        return False

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.takes_files and holds_files(source):
            self.attached.emit(source)
            return
        # Plain text in one edit, so that one Undo takes it away; the view is not told line by line.
        text = source.text().replace("\r\n", "\n").replace("\r", "\n")
        if text:
            self.textCursor().insertText(text)
            self.ensureCursorVisible()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or (self.takes_files and holds_files(source))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self.seen:
            self.seen = True
            self.painted.emit()


class SendButton(Painted):
    """Send, or Stop while it answers."""

    def __init__(self) -> None:
        super().__init__()
        self.running = False
        self.keys = "Enter"
        self.show_state(running=False, ready=False)

    def show_state(self, *, running: bool, ready: bool) -> None:
        """Stop while an answer runs; else Send, which needs something to send."""
        self.running = running
        name = "Stop" if running else "Send"
        self.setAccessibleName(name)
        self.setToolTip("Stop (Esc)" if running else f"Send ({self.keys})")
        self.setEnabled(running or ready)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(look.px(32), look.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.running:
            ground, ink = "t1", "chat"
        elif self.isEnabled():
            ground, ink = self._ground("acc", "accH", "accP") or "acc", "onacc"
        else:
            ground, ink = "tag", "t3"
            if look.high:
                painter.setPen(QPen(look.colour("line"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(look.colour(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.running:
            side = look.px(9)
            painter.setBrush(look.colour(ink))
            painter.drawRoundedRect(QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side), 2, 2)
            return
        mark = look.px(18)
        spot = QRectF((self.width() - mark) / 2, (self.height() - mark) / 2, mark, mark)
        icons.paint(painter, "send", spot, look.colour(ink))


class Composer(QWidget):
    """The text, its foot, and the frame around both."""

    sent = Signal(str)
    queued = Signal(str)
    """Enter while an answer runs: the message waits."""
    taken_back = Signal(int)
    stopped = Signal()
    held = Signal()
    """A message is to be sent while messages are held back."""
    changed = Signal()
    """The text changed (for the draft and the menu)."""
    slash = Signal()
    attach = Signal()
    """Files are to be chosen."""
    tools = Signal()
    """The choice of tools is wanted."""

    def __init__(self) -> None:
        super().__init__()
        self.writing = Writing()
        self.writing.takes_files = True
        self.attachments = Attachments()
        self.attach_button = IconButton("attach", "Attach files", 28, keys="@")
        self.send = SendButton()
        self._note = ElidedLabel("", "small", "t3")
        self.countdown = Countdown()
        self.meter = label("", "small", "t3")
        self.slash_button = IconButton("slash", "Ask for a tool", 28, keys="/")
        self.tools_button = Button("Tools", "quiet", "tool", 28, opens=True)
        self.tools_button.setToolTip("Which tools models are given")
        self.tools_button.clicked.connect(self.tools)
        self._running = False
        self._ready = False
        self._wanted = False
        self._hold = ""
        self._lines = 0
        self._build()
        self.writing.enter.connect(self._enter)
        self.writing.textChanged.connect(self._text_changed)
        self.writing.installEventFilter(self)
        self.send.clicked.connect(self._pressed)
        self.attach_button.clicked.connect(self.attach)
        self.attachments.changed.connect(self._attached)
        self.attachments.emptied.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self.slash_button.setCheckable(True)  # held down while its menu is open
        self.slash_button.clicked.connect(self._slash)
        look.changed.connect(self._fonts)
        self._fonts()

    def _build(self) -> None:
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 0, 6, 6)
        foot.setSpacing(6)
        foot.addWidget(self.attach_button)
        foot.addWidget(self.slash_button)
        foot.addWidget(self.tools_button)
        foot.addWidget(self._note)
        foot.addStretch(1)
        foot.addWidget(self.countdown)
        foot.addWidget(self.meter)
        foot.addSpacing(6)
        foot.addWidget(self.send)
        text = QHBoxLayout()
        text.setContentsMargins(15, 15, 8, 2)
        text.addWidget(self.writing)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.missing = MissingLine()
        self.missing.changed.connect(self._missing_changed)
        column.addWidget(self.missing)
        self.waiting = Waiting()
        self.waiting.taken_back.connect(self.taken_back)
        column.addWidget(self.waiting)
        self.offer = OfferCard()
        column.addWidget(self.offer)
        above = QHBoxLayout()
        above.setContentsMargins(10, 0, 10, 0)  # what is scrolled stays off the frame
        above.addWidget(self.attachments)
        column.addLayout(above)
        column.addLayout(text)
        column.addLayout(foot)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.writing)
        self.setAccessibleName("Composer")

    # What others ask of it ------------------------------------------------------------------------------------------

    @property
    def send_key(self) -> str:
        """The key that sends: "enter" or "ctrl_enter"."""
        return self.writing.send_key

    def send_with(self, key: str) -> None:
        """Sends with another key from now on."""
        self.writing.send_key = key
        self.send.keys = "Enter" if key == "enter" else "Ctrl+Enter"
        self._show_send()

    def text(self) -> str:
        """What was written."""
        return self.writing.toPlainText()

    def set_text(self, text: str) -> None:
        """Another text, with the cursor at its end."""
        if text != self.text():
            self.writing.setPlainText(text)
            self.writing.moveCursor(QTextCursor.MoveOperation.End)

    def named(self) -> str | None:
        """What is written of a tool's name right before the cursor, after a "/"; None for none. Cheap for any text."""
        cursor = self.writing.textCursor()
        at = cursor.positionInBlock()
        found = _NAMED.search(cursor.block().text()[max(0, at - 90) : at])
        return found[1] if found is not None and not cursor.hasSelection() else None

    def name_tool(self, name: str) -> None:
        """Writes a tool's name in the place of that word."""
        cursor, begun = self.writing.textCursor(), self.named() or ""
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(begun))
        after = cursor.block().text()[cursor.positionInBlock() :].removeprefix(begun)
        cursor.insertText(name if after[:1].isspace() else f"{name} ")
        self.writing.setTextCursor(cursor)

    @property
    def composing(self) -> bool:
        """Whether an input method is composing."""
        return self.writing.composing

    def show_state(self, *, running: bool, ready: bool, why: str = "") -> None:
        """Whether an answer runs, and whether a message can be sent; `why` says what is missing."""
        if not running and self._running:
            self.say("")
        self._running, self._ready = running, ready
        words = "Write the next message" if running else "Write a message"
        if words != self.writing.placeholderText():
            self.writing.setPlaceholderText(words)
            self.writing.viewport().update()
        self._show_send()
        self.send.setToolTip(why or self.send.toolTip())
        self._send_wanted()

    def show_waiting(self, texts: Sequence[str]) -> None:
        """The messages that wait for the answer to end."""
        if self.waiting.show_texts(texts):
            self.updateGeometry()
            self.changed.emit()

    def press_send(self) -> None:
        """The same as Enter in the text."""
        self._enter()

    def hold(self, words: str) -> None:
        """From now on messages are held back, with these words about it; "" sends the one that waits, as it stands."""
        if words == self._hold:
            return
        self._hold = words
        if self._wanted and not self.attachments.reading:
            self.say(words, "t2")
        self._send_wanted()

    def keep(self) -> None:
        """What waited to be sent by itself stays: not all of it is there, or it is another message."""
        self._wanted = False

    def say(self, words: str, tone: str = "t3") -> None:
        """A quiet line beside the buttons."""
        self._note.set_tone(tone)
        self._note.set_text(words)
        self._show_meter()

    # Inside ---------------------------------------------------------------------------------------------------------

    def _enter(self) -> None:
        if not self._running:
            self._send()
            return
        if self.attachments.reading:
            self.say(_READING)
        elif self._some() and self._ready:
            self.queued.emit(self.text())

    def _send(self) -> None:
        if not self._some() and not self.attachments.reading:
            return
        if self.attachments.reading:
            self._wanted = True
            self.say(_READING)
        elif self._hold:
            self._wanted = True
            self.say(self._hold, "t2")
            self.held.emit()
        elif self._ready:
            self.sent.emit(self.text())
        else:  # Quick hands: the program is still starting, and sends it as soon as it can.
            self._wanted = True
            self.say("Starting. It is sent in a moment.")

    def _send_wanted(self) -> None:
        ready = self._ready and not self._hold
        if self._wanted and ready and not self._running and not self.attachments.reading:
            self._wanted = False
            self.say("")
            self._send()

    def _some(self) -> bool:
        """Whether there is something to send."""
        return bool(self.attachments.items) or bool(self.text().strip())

    def _missing_changed(self) -> None:
        self.updateGeometry()
        self.changed.emit()

    def _attached(self) -> None:
        self._show_send()
        self.updateGeometry()
        self.changed.emit()
        self._send_wanted()

    def _pressed(self) -> None:
        if self._running:
            self.stopped.emit()
        else:
            self._send()
        self.writing.setFocus(Qt.FocusReason.MouseFocusReason)

    def _slash(self) -> None:
        self.writing.setFocus(Qt.FocusReason.MouseFocusReason)
        if self.named() is None:
            cursor = self.writing.textCursor()
            cursor.clearSelection()
            before = cursor.block().text()[: cursor.positionInBlock()]
            cursor.insertText("/" if not before or before[-1].isspace() else " /")
            self.writing.setTextCursor(cursor)
        self.slash.emit()

    def _text_changed(self) -> None:
        if self._hold and self._wanted:  # Who goes on writing has not finished: it is sent when they say so again.
            self._wanted = False
            self.say("")
        self._show_send()
        self._fit()
        self.changed.emit()

    def _show_send(self) -> None:
        # Asks only the first blocks for words: a paste of 20,000 lines must not be read for each key.
        block, some = self.writing.document().firstBlock(), False
        for _ in range(50):
            if not block.isValid() or some:
                break
            some = bool(block.text().strip())
            block = block.next()
        some = some or self.writing.document().blockCount() > 50 or bool(self.attachments.items)
        self.send.show_state(running=self._running, ready=some and self._ready)

    def _fonts(self) -> None:
        self.writing.setFont(look.font("chat"))
        self.writing.viewport().setFont(look.font("chat"))  # of the words that stand in an empty composer
        self._lines = 0
        self._fit()

    def _fit(self) -> None:
        document = self.writing.document()
        lines = 0
        block = document.firstBlock()
        while block.isValid() and lines < LINES_MOST:
            lines += max(1, block.layout().lineCount())
            block = block.next()
        lines = max(LINES_LEAST, min(LINES_MOST, lines))
        if self.window().height() < look.px(420):
            lines = LINES_LEAST
        if lines != self._lines:
            self._lines = lines
            high = QFontMetrics(look.font("chat")).lineSpacing() * lines
            self.writing.setFixedHeight(max(high + 4, look.px(22) * LINES_LEAST))

    def resizeEvent(self, event: object) -> None:
        self._fit()
        self._show_meter()

    def _show_meter(self) -> None:
        """In a narrow composer what is said now counts more than how full the window is."""
        room = self.width() - look.px(32 + 3 * 28) - self.tools_button.width() - self.meter.sizeHint().width()
        self.meter.setVisible(not self._note.text() or room > self._note.sizeHint().width())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent):
            self.update()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focus = self.writing.hasFocus()
        wide = (2 if focus else 1) + look.high
        painter.setPen(QPen(look.colour("acc" if focus else "field"), wide))
        painter.setBrush(look.colour("raised"))
        inset = wide / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 12, 12)
