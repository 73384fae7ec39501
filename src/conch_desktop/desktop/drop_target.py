"""Where files are dropped: shown over the chat as long as some are held over it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QRectF, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.theme import look


def holds_files(data: QMimeData) -> bool:
    """Whether there is something in it that can be attached: files, or a picture that is no text as well."""
    if any(url.isLocalFile() for url in data.urls()):
        return True
    return data.hasImage() and not data.hasFormat("text/plain")


class DropTarget(QWidget):
    """Covers `page`, which it lets files be dropped on; also on `inside`, parts of it that take text themselves."""

    dropped = Signal(object)
    """The QMimeData; it is only there as long as the signal is at work."""

    def __init__(self, page: QWidget, *inside: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setAcceptDrops(True)
        self.setAccessibleName("Drop to attach")
        page.setAcceptDrops(True)
        for one in (page, *inside):
            one.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Until the pointer moves again, what is below the target hears of the drag, and not the target.
        if event.type() == QEvent.Type.DragLeave:
            self.hide()
        elif isinstance(event, QDropEvent) and holds_files(event.mimeData()):
            if event.type() == QEvent.Type.Drop:
                self.dropEvent(event)
            else:
                self._held(event)
            return True
        return False

    def _held(self, event: QDropEvent) -> None:
        if self.isHidden():
            self.setGeometry(self._page.rect())
            self.show()
            self.raise_()
        # Copied, whatever was proposed: a file that is moved would be gone from where it was.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if holds_files(event.mimeData()):
            self._held(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._held(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._held(event)
        self.hide()
        self.dropped.emit(event.mimeData())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = look.colour("accS")
        ground.setAlphaF(0.92)
        painter.setBrush(ground)
        painter.setPen(QPen(look.colour("acc"), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(12, 12, -12, -12), 12, 12)
        mark = look.px(28)
        middle = QRectF(self.rect()).center()
        icons.paint(painter, "attach", QRectF(middle.x() - mark / 2, middle.y() - mark, mark, mark), look.colour("acc"))
        painter.setFont(look.font("ui", 600))
        painter.setPen(look.colour("acc"))
        words = QRectF(0, middle.y() + 8, self.width(), look.px(24))
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter, "Drop to attach")
