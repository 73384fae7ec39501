"""What went wrong (or paused) in an answer: what happened, what is kept, and what can be done, on the spot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import Card, IconMark, label
from conch_desktop.desktop.theme import look
from conch_desktop.domain.messages import MADE_UP

if TYPE_CHECKING:
    from conch_desktop.domain.messages import Message

_ICONS = {"network": "offline", "auth": "key", "quota": "key", "rate": "clock", "overloaded": "clock"}
_KEPT = "What had arrived is kept."


@dataclass(frozen=True, slots=True)
class Trouble:
    """What the block shows. `actions` are (name, words): "go_on", "stop_here", "retry", "key", "model"."""

    title: str
    sentence: str
    icon: str
    bad: bool
    actions: tuple[tuple[str, str], ...]


def trouble_of(message: Message) -> Trouble | None:
    """What an answer's end asks to be said; None when it ended well or was stopped by the person."""
    begun = bool(message.text or message.calls)
    if message.failure is not None:
        actions = [("retry", "Try again")]
        if begun and message.failure.kind not in ("auth", "store"):
            actions.insert(0, ("go_on", "Continue"))
        if message.failure.kind == "auth":
            actions.insert(0, ("key", "Enter another key…"))
        if message.failure.kind == "not_found":
            actions.insert(0, ("model", "Choose a model…"))
        kept = _KEPT if begun and message.failure.kind != "store" else ""
        advice = message.failure.advice
        sentence = " ".join(filter(None, (kept if kept not in advice else "", advice)))
        icon = _ICONS.get(message.failure.kind, "failed")
        return Trouble(message.failure.what.rstrip("."), sentence, icon, bad=True, actions=tuple(actions))
    if message.state == "interrupted":
        unknown = [call.name for call in message.calls if call.state == "unknown"]
        risk = f" {unknown[-1]} may or may not have run." if unknown else ""
        actions = [("go_on", "Continue"), ("retry", "Try again")]
        title = "Interrupted when the program closed"
        return Trouble(title, _KEPT + risk, "warning", bad=False, actions=tuple(actions))
    return _paused(message)


def _paused(message: Message) -> Trouble | None:
    """A turn that reached a limit ends with the notice that says so."""
    if message.state != "done" or not message.parts or type(message.parts[-1]).__name__ != "NoticePart":
        return None
    words = getattr(message.parts[-1], "text", "")
    if words == MADE_UP:
        return None
    title, _, rest = words.partition(". ")
    actions = (("go_on", "Go on"), ("stop_here", "Stop here"))
    return Trouble(title.rstrip("."), rest or "The turn is paused.", "again", bad=False, actions=actions)


class TroubleBlock(Card):
    """The block itself."""

    acted = Signal(str)

    def __init__(self, trouble: Trouble, parent: QWidget | None = None) -> None:
        super().__init__("errS" if trouble.bad else "code", "errL" if trouble.bad else "line", 8, "", parent)
        self.trouble = trouble
        self.setAccessibleName(f"{trouble.title}. {trouble.sentence}")
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(trouble.title, "ui", "t1", 500, wrap=True))
        if trouble.sentence:
            words.addWidget(label(trouble.sentence, "small", "t2", wrap=True))
        told = QHBoxLayout()
        told.setSpacing(12)
        mark = IconMark(trouble.icon, "err" if trouble.bad else "t2")
        told.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        told.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        for name, text in trouble.actions:
            button = Button(text, height=28)
            button.clicked.connect(lambda _=False, name=name: self.acted.emit(name))
            buttons.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(12, 10, 10, 10)
        self._line.setSpacing(12)
        self._line.addLayout(told, 1)
        self._line.addLayout(buttons)

    def fit(self, width: int) -> int:
        """The height it needs at `width`; in a narrow chat the buttons stand below the words."""
        narrow = width < look.px(440)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._line.direction() != way:
            self._line.setDirection(way)
        return fit_layout(self, width)
