"""Adding a provider: its kind, name, address and key, tried before it is added. A page, not a dialog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QLineEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button, IconButton
from conch_desktop.desktop.fields import Choice, Field
from conch_desktop.desktop.parts import IconMark, label, set_tone
from conch_desktop.desktop.provider_offers import AtHand, ProviderOffers
from conch_desktop.desktop.provider_reach import ProviderReach
from conch_desktop.desktop.scroll import centred
from conch_desktop.desktop.theme import look

WIDTH = 560
_LOOK_AFTER = 400
"""Milliseconds after the last key."""
_CALM = (
    "A service or server with models. An address on this computer or your own network is looked at while you type, "
    "without a key. Nothing else is contacted before you press Test or Add."
)


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of provider that can be added. `kind` is the registry's, "" where it is `name` itself."""

    name: str
    title: str
    url: str
    needs_key: bool
    key_env: str
    kind: str = ""
    untested: bool = False


@dataclass(frozen=True, slots=True)
class Filled:
    """What was filled in. `row` is the chosen row, `kind` that of the registry; `headers` are lines."""

    kind: str
    name: str
    url: str
    key: str
    key_env: str
    row: str = ""
    proxy: str = ""
    ca_file: str = ""
    headers: str = ""


class Said(QWidget):
    """A line with a mark and words, and at most one thing to do about it. Not seen while it is empty."""

    acted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._mark = IconMark("info", "t2")
        self.words = label("", "small", "t2", wrap=True)
        self.deed = Button("Use it", "link", height=20)
        self.deed.hide()
        self.deed.clicked.connect(self.acted)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        line.addWidget(self.deed, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, words: str, icon: str = "info", tone: str = "t2", deed: str = "") -> None:
        """Other words; "" for none."""
        self._mark.set_icon(icon, tone if icon != "running" else "acc")
        set_tone(self.words, tone)
        self.words.setText(words)
        if deed:
            self.deed.change(deed)
        self.deed.setVisible(bool(deed))
        self.setVisible(bool(words))


class ProviderForm(QWidget):
    """The page. `saved` and `tested` carry what was filled in; the answers are told to it."""

    saved = Signal(object)
    tested = Signal(object)
    cancelled = Signal()
    address_typed = Signal(str)
    """Nobody typed in the address for a moment."""
    key_typed = Signal(str)
    advised = Signal(str)
    """What was advised beside the address is wanted: "row NAME" or "url ADDRESS"."""

    def __init__(self, kinds: Sequence[KindRow]) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Add a provider")
        self._kinds = list(kinds)
        self.kind = Choice()
        self.kind.setAccessibleName("Kind")
        for kind in self._kinds:
            self.kind.addItem(f"{kind.title} (untested)" if kind.untested else kind.title, kind.name)
        self.name = Field("Name", "As it is shown in the list of models")
        self.url = Field("Address")
        self.key = Field("Key")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key_env = Field("Environment variable", "Only if you want to read the key from one")
        self.reach = ProviderReach()
        self.offers = ProviderOffers()
        self.kind_said, self.address_said, self.key_said, self.said = Said(), Said(), Said(), Said()
        self._where = label("", "small", "t2", wrap=True)
        self.test = Button("Test")
        self.save = Button("Add", "primary")
        self._busy = False
        self._pressed: Button | None = None
        self._moved: QWidget | None = None
        self._sure_of = ""
        self._advice = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_LOOK_AFTER)
        self._build()
        self._wire()
        self._kind_changed()

    def _wire(self) -> None:
        self.kind.currentIndexChanged.connect(self._kind_changed)
        self.test.clicked.connect(lambda: self.tested.emit(self.filled()))
        self.save.clicked.connect(self._save)
        self.offers.taken.connect(self.take)
        self.key_said.acted.connect(self._key_is_address)
        self.address_said.acted.connect(lambda: self.advised.emit(self._advice))
        self._pause.timeout.connect(lambda: self.address_typed.emit(self.url.text()))
        self.url.textChanged.connect(self._address_changed)
        self.key.textChanged.connect(self.key_typed)
        self.reach.changed.connect(self._changed)
        for box in (self.name, self.url, self.key, self.key_env):
            box.entered.connect(self._save)
            box.textChanged.connect(lambda *_: self._changed())

    def _build(self) -> None:
        form = QWidget()
        form.setMaximumWidth(look.px(WIDTH))
        column = QVBoxLayout(form)
        column.setContentsMargins(24, 24, 24, 32)
        column.setSpacing(6)
        column.addLayout(self._title())
        column.addWidget(label(_CALM, "ui", "t2", wrap=True))
        column.addSpacing(14)
        column.addWidget(self.offers)
        where = QHBoxLayout()
        where.setSpacing(8)
        where.addWidget(IconMark("lock", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        where.addWidget(self._where, 1)
        rows: tuple[tuple[str, QWidget, tuple[QWidget | QLayout, ...]], ...] = (
            ("Kind", self.kind, (self.kind_said,)),
            ("Address", self.url, (self.address_said,)),
            ("Key", self.key, (self.key_said, where)),
            ("Environment variable", self.key_env, ()),
            ("Name", self.name, ()),
        )
        for words, box, below in rows:
            column.addWidget(label(words, "ui", "t2"))
            column.addWidget(box)
            for part in below:
                column.addWidget(part) if isinstance(part, QWidget) else column.addLayout(part)
            column.addSpacing(8)
        column.addWidget(self.reach)
        column.addSpacing(4)
        column.addWidget(self.said)
        column.addSpacing(4)
        column.addLayout(self._buttons())
        column.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(centred(form))

    def _title(self) -> QHBoxLayout:
        back = IconButton("chevron-left", "Back")
        back.clicked.connect(self.cancelled)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(back)
        title.addWidget(label("Add a provider", "title", "t1", 600), 1)
        return title

    def _buttons(self) -> QHBoxLayout:
        cancel = Button("Cancel", "quiet")
        cancel.clicked.connect(self.cancelled)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.test)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self.save)
        return buttons

    # Content --------------------------------------------------------------------------------------------------------

    def begin(self, row: str, where: str) -> None:
        """An empty form for a kind; `where` says where a key would be kept."""
        for box in (self.name, self.url, self.key, self.key_env):
            box.clear()
        self.reach.clear()
        self.offers.put(())
        self.choose(row)
        self._where.setText(where)
        self._kind_changed()
        own = self.row
        (self.key if own.needs_key and own.url else self.url).setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def row(self) -> KindRow:
        """The kind that is chosen."""
        return self._kinds[self.kind.currentIndex()]

    def choose(self, row: str) -> None:
        """Chooses a kind by its name."""
        self.kind.setCurrentIndex(next((at for at, one in enumerate(self._kinds) if one.name == row), 0))

    def take(self, offer: AtHand) -> None:
        """Fills in something that is at hand; nothing is asked or kept yet."""
        self.choose(offer.row)
        self.url.setText(offer.url)
        self.key_env.setText(offer.key_env)
        self.save.setFocus(Qt.FocusReason.OtherFocusReason)

    def say_where(self, words: str) -> None:
        """Where a key would be kept."""
        self._where.setText(words)

    def say_address(self, words: str, *, good: bool = True, deed: str = "", advice: str = "") -> None:
        """What is at the address; `deed` names what is advised, `advice` is what `advised` then carries."""
        self._advice = advice
        self.address_said.say(words, "done" if good else "info", "t2", deed)

    def say_key(self, words: str, *, warn: bool = False, deed: str = "") -> None:
        """Whose key it is; `deed` offers to take it as the address."""
        self.key_said.say(words, "warning" if warn else "key", "mend" if warn else "t2", deed)

    def filled(self) -> Filled:
        """What was filled in."""
        row, reach = self.row, self.reach
        return Filled(
            row.kind or row.name,
            self.name.text().strip() or self.name.placeholderText(),
            self.url.text().strip() or (row.url if row.kind and row.kind != row.name else ""),
            self.key.text().strip(),
            self.key_env.text().strip(),
            row.name,
            reach.proxy.text(),
            reach.ca_file.text(),
            reach.headers.toPlainText(),
        )

    def _key_is_address(self) -> None:
        """What was pasted into the wrong field."""
        address = self.key.text().strip()
        self.key.clear()
        self.choose("own")
        self.url.setText(address)
        self.url.setFocus(Qt.FocusReason.OtherFocusReason)

    def is_sure(self, url: str) -> bool:
        """Whether the person was warned about this address, and goes on all the same."""
        return bool(url) and self._sure_of == url

    def warn(self, url: str, words: str) -> None:
        """Speaks against an address; the next press of the button means it."""
        self._sure_of = url
        self._end()
        self.said.say(words, "warning", "mend")
        self.save.change("Add anyway")

    def show_busy(self, words: str) -> None:
        """Something is being asked."""
        self._busy = True
        self.said.say(words, "running")
        self._pressed = next((one for one in (self.test, self.save) if one.hasFocus()), None)
        self.test.setEnabled(False)
        self.save.setEnabled(False)
        self._moved = self.focusWidget()  # Qt moves it on from what is switched off

    def show_answer(self, *, good: bool, words: str) -> None:
        """What came of it."""
        self._end()
        self.said.say(words, "done" if good else "failed", "t2" if good else "err")

    def _end(self) -> None:
        self._busy = False
        self.test.setEnabled(True)
        self.save.setEnabled(True)
        pressed, self._pressed = self._pressed, None
        if pressed is not None and self.focusWidget() in (None, self._moved):
            pressed.setFocus(Qt.FocusReason.OtherFocusReason)

    def _kind_changed(self) -> None:
        row = self.row
        self.url.setPlaceholderText(row.url or "localhost:8080")
        self.key.setPlaceholderText("" if row.needs_key else "Not needed for most")
        self.key_env.setPlaceholderText(f"For example {row.key_env}" if row.key_env else "")
        self._name_it()
        untested = "Untested: this program was never tried with it. It speaks an API that many others speak."
        self.kind_said.say(untested if row.untested else "")
        self.key_typed.emit(self.key.text())
        self._changed()

    def _name_it(self) -> None:
        """The name it gets without another: the company's, or where the server is."""
        host = self.url.text().strip().partition("://")[2] or self.url.text().strip()
        title = self.row.title.split(" (")[0]
        self.name.setPlaceholderText(host.partition("/")[0] or title if self.row.name == "own" else title)

    def _address_changed(self) -> None:
        self._name_it()
        self.say_address("")
        self._pause.start()

    def _changed(self) -> None:
        self._sure_of = ""
        self.save.change("Add")
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
