"""How the rows of the model picker look, and what they are in words."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from conch_desktop.desktop import icons
from conch_desktop.desktop.list_rows import ROW, Index, ListRows
from conch_desktop.desktop.parts import badge_width, paint_badge
from conch_desktop.desktop.picker_rows import Entry, PickerRow
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.wording import BADGE_WORDS, count, tokens

_EDGE, _GAP = 16, 12
_WIDEST_PRICE, _WIDEST_WINDOW = "12.00 / 60.00", "1,049k"
_WINDOW, _PRICE = "Window", "$ a million, in / out"
"""What stands above the two columns."""


def _columns() -> tuple[int, int]:
    """How wide the price and the window are: the widest of what stands in them and above them."""
    figures, heads = QFontMetrics(look.font("ui", tabular=True)), QFontMetrics(look.font("tiny"))
    price = max(figures.horizontalAdvance(_WIDEST_PRICE), heads.horizontalAdvance(_PRICE))
    return price, max(figures.horizontalAdvance(_WIDEST_WINDOW), heads.horizontalAdvance(_WINDOW))


class Rows(ListRows[PickerRow]):
    """The rows as a model."""

    def told(self, row: PickerRow, role: int) -> str | None:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.entry.label if row.entry else row.text
        if role == Qt.ItemDataRole.AccessibleTextRole and row.folded is not None:
            return f"{row.text}, {count(row.count, 'model')}, {'folded' if row.folded else 'open'}"
        if role == Qt.ItemDataRole.AccessibleTextRole and row.entry:
            checked = ", checked" if row.entry.checked else ""
            return f"{row.entry.label}, {row.entry.provider}, {BADGE_WORDS[row.entry.mode]}{checked}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.entry.label} ({row.entry.name})" if row.entry else row.text
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.rows[index.row()]
        if row.entry is None and row.folded is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class RowPainter(QStyledItemDelegate):
    """Paints a row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, look.px(36))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: PickerRow = index.data(ROW)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind == "heading":
            self._heading(painter, rect, row, option.state, first=index.row() == 0)
        elif row.kind == "failure":
            self._failure(painter, rect, row)
        elif row.entry is not None:
            self._model(painter, rect, row, row.entry, option.state)
        painter.restore()

    def _ground(self, painter: QPainter, rect: QRect, state: QStyle.StateFlag) -> None:
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour("sel" if selected else "hover"))
            painter.drawRoundedRect(rect.adjusted(6, 0, -6, 0), 6, 6)

    def _heading(self, painter: QPainter, rect: QRect, row: PickerRow, state: QStyle.StateFlag, *, first: bool) -> None:
        left, right = float(rect.x() + _EDGE), rect.right() - _EDGE
        if row.folded is not None:
            self._ground(painter, rect, state)
            mark = look.px(16)
            spot = QRectF(left, rect.y() + (rect.height() - mark) / 2, mark, mark)
            icons.paint(painter, "chevron-right" if row.folded else "chevron-down", spot, look.colour("t2"))
            left += mark + 8
        else:
            rect = rect.adjusted(0, look.px(6), 0, 0)
        font = look.font("tiny", 600)
        painter.setPen(look.colour("t2"))
        left = _put(painter, row.text, font, left, rect) + 8
        font = look.font("tiny", tabular=True)
        if first:  # The first heading is that of the columns too.
            price, _ = _columns()
            _put_right(painter, _PRICE, font, right, rect)
            _put_right(painter, _WINDOW, font, right - price - _GAP, rect)
            if row.count:
                _put(painter, f"{row.count:,}", font, left, rect)
        elif row.count:
            _put_right(painter, f"{row.count:,}", font, right, rect)

    def _failure(self, painter: QPainter, rect: QRect, row: PickerRow) -> None:
        mark = look.px(16)
        icons.paint(
            painter,
            "failed",
            QRectF(rect.x() + 16, rect.y() + (rect.height() - mark) / 2, mark, mark),
            look.colour("err"),
        )
        font = look.font("small")
        painter.setFont(font)
        painter.setPen(look.colour("err"))
        spot = rect.adjusted(16 + mark + 8, 0, -16, 0)
        words = QFontMetrics(font).elidedText(row.text, Qt.TextElideMode.ElideRight, spot.width())
        painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, words)

    def _model(self, painter: QPainter, rect: QRect, row: PickerRow, entry: Entry, state: QStyle.StateFlag) -> None:
        self._ground(painter, rect, state)
        right = self._facts(painter, rect, entry)
        mark = look.px(16)
        left = rect.x() + 16
        if row.favourite:
            icons.paint(
                painter, "star-on", QRectF(left, rect.y() + (rect.height() - mark) / 2, mark, mark), look.colour("acc")
            )
        left += mark + 8
        badge = badge_width(entry.mode, entry.checked)
        font = look.font("ui", 500)
        metrics = QFontMetrics(font)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        name = metrics.elidedText(entry.label, Qt.TextElideMode.ElideRight, max(40, right - left - badge - 16))
        painter.setFont(font)
        painter.setPen(look.colour("t1"))
        painter.drawText(QRect(left, rect.y(), right - left, rect.height()), flags, name)
        left += metrics.horizontalAdvance(name) + 8
        if row.named:
            painter.setFont(look.font("ui"))
            painter.setPen(look.colour("t2"))
            wide = QFontMetrics(look.font("ui")).horizontalAdvance(entry.provider)
            if left + wide + badge + 16 < right:
                painter.drawText(QRect(left, rect.y(), wide + 2, rect.height()), flags, entry.provider)
                left += wide + 8
        if left + badge < right:
            high = look.px(18)
            place = QRectF(left, rect.y() + (rect.height() - high) / 2, badge, high)
            paint_badge(painter, place, entry.mode, entry.checked)

    def _facts(self, painter: QPainter, rect: QRect, entry: Entry) -> int:
        """What stands at the right; gives where it begins."""
        right = rect.right() - _EDGE
        font = look.font("ui", tabular=True)
        painter.setPen(look.colour("t2"))
        price, window = _columns()
        _put_right(painter, "free" if entry.local else entry.price, font, right, rect)
        right -= price + _GAP
        _put_right(painter, tokens(entry.window) if entry.window else "", font, right, rect)
        right -= window + 10
        mark = look.px(16)
        for shown, icon in ((entry.local, "computer"), (entry.pictures, "picture")):
            if shown:
                place = QRectF(right - mark, rect.y() + (rect.height() - mark) / 2, mark, mark)
                icons.paint(painter, icon, place, look.colour("t2"))
                right -= mark + 6
        return right - 4


def _put(painter: QPainter, text: str, font: QFont, left: float, rect: QRect) -> float:
    """Words that begin at `left`; gives where they end."""
    wide = QFontMetrics(font).horizontalAdvance(text)
    painter.setFont(font)
    painter.drawText(QRectF(left, rect.y(), wide + 4, rect.height()), Qt.AlignmentFlag.AlignVCenter, text)
    return left + wide


def _put_right(painter: QPainter, text: str, font: QFont, right: float, rect: QRect) -> None:
    """Words that end at `right`."""
    painter.setFont(font)
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
    painter.drawText(QRectF(rect.x(), rect.y(), right - rect.x() + 1, rect.height()), flags, text)
