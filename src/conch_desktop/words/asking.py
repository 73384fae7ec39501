"""Asking in words for one call of one tool: what the person's message becomes when they named a tool."""

from __future__ import annotations

from conch_desktop.calls.signature import signature
from conch_desktop.domain.tools import Tool


def asked(tool: Tool, message: str) -> str:
    """The message as it is sent when `tool` has to be called with what it says.

    Measured on a model of 135 million parameters under the call's grammar: with the message quoted after the tool it
    copies the person's words; with the tool in the system prompt it mostly makes values up.
    """
    return (
        f"Use {tool.name}: {tool.description} It takes {signature(tool.parameters)}. "
        f'Fill it in from this message:\n"{message}"'
    )
