"""Pictures at the size they are shown in, read off the thread of the window; the small ones are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from conch_desktop.desktop.pictures import read_picture

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from conch_desktop.domain.pictures import PictureContent

SMALL = 128
"""Pixels of the longer side of a small picture: enough for 38 px at three times."""
_KEPT = 256

Key = tuple[int, int]


class Thumbnails(QObject):
    """The small pictures. There is one of it."""

    came = Signal()
    """A small picture is there."""
    loaded = Signal(object, object)
    """A large one that was asked for: its content, and the image or None."""

    def __init__(self) -> None:
        super().__init__()
        self._images: OrderedDict[Key, QImage | None] = OrderedDict()
        self._waiting: set[Key] = set()
        self._pool: ThreadPoolExecutor | None = None

    def of(self, picture: PictureContent) -> QImage | None:
        """The small picture; None while it is read, which `came` tells the end of, and when it can't be."""
        key = (hash(picture.data), len(picture.data))
        if key in self._images:
            self._images.move_to_end(key)
            return self._images[key]
        if key not in self._waiting:
            self._waiting.add(key)
            reading = self._started(lambda: read_picture(picture.data, SMALL))
            reading.add_done_callback(lambda done: self._keep(key, done))
        return None

    def load(self, picture: PictureContent) -> None:
        """Reads a picture for the whole window; `loaded` brings it."""
        reading = self._started(lambda: read_picture(picture.data))
        reading.add_done_callback(lambda done: self.loaded.emit(picture, done.result()))

    def _started(self, work: Callable[[], QImage | None]) -> Future[QImage | None]:
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # The first picture of the window needs none of it.

            self._pool = ThreadPoolExecutor(1, "pictures")
        return self._pool.submit(work)

    def _keep(self, key: Key, done: Future[QImage | None]) -> None:
        """In the thread that read it: what is shown is told by a signal, which crosses over."""
        self._images[key] = done.result()
        self._waiting.discard(key)
        while len(self._images) > _KEPT:
            self._images.popitem(last=False)
        self.came.emit()


thumbnails = Thumbnails()
