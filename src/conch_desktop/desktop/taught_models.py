"""Models in the settings: how each gets its tools, what it taught, and Forget and Check for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import Button, Painted
from conch_desktop.desktop.lessons_card import LessonLine
from conch_desktop.desktop.parts import IconMark, Line, badge_width, label, paint_badge
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import BADGE_WORDS, count

_HEADS = ("Model", "Provider", "Gets its tools", "Checked", "Taught")
_WIDE = (0.0, 0.24, 0.39, 0.6, 0.88)
"""Where each of `_HEADS` begins, as parts of the width."""
_NARROW = (0.0, None, 0.44, None, 0.8)
"""The same in a narrow window: provider and check are in the tooltip only."""
_NARROW_BELOW = 520


@dataclass(frozen=True, slots=True)
class TaughtModel:
    """A model on this page. `told` is what its last check said, or how it goes."""

    id: str
    name: str
    provider: str
    mode: str
    checked: bool
    check: str
    lessons: tuple[LessonLine, ...] = ()
    told: str = ""
    checking: bool = False

    @property
    def taught(self) -> str:
        """How many lessons, in words."""
        return count(len(self.lessons), "lesson") if self.lessons else "none"


def column_spots(width: int, height: int) -> list[QRectF | None]:
    """Where each column stands in a row; None for one that a narrow row does without."""
    starts = _NARROW if width < look.px(_NARROW_BELOW) else _WIDE
    room = width - 32 - look.px(24)
    ends = [start for start in starts if start is not None]
    spots: list[QRectF | None] = []
    for start in starts:
        if start is None:
            spots.append(None)
            continue
        end = next((one for one in ends if one > start), 1.0)
        spots.append(QRectF(16 + start * room, 0, (end - start) * room - 8, height))
    return spots


def _draw(painter: QPainter, spot: QRectF, text: str, font: QFont, tone: str) -> None:
    painter.setFont(font)
    painter.setPen(look.colour(tone))
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(spot.width()))
    painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, shown)


class ModelHeads(QWidget):
    """What the columns say."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(look.px(300), look.px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for spot, text in zip(column_spots(self.width(), self.height()), _HEADS, strict=True):
            if spot is not None:
                _draw(painter, spot, text, look.font("small", 600), "t2")


class ModelRow(Painted):
    """A model in one line; it opens what it taught."""

    ring = 0

    def __init__(self, model: TaughtModel) -> None:
        super().__init__()
        self._model = model
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        mode = BADGE_WORDS[model.mode]
        self.setAccessibleName(f"{model.name}, {model.provider}, {mode}, {model.check}, lessons: {model.taught}")
        self.setToolTip(f"{model.name} ({model.id.partition('/')[2]}), {model.provider}, {model.check}")

    def sizeHint(self) -> QSize:
        return QSize(look.px(300), look.px(42))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._ground(None, "hover")
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 6, 6)
        mark, model = look.px(16), self._model
        spots = column_spots(self.width(), self.height())
        tones = ((500, "t1"), (400, "t2"), (400, "t2"), (400, "t2"), (400, "t2"))
        texts = (model.name, model.provider, "", model.check, model.taught)
        for spot, text, (weight, tone) in zip(spots, texts, tones, strict=True):
            if spot is not None:
                _draw(painter, spot, text, look.font("ui", weight), tone)
        place = spots[2]
        assert place is not None
        high = look.px(18)
        badge = min(badge_width(model.mode, model.checked), place.width() + 4)
        place = QRectF(place.x(), (self.height() - high) / 2, badge, high)
        painter.save()
        painter.setClipRect(place.adjusted(-1, -1, 1, 1))
        paint_badge(painter, place, model.mode, model.checked)
        painter.restore()
        chevron = QRectF(self.width() - 12 - mark, (self.height() - mark) / 2, mark, mark)
        icons.paint(painter, "chevron-down" if self.isChecked() else "chevron-right", chevron, look.colour("t2"))


class Quote(QWidget):
    """A provider's own words, with a bar before them."""

    def __init__(self, words: str) -> None:
        super().__init__()
        line = QHBoxLayout(self)
        line.setContentsMargins(10, 0, 0, 0)
        line.addWidget(label(words, "mono", "t2", wrap=True))

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(QRectF(0, 1, 2, self.height() - 2), look.colour("line2"))


class ModelLessons(QFrame):
    """What a model taught, each with Forget; and Check this model."""

    forgotten = Signal(str, str)
    checked = Signal(str)

    def __init__(self, model: TaughtModel) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(10)
        for line in model.lessons:
            column.addWidget(self._lesson(model.id, line))
            column.addWidget(Line())
        check = Button("Stop the check" if model.checking else "Check this model", "plain", "done", 28)
        check.setAccessibleName(f"{check.text()}: {model.name}")
        check.clicked.connect(lambda: self.checked.emit(model.id))
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(check, 0, Qt.AlignmentFlag.AlignVCenter)
        foot.addWidget(
            label(model.told or "The check makes three harmless calls.", "small", "t2", wrap=True),
            1,
            Qt.AlignmentFlag.AlignVCenter,
        )
        column.addLayout(foot)

    def _lesson(self, model: str, line: LessonLine) -> QWidget:
        row = QWidget()
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(label(line.text, "ui", "t1", wrap=True))
        if line.words:
            words.addWidget(Quote(line.words[:300]))
        if line.since:
            words.addWidget(label(line.since, "small", "t2", wrap=True))
        forget = Button("Forget", "plain", height=28)
        forget.setAccessibleName(f"Forget: {line.text}")
        forget.clicked.connect(lambda: self.forgotten.emit(model, line.kind))
        across = QHBoxLayout(row)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(10)
        across.addWidget(IconMark("lesson", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        across.addLayout(words, 1)
        across.addWidget(forget, 0, Qt.AlignmentFlag.AlignTop)
        return row


class TaughtModels(QWidget):
    """All models that taught something or were used. `every` is the button that forgets all of it."""

    forgotten = Signal(str, str)
    all_forgotten = Signal()
    checked = Signal(str)

    def __init__(self, every: Button) -> None:
        super().__init__()
        self._open = ""
        self._models: Sequence[TaughtModel] = ()
        self.rows: dict[str, ModelRow] = {}
        self.lessons: dict[str, ModelLessons] = {}
        self._list = CardList()
        self._none = label("No model was used yet.", "ui", "t2", wrap=True)
        self._every = every
        every.clicked.connect(self._ask)
        self._sure = QWidget()
        sure = QHBoxLayout(self._sure)
        sure.setContentsMargins(0, 0, 0, 8)
        sure.addWidget(
            label("Forget what every model taught? It is learnt anew when it is met.", "ui", "t1", wrap=True), 1
        )
        self.yes, self.no = Button("Forget all", "danger", height=28), Button("Keep them", height=28)
        for button in (self.yes, self.no):
            sure.addWidget(button)
        self.yes.clicked.connect(self._forget_all)
        self.no.clicked.connect(self._sure.hide)
        self._sure.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self._sure, self._list, self._none):
            column.addWidget(part)

    def show_models(self, models: Sequence[TaughtModel]) -> None:
        """Shows these models; the one that is open stays open."""
        self._models = models
        rows: list[QWidget] = [ModelHeads()] if models else []
        self.rows, self.lessons = {}, {}
        for model in models:
            row = self.rows[model.id] = ModelRow(model)
            row.clicked.connect(lambda _=False, one=model.id: self._turn(one))
            rows.append(row)
            if model.id == self._open:
                row.setChecked(True)
                taught = self.lessons[model.id] = ModelLessons(model)
                taught.forgotten.connect(self.forgotten)
                taught.checked.connect(self.checked)
                rows.append(taught)
        self._list.put(rows)
        self._none.setVisible(not rows)
        self._every.setEnabled(any(model.lessons for model in models))

    def _turn(self, model: str) -> None:
        self._open = "" if self._open == model else model
        by_key = self.rows[model].hasFocus()
        self.show_models(self._models)
        # The row is made anew; a press of the pointer shows no ring.
        self.rows[model].setFocus(Qt.FocusReason.OtherFocusReason if by_key else Qt.FocusReason.MouseFocusReason)

    def _ask(self) -> None:
        self._sure.show()
        self.no.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _forget_all(self) -> None:
        self._sure.hide()
        self.all_forgotten.emit()
