"""The keyboard's page of the settings: every shortcut, from the list that F1 shows."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from conch_desktop.desktop.palette import key_parts, palette_rows
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.desktop.sidebar import SearchField
from conch_desktop.desktop.slash_menu import paint_key
from conch_desktop.desktop.theme import look


class Keys(QWidget):
    """The keys of a shortcut, each in its frame."""

    def __init__(self, keys: str) -> None:
        super().__init__()
        self._parts = key_parts(keys)
        self.setAccessibleName(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(look.font("tiny"))
        wide = sum(max(metrics.horizontalAdvance(part) + look.px(10), look.px(18)) + 3 for part in self._parts)
        return QSize(wide, look.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, left = QPainter(self), 0.0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part in self._parts:
            left = paint_key(painter, left, QRectF(self.rect()), part, "")


class KeyRow(QWidget):
    """What a shortcut does, and its keys."""

    def __init__(self, name: str, keys: str) -> None:
        super().__init__()
        self.name, self.keys = name, keys
        self.setAccessibleName(f"{name}, {keys}")
        line = QHBoxLayout(self)
        line.setContentsMargins(16, 7, 16, 7)
        line.setSpacing(16)
        line.addWidget(label(name, "ui", "t1", wrap=True), 1)
        line.addWidget(Keys(keys))


class KeyboardSection(Section):
    """Shortcuts."""

    name = "Keyboard"

    def page(self) -> QWidget:
        """A search, and the shortcuts in groups."""
        page, content = make_page("Keyboard", "Every shortcut. F1 shows the same list anywhere.")
        self.search = SearchField("Find a shortcut", "Find a shortcut")
        self.search.field.textChanged.connect(lambda _: self._show())
        self._none = label("No shortcut has these words.", "ui", "t2")
        self._groups = QVBoxLayout()
        self._groups.setSpacing(12)
        content.addWidget(self.search)
        content.addLayout(self._groups)
        content.addWidget(self._none)
        return page

    async def fill(self) -> None:
        """Shows the shortcuts as they are now."""
        self._show()

    def _show(self) -> None:
        while (item := self._groups.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        rows: list[QWidget] = []
        found = palette_rows(self.behind.desk.palette.shortcuts(), self.search.field.text(), keys_only=True)
        for row in found:
            if row.action is None:
                self._put(rows)
                rows = []
                self._groups.addWidget(label(row.text, "ui", "t1", 600))
            else:
                rows.append(KeyRow(row.text, row.action.keys))
        self._put(rows)
        self._none.setVisible(not found)

    def _put(self, rows: list[QWidget]) -> None:
        if rows:
            card = CardList()
            card.put(rows)
            self._groups.addWidget(card)
