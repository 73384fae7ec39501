"""Reads `mcpServers` JSON as other programs write it: Claude Desktop, Cursor, VS Code (`servers`), Zed, Gemini CLI.

Comments and trailing commas are read as VS Code reads them. A text that can't be read is named by line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from conch_desktop.domain.calls import Json
from conch_desktop.domain.errors import UsageError
from conch_desktop.domain.integrations import Definition

LONGEST_TEXT = 5_000_000
"""Characters of a file that are read: Claude Code keeps whole chats beside its servers."""

_TABLES = (("mcpServers",), ("servers",), ("mcp", "servers"), ("mcp", "mcpServers"), ("context_servers",))
"""Where the servers are: most programs; VS Code's mcp.json; VS Code's settings.json; Zed."""

_STREAMABLE = frozenset({"http", "streamable-http", "streamablehttp", "streamable_http"})


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server in a file. `why` says what keeps it from being used ("" when nothing does); `is_on` as it was there.

    `needs` are values the file leaves to be asked for: VS Code's `${input:…}`.
    """

    definition: Definition
    is_on: bool = True
    why: str = ""
    needs: tuple[str, ...] = ()


def read_servers(text: str) -> list[FoundServer]:
    """The servers of a text. Raises `UsageError` with line and column when it can't be read, or holds no servers."""
    value = read_json(text)
    found = [server for table in _tables(value) for server in _servers(table)]
    if not found and _is_server(value):
        found = _servers({str(value.get("name") or "server"): value})
    if not found and isinstance(value, dict) and value and all(map(_is_server, value.values())):
        found = _servers(value)  # only what stands inside mcpServers was copied
    if not found:
        raise UsageError("There are no servers in this text.", 'It should hold {"mcpServers": {"name": {…}}}.')
    return found


def read_json(text: str) -> Json:
    """JSON with comments and trailing commas. Raises `UsageError` with the line and column of what is wrong."""
    if len(text) > LONGEST_TEXT:
        raise UsageError(f"The text has {len(text):,} characters; {LONGEST_TEXT:,} are read at most.")
    plain = _without_comments(text.removeprefix("\ufeff"))
    try:
        return json.loads(plain)
    except json.JSONDecodeError as error:
        at, why = _place(plain, error)
        line, column = plain.count("\n", 0, at) + 1, at - (plain.rfind("\n", 0, at) + 1) + 1
        raise UsageError(f"Line {line}, column {column}: {why}.", "Correct it there, then try again.") from None
    except RecursionError:
        raise UsageError("The text is nested too deeply to be read.") from None


_WHY = {
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
    "Expecting value": "a value is missing",
    "Unterminated string starting at": "this text is not closed",
    "Invalid control character at": "a line break or tab stands inside a text",
    "Invalid \\escape": "this backslash starts no escape; in JSON a backslash is written twice",
    "Invalid \\uXXXX escape": "this backslash starts no escape; in JSON a backslash is written twice",
    "Extra data": "the JSON ends here, but more follows",
}


def _place(text: str, error: json.JSONDecodeError) -> tuple[int, str]:
    """Where a person has to look: what is missing is missing after the last thing that was there."""
    why = _WHY.get(error.msg, error.msg)
    missing = error.msg.startswith(("Expecting ',", "Expecting ':")) or error.pos >= len(text.rstrip())
    return (len(text[: error.pos].rstrip()) if missing else error.pos), why


_PIECES = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=(?>\s+|//[^\n]*|/\*(?>.*?\*/))*+[}\]])', re.DOTALL
)


def _without_comments(text: str) -> str:
    """The text with comments and trailing commas as blanks: every other character stays where it was."""

    def blank(match: re.Match[str]) -> str:
        piece = match.group()
        return piece if piece.startswith('"') else re.sub(r"[^\n]", " ", piece)

    return _PIECES.sub(blank, text)


def _tables(value: Json) -> list[Mapping[str, Json]]:
    """Every table of servers: those at the top, and those of Claude Code's projects."""
    if not isinstance(value, dict):
        return []
    found: list[Mapping[str, Json]] = []
    for path in _TABLES:
        place: Json = value
        for step in path:
            place = place.get(step) if isinstance(place, dict) else None
        if isinstance(place, dict):
            found.append(place)
    projects = value.get("projects")
    each = projects.values() if isinstance(projects, dict) else ()
    inner = (project.get("mcpServers") for project in each if isinstance(project, dict))
    return [*found, *(table for table in inner if isinstance(table, dict))]


def _is_server(value: Json) -> bool:
    return isinstance(value, dict) and any(
        isinstance(value.get(key), str | dict) for key in ("command", "url", "httpUrl", "serverUrl")
    )


def _servers(table: Mapping[str, Json]) -> list[FoundServer]:
    return [_server(str(name), value) for name, value in table.items() if isinstance(value, dict)]


def _server(name: str, value: Mapping[str, Json]) -> FoundServer:
    if isinstance(value.get("command"), dict):  # Zed, before 2026: {"command": {"path": …, "args": […]}}
        inner = value["command"]
        value = {**value, **inner, "command": inner.get("path") or inner.get("command") or ""}
    kind = str(value.get("type") or value.get("transport") or "").lower()
    url = next((value[key] for key in ("url", "httpUrl", "serverUrl") if isinstance(value.get(key), str)), "")
    is_on = not value.get("disabled", False) and value.get("enabled", True) is not False
    problems: list[str] = []
    if url and not value.get("command"):
        definition = Definition(name.strip(), "http", url=url.strip(), headers=_texts(value, "headers", problems))
        old = kind == "sse" or ("httpUrl" not in value and not kind and url.rstrip("/").endswith("/sse"))
        if old:
            problems.append("It uses the old SSE transport; ask its maker for an address with streamable HTTP")
        elif kind and kind not in _STREAMABLE:
            problems.append(f"Its type “{kind}” is not known")
        elif not re.match(r"https?://[^/\s]", definition.url):
            problems.append("Its address does not start with http:// or https://")
    else:
        command = value.get("command")
        definition = Definition(
            name.strip(),
            "stdio",
            command=command.strip() if isinstance(command, str) else "",
            args=_list(value, problems),
            env=_texts(value, "env", problems),
            cwd=value["cwd"] if isinstance(value.get("cwd"), str) else "",
        )
        if not definition.command:
            problems.append("It names neither a command nor an address")
    needs = tuple(sorted(set(re.findall(r"\$\{input:([^}]*)\}", json.dumps(dict(value))))))
    return FoundServer(definition, is_on, ". ".join(problems) + "." if problems else "", needs)


def _list(value: Mapping[str, Json], problems: list[str]) -> tuple[str, ...]:
    args = value.get("args") or []
    if isinstance(args, list) and all(isinstance(arg, str | int | float) for arg in args):
        return tuple(_as_text(arg) for arg in args)
    problems.append("Its args are no list of texts")
    return ()


def _texts(value: Mapping[str, Json], key: str, problems: list[str]) -> dict[str, str]:
    table = value.get(key) or {}
    if isinstance(table, dict) and all(isinstance(item, str | int | float) for item in table.values()):
        return {str(name): _as_text(item) for name, item in table.items()}
    problems.append(f"Its {key} are no table of texts")
    return {}


def _as_text(value: str | int | float) -> str:
    return value if isinstance(value, str) else json.dumps(value)
