"""A tool asked for by name at the start of a message: `/remember I like tea`."""

from __future__ import annotations

from conch_desktop.tools.toolbox import Toolbox


def split_command(text: str, toolbox: Toolbox) -> tuple[str, str]:
    """The name of the tool asked for and the rest of the message; ("", text) when no tool of that name is there."""
    if not text.startswith("/"):
        return "", text
    name, _, rest = text[1:].partition(" ")
    name, newline, more = name.partition("\n")
    if toolbox.find(name) is None:
        return "", text
    return name, f"{more} {rest}".strip() if newline else rest.strip()
