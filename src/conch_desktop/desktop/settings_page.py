"""The settings: a list of pages at the left, the page that is open at the right. It takes the place of everything."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.buttons import IconButton, Painted
from conch_desktop.desktop.groups import matches
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.sidebar import SearchField
from conch_desktop.desktop.theme import look

NAV = 260


class NavRow(Painted):
    """An entry of the settings' list."""

    ring = 0

    def __init__(self, icon: str, text: str, also: str) -> None:
        super().__init__()
        self._icon, self._text, self._also = icon, text, also
        self.setCheckable(True)
        self.setAccessibleName(text)
        self.setSizePolicy(self.sizePolicy().Policy.Expanding, self.sizePolicy().Policy.Fixed)

    def found_by(self, words: str) -> bool:
        """Whether it holds all the words."""
        return matches(words, self._text, self._also)

    def sizeHint(self) -> QSize:
        return QSize(look.px(160), look.px(32))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = "sel" if self.isChecked() else self._ground(None, "hover")
        if ground:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(look.colour(ground))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        mark = look.px(16)
        icons.paint(painter, self._icon, QRectF(9, (self.height() - mark) / 2, mark, mark), look.colour("t2"))
        painter.setFont(look.font("ui", 500 if self.isChecked() else 400))
        painter.setPen(look.colour("t1"))
        painter.drawText(self.rect().adjusted(9 + mark + 10, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self._text)


class SettingsPage(QWidget):
    """The pages. `left` says that the person goes back to the chat."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("chat")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Settings")
        self.pages = QStackedWidget()
        self.nav: dict[str, NavRow] = {}
        self._group = QButtonGroup(self)
        side = QWidget()
        side.setObjectName("side")
        side.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        side.setMaximumWidth(look.px(NAV))
        back = IconButton("chevron-left", "Back to the chat", 32, keys="Esc")
        back.clicked.connect(self.left)
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(back)
        head.addWidget(label("Settings", "ui", "t1", 600), 1)
        self.search = SearchField("Find a setting", "Find a setting")
        self.search.field.textChanged.connect(self._find)
        self.search.field.entered.connect(self._take_first)
        box = QHBoxLayout()
        box.setContentsMargins(8, 8, 8, 8)
        box.addWidget(self.search)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        column = QVBoxLayout(side)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(box)
        column.addLayout(self._rows)
        column.addStretch(1)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
        line.addWidget(side, 26)
        line.addWidget(self.pages, 74)

    def add(self, name: str, icon: str, also: str, page: QWidget) -> None:
        """One more page at the end of the list."""
        row = self.nav[name] = NavRow(icon, name, also)
        self._group.addButton(row)
        self._rows.addWidget(row)
        self.pages.addWidget(page)
        row.clicked.connect(lambda _=False: self.pages.setCurrentWidget(page))
        row.clicked.connect(lambda _=False: row.setFocus(Qt.FocusReason.MouseFocusReason))  # the ring goes with it
        if len(self.nav) == 1:
            row.setChecked(True)

    def show_page(self, name: str) -> None:
        """Opens one of the pages."""
        self.search.field.clear()
        self.nav[name].click()
        self.nav[name].setFocus(Qt.FocusReason.ActiveWindowFocusReason)  # the row is marked already

    def _find(self, words: str) -> None:
        for row in self.nav.values():
            row.setVisible(row.found_by(words))

    def _take_first(self) -> None:
        first = next((name for name, row in self.nav.items() if not row.isHidden()), "")
        if first:
            self.show_page(first)
