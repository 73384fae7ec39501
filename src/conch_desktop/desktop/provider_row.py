"""A provider in the settings: one line with how it stands, and below it, when open, its key, a test and the way out."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button, Painted
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.flow import Flow
from conch_desktop.desktop.parts import label, paint_tile, set_tone
from conch_desktop.desktop.provider_edit import ProviderEdit
from conch_desktop.desktop.theme import look

_PAD, _LEFT = 16, 46


@dataclass(frozen=True, slots=True)
class ProviderFacts:
    """What is shown of a provider: `said` is what it said last, `bad` whether that was trouble.

    `url` is the address as the person wrote it, `address` what is asked and where a key comes from.
    """

    name: str
    address: str
    url: str = ""
    said: str = ""
    bad: bool = False


class ProviderHead(Painted):
    """The line: tile, name, address, and how it stands."""

    ring = 0

    def __init__(self, facts: ProviderFacts, *, own: bool) -> None:
        super().__init__()
        self._facts, self._own = facts, own
        self.setCheckable(own)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(", ".join(part for part in (facts.name, facts.address, facts.said) if part))
        self.setToolTip(facts.address)

    def sizeHint(self) -> QSize:
        return QSize(look.px(240), look.px(58))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._ground(None, "hover") if self._own else None
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 8, 8)
        tile, mark, high = look.px(20), look.px(16), self.height()
        paint_tile(painter, QRectF(_PAD, (high - tile) / 2, tile, tile), self._facts.name)
        right = float(self.width() - _PAD)
        if self._own:
            right -= mark
            chevron = "chevron-down" if self.isChecked() else "chevron-right"
            icons.paint(painter, chevron, QRectF(right, (high - mark) / 2, mark, mark), look.colour("t2"))
            right -= 10
        left = float(_PAD + tile + 10)
        if self._facts.said and not self._facts.bad:
            right = self._said(painter, left, right, high)
        half = look.px(19)
        for text, font, tone, top in (
            (self._facts.name, look.font("ui", 500), "t1", high / 2 - half),
            (self._facts.address, look.font("small"), "t2", high / 2),
        ):
            painter.setFont(font)
            painter.setPen(look.colour(tone))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, max(20, int(right - left)))
            painter.drawText(QRectF(left, top, right - left, half), Qt.AlignmentFlag.AlignVCenter, shown)

    def _said(self, painter: QPainter, left: float, right: float, high: int) -> float:
        """How it stands, at the right where there is room; gives where it begins."""
        font, mark = look.font("small"), look.px(16)
        wide = QFontMetrics(font).horizontalAdvance(self._facts.said)
        if right - left < wide + look.px(160):
            return right
        painter.setFont(font)
        painter.setPen(look.colour("t2"))
        spot = QRectF(right - wide, 0, wide + 2, high)
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, self._facts.said)
        right -= wide + mark + 6
        icons.paint(painter, "done", QRectF(right, (high - mark) / 2, mark, mark), look.colour("t2"))
        return right - 12


class ProviderRow(QWidget):
    """A provider. `opened`: whether what can be done with it is shown."""

    opened = Signal(str, bool)
    key_given = Signal(str, str)
    changed = Signal(str, str, str, str)
    """Another name, address, and "" or the key for it."""
    tested = Signal(str)
    removed = Signal(str)

    def __init__(self, provider: str, facts: ProviderFacts, *, own: bool, is_open: bool = False) -> None:
        super().__init__()
        self._provider, self._facts = provider, facts
        self.head = ProviderHead(facts, own=own)
        self._said = label(facts.said if facts.bad else "", "small", "err" if facts.bad else "t2", wrap=True)
        self._said.setContentsMargins(_LEFT, 0, _PAD, 12)
        self._said.setVisible(facts.bad)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self._said)
        self._key = Field("New key", "The new key")
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit = ProviderEdit()
        self._key_line, self._sure, self._more = QWidget(), QWidget(), QWidget()
        if own:
            column.addWidget(self._more)
            self._build()
            self.head.toggled.connect(self._toggled)
            self._more.setVisible(is_open)
            self.head.setChecked(is_open)

    def _build(self) -> None:
        column = QVBoxLayout(self._more)
        column.setContentsMargins(_LEFT, 0, _PAD, 14)
        column.setSpacing(10)
        buttons = Flow(8, apart=1)
        change, move = Button("Change key…", height=28), Button("Change address…", height=28)
        test, remove = Button("Test", height=28), Button("Remove provider and key…", "danger", height=28)
        for button, words in (
            (change, "Change the key of"),
            (move, "Change name and address of"),
            (test, "Test"),
            (remove, "Remove"),
        ):
            button.setAccessibleName(f"{words} {self._facts.name}")
            buttons.addWidget(button)
        column.addLayout(buttons)
        save, cancel = Button("Keep key", height=32), Button("Cancel", "quiet", height=32)
        line = QHBoxLayout(self._key_line)
        line.setContentsMargins(0, 0, 0, 0)
        for part in (self._key, save, cancel):
            line.addWidget(part, 1 if part is self._key else 0)
        column.addWidget(self._key_line)
        self._key_line.hide()
        column.addWidget(self.edit)
        yes, no = Button("Remove", "danger", height=28), Button("Keep", "quiet", height=28)
        line = QHBoxLayout(self._sure)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(
            label(f"Remove {self._facts.name} with its key and its list of models?", "ui", "t1", wrap=True), 1
        )
        line.addWidget(yes)
        line.addWidget(no)
        column.addWidget(self._sure)
        self._sure.hide()
        change.clicked.connect(self.ask_key)
        move.clicked.connect(lambda: self.edit.begin(self._facts.name, self._facts.url))
        self.edit.kept.connect(lambda *filled: self.changed.emit(self._provider, *filled))
        cancel.clicked.connect(self._key_line.hide)
        save.clicked.connect(self._give)
        self._key.entered.connect(self._give)
        test.clicked.connect(lambda: self.tested.emit(self._provider))
        remove.clicked.connect(self._sure.show)
        remove.clicked.connect(lambda: no.setFocus(Qt.FocusReason.ShortcutFocusReason))
        no.clicked.connect(self._sure.hide)
        yes.clicked.connect(lambda: self.removed.emit(self._provider))

    def set_open(self, is_open: bool) -> None:
        """Shows or folds what can be done with it."""
        self.head.setChecked(is_open)

    def _toggled(self, is_open: bool) -> None:
        self._more.setVisible(is_open)
        self.opened.emit(self._provider, is_open)

    def ask_key(self) -> None:
        """Opens the line for a new key."""
        self.set_open(True)
        self._key_line.show()
        self._key.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def said(self) -> str:
        """What a test or a change came to last."""
        return self._said.text()

    def say(self, words: str, *, bad: bool) -> None:
        """What a test or a change came to."""
        set_tone(self._said, "err" if bad else "t2")
        self._said.setText(words)
        self._said.setVisible(bool(words))

    def _give(self) -> None:
        key = self._key.text().strip()
        if key:
            self._key.clear()
            self._key_line.hide()
            self.key_given.emit(self._provider, key)
