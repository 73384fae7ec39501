"""Shows where a link of a message goes, before it is followed."""

from __future__ import annotations

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.flow import fit_layout
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.popup import Popup
from conch_desktop.desktop.theme import look

_SHOWN_MOST = 600


class LinkCard(Popup):
    """The address, with Open, Copy and Cancel."""

    opened = Signal(str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "Open a link")
        self._over = window
        self._url = ""
        self._address = label("", "ui", "t1", wrap=True)
        self._open = Button("Open", "primary", height=28)
        copy = Button("Copy the address", height=28)
        cancel = Button("Cancel", "quiet", height=28)
        self._open.clicked.connect(self._follow)
        copy.clicked.connect(self._copy)
        cancel.clicked.connect(self.close_popup)
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 14, 16, 14)
        inner.setSpacing(10)
        inner.addWidget(label("This link goes to", "small", "t2"))
        inner.addWidget(self._address)
        line = QHBoxLayout()
        line.setSpacing(8)
        for button in (self._open, copy, cancel):
            line.addWidget(button)
        line.addStretch(1)
        inner.addLayout(line)
        self.body.addLayout(inner)

    def ask(self, url: str) -> None:
        """Shows an address."""
        self._url = url
        self._address.setText(url if len(url) <= _SHOWN_MOST else f"{url[: _SHOWN_MOST - 1]}…")
        self.setAccessibleName(f"Open the link {url[:_SHOWN_MOST]}")
        window = self._over.rect()
        width = min(look.px(460), window.width() - 32)
        high = fit_layout(self.card, width)
        self.open_at(
            QRect((window.width() - width) // 2, max(16, (window.height() - high) // 3), width, high), self._open
        )

    def _follow(self) -> None:
        self.close_popup()
        self.opened.emit(self._url)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.close_popup()
