"""The first page: three ways to start, none of them chosen for anybody."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.fetch_bar import FetchBar
from conch_desktop.desktop.parts import Card, IconMark, Line, label
from conch_desktop.desktop.scroll import centred
from conch_desktop.desktop.theme import look

WIDTH = 640


class _Mark(QWidget):
    """The program's icon, large."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(64, 64)

    def paintEvent(self, event: QPaintEvent) -> None:
        icons.paint(QPainter(self), "app/conch", QRectF(self.rect()), look.colour("t1"))


class _Way(QWidget):
    """One way to start: an icon, what it is, and its button."""

    def __init__(self, icon: str, title: str, sentence: str, button: QWidget) -> None:
        super().__init__()
        words = QVBoxLayout()
        words.setSpacing(4)
        self.sentence = label(sentence, "ui", "t2", wrap=True)
        self.trouble = label("", "small", "err", wrap=True)
        self.trouble.hide()
        words.addWidget(label(title, "chat", "t1", 600))
        words.addWidget(self.sentence)
        words.addWidget(self.trouble)
        told = QHBoxLayout()
        told.setSpacing(16)
        told.addWidget(IconMark(icon, "acc", 20), 0, Qt.AlignmentFlag.AlignTop)
        told.addLayout(words, 1)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(20, 17, 20, 19)
        self._line.setSpacing(16)
        self._line.addLayout(told, 1)
        self._line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)

    def set_narrow(self, narrow: bool) -> None:
        """In a narrow window the button stands below."""
        self._line.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)


class Welcome(QWidget):
    """The page; it announces which way was chosen."""

    fetch_wanted = Signal()
    fetch_cancelled = Signal()
    key_wanted = Signal()
    server_wanted = Signal()
    apps_wanted = Signal()

    def __init__(self, megabytes: str) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Welcome")
        self.fetch = FetchBar("Fetch and start", "primary")
        self.key = Button("Enter a key…")
        self.server = Button("Enter an address…")
        self.fetch.wanted.connect(self.fetch_wanted)
        self.fetch.cancelled.connect(self.fetch_cancelled)
        self.key.clicked.connect(self.key_wanted)
        self.server.clicked.connect(self.server_wanted)
        self._ways = [
            _Way(
                "computer",
                "Start on this computer",
                f"A small model is fetched once ({megabytes} MB); after that nothing leaves this computer. "
                "No account, no key. It is quick, and not very clever.",
                self.fetch,
            ),
            _Way(
                "key",
                "Use a key you have",
                "OpenRouter, OpenAI, Anthropic, Gemini or conol.ai. The key goes into this computer’s key store "
                "and nowhere else.",
                self.key,
            ),
            _Way(
                "cloud",
                "Connect a server",
                "Ollama on this computer or another, or any server that speaks the OpenAI API.",
                self.server,
            ),
        ]
        self._build()

    def _build(self) -> None:
        page = QWidget()
        page.setMaximumWidth(look.px(WIDTH) + 48)
        column = QVBoxLayout(page)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(0)
        column.addStretch(4)
        column.addWidget(_Mark())
        column.addSpacing(20)
        column.addWidget(label("Choose how to start", "title", "t1", 600))
        column.addSpacing(6)
        column.addWidget(
            label(
                "Every model you add can use your tools, and you see each call it makes. You can add more ways later.",
                "chat",
                "t2",
                wrap=True,
            )
        )
        column.addSpacing(24)
        card = Card("raised", "line", 10)
        ways = QVBoxLayout(card)
        ways.setContentsMargins(1, 1, 1, 1)
        ways.setSpacing(0)
        for at, way in enumerate(self._ways):
            if at:
                ways.addWidget(Line())
            ways.addWidget(way)
        column.addWidget(card)
        column.addSpacing(12)
        calm = QHBoxLayout()
        calm.setSpacing(8)
        calm.addWidget(IconMark("lock", "t2"))
        calm.addWidget(label("No service is contacted until you choose one.", "small", "t2"), 1)
        self.apps = Button("Bring in apps…", "link", height=24)
        self.apps.setToolTip("From a file that another program wrote, with mcpServers in it")
        self.apps.clicked.connect(self.apps_wanted)
        calm.addWidget(self.apps)
        column.addLayout(calm)
        column.addStretch(8)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(centred(page))

    def show_unavailable(self, words: str) -> None:
        """The model can't run on this computer: why, and what to do."""
        self.fetch.setEnabled(False)
        self.show_trouble(words)

    def show_trouble(self, words: str) -> None:
        """What went wrong with the fetch."""
        self._ways[0].trouble.setText(words)
        self._ways[0].trouble.setVisible(bool(words))

    def show_progress(self, done: int, whole: int) -> None:
        """How far the fetch is; the bar takes the sentence's width."""
        self.show_trouble("")
        self.fetch.show_progress(done, whole)

    def resizeEvent(self, event: object) -> None:
        for way in self._ways:
            way.set_narrow(self.width() < look.px(600))
