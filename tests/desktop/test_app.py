"""The program from outside: a picture without a screen, a database that can't be used, signals, two copies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from conch_desktop.desktop.first_look import FirstLook, read_first_look, write_first_look
from conch_desktop.desktop.instance import Instance
from conch_desktop.desktop.life import Life
from conch_desktop.desktop.store_trouble import StoreTrouble
from conch_desktop.desktop.window import Window
from conch_desktop.engine.assembly import DATABASE, Program
from conch_desktop.store.settings import TEXT_ZOOM
from tests.desktop.at_work import until
from tests.desktop.conftest import Run

QUIET = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "conch_desktop", *words]


def picture(data_dir: Path, file: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    words = command("--data-dir", str(data_dir), "--screenshot", str(file))
    return subprocess.run(words, env=env or QUIET, capture_output=True, text=True, timeout=60, check=False)


def colours(file: Path) -> set[int]:
    image = QImage(str(file))
    assert not image.isNull()
    return {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}


def test_a_picture_needs_no_screen(tmp_path: Path) -> None:
    env = {name: value for name, value in QUIET.items() if name != "QT_QPA_PLATFORM"}
    done = picture(tmp_path / "profile", tmp_path / "window.png", env)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert len(colours(tmp_path / "window.png")) > 5
    assert (tmp_path / "profile" / DATABASE).exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only there can the screen be missing")
def test_without_a_screen_the_window_says_so(tmp_path: Path) -> None:
    env = {name: value for name, value in QUIET.items() if name != "QT_QPA_PLATFORM"}
    words = command("--data-dir", str(tmp_path))
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "no screen" in done.stderr


def test_a_picture_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    done = picture(tmp_path / "profile", tmp_path / "nowhere" / "window.png")
    assert done.returncode == 1
    assert "could not be written" in done.stderr


@pytest.mark.parametrize("kind", ["damaged", "newer"])
def test_a_database_that_cannot_be_used_is_shown_and_left_as_it_is(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "profile"
    folder.mkdir()
    file = folder / DATABASE
    if kind == "newer":
        asyncio.run(_made(folder))
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA user_version = 9999")
            connection.commit()
    else:
        file.write_bytes(b"this is no database, but somebody's only copy of something" * 40)
    before = file.read_bytes()
    done = picture(folder, tmp_path / "window.png")
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == before
    assert len(colours(tmp_path / "window.png")) > 5
    assert "Traceback" not in done.stderr


async def _made(folder: Path) -> None:
    program = await Program.open(folder)
    await program.aclose()


def test_a_broken_setting_and_a_broken_look_do_not_stop_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    asyncio.run(_made(folder))
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute("INSERT INTO settings (name, value) VALUES (?, ?)", (TEXT_ZOOM.name, '"huge"'))
        connection.commit()
    (folder / "window.json").write_text('{"zoom": "x", "geometry": 3, "theme": "pink", "panel_width": true')
    done = picture(folder, tmp_path / "window.png")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def _wait_for(condition: object, what: str) -> None:
    assert callable(condition)
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
def test_a_signal_quits_in_order_and_a_second_copy_ends_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    first = subprocess.Popen(command("--data-dir", str(folder)), env=QUIET, stderr=subprocess.PIPE, text=True)
    try:
        _wait_for((folder / DATABASE).exists, "the database is made")
        time.sleep(1.0)
        second = subprocess.run(
            command("--data-dir", str(folder)), env=QUIET, capture_output=True, text=True, timeout=30, check=False
        )
        assert second.returncode == 0, second.stderr
        assert first.poll() is None
        refused = picture(folder, tmp_path / "window.png")
        assert refused.returncode == 1
        assert "open with this profile" in refused.stderr
        children = psutil.Process(first.pid).children(recursive=True)
        first.send_signal(signal.SIGTERM)
        _, said = first.communicate(timeout=20)
        assert first.returncode == 0, said
        assert "Traceback" not in said
        assert "was destroyed" not in said
        assert not psutil.wait_procs(children, 3)[1]
        # The lock went with it: the next copy is a first one again.
        assert picture(folder, tmp_path / "window.png").returncode == 0
        assert read_first_look(folder).geometry
    finally:
        first.kill()
        first.wait()
        if first.stderr is not None:
            first.stderr.close()


def test_a_killed_copy_leaves_no_lock(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    first = subprocess.Popen(command("--data-dir", str(folder)), env=QUIET, stderr=subprocess.DEVNULL)
    try:
        _wait_for((folder / DATABASE).exists, "the database is made")
    finally:
        first.kill()
        first.wait()
    assert picture(folder, tmp_path / "window.png").returncode == 0


def test_profiles_do_not_meet(tmp_path: Path) -> None:
    one, other = Instance(tmp_path / "one"), Instance(tmp_path / "other")
    same = Instance(tmp_path / "one")
    try:
        assert (one.first, other.first, same.first) == (True, True, False)
    finally:
        one.close()
        other.close()


def test_the_look_of_last_time_comes_back(tmp_path: Path) -> None:
    seen = FirstLook("dark", 120, "AAEC", False, True, 250, 400)
    write_first_look(tmp_path, seen)
    assert read_first_look(tmp_path) == seen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", FirstLook()),
        ("[1, 2]", FirstLook()),
        ('{"zoom": 1.5, "theme": 3, "sidebar_open": 1}', FirstLook()),
        (json.dumps({"zoom": 150, "new": 1}), FirstLook(zoom=150)),
        ("\ud800".encode("utf-8", "surrogatepass"), FirstLook()),
    ],
)
def test_a_broken_look_is_the_usual_one(tmp_path: Path, text: str | bytes, expected: FirstLook) -> None:
    file = tmp_path / "window.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert read_first_look(tmp_path) == expected


def test_a_signal_ends_the_page_of_a_database_that_cannot_be_opened(
    window: Window, run: Run[None], tmp_path: Path
) -> None:
    (tmp_path / DATABASE).write_bytes(b"this is no database" * 100)

    async def scenario() -> None:
        life = Life(window, Instance(tmp_path), tmp_path, "", None)
        living = asyncio.create_task(life.live())
        await until(lambda: isinstance(window.whole.currentWidget(), StoreTrouble))
        said = [one.text() for one in window.findChildren(QLabel) if one.isVisible()]
        assert len([words for words in said if "Nothing in it was changed" in words or "left as it is" in words]) == 1
        signal.raise_signal(signal.SIGTERM)
        assert await asyncio.wait_for(living, 20) == 0

    run(scenario())
