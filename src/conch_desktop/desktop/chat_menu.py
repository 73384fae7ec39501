"""What can be done with a chat: the menu of its row in the sidebar and of the chat's head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from conch_desktop.desktop import icons
from conch_desktop.desktop.theme import look


@dataclass(frozen=True, slots=True)
class ChatDeeds:
    """What each entry does."""

    rename: Callable[[], object]
    pin: Callable[[], object]
    copy: Callable[[], object]
    save: Callable[[], object]
    export: Callable[[], object]
    delete: Callable[[], object]


def open_chat_menu(parent: QWidget, spot: QPoint, deeds: ChatDeeds, *, pinned: bool) -> None:
    """Opens the menu at `spot` on the screen."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    ratio, ink = parent.devicePixelRatioF(), look.colour("t2")
    for icon, words, do in (
        ("pencil", "Rename", deeds.rename),
        ("pin", "Unpin" if pinned else "Pin", deeds.pin),
        ("copy", "Copy as Markdown", deeds.copy),
        ("export", "Save as Markdown…", deeds.save),
        ("export", "Export as JSON…", deeds.export),
        ("trash", "Delete", deeds.delete),
    ):
        if icon == "trash":
            menu.addSeparator()
        menu.addAction(icons.pixmap(icon, ink, 16, ratio), words).triggered.connect(do)
    menu.popup(spot)
