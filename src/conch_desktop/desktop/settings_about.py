"""The page of the settings about the program: its version, what it stands on, and the licences of what is inside."""

from __future__ import annotations

import asyncio
import platform

from PySide6 import __version__ as pyside
from PySide6.QtCore import Qt, Signal, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop import __version__
from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.licences import Licensed, packages, text_of
from conch_desktop.desktop.mono_box import MonoBox
from conch_desktop.desktop.parts import ElidedLabel, label
from conch_desktop.desktop.settings_parts import CardList
from conch_desktop.desktop.settings_section import Section, make_page
from conch_desktop.providers.model_file import SMALL_MODEL
from conch_desktop.store.health import SQLITE

_QT = (
    "Qt is used under the GNU LGPL, version 3: its libraries are separate files that you may replace by your own. "
    "Its source is at code.qt.io."
)


def versions() -> list[tuple[str, str]]:
    """What the program stands on, for a report. Nothing in it tells who the person is."""
    ratio = ", ".join(f"{screen.devicePixelRatio():g}" for screen in QGuiApplication.screens())
    return [
        ("Conch Desktop", __version__),
        ("Python", platform.python_version()),
        ("Qt", f"{qVersion()}, PySide {pyside}"),
        ("SQLite", SQLITE),
        ("System", platform.platform(terse=True)),
        ("Screen", f"{QGuiApplication.platformName()}, ratio {ratio}"),
    ]


def report() -> str:
    """The same as text."""
    return "\n".join(f"{name}: {value}" for name, value in versions())


class PackageRow(QWidget):
    """A package with its version and licence; its text is shown below when it is wanted."""

    wanted = Signal(str)

    def __init__(self, package: Licensed) -> None:
        super().__init__()
        self.package = package
        self._box: MonoBox | None = None
        self.button = Button("Show licence", "link", height=24)
        self.button.setAccessibleName(f"Show the licence of {package.name}")
        self.button.clicked.connect(self._pressed)
        line = QHBoxLayout()
        line.setSpacing(12)
        line.addWidget(label(f"{package.name} {package.version}", "ui", "t1"))
        line.addWidget(ElidedLabel(package.licence, "small", "t2"), 1)
        line.addWidget(self.button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(16, 6, 12, 6)
        self._column.setSpacing(6)
        self._column.addLayout(line)

    def _pressed(self) -> None:
        if self._box is None:
            self.wanted.emit(self.package.name)
        else:
            self._box.setVisible(self._box.isHidden())
            self._name()

    def show_text(self, text: str) -> None:
        """The licence's own words."""
        self._box = MonoBox(f"Licence of {self.package.name}", text or "The package brought no text of its licence.")
        self._column.addWidget(self._box)
        self._box.show()
        self._name()

    def text(self) -> str:
        """The words that are shown, "" while none are."""
        return self._box.content if self._box is not None and not self._box.isHidden() else ""

    def _name(self) -> None:
        self.button.change("Hide licence" if self.text() else "Show licence")
        self.button.setAccessibleName(f"{self.button.text()} of {self.package.name}")


class AboutSection(Section):
    """The program itself."""

    name = "About"

    def page(self) -> QWidget:
        """The versions and the packages."""
        self.copy = Button("Copy for a report", "plain", "copy")
        self.copy.clicked.connect(self._copy)
        said = "A desktop chat program in which every model gets its tools. MIT licence."
        page, content = make_page("About Conch Desktop", said, self.copy)
        known = CardList()
        known.put([_version_row(name, value) for name, value in versions()])
        content.addWidget(known)
        content.addWidget(label("What is inside", "ui", "t1", 600))
        for words in (_QT, f"{SMALL_MODEL.notice.removesuffix(', which follows.')}; its text lies beside the file."):
            content.addWidget(label(words, "small", "t2", wrap=True))
        self._packages = CardList()
        self.rows: list[PackageRow] = []
        content.addWidget(self._packages)
        return page

    async def fill(self) -> None:
        """Reads the packages, once."""
        if self.rows:
            return
        for package in await asyncio.to_thread(packages):
            row = PackageRow(package)
            row.wanted.connect(lambda name, row=row: self.behind.do(_show(row, name), "read the licence"))
            self.rows.append(row)
        self._packages.put(list(self.rows))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(report())
        self.copy.change("Copied", "check")


async def _show(row: PackageRow, name: str) -> None:
    row.show_text(await asyncio.to_thread(text_of, name))


def _version_row(name: str, value: str) -> QWidget:
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(16, 8, 16, 8)
    line.setSpacing(16)
    line.addWidget(label(name, "ui", "t2"))
    shown = label(value, "ui", "t1")
    shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    line.addWidget(shown, 1, Qt.AlignmentFlag.AlignRight)
    return row
