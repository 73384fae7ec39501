"""What opens over the window: a card with a shadow, closed by Escape or a press outside, that gives the focus back.

It is a child of the window and no window of its own: no compositor is needed for its shadow, and it can't be lost
behind another window.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.theme import look

SHADOW = 28
"""How far the shadow reaches."""


def paint_shadow(painter: QPainter, card: QRectF, radius: float, reach: int = SHADOW) -> None:
    """A soft shadow around and below `card`, in layers, because effects are too dear in a view."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    layers = range(reach, 0, -2)
    strength = (0.55 if look.dark else 0.16) / len(layers) * 1.2
    for step in layers:
        colour = QColor(0, 0, 0)
        colour.setAlphaF(strength * (1 - step / (reach + 2)))
        painter.setBrush(colour)
        drop = reach / 4
        painter.drawRoundedRect(card.adjusted(-step, drop - step, step, drop + step), radius + step, radius + step)


class Popup(QWidget):
    """A card over the window. `body` is where its content goes."""

    closed = Signal()
    veil = False
    """Whether what lies below is dimmed."""

    def __init__(self, window: QWidget, name: str) -> None:
        super().__init__(window)
        self._window = window
        self.setAccessibleName(name)
        self.hide()
        self._before: QWidget | None = None
        self._place = QRect()
        self._zoom = look.zoom
        self.card = QWidget(self)
        self.body = QVBoxLayout(self.card)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        window.installEventFilter(self)
        look.changed.connect(self._restyled)

    def _restyled(self) -> None:
        """With another size of text an open card is as much larger, once its parts know their sizes."""
        if self.isVisible() and self._zoom != look.zoom:
            size, factor = self._place.size(), look.zoom / self._zoom
            self._place.setSize(QSize(round(size.width() * factor), round(size.height() * factor)))
            self._zoom = look.zoom
            QTimer.singleShot(0, self, self._fit)

    def open_at(self, place: QRect, focus: QWidget) -> None:
        """Shows the card at `place` (in the window) and gives `focus` the keys."""
        self._before = self.window().focusWidget()
        self._place, self._zoom = place, look.zoom
        self._fit()
        self.show()
        self.raise_()
        focus.setFocus(Qt.FocusReason.PopupFocusReason)

    def place_at(self, place: QRect) -> None:
        """Moves the card while it is open."""
        self._place, self._zoom = place, look.zoom
        self._fit()
        self.update()

    def close_popup(self) -> None:
        """Hides the card; the focus goes back to where it was."""
        if not self.isVisible():
            return
        self.hide()
        before, self._before = self._before, None
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._fit()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.card.geometry().contains(event.position().toPoint()):
            self.close_popup()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.veil:
            painter.fillRect(self.rect(), QColor(0, 0, 0, 41))  # 16 %
        card = QRectF(self.card.geometry())
        paint_shadow(painter, card, 12)
        painter.setPen(QPen(look.colour("line2"), 1))
        painter.setBrush(look.colour("raised"))
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)

    def _fit(self) -> None:
        for layout in self.card.findChildren(QLayout):
            layout.invalidate()  # What was styled while it was hidden has told nobody its new size.
        whole = self._window.rect()
        self.setGeometry(whole)
        place = QRect(self._place)
        place.setWidth(min(place.width(), whole.width() - 16))
        place.setHeight(min(place.height(), whole.height() - place.y() - 8))
        if place.right() > whole.right() - 8:
            place.moveRight(whole.right() - 8)
        self.card.setGeometry(place)
