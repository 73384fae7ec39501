"""Keys that mean something only where the focus is. Those of the whole window are the palette's actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conch_desktop.desktop.palette import Action, Group


@dataclass(frozen=True, slots=True)
class Places:
    """What leads to each place in which keys mean something of their own."""

    composer: Callable[[], object]
    question: Callable[[], object]
    chats: Callable[[], object]
    models: Callable[[], object]
    finding: Callable[[], object]


def keys_in_place(places: Places, send_key: str) -> Sequence[Action]:
    """Every such key."""
    send, line = ("Enter", "Shift+Enter") if send_key == "enter" else ("Ctrl+Enter", "Enter")
    table: tuple[tuple[Group, Callable[[], object], str, str, str], ...] = (
        ("While you write", places.composer, "Send the message", "send", send),
        ("While you write", places.composer, "Begin a new line", "pencil", line),
        ("While you write", places.composer, "Ask for a tool by its name", "slash", "/"),
        ("While you write", places.composer, "Attach a file of a granted folder", "attach", "@"),
        ("In a question", places.question, "Allow once", "guard", "O"),
        ("In a question", places.question, "Allow in this chat", "guard", "C"),
        ("In a question", places.question, "Always allow", "guard", "A"),
        ("In a question", places.question, "Deny", "guard", "D"),
        ("In the list of chats", places.chats, "Open the chat", "chat", "Enter"),
        ("In the list of chats", places.chats, "Rename the chat", "pencil", "F2"),
        ("In the list of chats", places.chats, "Delete the chat", "trash", "Delete"),
        ("In the list of models", places.models, "Make a model a favourite, or no longer", "star", "Ctrl+D"),
        ("While you search in a chat", places.finding, "Next place", "search", "Enter"),
        ("While you search in a chat", places.finding, "Place before", "search", "Shift+Enter"),
    )
    return [Action(name, icon, do, keys, group=group) for group, do, name, icon, keys in table]
