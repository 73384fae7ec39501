"""Reads pictures that came from elsewhere, known kinds only, and makes them as small as they have to be."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from conch_desktop.domain.pictures import LARGEST, PictureContent, kind_of

_KINDS = (b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp")
_SIDE_MOST = 2000
_PIXELS_MOST = 60_000_000
SENT_SIDE = 2048
"""Pixels of the longer side of a picture that is sent: models are shown no more of it anyway."""


def read_picture(data: bytes, side: int = _SIDE_MOST) -> QImage | None:
    """The picture, no side longer than `side`; None when it can't be read. For any thread."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    size = reader.size()
    if bytes(reader.format().data()) not in _KINDS or size.width() * size.height() > _PIXELS_MOST:
        return None
    if max(size.width(), size.height()) > side:
        reader.setScaledSize(size.scaled(QSize(side, side), Qt.AspectRatioMode.KeepAspectRatio))
    reader.setAutoTransform(True)
    image = reader.read()
    return None if image.isNull() else image


def picture_size(data: bytes) -> QSize:
    """How large a picture is, by its head alone; an empty size when it can't be read."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    return QImageReader(buffer).size()


def fit_to_send(data: bytes) -> PictureContent | None:
    """The picture as it is sent: as it is, or made smaller if it is too large; None when it can't be read.

    It takes its time: for a thread.
    """
    size = picture_size(data)
    if not size.isValid():
        return None
    kind = kind_of(data)
    if kind and max(size.width(), size.height()) <= SENT_SIDE and len(data) <= LARGEST:
        return PictureContent(data, kind)
    image = read_picture(data, SENT_SIDE)
    return None if image is None else from_image(image)


def from_image(image: QImage) -> PictureContent | None:
    """A picture that never was a file, as it is sent. It takes its time: for a thread."""
    if max(image.width(), image.height()) > SENT_SIDE:
        image = _scaled(image, SENT_SIDE)
    while not image.isNull():
        # A photo is a fifth as large as JPEG; what has letters, or can be seen through, keeps its edges as PNG.
        kinds = ("PNG",) if image.hasAlphaChannel() else ("PNG", "JPG")
        for kind in kinds:
            data = _written(image, kind)
            if 0 < len(data) <= LARGEST:
                return PictureContent(data, kind_of(data))
        image = _scaled(image, max(image.width(), image.height()) * 3 // 4)
    return None


def _scaled(image: QImage, side: int) -> QImage:
    size = QSize(side, side)
    return image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)


def _written(image: QImage, kind: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, kind, 90 if kind == "JPG" else -1)  # type: ignore[call-overload]
    return bytes(buffer.data().data())
