"""A picture in a message: its address and a button. Nothing is fetched until the person asks for it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import Card, ElidedLabel, IconMark, label
from conch_desktop.desktop.theme import look

HEIGHT_MOST = 420


class PictureBlock(Card):
    """One picture."""

    asked = Signal(str)
    """The person wants to see the picture at this address."""
    link_pressed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("code", "line", 8, "", parent)
        self._address = ""
        self._image: QImage | None = None
        self._chosen = False
        self._name = label("", "ui", "t1", 500)
        self._where = ElidedLabel("", "small", "t2")
        self.button = Button("Show picture", height=28)
        self.button.clicked.connect(self._pressed)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._name)
        words.addWidget(self._where)
        self._line = QWidget(self)
        line = QHBoxLayout(self._line)
        line.setContentsMargins(12, 8, 10, 8)
        line.setSpacing(12)
        line.addWidget(IconMark("picture", "t2"), 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)
        line.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    def show_picture(self, address: str, words: str) -> None:
        """Names a picture that is not there."""
        self._address = address
        self._name.setText(words or "Picture")
        self._where.set_text(address)
        self.setAccessibleName(f"Picture: {words or 'without a name'}, {address}")
        web = address.casefold().startswith(("http:", "https:"))
        self.button.setVisible(web)
        if not web:
            self._where.set_text(f"{address} is not shown")

    def show_image(self, image: QImage | None, trouble: str = "") -> None:
        """Shows what was fetched, or why it could not be."""
        self._image = image
        self._line.setVisible(image is None)
        self.button.setEnabled(True)
        if trouble:
            self._where.set_text(trouble)
            self.button.change("Try again")
        self.update()

    def fit(self, width: int) -> int:
        """The height it needs at `width`."""
        if self._image is not None:
            part = min(1.0, width / self._image.width(), look.px(HEIGHT_MOST) / self._image.height())
            return max(1, round(self._image.height() * part))
        high = fit_layout(self._line, width)
        self._line.setGeometry(0, 0, width, high)
        return high

    def _pressed(self) -> None:
        self.button.setEnabled(False)
        self._where.set_text("Fetching…")
        self.asked.emit(self._address)

    def hit(self, point: QPoint) -> int:
        """The place under a point: before or behind it."""
        return 0 if point.x() < self.width() / 2 else 1

    def word_at(self, place: int) -> tuple[int, int]:
        """All of it."""
        return 0, 1

    def choose(self, start: int, end: int) -> None:
        """Shows whether it is chosen."""
        self._chosen = start != end
        self.update()

    def mark(self, marks: list[tuple[int, int, bool]]) -> None:
        """Nothing of it is marked."""

    def top_of(self, place: int) -> int:
        """How far down a place is."""
        return 0

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._image is None:
            super().paintEvent(event)
        painter = QPainter(self)
        if self._image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            wide = self.height() * self._image.width() / max(1, self._image.height())
            painter.drawImage(QRectF(0, 0, wide, self.height()), self._image)
        if self._chosen:
            painter.setOpacity(0.4)
            painter.fillRect(self.rect(), look.colour("sel"))
