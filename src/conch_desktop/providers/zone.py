"""The name of this computer's time zone in the tz database ("Europe/Vienna"), which some providers want to know."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

_LINK = Path("/etc/localtime")


def local_zone(link: Path = _LINK) -> str:
    """The zone's name. Where the system keeps none, a zone with today's distance from UTC in whole hours, else UTC."""
    _, found, linked = str(link.resolve()).partition("/zoneinfo/")
    for name in (os.environ.get("TZ", "").lstrip(":"), linked if found else ""):
        if _exists(name):
            return name
    distance = datetime.now(UTC).astimezone().utcoffset()
    hours, rest = divmod(int(distance.total_seconds()), 3600) if distance else (0, 0)
    return f"Etc/GMT{-hours:+d}" if hours and not rest else "UTC"  # the sign there is the other way round


def _exists(name: str) -> bool:
    try:
        return bool(name) and ZoneInfo(name).key == name
    except (OSError, ValueError, KeyError):
        return False
