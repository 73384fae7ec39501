"""The name of this computer's time zone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from conch_desktop.providers.zone import local_zone


def linked(folder: Path, target: str) -> Path:
    link = folder / "localtime"
    link.symlink_to(target)
    return link


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone can't be set here")
@pytest.mark.parametrize(
    ("variable", "target", "zone"),
    [
        ("Europe/Vienna", "/usr/share/zoneinfo/Asia/Tokyo", "Europe/Vienna"),
        (":Europe/Vienna", "/nowhere", "Europe/Vienna"),
        ("", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("Nowhere/Land", "/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        ("../../etc/passwd", "/nowhere", "UTC"),
        ("WHERE-3", "/nowhere", "Etc/GMT-3"),
        ("WHERE8", "/nowhere", "Etc/GMT+8"),
        ("WHERE-5:30", "/nowhere", "UTC"),
        ("UTC", "/nowhere", "UTC"),
    ],
)
def test_the_zone_has_a_name_everyone_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, target: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", variable)
    time.tzset()
    try:
        assert local_zone(linked(tmp_path, target)) == zone
    finally:
        monkeypatch.undo()
        time.tzset()
