"""How a provider is reached, where the usual way won't do: a proxy, certificates, headers. Folded away at first."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.fields import Field
from conch_desktop.desktop.parts import label
from conch_desktop.desktop.theme import look


class ProviderReach(QWidget):
    """The fold and what is in it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.fold = Button("Proxy, certificates, headers", "quiet", "chevron-right", 28)
        self.fold.setCheckable(True)
        self.proxy = Field("Proxy", "http://127.0.0.1:3128")
        self.ca_file = Field("Certificates", "A file in PEM form, trusted beside the usual ones")
        self.headers = QPlainTextEdit()
        self.headers.setObjectName("field")
        self.headers.setAccessibleName("Headers")
        self.headers.setPlaceholderText("X-Title: Conch Desktop")
        self.headers.setTabChangesFocus(True)
        self.headers.setFixedHeight(look.px(76))
        self._inside = QWidget()
        self._build()
        self.fold.toggled.connect(self._open)
        self.proxy.textChanged.connect(lambda *_: self.changed.emit())
        self.ca_file.textChanged.connect(lambda *_: self.changed.emit())
        self.headers.textChanged.connect(self.changed)

    def _build(self) -> None:
        choose = Button("Choose…", height=32)
        choose.clicked.connect(self._choose)
        file = QHBoxLayout()
        file.setSpacing(8)
        file.addWidget(self.ca_file, 1)
        file.addWidget(choose)
        column = QVBoxLayout(self._inside)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(6)
        column.addWidget(label("Proxy for this provider alone", "ui", "t2"))
        column.addWidget(self.proxy)
        column.addSpacing(6)
        column.addWidget(label("Certificates of your own", "ui", "t2"))
        column.addLayout(file)
        column.addSpacing(6)
        column.addWidget(label("Headers sent with every request, one a line", "ui", "t2"))
        column.addWidget(self.headers)
        column.addWidget(label("Those that look like secrets go into the key store.", "small", "t2", wrap=True))
        self._inside.hide()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.fold, 0, Qt.AlignmentFlag.AlignLeft)
        whole.addWidget(self._inside)

    def clear(self) -> None:
        """Empty and folded."""
        self.proxy.clear()
        self.ca_file.clear()
        self.headers.clear()
        self.fold.setChecked(False)

    def _open(self, open_now: bool) -> None:
        self._inside.setVisible(open_now)
        self.fold.change("Proxy, certificates, headers", "chevron-down" if open_now else "chevron-right")

    def _choose(self) -> None:
        dialog = QFileDialog(self.window(), "Certificates", "", "Certificates (*.pem *.crt *.cer);;All files (*)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.ca_file.setText)
        dialog.open()
