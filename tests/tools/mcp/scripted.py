"""A small MCP server over stdio that does what a file says: `python scripted.py TOOLS.json LOG.jsonl [ANYTHING …]`.

TOOLS.json is a list of tools as MCP lists them. Beside that a tool may have `says` (its answer; "{arguments}" in it is
what it was given), `long` (so many characters of a log), and `waits` (it answers when it is cancelled, and never else).
Every message it gets is a line of LOG.jsonl, with the moment of `time.monotonic`, which is the same for all programs of
a computer that runs Linux.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

LINE = "12:00:{number:06d} berth {number} is free and the tide is rising slowly\n"
OWN = ("says", "long", "waits")


def tools() -> list[dict[str, Any]]:
    """The tools as the file has them now."""
    found: list[dict[str, Any]] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    return found


def note(message: dict[str, Any]) -> None:
    """Writes down what came."""
    with Path(sys.argv[2]).open("a", encoding="utf-8") as log:
        log.write(json.dumps({"at": time.monotonic(), **message}) + "\n")


def reply(request: dict[str, Any], result: Any) -> None:
    """Answers."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
    sys.stdout.flush()


def log_of(size: int) -> str:
    """So many characters of a log."""
    lines = "".join(LINE.format(number=number) for number in range(size // 50))
    return lines[:size]


def call(request: dict[str, Any]) -> None:
    """Runs a tool."""
    name, arguments = request["params"]["name"], request["params"].get("arguments")
    tool = next(one for one in tools() if one["name"] == name)
    if tool.get("waits"):
        return
    said = str(tool.get("says", "done")).replace("{arguments}", json.dumps(arguments))
    text = log_of(tool["long"]) if "long" in tool else said
    reply(request, {"content": [{"type": "text", "text": text}]})


def main() -> None:
    """Answers until stdin ends."""
    for line in sys.stdin:
        message = json.loads(line)
        note(message)
        method = message.get("method")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            about = {"name": "scripted", "version": "1"}
            reply(message, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about})
        elif method == "tools/list":
            listed = [{key: value for key, value in tool.items() if key not in OWN} for tool in tools()]
            reply(message, {"tools": listed})
        elif method == "tools/call":
            call(message)
        elif method == "ping":
            reply(message, {})


if __name__ == "__main__":
    main()
