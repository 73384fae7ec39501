"""Adding a provider: its kind, name, address and key, tried before it is added. A page, not a dialog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.fields import Choice, Field
from conch_desktop.desktop.parts import IconMark, label, set_tone
from conch_desktop.desktop.scroll import Scroll
from conch_desktop.desktop.theme import look

WIDTH = 560


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of provider that can be added."""

    name: str
    title: str
    url: str
    needs_key: bool
    key_env: str


@dataclass(frozen=True, slots=True)
class Filled:
    """What was filled in."""

    kind: str
    name: str
    url: str
    key: str
    key_env: str


class ProviderForm(QWidget):
    """The page. `saved` and `tested` carry what was filled in; the answers are told to it."""

    saved = Signal(object)
    tested = Signal(object)
    cancelled = Signal()

    def __init__(self, kinds: Sequence[KindRow]) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Add a provider")
        self._kinds = list(kinds)
        self.kind = Choice()
        self.kind.setAccessibleName("Kind")
        for kind in self._kinds:
            self.kind.addItem(kind.title, kind.name)
        self.name = Field("Name", "As it is shown in the list of models")
        self.url = Field("Address")
        self.key = Field("Key")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key_env = Field("Environment variable", "Only if you want to read the key from one")
        self._where = label("", "small", "t2", wrap=True)
        self._said = label("", "small", "t2", wrap=True)
        self._mark = IconMark("done", "t2")
        self.test = Button("Test")
        self.save = Button("Add", "primary")
        self._busy = False
        self._build()
        self.kind.currentIndexChanged.connect(self._kind_changed)
        self.test.clicked.connect(lambda: self.tested.emit(self.filled()))
        self.save.clicked.connect(self._save)
        for box in (self.name, self.url, self.key, self.key_env):
            box.entered.connect(self._save)
            box.textChanged.connect(lambda *_: self._changed())
        self._kind_changed()

    def _build(self) -> None:
        back = IconButton("chevron-left", "Back")
        back.clicked.connect(self.cancelled)
        cancel = Button("Cancel", "quiet")
        cancel.clicked.connect(self.cancelled)
        form = QWidget()
        form.setMaximumWidth(look.px(WIDTH))
        column = QVBoxLayout(form)
        column.setContentsMargins(24, 24, 24, 32)
        column.setSpacing(6)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(back)
        title.addWidget(label("Add a provider", "title", "t1", 600), 1)
        column.addLayout(title)
        calm = "A service or server with models. Nothing is contacted before you press Test or Add."
        column.addWidget(label(calm, "ui", "t2", wrap=True))
        column.addSpacing(14)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Kind", self.kind),
            ("Address", self.url),
            ("Key", self.key),
            ("Environment variable", self.key_env),
            ("Name", self.name),
        )
        for words, box in rows:
            column.addWidget(label(words, "ui", "t2"))
            column.addWidget(box)
            if box is self.key:
                where = QHBoxLayout()
                where.setSpacing(6)
                where.addWidget(IconMark("lock", "t2"), 0, Qt.AlignmentFlag.AlignTop)
                where.addWidget(self._where, 1)
                column.addLayout(where)
            column.addSpacing(8)
        said = QHBoxLayout()
        said.setSpacing(8)
        said.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        said.addWidget(self._said, 1)
        self._mark.hide()
        column.addSpacing(4)
        column.addLayout(said)
        column.addSpacing(4)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.test)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.save)
        column.addLayout(buttons)
        column.addStretch(1)
        inner = QWidget()
        inner.setObjectName("chat")
        across = QHBoxLayout(inner)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(form, 100)
        across.addStretch(1)
        area = Scroll()
        area.setWidgetResizable(True)
        area.setWidget(inner)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)

    # Content --------------------------------------------------------------------------------------------------------

    def begin(self, kind: str, where: str) -> None:
        """An empty form for a kind; `where` says where a key would be kept."""
        for box in (self.name, self.url, self.key, self.key_env):
            box.clear()
        at = next((at for at, one in enumerate(self._kinds) if one.name == kind), 0)
        self.kind.setCurrentIndex(at)
        self._where.setText(where)
        self._kind_changed()
        own = self._kinds[at]
        (self.key if own.needs_key and own.name != "openai" else self.url).setFocus(Qt.FocusReason.OtherFocusReason)

    def say_where(self, words: str) -> None:
        """Where a key would be kept."""
        self._where.setText(words)

    def filled(self) -> Filled:
        """What was filled in."""
        kind = self._kinds[self.kind.currentIndex()]
        name = self.name.text().strip() or self.name.placeholderText()
        return Filled(kind.name, name, self.url.text().strip(), self.key.text().strip(), self.key_env.text().strip())

    def show_busy(self, words: str) -> None:
        """Something is being asked."""
        self._busy = True
        self._mark.set_icon("running", "acc")
        self._mark.show()
        set_tone(self._said, "t2")
        self._said.setText(words)
        self.test.setEnabled(False)
        self.save.setEnabled(False)

    def show_answer(self, *, good: bool, words: str) -> None:
        """What came of it."""
        self._busy = False
        self._mark.set_icon("done" if good else "failed", "t2" if good else "err")
        self._mark.setVisible(bool(words))
        set_tone(self._said, "t2" if good else "err")
        self._said.setText(words)
        self.test.setEnabled(True)
        self.save.setEnabled(True)

    def _kind_changed(self) -> None:
        kind = self._kinds[self.kind.currentIndex()]
        self.url.setPlaceholderText(kind.url or "http://127.0.0.1:8080/v1")
        self.key.setPlaceholderText("" if kind.needs_key else "Not needed for most")
        self.key_env.setPlaceholderText(f"For example {kind.key_env}" if kind.key_env else "")
        self.name.setPlaceholderText(kind.title.split(" or ")[0].split(" (")[0])
        self.show_answer(good=True, words="")

    def _changed(self) -> None:
        if not self._busy:
            self.show_answer(good=True, words="")

    def _save(self) -> None:
        if not self._busy:
            self.saved.emit(self.filled())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)
