"""Asking in words for one call of one tool: what the person's message becomes when they named a tool."""

from __future__ import annotations

from conch_desktop.calls.signature import signature
from conch_desktop.domain.tools import Tool

ASKED_PROMPT = "Every request is answered with one call."
"""The whole system prompt of such a request: everything more in it finds its way into a small model's arguments."""


def asked(tool: Tool, message: str) -> str:
    """The message as it is sent when `tool` has to be called with what it says.

    Measured on a model of 135 million parameters under the call's grammar, with eleven messages to remember: so it
    takes ten of them over word for word, with the tool and what is remembered in the system prompt four at most.
    """
    return (
        f"Use {tool.name}: {tool.description} It takes {signature(tool.parameters)}. "
        f'Fill it in from this message:\n"{message}"'
    )
