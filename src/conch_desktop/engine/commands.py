"""A tool asked for by name at the start of a message: `/remember I like tea`."""

from __future__ import annotations

import re

from conch_desktop.domain.errors import UsageError
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


_COMMAND = re.compile(r"/([A-Za-z][\w-]*)(?:\s+|$)")
"""What can only be meant as a tool's name: a path has another slash in it."""


def check_command(text: str, toolbox: Toolbox) -> None:
    """Raises `UsageError` for a message that asks for a tool that is not there, or says nothing behind its name."""
    found = _COMMAND.match(text)
    if found is None:
        return
    name = found[1]
    if toolbox.find(name) is None:
        nearest = toolbox.nearest(name)
        raise UsageError(f"There is no tool named {name}.", f"Did you mean /{nearest}?" if nearest else "")
    if not split_command(text, toolbox)[1]:
        raise UsageError(f"There is nothing behind /{name}.", f"Write what it is for: /{name} and then your words.")
