"""What a person sets for one chat, in a card below its head: what the model is told, how it answers, what it costs."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFormLayout, QPlainTextEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.fields import Choice, Field
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.scroll import Scroll
from conch_desktop.desktop.theme import look
from conch_desktop.domain.efforts import EFFORTS
from conch_desktop.domain.options import ChatOptions

WIDTH = 400
_AS_USUAL = "As the provider sets it"
_AFTER = 300
_HOTTEST = 2.0
_LONGEST = 10_000_000
_DEAREST = 1_000_000.0


class OptionsCard(Popup):
    """The card. `changed` carries the options and the limit of a day, only while everything in it can be."""

    changed = Signal(object, float)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "Options of this chat")
        self.system = QPlainTextEdit()
        self.system.setObjectName("field")
        self.system.setAccessibleName("What the model is told in this chat")
        self.system.setPlaceholderText("For example: Answer in Italian, in short sentences.")
        self.system.setTabChangesFocus(True)
        self.system.setFixedHeight(look.px(92))
        self.temperature = Field("Temperature", _AS_USUAL)
        self.length = Field("Longest answer in tokens", _AS_USUAL)
        self.effort = Choice()
        self.effort.setAccessibleName("Thinking")
        self.effort.addItem(_AS_USUAL, "")
        for level in EFFORTS:
            self.effort.addItem(level, level)
        self.chat_limit = Field("Pause this chat at, in dollars", "No limit")
        self.day_limit = Field("Pause all chats at, in dollars a day", "No limit")
        self._spent = label("", "small", "t2", wrap=True)
        self._unknown = label("", "small", "mend", wrap=True)
        self._filling = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_AFTER)
        self._pause.timeout.connect(self._tell)
        self._build()
        self.system.textChanged.connect(self._typed)
        self.effort.currentIndexChanged.connect(lambda *_: self._typed())
        for box in (self.temperature, self.length, self.chat_limit, self.day_limit):
            box.textChanged.connect(lambda *_: self._typed())
            box.entered.connect(self.close_popup)
        self.closed.connect(self._tell_now)

    def _build(self) -> None:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(20, 16, 20, 18)
        column.setSpacing(6)
        column.addWidget(label("Options of this chat", "h3", "t1", 600))
        column.addWidget(label("Each goes only to models that take it.", "small", "t2", wrap=True))
        column.addSpacing(8)
        column.addWidget(label("What the model is told in this chat", "ui", "t2"))
        column.addWidget(self.system)
        column.addSpacing(6)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)  # large letters in a small window
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Temperature, 0 to 2", self.temperature),
            ("Longest answer, tokens", self.length),
            ("Thinking", self.effort),
            ("Pause this chat at, $", self.chat_limit),
            ("Pause all chats at, $ a day", self.day_limit),
        )
        for words, box in rows:
            form.addRow(label(words, "ui", "t2"), box)
        column.addLayout(form)
        column.addSpacing(8)
        column.addWidget(self._spent)
        column.addWidget(self._unknown)
        column.addStretch(1)
        area = Scroll()
        area.setWidgetResizable(True)
        area.setWidget(inside)
        inside.setAutoFillBackground(False)  # the card's corners are round
        self._inside = inside
        self.body.addWidget(area)

    # Content --------------------------------------------------------------------------------------------------------

    def open_below(self, anchor: QRect, options: ChatOptions, day_limit: float) -> None:
        """Opens below `anchor` (in the window) with what is set now."""
        self._filling = True
        self.system.setPlainText(options.system)
        self.temperature.setText(_number(options.temperature))
        self.length.setText(_number(options.max_tokens))
        self.effort.setCurrentIndex(max(0, self.effort.findData(options.effort)))
        self.chat_limit.setText(_number(options.spend_limit))
        self.day_limit.setText(_number(day_limit or None))
        self._filling = False
        self._read()
        high = self._inside.heightForWidth(look.px(WIDTH) - 2) + 2
        place = QRect(anchor.bottomLeft() + QPoint(-4, 6), QSize(look.px(WIDTH), high))
        self.open_at(place, self.system)

    def show_spent(self, words: str, unknown: str) -> None:
        """What the chat took; `unknown` says that the price of its model is not known."""
        self._spent.setText(words)
        self._unknown.setText(unknown)
        self._unknown.setVisible(bool(unknown))

    def _typed(self) -> None:
        if not self._filling:
            self._read()
            self._pause.start()

    def _tell_now(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self._tell()

    def _tell(self) -> None:
        read = self._read()
        if read is not None:
            self.changed.emit(*read)

    def _read(self) -> tuple[ChatOptions, float] | None:
        """What is filled in; None while something can't be, which is marked."""
        boxes = (
            (self.temperature, _HOTTEST, 0.0),
            (self.length, _LONGEST, 1.0),
            (self.chat_limit, _DEAREST, 0.0),
            (self.day_limit, _DEAREST, 0.0),
        )
        values: list[float | None] = []
        right = True
        for box, most, least in boxes:
            value, fits = _value(box.text(), least, most, whole=box is self.length)
            _mark(box, wrong=not fits)
            values.append(value)
            right = right and fits
        if not right:
            return None
        heat, length, chat_limit, day_limit = values
        options = ChatOptions(
            self.system.toPlainText().strip(),
            heat,
            int(length) if length is not None else None,
            self.effort.currentData() or "",
            chat_limit or None,
        )
        return options, day_limit or 0.0


def _value(text: str, least: float, most: float, *, whole: bool) -> tuple[float | None, bool]:
    """A number that was typed, None for none; and whether it can be. A comma is as good as a point."""
    plain = text.strip().removeprefix("$").strip()
    if not plain:
        return None, True
    try:
        value = float(plain.replace(",", ".")) if not whole else float(int(plain.replace(",", "")))
    except ValueError:
        return None, False
    return value, math.isfinite(value) and least <= value <= most


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}" if not float(value).is_integer() else f"{value:.0f}"


def _mark(box: Field, *, wrong: bool) -> None:
    """A red edge, and the reason for whoever does not see it."""
    if bool(box.property("wrong")) != wrong:
        box.setProperty("wrong", wrong)
        box.setToolTip("This number can't be." if wrong else "")
        box.style().unpolish(box)
        box.style().polish(box)
