"""The head of the chat: which model answers and how it gets its tools, and what can be opened from here."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import IconButton, Painted
from conch_desktop.desktop.parts import IconMark, Line, badge_width, label, paint_badge, paint_tile
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import BADGE_WORDS

_NONE = "Choose a model"
_ROOM_FOR_WORDS = 520
"""From this width on the head says "Offline" in words."""
_SLACK = 3
"""At a fractional scale a painted word can be a little wider than it was measured."""


class ModelButton(Painted):
    """The model of this chat: the provider's tile, its name, its mode badge."""

    def __init__(self) -> None:
        super().__init__()
        self._provider, self._model, self._mode = "", "", ""
        self._checked = False
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCheckable(True)
        self.show_model("", "", "")

    def show_model(self, provider: str, model: str, mode: str, *, checked: bool = False) -> None:
        """Shows a model; `mode` as in `wording.BADGE_WORDS`, "" for no badge; a tick when `checked`."""
        self._provider, self._model, self._mode, self._checked = provider, model, mode, checked
        name = f"Model: {model}, from {provider}" if model else _NONE
        if mode:
            name += f", {BADGE_WORDS[mode]}{', checked' if checked else ''}"
        self.setAccessibleName(name)
        self.setToolTip(f"{name} (Ctrl+M)")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetrics(look.font("ui", 600)).horizontalAdvance(self._model or _NONE)
        width = 8 + words + _SLACK + 8 + look.px(16) + 8
        if self._model:
            width += look.px(20) + 8
        if self._mode:
            width += badge_width(self._mode, self._checked) + 8
        return QSize(width, look.px(32))

    def minimumSizeHint(self) -> QSize:
        return QSize(look.px(72), look.px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._ground("hover" if self.isChecked() else None, "hover")
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        mark, tile = look.px(16), look.px(20)
        right = float(self.width() - 8 - mark)
        icons.paint(painter, "chevron-down", QRectF(right, (self.height() - mark) / 2, mark, mark), look.colour("t2"))
        left = 8.0
        if self._model:
            paint_tile(painter, QRectF(left, (self.height() - tile) / 2, tile, tile), self._provider)
            left += tile + 8
        room = right - left - 8
        badge = badge_width(self._mode, self._checked) if self._mode else 0
        font = look.font("ui", 600)
        metrics = QFontMetrics(font)
        least = min(look.px(60), metrics.horizontalAdvance(self._model))
        if badge and room - badge - 8 < least:
            badge = 0  # In a narrow window the name says more than the badge.
        space = int(room - (badge + 8 if badge else 0))
        name = metrics.elidedText(self._model or _NONE, Qt.TextElideMode.ElideRight, max(space, 0))
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        words = metrics.horizontalAdvance(name)
        painter.drawText(QRectF(left, 0, words + 4, self.height()), Qt.AlignmentFlag.AlignVCenter, name)
        if badge:
            high = look.px(18)
            place = QRectF(left + words + 8, (self.height() - high) / 2, badge, high)
            paint_badge(painter, place, self._mode, self._checked)


class OfflineMark(QWidget):
    """Says that the provider of this chat can't be reached; only the icon where there is little room."""

    def __init__(self) -> None:
        super().__init__()
        line = QHBoxLayout(self)
        line.setContentsMargins(4, 0, 8, 0)
        line.setSpacing(6)
        line.addWidget(IconMark("offline", "t2"))
        self.words = label("Offline", "small", "t2")
        line.addWidget(self.words)
        self.hide()

    def say(self, why: str) -> None:
        """Shows itself with the reason; "" hides it."""
        self.setToolTip(why)
        self.setAccessibleName(f"Offline. {why}")
        self.setVisible(bool(why))


class Header(QWidget):
    """The row above the chat."""

    unfold = Signal()
    pick = Signal()
    options = Signal()
    panel = Signal()
    find_asked = Signal()
    more = Signal(QPoint)
    """The menu of the chat is wanted at this place on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Head of the chat")
        self.model = ModelButton()
        self.unfold_button = IconButton("sidebar", "Show the sidebar", keys="Ctrl+B")
        self.panel_button = IconButton("activity", "Activity", keys="Ctrl+J")
        self.panel_button.setCheckable(True)
        self.options_button = IconButton("settings", "Options of this chat", keys="Ctrl+Shift+O")
        self.find_button = IconButton("search", "Find in this chat", keys="Ctrl+F")
        self.more_button = IconButton("more", "More for this chat")
        line = QHBoxLayout()
        line.setContentsMargins(12, 8, 8, 7)
        line.setSpacing(4)
        line.addWidget(self.unfold_button)
        line.addWidget(self.model)
        line.addWidget(self.options_button)
        line.addStretch(1)
        self.offline = OfflineMark()
        line.addWidget(self.offline)
        line.addWidget(self.find_button)
        line.addWidget(self.more_button)
        line.addWidget(self.panel_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        self._line = Line()
        column.addWidget(self._line)
        self.unfold_button.clicked.connect(self.unfold)
        self.model.clicked.connect(self._pick)
        self.panel_button.clicked.connect(self.panel)
        self.options_button.clicked.connect(self.options)
        self.find_button.clicked.connect(self.find_asked)
        self.more_button.clicked.connect(self._more)

    def show_state(self, *, sidebar: bool, panel: bool, bare: bool = False) -> None:
        """Whether sidebar and panel are open; `bare` leaves only the way to the sidebar (the welcome page)."""
        self.unfold_button.setVisible(not sidebar)
        self.panel_button.setChecked(panel)
        for button in (self.panel_button, self.find_button, self.more_button):
            button.setVisible(not bare)
        self.model.setVisible(not bare)
        self.options_button.setVisible(not bare)
        self._line.set_token("chat" if bare else "line")
        self.setVisible(not bare or not sidebar)  # Nothing would be in it.

    def show_offline(self, why: str) -> None:
        """Why the provider of this chat can't be reached; "" when it can."""
        self.offline.say(why)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.offline.words.setVisible(self.width() >= look.px(_ROOM_FOR_WORDS))

    def show_chat(self, there: bool) -> None:
        """Whether there is a chat to search in and to do something with."""
        self.find_button.setEnabled(there)
        self.more_button.setEnabled(there)

    def _more(self) -> None:
        self.more.emit(self.more_button.mapToGlobal(QPoint(0, self.more_button.height())))

    def _pick(self) -> None:
        self.model.setChecked(False)  # it is held down as long as the list is open, which others know
        self.pick.emit()
