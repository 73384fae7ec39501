"""What goes wrong with a server, in words."""

from __future__ import annotations

from conch_desktop.domain.errors import ConchError

_OLDER = "It was written for an older mcp library: start it with mcp<2 (uvx --with 'mcp<2' NAME)."

_HINTS = (
    ("'Server' object has no attribute", _OLDER),
    ("cannot import name 'FastMCP'", _OLDER),
    ("E404", "npm knows no package of this name."),
    ("No solution found when resolving", "The package could not be installed."),
    ("EACCES", "It may not use a file or folder it needs."),
)
"""Phrases of a server's own words, and what they mean."""


def in_words(error: BaseException, *, status: int = 0) -> str:
    """The error in a sentence or two. `status` is that of an HTTP answer that was a refusal."""
    error = innermost(error)
    words = error.what if isinstance(error, ConchError) else _said(error)
    if status and str(status) not in words:
        words += f" (it answered with HTTP {status})"
    hint = next((hint for phrase, hint in _HINTS if phrase in words), "")
    return f"{words} {hint}".strip()


def innermost(error: BaseException) -> BaseException:
    """What went wrong first, out of the groups the library's tasks put around it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())[:2_000]
    name = type(error).__name__
    if name == "ConnectError":
        return f"Nothing answers at its address ({text or 'no connection'})."
    if name == "ValidationError":
        return "It answered with something that is no MCP."
    return text or f"Something went wrong ({name})."
