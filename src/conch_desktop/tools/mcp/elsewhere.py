"""Servers in other programs' settings, read only: their files are opened for reading and never written.

Where each program keeps them is from its own documentation, as of autumn 2026.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conch_desktop.domain.errors import UsageError
from conch_desktop.tools.mcp.reading import FoundServer, read_servers

_IN_CONFIG = (
    ("Claude Desktop", "Claude/claude_desktop_config.json"),
    ("VS Code", "Code/User/mcp.json"),
    ("VS Code", "Code/User/settings.json"),
    ("VS Code Insiders", "Code - Insiders/User/mcp.json"),
    ("VSCodium", "VSCodium/User/mcp.json"),
    ("Cline", "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
)
"""Below the folder where this system's programs keep their settings."""

_IN_HOME = (
    ("Claude Code", ".claude.json"),
    ("Cursor", ".cursor/mcp.json"),
    ("Windsurf", ".codeium/windsurf/mcp_config.json"),
    ("Zed", ".config/zed/settings.json"),
    ("Gemini CLI", ".gemini/settings.json"),
    ("LM Studio", ".lmstudio/mcp.json"),
    ("Kiro", ".kiro/settings/mcp.json"),
    ("Amazon Q", ".aws/amazonq/mcp.json"),
)
"""Below the person's own folder, on every system."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A settings file of another program with its servers. `why` says what is wrong with a file that can't be read."""

    program: str
    path: Path
    servers: tuple[FoundServer, ...] = ()
    why: str = ""


def found_elsewhere() -> list[FoundFile]:
    """Every settings file there is that holds servers, or can't be read."""
    found: list[FoundFile] = []
    for program, path in places():
        try:
            if not path.is_file():
                continue
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", "") or "it is no text"
            found.append(FoundFile(program, path, why=f"{path} could not be read: {why}."))
            continue
        try:
            found.append(FoundFile(program, path, tuple(read_servers(text))))
        except UsageError as error:
            if "Line" in error.what:
                found.append(FoundFile(program, path, why=f"{path}: {error.what}"))
    return found


def places() -> Iterator[tuple[str, Path]]:
    """The programs and where their settings would be."""
    home = Path.home()
    if sys.platform == "darwin":
        config = home / "Library/Application Support"
    elif sys.platform == "win32":
        config = Path(os.environ.get("APPDATA") or home / "AppData/Roaming")
    else:
        config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    for program, path in _IN_CONFIG:
        yield program, config / path
    for program, path in _IN_HOME:
        yield program, home / path
