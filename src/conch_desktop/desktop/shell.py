"""The three columns of the window: sidebar, chat, activity. In a narrow window the outer two lie over the chat."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from conch_desktop.desktop.popup import SHADOW, paint_shadow
from conch_desktop.desktop.theme import look

SIDE_LEAST, SIDE_MOST, SIDE_WIDTH = 240, 280, 260
PANEL_LEAST, PANEL_MOST, PANEL_WIDTH, PANEL_OVER = 340, 420, 380, 360
PANEL_BESIDE, SIDE_BESIDE = 1100, 960
"""From these widths of the window on, panel and sidebar stand beside the chat."""


class Grip(QWidget):
    """The edge between two columns; drag it."""

    dragged = Signal(int)
    """Where the pointer is, across the whole window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.SplitHCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.dragged.emit(self.mapToParent(event.position().toPoint()).x())


class Veil(QWidget):
    """Dims what lies below an overlay; a press on it closes the overlay."""

    pressed = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(0, 0, 0, 41))  # 16 %


class Shade(QWidget):
    """The shadow beside an overlay."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_shadow(QPainter(self), QRectF(self.rect()).adjusted(SHADOW, 0, -SHADOW, 0), 0)


class Shell(QWidget):
    """Places the columns. `arranged` says that something of it changed."""

    arranged = Signal()

    def __init__(self, sidebar: QWidget, middle: QWidget, panel: QWidget, head: QWidget) -> None:
        super().__init__()
        self._head = head
        self.sidebar, self.middle, self.panel = sidebar, middle, panel
        self.sidebar_open, self.panel_open = True, True
        self.sidebar_width, self.panel_width = SIDE_WIDTH, PANEL_WIDTH
        self._over = ""
        self._chat_shown = True
        for column in (middle, sidebar, panel):
            column.setParent(self)
        self._veil = Veil(self)
        self._veil.pressed.connect(self.close_overlay)
        self._shade = Shade(self)
        self._side_grip, self._panel_grip = Grip(self), Grip(self)
        self._side_grip.dragged.connect(self._drag_side)
        self._panel_grip.dragged.connect(self._drag_panel)

    # State ----------------------------------------------------------------------------------------------------------

    @property
    def sidebar_shown(self) -> bool:
        """Whether the sidebar is seen."""
        return self._over == "side" if self._side_over() else self.sidebar_open

    @property
    def panel_shown(self) -> bool:
        """Whether the panel is seen."""
        if not self._chat_shown:
            return False
        return self._over == "panel" if self._panel_over() else self.panel_open

    @property
    def overlay(self) -> str:
        """What lies over the chat: "side", "panel" or ""."""
        return self._over

    def _side_over(self) -> bool:
        return self.width() < SIDE_BESIDE * self._factor()

    def _panel_over(self) -> bool:
        return self.width() < PANEL_BESIDE * self._factor()

    def _factor(self) -> float:
        """With large type the columns need more room, but not as much more as the type."""
        return max(1.0, min(1.3, look.px(100) / 100))

    def show_chat(self, shown: bool) -> None:
        """Whether a chat is in the middle; the panel stands beside nothing else."""
        if shown != self._chat_shown:
            self._chat_shown = shown
            self.arrange()

    def toggle_sidebar(self) -> None:
        """Shows or folds the sidebar."""
        if self._side_over():
            self._over = "" if self._over == "side" else "side"
        else:
            self.sidebar_open = not self.sidebar_open
        self.arrange()

    def toggle_panel(self) -> None:
        """Shows or hides the panel."""
        self.show_panel(not self.panel_shown)

    def show_panel(self, shown: bool) -> None:
        """Shows or hides the panel."""
        if self._panel_over():
            self._over = "panel" if shown else ""
        else:
            self.panel_open = shown
        self.arrange()

    def close_overlay(self) -> bool:
        """Takes away what lies over the chat; False when nothing does."""
        if not self._over:
            return False
        self._over = ""
        self.arrange()
        return True

    # Place ----------------------------------------------------------------------------------------------------------

    def arrange(self) -> None:
        """Gives every column its place."""
        factor, wide, high = self._factor(), self.width(), self.height()
        if (self._over == "side" and not self._side_over()) or (self._over == "panel" and not self._panel_over()):
            self._over = ""
        side = round(self.sidebar_width * factor) if self.sidebar_shown else 0
        panel = round((PANEL_OVER if self._panel_over() else self.panel_width) * factor) if self.panel_shown else 0
        panel = min(panel, wide)
        left = 0 if self._side_over() else side
        right = wide if self._panel_over() else wide - panel
        edge = 1 if left else 0
        self.middle.setGeometry(left + edge, 0, right - left - edge - (1 if right < wide else 0), high)
        self.sidebar.setVisible(side > 0)
        self.panel.setVisible(panel > 0)
        self.sidebar.setGeometry(0, 0, side, high)
        top = self._head.height() if self._panel_over() else 0
        self.panel.setGeometry(wide - panel, top, panel, high - top)
        self._place_overlay(side, panel, top)
        self._side_grip.setVisible(left > 0)
        self._side_grip.setGeometry(left - 2, 0, 6, high)
        self._panel_grip.setVisible(right < wide)
        self._panel_grip.setGeometry(right - 3, 0, 6, high)
        for grip in (self._side_grip, self._panel_grip):
            grip.raise_()
        self.update()
        self.arranged.emit()

    def _place_overlay(self, side: int, panel: int, top: int) -> None:
        over = bool(self._over)
        self._veil.setVisible(over)
        self._shade.setVisible(over)
        if not over:
            return
        high = self.height()
        column = self.sidebar if self._over == "side" else self.panel
        place = QRect(0, 0, side, high) if self._over == "side" else QRect(self.width() - panel, top, panel, high - top)
        self._veil.setGeometry(0, top if self._over == "panel" else 0, self.width(), high)
        self._shade.setGeometry(place.adjusted(-SHADOW, 0, SHADOW, 0))
        self._veil.raise_()
        self._shade.raise_()
        column.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.arrange()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), look.colour("line"))  # Seen as the lines between the columns.

    def _drag_side(self, x: int) -> None:
        self.sidebar_width = max(SIDE_LEAST, min(SIDE_MOST, round(x / self._factor())))
        self.arrange()

    def _drag_panel(self, x: int) -> None:
        self.panel_width = max(PANEL_LEAST, min(PANEL_MOST, round((self.width() - x) / self._factor())))
        self.arrange()
