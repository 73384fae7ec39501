"""The entry in the desktop's menu: what is written, how paths are quoted, and that doing it twice changes nothing."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conch_desktop import launcher
from conch_desktop.domain.errors import UsageError

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="menus of Linux desktops")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def _program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed program in that folder, as `launcher` finds it: beside the Python that runs it."""
    folder.mkdir(parents=True)
    program = folder / "conch-desktop-window"
    program.write_text('#!/bin/sh\nprintf "started %s" "$#"\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return program


def _entry(data: Path) -> dict[str, str]:
    read = configparser.RawConfigParser(delimiters="=")
    read.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their capitals
    read.read(data / "applications" / "conch-desktop.desktop", "utf-8")
    return dict(read["Desktop Entry"])


def test_the_entry_starts_this_installation_and_carries_the_windows_name(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _program(tmp_path / "bin", monkeypatch)
    assert launcher.install_launcher() == "Conch Desktop is in the desktop's menu now."
    entry = _entry(data)
    assert entry["Exec"] == entry["TryExec"] == str(program)
    assert entry["Icon"] == entry["StartupWMClass"] == launcher.APP_ID == "conch-desktop"
    icon = data / "icons/hicolor/scalable/apps/conch-desktop.svg"
    assert ElementTree.fromstring(icon.read_bytes()).tag.endswith("svg")


@pytest.mark.parametrize(
    "name",
    ["plain", "two words", "für Muscheln 貝", '"quoted"', "a\\b", "100%", "%f", "$HOME", "`id`", "it's", "a;b&c", "#~"],
)
def test_any_folder_name_survives_the_quoting(
    name: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / name, monkeypatch)
    launcher.install_launcher()
    # Read back by the specification's steps: the file's escapes, the doubled percent, then quotes as in a shell.
    command = _entry(data)["Exec"].replace("\\\\", "\\").replace("%%", "%")
    ended = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False, timeout=30)
    assert ended.stdout == "started 0", ended.stderr


@pytest.mark.parametrize("name", ["plain", "two words", "100% a\\b $x"])
def test_the_entry_is_valid(name: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    validate = shutil.which("desktop-file-validate")
    if validate is None:
        pytest.skip("desktop-file-validate is missing here")
    _program(tmp_path / name, monkeypatch)
    launcher.install_launcher()
    entry = data / "applications" / "conch-desktop.desktop"
    ended = subprocess.run([validate, str(entry)], capture_output=True, text=True, check=False, timeout=30)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_doing_it_again_changes_nothing_and_a_moved_program_is_followed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path / "one", monkeypatch)
    launcher.install_launcher()
    entry = data / "applications" / "conch-desktop.desktop"
    before = entry.stat()
    assert launcher.install_launcher() == "Conch Desktop is in the desktop's menu already."
    assert entry.stat() == before
    program = _program(tmp_path / "two", monkeypatch)
    assert launcher.install_launcher() == "Conch Desktop is in the desktop's menu now."
    assert _entry(data)["Exec"] == str(program)


def test_removing_leaves_nothing_behind_and_can_be_done_twice(data: Path) -> None:
    launcher.install_launcher()
    assert launcher.remove_launcher() == "Conch Desktop is no longer in the desktop's menu."
    assert not [path for path in data.rglob("*") if path.is_file()]
    assert launcher.remove_launcher() == "Conch Desktop is not in the desktop's menu."


def test_without_an_installed_command_python_itself_is_started(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    launcher.install_launcher()
    assert _entry(data)["Exec"] == f"{tmp_path / 'python3'} -P -m conch_desktop"


def test_a_relative_data_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    launcher.install_launcher()
    assert (tmp_path / ".local/share/applications/conch-desktop.desktop").exists()


def test_a_folder_that_can_not_be_written_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="could not be written"):
        launcher.install_launcher()


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_other_systems_get_a_sentence(system: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    for act in (launcher.install_launcher, launcher.remove_launcher):
        with pytest.raises(UsageError, match="Only Linux desktops"):
            act()
    assert not data.exists()


def test_the_command_line_says_what_was_done(data: Path) -> None:
    for option, words in ([], "in the desktop's menu now."), (["--remove"], "no longer in the desktop's menu."):
        ended = subprocess.run(
            [sys.executable, "-m", "conch_desktop", "install-launcher", *option],
            env=os.environ | {"XDG_DATA_HOME": str(data)},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert ended.stdout.strip().endswith(words)
