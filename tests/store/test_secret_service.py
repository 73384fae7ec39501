"""The real key store of a Linux desktop, on a bus of its own: unlocked, locked, and not there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

KEY = "sk-pier-7Q2M-0000-LOCAL"

PROGRAM = """
import asyncio, sys
from conch_desktop.domain.errors import SecretError
from conch_desktop.domain.models import Provider
from conch_desktop.store.secrets import Secrets

PIER, KEY = Provider("p1", "openai", "Pier"), sys.stdin.readline().strip()


def entries():
    import secretstorage

    with secretstorage.dbus_init() as bus:
        return len(list(secretstorage.search_items(bus, {"service": "conch-desktop (test)"})))


async def main():
    secrets = Secrets("conch-desktop (test)")
    store = await secrets.probe()
    print("state", store.state)
    if store.state == "ok":
        print("entries", entries())
        print("kept", await secrets.keep("p1", "an older key"), await secrets.keep("p1", KEY))
        print("entries", entries())
        print("read", await Secrets("conch-desktop (test)").get(PIER) == KEY)
        await secrets.remove("p1")
        print("entries", entries(), await secrets.get(PIER))
    else:
        print("kept", await secrets.keep("p1", KEY))
        try:
            print("read", await Secrets("conch-desktop (test)").get(PIER))
        except SecretError as error:
            print("told", error.what)


asyncio.run(main())
"""

UNLOCK = "printf 'password\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null && "

needs_a_bus = pytest.mark.skipif(
    sys.platform != "linux" or not all(map(shutil.which, ("dbus-run-session", "gnome-keyring-daemon"))),
    reason="needs dbus-run-session and gnome-keyring-daemon (apt install dbus gnome-keyring)",
)


def run(tmp_path: Path, *command: str) -> list[str]:
    """What the program prints, with a home of its own; the key must be in none of its files and texts."""
    (tmp_path / "run").mkdir(mode=0o700)
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    kept_away = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "PYTHON_KEYRING_BACKEND")
    environment = {name: value for name, value in os.environ.items() if name not in kept_away}
    environment |= {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "run"), "PYTHON": sys.executable}
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    done = subprocess.run(
        [*command, str(program)],
        input=f"{KEY}\n",
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "7Q2M" not in done.stdout + done.stderr
    assert not any(b"7Q2M" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    return done.stdout.splitlines()


def on_a_bus(before: str) -> tuple[str, ...]:
    return ("dbus-run-session", "--", "bash", "-c", f'{before} exec "$PYTHON" "$0"')


@needs_a_bus
def test_a_key_is_kept_read_and_removed_by_the_real_key_store(tmp_path: Path) -> None:
    assert run(tmp_path, *on_a_bus(UNLOCK)) == [
        "state ok",
        "entries 0",
        "kept key store key store",
        "entries 1",
        "read True",
        "entries 0 None",
    ]


@needs_a_bus
def test_a_real_key_store_that_nobody_unlocks_is_told_as_locked(tmp_path: Path) -> None:
    assert run(tmp_path, *on_a_bus("")) == [
        "state locked",
        "kept until you quit",
        "told The key store of this computer is locked, so keys can't be kept or read.",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a key store")
def test_without_a_bus_there_is_no_key_store(tmp_path: Path) -> None:
    assert run(tmp_path, sys.executable) == ["state none", "kept until you quit", "read None"]
