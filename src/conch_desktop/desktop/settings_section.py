"""What every page of the settings is made of: a section has a name, a page, and fills it from the program.

A new page is one module with one section, and a row of `settings_pages.PAGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from conch_desktop.desktop.parts import IconMark, label
from conch_desktop.desktop.scroll import Scroll, centred
from conch_desktop.desktop.theme import look

if TYPE_CHECKING:
    from conch_desktop.desktop.desk import Desk
    from conch_desktop.desktop.window import Window
    from conch_desktop.engine.assembly import Program

WIDTH = 720


@dataclass(frozen=True, slots=True)
class Behind:
    """What sections work with. `do` runs a coroutine and shows what goes wrong; `keep` keeps the window's look soon;
    `tools_changed` says that models are given other tools from now on; `open_page` opens another page of the settings.
    """

    window: Window
    program: Program
    desk: Desk
    do: Callable[[Coroutine[Any, Any, Any], str], None]
    keep: Callable[[], None]
    tools_changed: Callable[[], None]
    open_page: Callable[[str], None]


class Section(QObject):
    """One page of the settings, by its name in `settings_pages.PAGES`."""

    name = ""

    def __init__(self, behind: Behind) -> None:
        super().__init__(behind.window)
        self.behind = behind

    def page(self) -> QWidget:
        """The page; asked for once, when the settings are first opened."""
        raise NotImplementedError

    async def fill(self) -> None:
        """Shows what is true now; called each time the settings are opened."""

    def begin(self, place: str) -> None:
        """The page was opened at one of its places; "" for none."""

    def show_now(self) -> None:
        """Something it shows changed by itself."""


def make_page(title: str, sentence: str, extra: QWidget | None = None) -> tuple[Scroll, QVBoxLayout]:
    """An empty page with its title: the page, and where its content goes. `extra` stands beside the title."""
    page = QWidget()
    page.setObjectName("chat")
    page.setMaximumWidth(look.px(WIDTH) + 48)
    column = QVBoxLayout(page)
    column.setContentsMargins(24, 28, 24, 32)
    column.setSpacing(6)
    head = QHBoxLayout()
    head.addWidget(label(title, "title", "t1", 600), 1)
    if extra is not None:
        head.addWidget(extra)
    column.addLayout(head)
    column.addWidget(label(sentence, "ui", "t2", wrap=True))
    column.addSpacing(14)
    content = QVBoxLayout()
    content.setSpacing(12)
    column.addLayout(content)
    column.addStretch(1)
    return centred(page), content


def quiet_line(icon: str, words: str) -> QWidget:
    """A quiet sentence with an icon before it."""
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    row.addWidget(IconMark(icon, "t2"), 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(label(words, "ui", "t2", wrap=True), 1)
    return line
