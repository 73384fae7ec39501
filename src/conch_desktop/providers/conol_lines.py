"""The lines of conol.ai's stream as JSON objects: server-sent events, or one object a line without them.

Lines may carry a `message` before a tab, comments, names of events and keep-alives that are no JSON; whoever sends them
that way changed more than once, so all are taken.
"""

from __future__ import annotations

import json
from typing import Any

_DONE = "[DONE]"
_NAMELESS = ("id:", "retry:")
_PREFIX = "message\t"


class Lines:
    """Takes lines in order. `cut`: the last line began an object and did not end it, so the stream is not whole."""

    def __init__(self) -> None:
        self.cut = False
        self._event = ""
        self._pieces: list[str] = []  # the data of an event that goes over several lines

    def take(self, line: str) -> list[dict[str, Any]]:
        """The objects a line completes."""
        line = line.strip("\ufeff\r\n\t ")
        if not line:
            return self._ended() if self._pieces or self._event else []
        if line.startswith(":") or line.startswith(_NAMELESS):
            return []
        if line.startswith("event:"):
            self._event = line.removeprefix("event:").strip()
            return []
        data = line.removeprefix("data:").lstrip().removeprefix(_PREFIX).strip()
        if data == _DONE:
            return [{"type": "done"}]
        if (value := _object(data)) is not None:
            self._pieces, self.cut = [], False
            return [self._named(value)]
        self.cut = data.startswith("{")
        if line.startswith("data:") and data:
            self._pieces.append(data)
        return []

    def end(self) -> list[dict[str, Any]]:
        """The objects the end completes."""
        return self._ended()

    def _ended(self) -> list[dict[str, Any]]:
        """A blank line ends an event."""
        data, self._pieces = "\n".join(self._pieces), []
        value = _object(data) if "\n" in data else None
        if value is not None:
            self.cut = False
            value = self._named(value)
        elif self._event == "error" and data:
            value = {"type": "error", "error": data}
        self._event = ""
        return [] if value is None else [value]

    def _named(self, value: dict[str, Any]) -> dict[str, Any]:
        """An event called `error` is one, whatever its data say."""
        return {**value, "type": "error"} if self._event == "error" else value


def _object(data: str) -> dict[str, Any] | None:
    try:
        value = json.loads(data) if data.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
