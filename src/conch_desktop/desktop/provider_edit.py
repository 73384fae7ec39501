"""Another name and address for a provider: three boxes below its buttons, seen while they are filled in."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.parts import label


class ProviderEdit(QWidget):
    """The boxes. A key is needed only where the address is that of another server."""

    kept = Signal(str, str, str)
    """Name, address and key as they were filled in."""

    def __init__(self) -> None:
        super().__init__()
        self.name = Field("Name", "As it is shown in the list of models")
        self.url = Field("Address", "The kind’s own address")
        self.key = Field("Key for this address", "Only for another server")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.save = Button("Save", height=32)
        cancel = Button("Cancel", "quiet", height=32)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for words, box in (("Name", self.name), ("Address", self.url), ("Key for this address", self.key)):
            column.addWidget(label(words, "small", "t2"))
            column.addWidget(box)
            box.entered.connect(self._keep)
        line = QHBoxLayout()
        line.setContentsMargins(0, 6, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.save)
        line.addWidget(cancel)
        line.addStretch(1)
        column.addLayout(line)
        self.save.clicked.connect(self._keep)
        cancel.clicked.connect(self.hide)
        self.url.textChanged.connect(lambda *_: self.save.change("Save"))
        self._sure_of = ""
        self.hide()

    def begin(self, name: str, url: str) -> None:
        """Shows the boxes with what holds now."""
        self.name.setText(name)
        self.url.setText(url)
        self.key.clear()
        self.show()
        self.url.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def is_sure(self, url: str) -> bool:
        """Was Save pressed again for this address, after a warning?"""
        return self._sure_of == url

    def warn(self, url: str) -> None:
        """The next press for this address is meant."""
        self._sure_of = url
        self.save.change("Save anyway")

    def _keep(self) -> None:
        self.kept.emit(self.name.text().strip(), self.url.text().strip(), self.key.text().strip())
