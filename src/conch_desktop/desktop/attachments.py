"""What is attached to the message that is being written: a row above its text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QWidget

from conch_desktop.desktop.attached_chip import HIGH, Chip, name_of
from conch_desktop.desktop.parts import label, set_tone
from conch_desktop.desktop.theme import look
from conch_desktop.domain.messages import Attached


class Attachments(QScrollArea):
    """The row. It is not there while there is nothing in it; what does not fit is scrolled to."""

    changed = Signal()
    opened = Signal(object)
    """The person wants to see this one."""
    emptied = Signal()
    """The last one was removed by hand, and the keys want another place."""

    def __init__(self) -> None:
        super().__init__()
        self.items: tuple[Attached, ...] = ()
        self.chips: list[Chip] = []
        self._reading = 0
        self._inside = QWidget()
        self._line = QHBoxLayout(self._inside)
        self._line.setContentsMargins(0, 10, 0, 0)
        self._line.setSpacing(8)
        self._trouble = ""
        self._words = label("", "small", "t2", wrap=True)
        self._words.hide()
        self._line.addWidget(self._words, 1)
        self._line.addStretch(0)
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for part in (self, self.viewport(), self._inside):
            part.setAutoFillBackground(False)
        self.setAccessibleName("Attachments")
        look.changed.connect(self.updateGeometry)
        self.hide()

    @property
    def reading(self) -> int:
        """How many files are being read."""
        return self._reading

    def set_reading(self, count: int) -> None:
        """So many files are being read."""
        self._reading = count
        self._show()

    def say(self, words: str) -> None:
        """Says beside the others what could not be attached; "" takes it away."""
        self._trouble = words
        self._show()

    def show_items(self, items: Sequence[Attached]) -> None:
        """Shows these instead of those before."""
        if tuple(items) == self.items:
            return
        self.items = tuple(items)
        for chip in self.chips:
            chip.hide()
            self._line.removeWidget(chip)
            chip.deleteLater()
        self.chips = [self._chip(at, one) for at, one in enumerate(self.items)]
        for at, chip in enumerate(self.chips):
            self._line.insertWidget(at, chip)
            chip.show()
        self._show()

    def add(self, items: Sequence[Attached]) -> None:
        """Shows these too, at the end."""
        self.show_items((*self.items, *items))
        if self.chips:
            self.ensureWidgetVisible(self.chips[-1])

    def _chip(self, at: int, one: Attached) -> Chip:
        chip = Chip(one, removable=True)
        chip.clicked.connect(lambda: self.opened.emit(one))
        chip.removed.connect(lambda: self._remove(at))
        return chip

    def _remove(self, at: int) -> None:
        name = name_of(self.items[at])
        self.show_items([*self.items[:at], *self.items[at + 1 :]])
        self.setAccessibleDescription(f"{name} was removed.")
        if self.chips:  # the keys stay where they were
            self.chips[min(at, len(self.chips) - 1)].setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.emptied.emit()

    def _show(self) -> None:
        many = self._reading
        busy = "Reading 1 file…" if many == 1 else f"Reading {many} files…" if many else ""
        words = " ".join(part for part in (self._trouble, busy) if part)
        set_tone(self._words, "err" if self._trouble else "t2")
        self._words.setText(words)
        self._words.setMinimumWidth(look.px(240 if self._trouble else 120))
        self._words.setVisible(bool(words))
        self.setVisible(bool(self.items or words))
        self.updateGeometry()
        self.changed.emit()

    def sizeHint(self) -> QSize:
        wide = self._inside.sizeHint().width()
        bar = self.horizontalScrollBar().sizeHint().height() if wide > self.width() else 0
        return QSize(look.px(200), look.px(HIGH) + 10 + bar)

    def minimumSizeHint(self) -> QSize:
        return QSize(look.px(100), self.sizeHint().height())


class AttachedStrip(QWidget):
    """What was attached to a message that was sent, in as many rows as it takes."""

    opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[Chip] = []
        self.ideal = 0
        """How wide it is at the width it was fitted to."""
        self.setAccessibleName("Attachments")

    @property
    def chips(self) -> Sequence[Chip]:
        """The attachments, in order."""
        return self._chips

    def show_attached(self, items: Sequence[Attached]) -> None:
        """Shows these."""
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for one in items:
            chip = Chip(one, removable=False, parent=self)
            chip.clicked.connect(lambda _=False, one=one: self.opened.emit(one))
            chip.show()
            self._chips.append(chip)

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        left = top = self.ideal = 0
        gap = look.px(6)
        for chip in self._chips:
            hint = chip.sizeHint()
            wide = min(hint.width(), width)
            if left and left + wide > width:
                left, top = 0, top + hint.height() + gap
            chip.setGeometry(left, top, wide, hint.height())
            left += wide + gap
            self.ideal = max(self.ideal, left - gap)
        return top + (self._chips[-1].sizeHint().height() if self._chips else 0)
