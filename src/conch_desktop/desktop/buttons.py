"""Buttons that paint themselves from the tokens, and the ring around the one with the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFocusEvent, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QPushButton, QSizePolicy, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.theme import look

_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)
"""Reasons for which the ring is shown; a click shows where it went by itself."""


_RING = 4
"""How far the ring reaches beyond its control."""


class FocusRing(QWidget):
    """A ring 2 px away around one control; takes no mouse. There is one, moved to where the focus is."""

    _ring: FocusRing | None = None

    def __init__(self, target: QWidget) -> None:
        self._target = target
        self._reach: int = getattr(target, "ring", _RING)
        self._followed = [target]
        super().__init__(self._ground_of(target))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for one in self._followed:
            one.installEventFilter(self)
        self._follow()
        self.show()
        self.raise_()

    def _ground_of(self, target: QWidget) -> QWidget | None:
        """The nearest widget around the control that has room for the ring."""
        ground, reach = target.parentWidget(), self._reach
        while ground is not None and not ground.isWindow():
            corner = target.mapTo(ground, QPoint(0, 0))
            if ground.rect().contains(QRect(corner, target.size()).adjusted(-reach, -reach, reach, reach)):
                break
            if isinstance(ground.parentWidget(), QAbstractScrollArea):
                break
            self._followed.append(ground)
            ground = ground.parentWidget()
        return ground

    @classmethod
    def show_on(cls, target: QWidget) -> None:
        """Shows the ring around `target`."""
        cls.drop()
        if target.parentWidget() is not None:
            cls._ring = cls(target)

    @classmethod
    def drop(cls) -> None:
        """Takes the ring away."""
        ring, cls._ring = cls._ring, None
        if ring is not None:
            try:
                ring.hide()
                ring.deleteLater()
            except RuntimeError:  # Qt deleted it together with what it stood on.
                return

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.Move, QEvent.Type.Resize):
            self._follow()
        elif kind == QEvent.Type.Hide or (kind == QEvent.Type.FocusOut and watched is self._target):
            FocusRing.drop()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("acc"), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 9, 9)

    def _follow(self) -> None:
        ground = self.parentWidget()
        if ground is not None:
            corner, reach = self._target.mapTo(ground, QPoint(0, 0)), self._reach
            self.setGeometry(QRect(corner, self._target.size()).adjusted(-reach, -reach, reach, reach))


class Painted(QPushButton):
    """What both kinds of buttons share. `ring`: how far the ring of the focus reaches beyond it; 0 for rows."""

    ring = _RING

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _KEYBOARD:
            FocusRing.show_on(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()

    def _ground(self, rest: str | None, hover: str, press: str = "press") -> str | None:
        if not self.isEnabled():
            return rest
        if self.isDown():
            return press
        return hover if self.underMouse() else rest


class Button(Painted):
    """A button with words. `kind`: primary, plain, quiet (no edge), row (as quiet, in the text's colour), danger,
    link, inverse (on the text's colour). `opens`: it opens a menu, which an arrow after the words tells."""

    def __init__(
        self,
        text: str,
        kind: str = "plain",
        icon: str = "",
        height: int = 32,
        parent: QWidget | None = None,
        *,
        opens: bool = False,
    ) -> None:
        super().__init__(parent)
        self._kind, self._icon, self._high, self._opens = kind, icon, height, opens
        self.setText(text)
        self.setShortcut(QKeySequence())
        self.setAccessibleName(text.replace("&", ""))
        if kind == "link":
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def change(self, text: str, icon: str | None = None) -> None:
        """Other words, another icon."""
        self.setText(text)
        self.setShortcut(QKeySequence())  # A letter in the words must not become a shortcut of the whole window.
        self.setAccessibleName(text.replace("&", ""))
        if icon is not None:
            self._icon = icon
        self.updateGeometry()
        self.update()

    def _font_weight(self) -> int:
        return {"quiet": 400, "row": 400, "inverse": 600}.get(self._kind, 500)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(look.font("ui", self._font_weight()))
        width = metrics.horizontalAdvance(self.text().replace("&", ""))
        if self._icon:
            width += look.px(16 + 6)
        if self._opens:
            width += look.px(16 + 4)
        pad = 0 if self._kind == "link" else look.px(12 if self._high >= 32 else 10)
        return QSize(width + 2 * pad + 2, look.px(self._high))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        ink = look.colour(self._ink())
        font = look.font("ui", self._font_weight())
        painter.setFont(font)
        painter.setPen(ink)
        words = QFontMetrics(font).horizontalAdvance(self.text().replace("&", ""))
        gap, mark = look.px(6), look.px(16)
        whole = words + (mark + gap if self._icon else 0) + (look.px(4) + mark if self._opens else 0)
        left = (self.width() - whole) / 2
        if self._icon:
            icons.paint(painter, self._icon, QRectF(left, (self.height() - mark) / 2, mark, mark), ink)
            left += mark + gap
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(left, 0, words + 4, self.height()), flags | Qt.TextFlag.TextShowMnemonic, self.text())
        if self._opens:
            spot = QRectF(left + words + look.px(4), (self.height() - mark) / 2, mark, mark)
            icons.paint(painter, "chevron-down", spot, ink)

    def _ink(self) -> str:
        if not self.isEnabled():
            return "t2" if self._kind == "primary" else "t3"  # The ground of the first is darker.
        if self._kind == "link":
            return "accH" if self.underMouse() else "acc"
        return {"primary": "onacc", "quiet": "t2", "danger": "err", "inverse": "chat"}.get(self._kind, "t1")

    def _paint_ground(self, painter: QPainter) -> None:
        if self._kind in ("link", "inverse"):
            return
        rest = {"primary": "acc", "quiet": None, "row": None}.get(self._kind, "raised")
        hover = {"primary": "accH", "quiet": "hover", "row": "hover", "danger": "errS"}.get(self._kind, "btnH")
        ground = self._ground(rest, hover, "accP" if self._kind == "primary" else "press")
        edge: str | None = None
        if self._kind in ("plain", "danger"):
            edge = "line2" if self.isEnabled() else "line"
        if self._kind == "primary" and not self.isEnabled():
            ground, edge = "tag", "line" if look.high else None
        if self._kind == "quiet" and look.high:
            edge = "line2"
        painter.setBrush(look.colour(ground) if ground else Qt.BrushStyle.NoBrush)
        wide = 2 if look.high and self._kind != "quiet" else 1
        pen = QPen(look.colour(edge), wide) if edge else QPen(Qt.PenStyle.NoPen)
        if look.high and edge and not self.isEnabled():
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        inset = wide / 2 if edge else 0
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 6, 6)


class IconButton(Painted):
    """A button that is only an icon; its name is its tooltip and what a screen reader says."""

    def __init__(
        self, icon: str, name: str, size: int = 32, *, keys: str = "", tone: str = "t2", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon, self._size, self._tone, self._keys = icon, size, tone, keys
        self.set_name(name)

    def set_icon(self, icon: str) -> None:
        """Another icon."""
        self._icon = icon
        self.update()

    def set_tone(self, tone: str) -> None:
        """Another colour."""
        self._tone = tone
        self.update()

    def set_name(self, name: str) -> None:
        """Another name."""
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({self._keys})" if self._keys else name)

    def sizeHint(self) -> QSize:
        return QSize(look.px(self._size), look.px(self._size))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on = self.isCheckable() and self.isChecked()
        ground = self._ground("hover" if on else None, "hover")
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        mark = look.px(20 if self._size >= 28 else 16)
        spot = QRectF((self.width() - mark) / 2, (self.height() - mark) / 2, mark, mark)
        tone = "t3" if not self.isEnabled() else "t1" if on else self._tone
        icons.paint(painter, self._icon, spot, look.colour(tone))
