"""An attachment, large, over the window: the whole picture or the text of the file."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QStackedWidget, QWidget

from conch_desktop.desktop.attached_chip import name_of, size_words
from conch_desktop.desktop.buttons import IconButton
from conch_desktop.desktop.parts import ElidedLabel, Line, label
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.thumbnails import thumbnails
from conch_desktop.domain.messages import Attached, FilePart, PicturePart

SHOWN_MOST = 200_000
"""Characters of a file that are shown."""
_EDGE = 24


class Large(QWidget):
    """A picture as large as there is room, never larger than it is."""

    def __init__(self) -> None:
        super().__init__()
        self.image: QImage | None = None
        self.words = ""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.image is None:
            painter.setFont(look.font("ui"))
            painter.setPen(look.colour("t2"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.words)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        size = self.image.size()
        if size.width() > self.width() or size.height() > self.height():
            size = size.scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
        left, top = (self.width() - size.width()) / 2, (self.height() - size.height()) / 2
        painter.drawImage(QRectF(left, top, size.width(), size.height()), self.image)


class Preview(Popup):
    """The card with it. Escape, its button or a press beside it close it."""

    veil = True

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "Attachment")
        self._attached: Attached | None = None
        self._name = ElidedLabel("", "ui", "t1", 600)
        self._size = label("", "small", "t2")
        self.close_button = IconButton("close", "Close", 28, keys="Esc")
        self.close_button.clicked.connect(self.close_popup)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 8)
        head.setSpacing(10)
        head.addWidget(self._name, 1)
        head.addWidget(self._size)
        head.addWidget(self.close_button)
        self.large = Large()
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Text of the file")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.large)
        self._pages.addWidget(self.text)
        self.body.addLayout(head)
        self.body.addWidget(Line())
        self.body.addWidget(self._pages, 1)
        thumbnails.loaded.connect(self._loaded)

    def show_attached(self, attached: Attached) -> None:
        """Opens with this one."""
        self._attached = attached
        self._name.set_text(name_of(attached))
        self._size.setText(size_words(attached))
        self.setAccessibleName(f"{name_of(attached)}, {size_words(attached)}")
        if isinstance(attached, FilePart):
            more = len(attached.text) - SHOWN_MOST
            rest = f"\n\n… and {more:,} more characters." if more > 0 else ""
            self.text.setFont(look.font("mono"))
            self.text.setPlainText(attached.text[:SHOWN_MOST] + rest)
            self._pages.setCurrentWidget(self.text)
        else:
            self.large.image, self.large.words = None, "Reading…"
            self._pages.setCurrentWidget(self.large)
            thumbnails.load(attached.picture)
        self.open_at(self._room(), self.close_button)

    def _room(self) -> QRect:
        whole = self._window.size() - QSize(2 * _EDGE, 2 * _EDGE)
        most = QSize(look.px(1100), look.px(900))
        size = whole.boundedTo(most)
        left, top = (self._window.width() - size.width()) // 2, (self._window.height() - size.height()) // 2
        return QRect(left, top, size.width(), size.height())

    def _loaded(self, picture: object, image: QImage | None) -> None:
        if isinstance(self._attached, PicturePart) and self._attached.picture is picture:
            self.large.image, self.large.words = image, "This picture can’t be shown."
            self.large.update()

    def close_popup(self) -> None:
        super().close_popup()
        self.large.image = None  # a large picture is many megabytes
        self._attached = None
