"""The menu of a message: what can be done with it, also with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from conch_desktop.desktop.markdown import link_allowed
from conch_desktop.desktop.text_block import TextBlock
from conch_desktop.domain.messages import Message

if TYPE_CHECKING:
    from conch_desktop.desktop.chat_view import ChatView
    from conch_desktop.desktop.message_row import MessageRow


def open_menu(view: ChatView, spot: QPoint, where: QPoint) -> None:
    """Opens the menu of the message at `spot` in the view, at `where` on the screen."""
    found = [(at, row) for at, row in view.live() if row.geometry().contains(spot)]
    if not found:
        return
    _menu(view, *found[0], spot).popup(where)


def _menu(view: ChatView, at: int, row: MessageRow, spot: QPoint) -> QMenu:
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    if not view.selecting.empty:
        menu.addAction("Copy").triggered.connect(view.selecting.copy)
    menu.addAction("Copy as Markdown").triggered.connect(row.copy_markdown)
    address = _link(view, row, spot)
    if address:
        menu.addAction("Copy the address").triggered.connect(lambda: QGuiApplication.clipboard().setText(address))
    for link in _links(row)[:8]:
        name = link if len(link) <= 60 else f"{link[:59]}…"
        action = menu.addAction(f"Open {name}".replace("&", "&&"))
        action.triggered.connect(lambda _=False, link=link: view.link_pressed.emit(link))
    if view.busy or not isinstance(row.message, Message):
        return menu
    if row.is_user:
        menu.addSeparator()
        menu.addAction("Edit and resend").triggered.connect(row.edit)
    elif at == len(view.entries) - 1:
        menu.addSeparator()
        menu.addAction("Try again").triggered.connect(lambda: view.acted.emit(row.message.id, "retry"))
    return menu


def _link(view: ChatView, row: MessageRow, spot: QPoint) -> str:
    for block in row.blocks:
        if isinstance(block.widget, TextBlock):
            inside = block.widget.viewport().mapFrom(view.viewport(), spot)
            if block.widget.viewport().rect().contains(inside):
                return block.widget.anchorAt(inside)
    return ""


def _links(row: MessageRow) -> list[str]:
    """The links of a message, in order, each once."""
    found: dict[str, None] = {}
    for block in row.blocks:
        if isinstance(block.widget, TextBlock):
            for address in block.widget.links():
                if link_allowed(address):
                    found[address] = None
    return list(found)
