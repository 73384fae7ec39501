"""Keys that mean something only where the focus is. Those of the whole window are the palette's actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conch_desktop.desktop.palette import Action, Group


def keys_in_place(
    send_key: str,
    *,
    composer: Callable[[], object],
    question: Callable[[], object],
    chats: Callable[[], object],
    models: Callable[[], object],
    finding: Callable[[], object],
) -> Sequence[Action]:
    """Every such key. The others lead to the places where they mean something."""
    send, line = ("Enter", "Shift+Enter") if send_key == "enter" else ("Ctrl+Enter", "Enter")
    table: tuple[tuple[Group, Callable[[], object], str, str, str], ...] = (
        ("While you write", composer, "Send the message", "send", send),
        ("While you write", composer, "Begin a new line", "pencil", line),
        ("While you write", composer, "Ask for a tool by its name", "slash", "/"),
        ("While you write", composer, "Attach a file of a granted folder", "attach", "@"),
        ("In a question", question, "Allow once", "guard", "O"),
        ("In a question", question, "Allow in this chat", "guard", "C"),
        ("In a question", question, "Always allow", "guard", "A"),
        ("In a question", question, "Deny", "guard", "D"),
        ("In the list of chats", chats, "Open the chat", "chat", "Enter"),
        ("In the list of chats", chats, "Rename the chat", "pencil", "F2"),
        ("In the list of chats", chats, "Delete the chat", "trash", "Delete"),
        ("In the list of models", models, "Make a model a favourite, or no longer", "star", "Ctrl+D"),
        ("While you search in a chat", finding, "Next place", "search", "Enter"),
        ("While you search in a chat", finding, "Place before", "search", "Shift+Enter"),
    )
    return [Action(name, icon, do, keys, group=group) for group, do, name, icon, keys in table]
