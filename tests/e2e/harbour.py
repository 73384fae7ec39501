"""An MCP server over stdio with one tool that notes in a file that it began, and never ends: `harbour.py FILE`.

Beside it, in FILE.listed, it notes each time it is asked for its tools.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "reserve_berth",
    "description": "Reserves a berth.",
    "inputSchema": {"type": "object", "properties": {"berth": {"type": "integer"}}, "required": ["berth"]},
}


def main(file: Path) -> None:
    """Answers until nobody asks any more."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        method = request.get("method")
        if method == "tools/call":
            with file.open("a", encoding="utf-8") as kept:
                kept.write(json.dumps(request["params"]["arguments"]) + "\n")
            continue
        result: dict[str, Any] = {}
        if method == "initialize":
            version = request["params"]["protocolVersion"]
            result = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "harbour", "version": "1"},
            }
        elif method == "tools/list":
            result = {"tools": [TOOL]}
            with file.with_suffix(".listed").open("a", encoding="utf-8") as kept:
                kept.write("\n")
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
