"""What the window needs before the database is open: where it was and how it looked last time.

A small file beside the database. It only repeats the settings, so that the window does not jump or change its colours
when they have been read; a broken or missing one costs nothing.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

_FILE = "window.json"


@dataclass(frozen=True, slots=True)
class FirstLook:
    """The window as it was left."""

    theme: str = "system"
    zoom: int = 100
    geometry: str = ""
    sidebar_open: bool = True
    panel_open: bool = True
    sidebar_width: int = 260
    panel_width: int = 380
    contrast: str = "system"


def read_first_look(folder: Path) -> FirstLook:
    """The look of last time; the usual one when there is none."""
    try:
        found = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return FirstLook()
    if not isinstance(found, dict):
        return FirstLook()
    usual = FirstLook()
    good = {
        field.name: found[field.name]
        for field in fields(FirstLook)
        if field.name in found and type(found[field.name]) is type(getattr(usual, field.name))
    }
    return FirstLook(**good)


def write_first_look(folder: Path, seen: FirstLook) -> None:
    """Keeps the look for next time, in one piece."""
    with contextlib.suppress(OSError):
        beside = folder / f"{_FILE}.new"
        beside.write_text(json.dumps(asdict(seen)), encoding="utf-8")
        beside.replace(folder / _FILE)
