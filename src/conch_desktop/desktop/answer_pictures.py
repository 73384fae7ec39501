"""The pictures of a call's answer on its card. They are read beside the window, which never waits for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QRectF, QRunnable, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop.parts import label
from conch_desktop.desktop.pictures import read_picture
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.domain.pictures import PictureContent

_MOST = 240
"""px; a higher picture is shown smaller."""
_SHOWN = 8
"""Pictures of one answer that are shown; the others are counted."""


class _Told(QObject):
    """Carries a picture from the thread that read it."""

    read = Signal(object)


class _Reading(QRunnable):
    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.told = _Told()
        self._data = data

    def run(self) -> None:
        self.told.read.emit(read_picture(self._data))


class AnswerPicture(QWidget):
    """One picture, as wide as there is room. `refit`: its height is known now."""

    refit = Signal()

    def __init__(self, picture: PictureContent) -> None:
        super().__init__()
        self.image: QImage | None = None
        self.words = picture.words.strip("[]").rstrip(".")
        self._trouble = ""
        self.setAccessibleName(self.words)
        self.setToolTip(self.words)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._reading = _Reading(picture.data)
        self._reading.setAutoDelete(False)
        self._reading.told.read.connect(self._show)
        QThreadPool.globalInstance().start(self._reading)

    def _show(self, image: QImage | None) -> None:
        self.image = image
        self._trouble = "" if image is not None else "This picture can’t be read."
        self.updateGeometry()
        self.refit.emit()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._size(width).height() if self.image is not None else look.px(24)

    def sizeHint(self) -> QSize:
        return QSize(look.px(200), self.heightForWidth(look.px(200)))

    def _size(self, width: int) -> QSize:
        """How large it is shown: never larger than it is."""
        own = self.image.size() if self.image is not None else QSize(1, 1)
        most = QSize(max(1, width), look.px(_MOST))
        fits = own.width() <= most.width() and own.height() <= most.height()
        return own if fits else own.scaled(most, Qt.AspectRatioMode.KeepAspectRatio)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.image is None:
            painter.setFont(look.font("small"))
            painter.setPen(look.colour("t2"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self._trouble or self.words)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = self._size(self.width())
        painter.drawImage(QRect(0, 0, size.width(), size.height()), self.image)
        painter.setPen(QPen(look.colour("line"), 1))
        painter.drawRect(QRectF(0.5, 0.5, size.width() - 1, size.height() - 1))


class AnswerPictures(QWidget):
    """The pictures, one below the other."""

    refit = Signal()

    def __init__(self, pictures: Sequence[PictureContent]) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.shown = [AnswerPicture(picture) for picture in pictures[:_SHOWN]]
        for one in self.shown:
            one.refit.connect(self.refit)
            column.addWidget(one)
        if len(pictures) > _SHOWN:
            column.addWidget(label(f"and {len(pictures) - _SHOWN:,} more", "small", "t2"))
