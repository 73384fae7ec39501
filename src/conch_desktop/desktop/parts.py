"""The small parts every page is made of: labels, lines, tags, badges, the mark that turns, the tile of a provider."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tokens import LINE
from conch_desktop.desktop.wording import BADGE_ICONS, BADGE_WORDS


def label(
    text: str = "",
    role: str = "ui",
    tone: str = "t1",
    weight: int = 400,
    *,
    wrap: bool = False,
    parent: QWidget | None = None,
) -> QLabel:
    """A plain text label. Text is never read as markup, because some of it comes from models and providers."""
    made = Paragraph(role, parent) if wrap else QLabel(parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setProperty("look", role)
    made.setProperty("tone", tone)
    if weight != 400:
        made.setProperty("weight", str(weight))
    made.setWordWrap(wrap)
    made.setText(text)
    return made


class Paragraph(QLabel):
    """A label whose lines stand as far apart as the look says, and that breaks any text somewhere."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self.mono = 0
        """How many characters at the start are shown in mono: the name of a field or a tool."""
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def _lines(self, width: int) -> tuple[QTextLayout, float]:
        """The text laid out, and its height."""
        layout = QTextLayout(self.text().replace("\n", "\u2028"), self.font())
        option = QTextOption(self.alignment())
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        if self.mono:
            name = QTextLayout.FormatRange()
            name.start, name.length = 0, self.mono
            name.format.setFont(look.font("mono"))
            layout.setFormats([name])
        high = look.px(LINE.get(self._role, 20))
        y = 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, y + (high - line.height()) / 2))
            y += high
        layout.endLayout()
        return layout, y

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        inner = width - margins.left() - margins.right()
        return math.ceil(self._lines(inner)[1]) + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        longest = max((metrics.horizontalAdvance(line) for line in self.text()[:4000].split("\n")), default=0)
        margins = self.contentsMargins()
        wide = min(longest, look.px(640)) + margins.left() + margins.right() + 1
        return QSize(wide, self.heightForWidth(wide))

    def minimumSizeHint(self) -> QSize:
        return QSize(look.px(40), look.px(LINE.get(self._role, 20)))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        inner = self.contentsRect()
        painter.setPen(self.palette().color(self.foregroundRole()))
        self._lines(inner.width())[0].draw(painter, QPointF(inner.topLeft()))


def set_tone(target: QWidget, tone: str) -> None:
    """Gives a label another colour."""
    if target.property("tone") != tone:
        target.setProperty("tone", tone)
        target.style().unpolish(target)
        target.style().polish(target)


class ElidedLabel(QWidget):
    """One line of text that ends in "…" where it does not fit; the whole is in the tooltip then."""

    def __init__(
        self, text: str = "", role: str = "ui", tone: str = "t1", weight: int = 400, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._text, self._role, self._tone, self._weight = text, role, tone, weight
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Shows another text."""
        self._text = " ".join(text[:2000].split())
        self.setAccessibleName(self._text)
        self._tell()
        self.updateGeometry()
        self.update()

    def set_tone(self, tone: str) -> None:
        """Gives the text another colour."""
        self._tone = tone
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(look.font(self._role, self._weight))
        return QSize(metrics.horizontalAdvance(self._text) + 2, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(look.px(24), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._tell()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = look.font(self._role, self._weight)
        painter.setFont(font)
        painter.setPen(look.colour(self._tone))
        shown = QFontMetrics(font).elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _tell(self) -> None:
        fits = self.sizeHint().width() <= self.width() + 2
        self.setToolTip("" if fits else self._text)


class Line(QWidget):
    """A thin line across."""

    def __init__(self, token: str = "line", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._token = token
        self.setFixedHeight(1)

    def set_token(self, token: str) -> None:
        """Another colour."""
        if token != self._token:
            self._token = token
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), look.colour(self._token))


TAG_COLOURS = {
    "plain": ("tag", "t2"),
    "mend": ("mendS", "mend"),
    "err": ("errS", "err"),
    "acc": ("accS", "acc"),
}
"""Ground and text of each kind of tag."""


def paint_tag(painter: QPainter, rect: QRectF, text: str, kind: str) -> None:
    """A tag's ground and text in `rect`."""
    ground, ink = TAG_COLOURS[kind]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(look.colour("line2") if look.high else Qt.PenStyle.NoPen)
    painter.setBrush(look.colour(ground))
    painter.drawRoundedRect(rect, 4, 4)
    painter.setFont(look.font("tiny"))
    painter.setPen(look.colour(ink))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def tag_width(text: str) -> int:
    """The width `paint_tag` needs."""
    return QFontMetrics(look.font("tiny")).horizontalAdvance(text) + look.px(12)


class Tag(QWidget):
    """A few words on a tint: "3 mended", "not run", "reads"."""

    def __init__(self, text: str, kind: str = "plain", parent: QWidget | None = None, *, icon: str = "") -> None:
        super().__init__(parent)
        self._text, self._kind, self._icon = text, kind, icon
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)

    def text(self) -> str:
        """The words."""
        return self._text

    def sizeHint(self) -> QSize:
        return QSize(tag_width(self._text) + (look.px(16) if self._icon else 0), look.px(20 if self._icon else 18))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, rect = QPainter(self), QRectF(self.rect())
        if not self._icon:
            paint_tag(painter, rect, self._text, self._kind)
            return
        paint_tag(painter, rect, "", self._kind)
        mark = look.px(14)
        spot = QRectF(look.px(6), (rect.height() - mark) / 2, mark, mark)
        icons.paint(painter, self._icon, spot, look.colour(TAG_COLOURS[self._kind][1]))
        words = rect.adjusted(spot.right() + look.px(4), 0, 0, 0)
        painter.setPen(look.colour(TAG_COLOURS[self._kind][1]))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text)


def badge_width(mode: str, checked: bool = False) -> int:
    """The width `paint_badge` needs."""
    words = QFontMetrics(look.font("tiny", 500)).horizontalAdvance(BADGE_WORDS[mode])
    return words + look.px(27) + (look.px(14) if checked else 0)


def paint_badge(painter: QPainter, rect: QRectF, mode: str, checked: bool = False) -> None:
    """How a model gets its tools: a mark and words in a pill."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(look.colour("line2"))
    if mode == "untried":
        pen.setStyle(Qt.PenStyle.DashLine)
        pen.setDashPattern([3, 2])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pill = rect.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    mark = look.px(10)
    icons.paint(
        painter,
        f"modes/{BADGE_ICONS[mode]}",
        QRectF(rect.x() + look.px(7), rect.y() + (rect.height() - mark) / 2, mark, mark),
        look.colour("t2"),
    )
    painter.setFont(look.font("tiny", 500))
    painter.setPen(look.colour("t2"))
    words = rect.adjusted(look.px(20), 0, 0, 0)
    painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, BADGE_WORDS[mode])
    if checked:
        size = look.px(12)
        spot = QRectF(rect.right() - look.px(19), rect.y() + (rect.height() - size) / 2, size, size)
        icons.paint(painter, "check", spot, look.colour("t2"))


def paint_tile(painter: QPainter, rect: QRectF, name: str) -> None:
    """The tile of a provider: its first letter in a small frame."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(look.colour("line2"))
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
    painter.setPen(look.colour("t2"))
    painter.setFont(look.font("tiny", 600))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, (name.strip() or "?")[0].upper())


class Tile(QWidget):
    """A provider's tile."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setFixedSize(look.px(20), look.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_tile(QPainter(self), QRectF(self.rect()), self._name)


def still(widget: QWidget) -> bool:
    """Whether motion is off on this computer."""
    from PySide6.QtWidgets import QStyle  # Its names are many; the first picture of the window needs none of them.

    return widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, widget) == 0


class IconMark(QWidget):
    """An icon; "running" turns, once a second, unless motion is off."""

    def __init__(self, name: str, tone: str = "t2", size: int = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._tone, self._size = name, tone, size
        self._turn = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(40)
        self._timer.timeout.connect(self._step)
        self.setFixedSize(look.px(size), look.px(size))

    def set_icon(self, name: str, tone: str) -> None:
        """Shows another icon."""
        self._name, self._tone = name, tone
        self._turn = 0.0
        self._set_moving()
        self.update()

    def _set_moving(self) -> None:
        if self._name == "running" and self.isVisible() and not still(self):
            self._timer.start()
        else:
            self._timer.stop()

    def showEvent(self, event: QShowEvent) -> None:
        self._set_moving()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self.setFixedSize(look.px(self._size), look.px(self._size))

    def paintEvent(self, event: QPaintEvent) -> None:
        icons.paint(QPainter(self), self._name, QRectF(self.rect()), look.colour(self._tone), self._turn)

    def _step(self) -> None:
        self._turn = (self._turn + 14.4) % 360
        if not self.visibleRegion().isEmpty():
            self.update()


def paint_card(
    painter: QPainter, rect: QRectF, ground: QColor, edge: QColor, radius: float = 8, bar: QColor | None = None
) -> None:
    """A card's ground and edge, with a bar of 3 px at its left where it wants attention."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(QPen(edge, 1))
    painter.setBrush(ground)
    painter.drawRoundedRect(inner, radius, radius)
    if bar is not None:
        painter.save()
        painter.setClipRect(QRectF(rect.x(), rect.y(), 4, rect.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(bar)
        painter.drawRoundedRect(rect.adjusted(0, 0, 0, 0), radius, radius)
        painter.restore()


class Card(QWidget):
    """A framed ground for other widgets."""

    def __init__(
        self,
        ground: str = "raised",
        edge: str = "line",
        radius: int = 8,
        bar: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.ground, self.edge, self.radius, self.bar = ground, edge, radius, bar

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(
            QPainter(self),
            QRectF(self.rect()),
            look.colour(self.ground),
            look.colour(self.edge),
            self.radius,
            look.colour(self.bar) if self.bar else None,
        )
