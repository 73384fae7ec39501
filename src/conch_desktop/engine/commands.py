"""A tool asked for by name: at the start of a message, `/remember I like tea`, or as a word in it."""

from __future__ import annotations

import re

from conch_desktop.domain.errors import UsageError
from conch_desktop.tools.toolbox import Toolbox

_WITHIN = re.compile(r"(?<=\s)/([A-Za-z][\w-]*)(?!\S)")


def split_command(text: str, toolbox: Toolbox) -> tuple[str, str]:
    """The name of the tool asked for and the rest of the message; ("", text) when no tool of that name is there.

    A message that names a tool further on, as in "look at the log, then /recall", stays whole.
    """
    if not text.startswith("/"):
        named = (found[1] for found in _WITHIN.finditer(text[:_LOOKED_AT]))
        return next((name for name in named if toolbox.find(name) is not None), ""), text
    name, _, rest = text[1:].partition(" ")
    name, newline, more = name.partition("\n")
    if toolbox.find(name) is None:
        return "", text
    return name, f"{more} {rest}".strip() if newline else rest.strip()


_LOOKED_AT = 20_000
"""Characters of a message in which a tool may be named: nobody names one in the middle of a pasted book."""

_COMMAND = re.compile(r"/([A-Za-z][\w-]*)(?:\s+|$)")
"""What can only be meant as a tool's name: a path has another slash in it."""


def check_command(text: str, toolbox: Toolbox) -> None:
    """Raises `UsageError` for a message that asks for a tool that is not there, or says nothing behind its name."""
    found = _COMMAND.match(text)
    if found is None:
        return
    name = found[1]
    tool = toolbox.find(name)
    if tool is None:
        nearest = toolbox.nearest(name)
        raise UsageError(f"There is no tool named {name}.", f"Did you mean /{nearest}?" if nearest else "")
    if tool.parameters.get("required") and not split_command(text, toolbox)[1]:
        raise UsageError(f"There is nothing behind /{name}.", f"Write what it is for: /{name} and then your words.")
