"""Formulas as pictures, drawn by ziamath (the extra `math`) beside the window, and kept by their source.

Nothing waits for a formula: until it is drawn, and where it can't be, its source is shown.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

LENGTH_MOST = 2000
_KEPT = 256
_PIXELS_MOST = 4_000_000

_log = logging.getLogger(__name__)

Key = tuple[str, bool, float, str]


@dataclass(frozen=True, slots=True)
class _Drawing:
    svg: bytes
    ascent: float
    descent: float
    width: float


class Formulas(QObject):
    """All formulas of the window. `drawn` tells the source of one that can be shown now."""

    drawn = Signal(str)
    _came = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._images: OrderedDict[Key, QImage | None] = OrderedDict()
        self._asked: set[Key] = set()
        self._worker: ThreadPoolExecutor | None = None
        self._here: bool | None = None
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def available(self) -> bool:
        """Whether formulas can be drawn on this computer."""
        if self._here is None:
            self._here = find_spec("ziamath") is not None
        return self._here

    def may_come(self, source: str) -> bool:
        """Whether a formula that is not there yet is on its way."""
        return any(key[0] == source for key in self._asked)

    def find(self, source: str, font: QFont, colour: QColor, *, display: bool = False) -> QImage | None:
        """The picture of a formula; None when it is still to be drawn, or can't be."""
        if not self.available or not source or len(source) > LENGTH_MOST:
            return None
        size = QFontMetricsF(font).height() / 1.2
        key = (source, display, round(size, 1), colour.name())
        if key in self._images:
            self._images.move_to_end(key)
            return self._images[key]
        if key not in self._asked:
            self._asked.add(key)
            if self._worker is None:
                self._worker = ThreadPoolExecutor(1, "formulas")
            self._worker.submit(_draw, key).add_done_callback(lambda done: self._came.emit(key, done))
        return None

    def _take(self, key: Key, done: Future[_Drawing]) -> None:
        self._asked.discard(key)
        try:
            self._images[key] = _image(done.result(), key)
        except Exception as error:  # Whatever the source holds: it is shown as it is.
            _log.debug("A formula could not be drawn: %s", error)
            self._images[key] = None
        while len(self._images) > _KEPT:
            self._images.popitem(last=False)
        self.drawn.emit(key[0])


def _draw(key: Key) -> _Drawing:
    from ziamath import zmath
    from ziamath.config import config

    config.svg2 = False  # QtSvg draws paths where they stand, not symbols that are used elsewhere.
    source, display, size, colour = key
    made = zmath.Latex(source, size=size * (1.15 if display else 1.0), color=colour, inline=not display)
    wide, high = made.getsize()
    descent = -float(made.getyofst())
    return _Drawing(made.svg().encode(), float(high) - descent, max(0.0, descent), float(wide))


def _image(drawing: _Drawing, key: Key) -> QImage:
    """The picture; that of a formula in a line is padded, so that its baseline is the line's when centred."""
    renderer = QSvgRenderer(QByteArray(drawing.svg))
    if not renderer.isValid():
        raise ValueError("no picture")
    box = renderer.viewBoxF()
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    ascent, descent = -box.y(), box.y() + box.height()
    above = below = 0.0
    if not key[1]:
        axis = 0.3 * key[2]
        above = max(0.0, descent + 2 * axis - ascent)
        below = max(0.0, ascent - 2 * axis - descent)
    high = box.height() + above + below
    if box.width() * high * ratio * ratio > _PIXELS_MOST:
        raise ValueError("too large")
    image = QImage(round(box.width() * ratio), round(high * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, above * ratio, box.width() * ratio, box.height() * ratio))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image


formulas = Formulas()
"""The formulas of this program."""
