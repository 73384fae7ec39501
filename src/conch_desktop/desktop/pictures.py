"""Reads pictures that came from elsewhere: known kinds only, no larger than a screen needs."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

_KINDS = (b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp")
_SIDE_MOST = 2000
_PIXELS_MOST = 60_000_000


def read_picture(data: bytes) -> QImage | None:
    """The picture, made smaller if it is large; None when it can't be read."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    size = reader.size()
    if bytes(reader.format().data()) not in _KINDS or size.width() * size.height() > _PIXELS_MOST:
        return None
    if max(size.width(), size.height()) > _SIDE_MOST:
        reader.setScaledSize(size.scaled(QSize(_SIDE_MOST, _SIDE_MOST), Qt.AspectRatioMode.KeepAspectRatio))
    reader.setAutoTransform(True)
    image = reader.read()
    return None if image.isNull() else image
