"""The program's own icons, drawn from SVG in any colour and at the screen's ratio."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from conch_desktop.desktop.tokens import RESOURCES

_FOLDER = RESOURCES / "icons"


@lru_cache(maxsize=256)
def _source(name: str) -> str:
    return (_FOLDER / f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(maxsize=1024)
def _pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    svg = _source(name).replace("#000000", colour)
    if size <= 16:
        svg = svg.replace('stroke-width="1.5"', 'stroke-width="1.65"')
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, pixmap.width(), pixmap.height()))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def pixmap(name: str, colour: QColor, size: int, ratio: float) -> QPixmap:
    """The icon `name` (its path below `resources/icons`, without the ending)."""
    return _pixmap(name, colour.name(), size, ratio)


def paint(painter: QPainter, name: str, rect: QRectF, colour: QColor, turn: float = 0.0) -> None:
    """Paints an icon in the middle of `rect`, `turn` degrees round."""
    device = painter.device()
    size = round(min(rect.width(), rect.height()))
    picture = pixmap(name, colour, size, device.devicePixelRatio())
    left = rect.x() + (rect.width() - size) / 2
    top = rect.y() + (rect.height() - size) / 2
    if not turn:
        painter.drawPixmap(round(left), round(top), picture)
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.translate(left + size / 2, top + size / 2)
    painter.rotate(turn)
    painter.drawPixmap(QRectF(-size / 2, -size / 2, size, size), picture, QRectF(picture.rect()))
    painter.restore()


def app_icon() -> QIcon:
    """The icon of the program."""
    icon = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        name = "app/conch-small" if size <= 32 else "app/conch"
        icon.addPixmap(_pixmap(name, "#000000", size, 1.0))
    return icon
