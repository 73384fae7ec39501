"""A layout that sets its widgets in rows, as words in lines, and what fits a layout to a width."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class Flow(QLayout):
    """Widgets from left to right, in a new row where one is full. The last `apart` widgets stand at the right end."""

    def __init__(self, gap: int = 8, *, apart: int = 0) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap, self._apart = gap, apart
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        inner = width - margins.left() - margins.right()
        return self._arrange(QRect(0, 0, inner, 0), apply=False) + margins.top() + margins.bottom()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect.marginsRemoved(self.contentsMargins()), apply=True)

    def sizeHint(self) -> QSize:
        wide = sum(item.sizeHint().width() for item in self._shown()) + self._gap * max(0, len(self._shown()) - 1)
        return QSize(wide, max((item.sizeHint().height() for item in self._shown()), default=0))

    def minimumSize(self) -> QSize:
        wide = max((item.minimumSize().width() for item in self._shown()), default=0)
        return QSize(wide, max((item.sizeHint().height() for item in self._shown()), default=0))

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arrange(self, rect: QRect, *, apply: bool) -> int:
        items = self._shown()
        x, y, high = rect.x(), rect.y(), 0
        apart = len(items) - self._apart
        for at, item in enumerate(items):
            hint = item.sizeHint()
            wide = min(hint.width(), rect.width())
            if x + wide > rect.right() + 1 and x > rect.x():
                x, y, high = rect.x(), y + high + self._gap, 0
            if at == apart and at:
                rest = sum(other.sizeHint().width() for other in items[at:]) + self._gap * (self._apart - 1)
                x = max(x, rect.right() + 1 - rest)
            if apply:
                item.setGeometry(QRect(QPoint(x, y), QSize(wide, hint.height())))
            x += wide + self._gap
            high = max(high, hint.height())
        return y + high - rect.y()


def fit_layout(widget: QWidget, width: int) -> int:
    """The height a widget's layout needs at a width."""
    layout = widget.layout()
    if layout is None:
        return widget.sizeHint().height()
    layout.activate()
    if layout.hasHeightForWidth():
        return layout.totalHeightForWidth(width)
    return layout.totalSizeHint().height()
