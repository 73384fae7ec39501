"""One attachment as it is shown: a small picture or the icon of a file, its name, how large it is."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import IconButton, Painted
from conch_desktop.desktop.parts import paint_card
from conch_desktop.desktop.pictures import picture_size
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.thumbnails import thumbnails
from conch_desktop.domain.messages import Attached, PicturePart
from conch_desktop.domain.tokens import estimate

HIGH = 52
_SIDE, _PAD, _GAP, _CLOSE = 38, 6, 10, 24
_NAME_MOST = 150
_SAMPLE = 100_000
PASTED = "Pasted picture"


def name_of(attached: Attached) -> str:
    """What it is called."""
    return attached.name or (PASTED if isinstance(attached, PicturePart) else "File")


def size_words(attached: Attached) -> str:
    """How large it is: pixels and bytes of a picture, about how many tokens a file takes."""
    if isinstance(attached, PicturePart):
        size = picture_size(attached.picture.data)
        return f"{size.width():,} × {size.height():,}, {max(1, len(attached.picture.data) // 1000):,} kB"
    text = attached.text
    tokens = estimate(text[:_SAMPLE])
    if len(text) > _SAMPLE:
        tokens = int(tokens * len(text) / _SAMPLE)
    return "1 token" if tokens == 1 else f"{tokens:,} tokens"


class Chip(Painted):
    """An attachment. Enter or a press opens it; Delete takes it away where that can be done."""

    removed = Signal()

    def __init__(self, attached: Attached, *, removable: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.attached = attached
        self._name, self._size = name_of(attached), size_words(attached)
        kind = "picture" if isinstance(attached, PicturePart) else "file"
        self.setAccessibleName(f"Attached {kind}: {self._name}, {self._size}")
        self.setToolTip(self._name)
        if removable:
            self.setAccessibleDescription("Enter opens it, Delete removes it.")
        self.remove: IconButton | None = None
        if removable:
            self.remove = IconButton("close", f"Remove {self._name}", _CLOSE, parent=self)
            self.remove.clicked.connect(self.removed)
        if kind == "picture":
            thumbnails.came.connect(self.update)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.remove is not None and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        name = QFontMetrics(look.font("ui", 500)).horizontalAdvance(self._name)
        size = QFontMetrics(look.font("small")).horizontalAdvance(self._size)
        wide = max(min(name, look.px(_NAME_MOST)), size) + 2
        wide += look.px(_PAD + _SIDE + _GAP + (_GAP + _CLOSE + 6 if self.remove is not None else 12))
        return QSize(wide, look.px(HIGH))

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.remove is not None:
            side = look.px(_CLOSE)
            self.remove.setGeometry(self.width() - side - look.px(8), (self.height() - side) // 2, side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = self._ground("raised" if self.remove is None else "panel", "btnH") or "raised"
        paint_card(painter, QRectF(self.rect()), look.colour(ground), look.colour("line2"), 8)
        side, pad = look.px(_SIDE), look.px(_PAD)
        spot = QRectF(pad + 1, (self.height() - side) / 2, side, side)
        self._paint_mark(painter, spot)
        left = spot.right() + look.px(_GAP)
        room = int((self.remove.x() if self.remove is not None else self.width()) - look.px(6) - left)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        middle = self.height() / 2
        for words, font, tone, top in (
            (self._name, look.font("ui", 500), "t1", middle - look.px(19)),
            (self._size, look.font("small"), "t2", middle),
        ):
            painter.setFont(font)
            painter.setPen(look.colour(tone))
            shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QRectF(left, top, room, look.px(19)), flags, shown)

    def _paint_mark(self, painter: QPainter, spot: QRectF) -> None:
        shape = QPainterPath()
        shape.addRoundedRect(spot, 5, 5)
        painter.fillPath(shape, look.colour("tag"))
        image = thumbnails.of(self.attached.picture) if isinstance(self.attached, PicturePart) else None
        if image is None:
            mark = look.px(20)
            inner = QRectF(spot.center().x() - mark / 2, spot.center().y() - mark / 2, mark, mark)
            name = "picture" if isinstance(self.attached, PicturePart) else "file"
            icons.paint(painter, name, inner, look.colour("t2"))
            return
        side = min(image.width(), image.height())
        cut = QRectF((image.width() - side) / 2, (image.height() - side) / 2, side, side)
        painter.save()
        painter.setClipPath(shape)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(spot, image, cut)
        painter.restore()
