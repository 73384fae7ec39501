"""Keys that mean something only where the focus is. Those of the whole window are the palette's actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conch_desktop.desktop.palette import Action

_WRITING = (
    ("Send the message", "send"),
    ("Begin a new line", "pencil"),
    ("Ask for a tool by its name", "slash"),
    ("Attach a file of a granted folder", "attach"),
)
_ASKED = (("Allow once", "O"), ("Allow in this chat", "C"), ("Always allow", "A"), ("Deny", "D"))


def keys_in_place(write: Callable[[], object], ask: Callable[[], object], send_key: str) -> Sequence[Action]:
    """The keys of the composer and of a question; `write` and `ask` lead there."""
    send, line = ("Enter", "Shift+Enter") if send_key == "enter" else ("Ctrl+Enter", "Enter")
    writing = zip(_WRITING, (send, line, "/", "@"), strict=True)
    return [
        *(Action(name, icon, write, keys, also="composer", group="While you write") for (name, icon), keys in writing),
        *(Action(name, "guard", ask, key, also="approve", group="In a question") for name, key in _ASKED),
    ]
