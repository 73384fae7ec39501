"""The entry in the desktop's menu (freedesktop.org's Desktop Entry and Icon Theme specifications).

Both files lie in the person's own data folder, so no rights are needed, and writing them again changes nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from conch_desktop.domain.errors import UsageError

APP_ID = "conch-desktop"
"""Names the entry and the icon; the window gives the same name to the desktop, so that both are shown as one."""

_ENTRY = """\
[Desktop Entry]
Type=Application
Version=1.1
Name=Conch Desktop
GenericName=Chat with language models
Comment=A chat program in which every model gets its tools
Exec={command}
TryExec={program}
Icon={app_id}
Terminal=false
Categories=Network;Chat;
Keywords=AI;LLM;assistant;model;tools;MCP;
StartupNotify=true
StartupWMClass={app_id}
"""

_RESERVED = frozenset(" \t\n\"'\\><~|&;$*?#()`")
"""The characters that make an argument of `Exec` need quotes."""


def install_launcher() -> str:
    """Adds Conch Desktop to the desktop's menu, or brings its entry up to date; answers with a sentence."""
    entry, icon = _places(os.environ)
    command = _command()
    text = _ENTRY.format(command=_exec(command), program=_string(command[0]), app_id=APP_ID)
    drawing = files("conch_desktop").joinpath("resources/icons/app/conch.svg").read_bytes()
    try:
        changed = [_write(icon, drawing), _write(entry, text.encode())]
    except OSError as error:
        raise UsageError(f"The menu's entry could not be written: {error}.") from error
    if not any(changed):
        return "Conch Desktop is in the desktop's menu already."
    os.utime(icon.parents[2])  # a theme's folder newer than its icon cache: the cache no longer hides the new icon
    return "Conch Desktop is in the desktop's menu now."


def remove_launcher() -> str:
    """Takes Conch Desktop out of the desktop's menu; answers with a sentence."""
    entry, icon = _places(os.environ)
    if not entry.exists() and not icon.exists():
        return "Conch Desktop is not in the desktop's menu."
    try:
        entry.unlink(missing_ok=True)
        icon.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"The menu's entry could not be removed: {error}.") from error
    return "Conch Desktop is no longer in the desktop's menu."


def _places(environ: Mapping[str, str]) -> tuple[Path, Path]:
    """Where the entry and the icon belong. The specification has a relative folder ignored."""
    if not sys.platform.startswith("linux"):
        raise UsageError(
            "Only Linux desktops get an entry in their menu for now.", "Start the program with `conch-desktop`."
        )
    named = environ.get("XDG_DATA_HOME", "")
    data = Path(named) if named.startswith("/") else Path.home() / ".local" / "share"
    return data / "applications" / f"{APP_ID}.desktop", data / "icons/hicolor/scalable/apps" / f"{APP_ID}.svg"


def _command() -> list[str]:
    """How this very installation opens the window."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    for name in ("conch-desktop-window", "conch-desktop"):
        program = Path(sys.executable).parent / name
        if program.is_file():
            return [str(program)]
    return [sys.executable, "-P", "-m", "conch_desktop"]


def _exec(command: Sequence[str]) -> str:
    """The value of `Exec`: quoted arguments, `%` doubled, then the escapes that every text in the file has."""
    return _string(" ".join(map(_argument, command)))


def _argument(text: str) -> str:
    text = text.replace("%", "%%")
    if text and not _RESERVED.intersection(text):
        return text
    for character in '\\"`$':
        text = text.replace(character, "\\" + character)
    return f'"{text}"'


def _string(text: str) -> str:
    for character, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        text = text.replace(character, escape)
    return text


def _write(path: Path, content: bytes) -> bool:
    """Writes the file whole or not at all; answers whether anything had to change."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}.new")
    written.write_bytes(content)
    written.replace(path)
    return True
