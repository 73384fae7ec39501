"""The two commands: what they decide, and what they do on a small stand-in for the repository."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import conch
import pytest
from conch import Need

from tests.setup_project import SCRIPT, Project

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and packages of Linux")

EGL = next(need for need in conch.NEEDS if need.debian == "libegl1")
CURSOR = next(need for need in conch.NEEDS if need.debian == "libxcb-cursor0")
WAYLAND = next(need for need in conch.NEEDS if need.debian == "libwayland-egl1")
SCREEN = next(need for need in conch.NEEDS if need.debian == "xvfb")


# --- Decisions ----------------------------------------------------------------------------------------------------


def test_an_old_python_can_read_the_file_far_enough_to_say_what_is_wrong() -> None:
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 6))


@pytest.mark.parametrize(
    ("manager", "root", "sudo", "lists", "line"),
    [
        ("apt-get", False, True, True, "sudo apt-get install -y --no-install-recommends libegl1 xvfb"),
        ("apt-get", True, True, True, "apt-get install -y --no-install-recommends libegl1 xvfb"),
        (
            "apt-get",
            False,
            True,
            False,
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends libegl1 xvfb",
        ),
        (
            "apt-get",
            False,
            False,
            False,
            "su -c 'apt-get update && apt-get install -y --no-install-recommends libegl1 xvfb'",
        ),
        ("dnf", False, True, True, "sudo dnf install -y 'libEGL.so.1()(64bit)' /usr/bin/Xvfb"),
        ("zypper", True, True, True, "zypper install -y 'libEGL.so.1()(64bit)' /usr/bin/Xvfb"),
        ("pacman", False, True, True, "sudo pacman -S --needed libglvnd xorg-server-xvfb"),
        ("", False, True, True, ""),
    ],
)
def test_the_line_to_type_fits_the_computer(manager: str, root: bool, sudo: bool, lists: bool, line: str) -> None:
    assert conch.install_line([EGL, EGL, SCREEN], manager=manager, root=root, sudo=sudo, lists=lists) == line


@pytest.mark.parametrize(
    ("lacking", "environ", "blocked"),
    [
        ([], {"DISPLAY": ":0"}, False),
        ([EGL], {"QT_QPA_PLATFORM": "offscreen"}, True),
        ([CURSOR], {"DISPLAY": ":0"}, True),
        ([CURSOR], {"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, False),
        ([CURSOR], {"QT_QPA_PLATFORM": "xcb"}, True),
        ([CURSOR], {}, False),
        ([CURSOR], {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, False),
        ([WAYLAND], {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, False),
        ([CURSOR, WAYLAND], {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, True),
        ([CURSOR, WAYLAND], {"WAYLAND_DISPLAY": "wayland-0", "QT_QPA_PLATFORM": "xcb"}, True),
    ],
)
def test_only_libraries_that_qt_would_miss_here_stop_the_window(
    lacking: list[Need], environ: dict[str, str], blocked: bool
) -> None:
    assert conch.window_is_blocked(lacking, environ) is blocked


def test_a_library_is_here_when_the_loader_loads_it_and_a_command_when_it_is_found() -> None:
    assert conch.is_here(Need("", "lib:libc.so.6", "", ""))
    assert not conch.is_here(Need("", "lib:libNoSuchThing.so.1", "", ""))
    assert conch.is_here(Need("", "command:sh", "", ""))
    assert not conch.is_here(Need("", "command:no-such-command", "", ""))
    assert conch.is_here(Need("", "module:json", "", ""))
    assert not conch.is_here(Need("", "font:NoSuchFont*", "", ""))


def test_the_distributions_own_python_and_another_one_have_their_own_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    venv = conch.NEEDS[0]
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    if Path("/usr/bin/python3").exists():
        assert conch.package_of(venv, "apt-get") == "python3-venv"
    monkeypatch.setattr(sys, "executable", "/usr/local/bin/some-python")
    assert conch.package_of(venv, "apt-get") == f"python{conch.PYTHON}-venv"


@pytest.mark.parametrize("note", ["", "{", "[]", '"x"', '{"done": null}', '{"key": 3, "done": [1]}', "\0", "{}" * 9])
def test_a_damaged_note_counts_as_nothing_done(note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conch, "STATE", tmp_path / "note.json")
    conch.STATE.write_text(note)
    assert conch.State().done == set()


def test_the_note_is_kept_whole_and_an_unfinished_one_counts_as_nothing_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conch, "STATE", tmp_path / "note.json")
    conch.State().mark("packages", "qt")
    assert conch.State().done == {"packages", "qt"}
    conch.State().mark(unfinished=True)
    assert conch.State().done == set()
    assert conch.State().unfinished
    assert [path.name for path in tmp_path.iterdir()] == ["note.json"]


@pytest.mark.parametrize("change", ["key", "root"])
def test_a_note_of_another_set_up_or_another_folder_does_not_count(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conch, "STATE", tmp_path / "note.json")
    conch.State().mark("packages")
    note = json.loads(conch.STATE.read_text())
    conch.STATE.write_text(json.dumps(note | {change: "another"}))
    assert conch.State().done == set()
    assert conch.State().moved is (change == "root")


# --- What is missing on the computer ------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


MISSING = "This computer lacks: libNoSuchThing.so.1."


def test_where_it_is_permitted_apt_get_is_run_once_with_exactly_what_is_missing(project: Project) -> None:
    project.replace_in_script("libEGL.so.1", "libNoSuchThing.so.1")
    project.fake("apt-get", 'echo "$DEBIAN_FRONTEND $*" >> "$FAKES/asked"')
    project.fake("sudo", 'shift; exec "$@"')  # -n
    ended = project.run("setup")
    asked = [line for line in (project.fakes / "asked").read_text().splitlines() if "--version" not in line]
    assert asked == [
        "noninteractive install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 libegl1",
    ]
    assert ended.returncode == 1
    assert MISSING in ended.stdout, "it did not become better, so it is said"
    assert not (project.venv / "pyvenv.cfg").exists()


def test_when_apt_get_fails_fresh_lists_are_fetched_once_and_then_its_own_words_are_shown(project: Project) -> None:
    project.replace_in_script("libEGL.so.1", "libNoSuchThing.so.1")
    project.fake("apt-get", 'echo "$1" >> "$FAKES/asked"; echo "E: No route to the mirror"; [ "$1" = --version ]')
    project.fake("sudo", 'shift; exec "$@"')
    ended = project.run("setup")
    asked = (project.fakes / "asked").read_text().split()
    assert [word for word in asked if word != "--version"] == ["install", "update", "install"]
    assert ended.returncode == 1
    assert "E: No route to the mirror" in ended.stdout
    assert MISSING in ended.stdout


@pytest.fixture
def open_project() -> Iterator[Project]:
    """A project that a user without rights can use, when the tests are run by root."""
    with tempfile.TemporaryDirectory(prefix="conch-setup-") as folder:
        project = Project(Path(folder))
        if os.geteuid() == 0:
            for path in [Path(folder), *Path(folder).rglob("*")]:
                shutil.chown(path, "nobody")
        yield project


def _python_for_everybody() -> str:
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        try:
            tried = subprocess.run(
                [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"],
                user="nobody" if os.geteuid() == 0 else None,
                cwd="/",
                check=False,
                capture_output=True,
                timeout=60,
            )
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    pytest.skip("no Python 3.11 here that a user without rights may run")


@pytest.mark.parametrize("sudo", ["echo 'sudo: a password is required' >&2; exit 1", ""])
@pytest.mark.parametrize("command", [[], ["setup", "--test"]])
def test_without_rights_the_window_says_the_exact_line_and_ends_with_one(
    sudo: str, command: list[str], open_project: Project
) -> None:
    open_project.replace_in_script("libEGL.so.1", "libNoSuchThing.so.1")
    open_project.replace_in_script("module:ensurepip", "module:no_such_module")
    open_project.fake("apt-get", 'touch "$FAKES/asked"')
    if sudo:
        open_project.fake("sudo", sudo)
    elif shutil.which("sudo", path="/usr/local/bin:/usr/bin:/bin"):
        pytest.skip("sudo is here")
    ended = open_project.run(*command, python=_python_for_everybody(), user="nobody")
    said = ended.stdout + ended.stderr
    assert ended.returncode == 1
    assert "no_such_module, libNoSuchThing.so.1" in said
    line = next(line for line in said.splitlines() if line.startswith("    "))
    assert line.startswith("    sudo apt-get " if sudo else "    su -c 'apt-get ")
    assert "apt-get install -y --no-install-recommends python3-venv libegl1" in line
    assert not (open_project.fakes / "asked").exists()
    assert "Traceback" not in said


# --- The whole way, on the stand-in -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, subprocess.CompletedProcess[str]]:
    """A project that was started once, and what was said then."""
    project = Project(tmp_path_factory.mktemp("ready"))
    return project, project.run("--data-dir", "a b", PIP_USER="1", PYTHONPATH=str(project.fakes))


Ready = tuple[Project, subprocess.CompletedProcess[str]]


def test_one_command_sets_up_and_starts_with_the_arguments(ready: Ready) -> None:
    project, ended = ready
    assert ended.stdout == "started with ['--data-dir', 'a b']\n"
    assert ended.returncode == 7
    lines = [line.strip().split("  ")[0] for line in ended.stderr.splitlines()[1:]]
    assert lines == ["environment", "packages", "window toolkit", "model on this computer"]
    assert project.commands()[:2] == ["model get", "--data-dir a b"]


def test_the_second_start_has_nothing_to_do_and_says_nothing(ready: Ready) -> None:
    project, _ = ready
    before = time.monotonic()
    ended = project.run("ask", "Wie geht's?")
    assert ended.stdout == """started with ['ask', "Wie geht's?"]\n"""
    assert ended.stderr == ""
    assert ended.returncode == 7
    assert time.monotonic() - before < 5


def test_on_a_desktop_the_launcher_is_made_once(ready: Ready) -> None:
    project, _ = ready
    for _ in range(2):
        project.run(XDG_CURRENT_DESKTOP="KDE")
    assert project.commands().count("install-launcher") == 1


def test_changed_packages_are_installed_into_the_same_environment(ready: Ready) -> None:
    project, _ = ready
    own = project.venv / "own"
    own.touch()
    with (project.root / "pyproject.toml").open("a") as text:
        text.write("# changed\n")
    assert "packages" in project.run().stderr
    assert own.exists()
    assert project.run().stderr == ""


def test_a_failed_installation_says_why_and_leaves_the_environment_as_it_was(ready: Ready) -> None:
    project, _ = ready
    good = (project.root / "pyproject.toml").read_text()
    (project.root / "pyproject.toml").write_text(good.replace('"backend"', '"no_such_backend"'))
    own = project.venv / "own"
    own.touch()
    ended = project.run()
    assert ended.returncode == 1
    assert "no_such_backend" in ended.stderr
    assert "packages                failed" in ended.stderr
    (project.root / "pyproject.toml").write_text(good)
    assert project.run().returncode == 7
    assert own.exists()


def test_commands_without_a_window_are_not_stopped_by_a_missing_library(ready: Ready) -> None:
    project, _ = ready
    good = (project.root / "conch.py").read_text("utf-8")
    project.replace_in_script("libEGL.so.1", "libNoSuchThing.so.1")
    project.fake("apt-get", "exit 1")
    project.fake("sudo", "exit 1")
    ended = project.run("ask", "hello")
    assert ended.stdout == "started with ['ask', 'hello']\n"
    assert "Some libraries are not here (the window)." in ended.stderr
    assert project.run("ask", "hello").stderr == "", "said once"
    assert project.run().returncode == 1
    (project.root / "conch.py").write_text(good, "utf-8")


def test_a_model_that_can_not_be_fetched_stops_the_tests_but_not_the_window(ready: Ready) -> None:
    project, _ = ready
    (project.root / "no-model").touch()
    with (project.root / "pyproject.toml").open("a") as text:
        text.write("# changed again\n")
    ended = project.run()
    assert ended.returncode == 7
    assert "The small model was not fetched; the window offers it again. The server is away." in ended.stderr
    ended = project.run("test")
    (project.root / "no-model").unlink()
    if conch.model_is_due():
        assert ended.returncode == 1
        assert "The server is away.\nThe model on this computer could not be fetched" in ended.stdout
        assert "pytest got" not in ended.stdout


def test_without_a_wheel_of_the_models_server_all_the_rest_is_there(project: Project) -> None:
    text = (project.root / "pyproject.toml").read_text()
    (project.root / "pyproject.toml").write_text(text.replace("local = []", 'local = ["xllamacpp==1"]'))
    (project.root / "src" / "xllamacpp.py").unlink()
    ended = project.run()
    assert ended.returncode == 7
    assert "its server has no wheel for this system" in ended.stderr
    assert "model on this computer  not for this computer" in ended.stderr
    assert project.run().stderr == ""


# --- The tests' own command ---------------------------------------------------------------------------------------


def _checks(project: Project, failing: str) -> None:
    for name in ("ruff", "mypy", "lint-imports"):
        program = project.venv / "bin" / name
        status = int(name == failing)
        program.write_text(f'#!/bin/sh\necho "{name} says $*"\nexit {status}\n')
        program.chmod(0o755)


def test_every_check_and_every_test_is_run_whatever_failed_before(ready: Ready) -> None:
    project, _ = ready
    project.run("setup", "--test")
    _checks(project, failing="ruff")
    ended = project.run("test", "--long")
    assert ended.returncode == 1
    assert "ruff says check" in ended.stdout
    assert "mypy says" not in ended.stdout, "quiet when it is good"
    states = [line.split()[:2] for line in ended.stdout.splitlines() if line.startswith("  ")]
    assert states[-4:] == [["style", "failed"], ["format", "failed"], ["types", "good"], ["layers", "good"]]
    assert "'-m', 'not figures', '--long']\n1 passed in 0.01s\nMeasuring\n" in ended.stdout
    assert "pytest got ['-m', 'figures', '--long']\n1 passed in 0.01s\nFailed: style, format.\n" in ended.stdout
    _checks(project, failing="")
    assert project.run("test").returncode == 0


def test_with_arguments_for_pytest_only_the_tests_are_run(ready: Ready) -> None:
    project, _ = ready
    project.run("setup", "--test")
    _checks(project, failing="ruff")
    ended = project.run("test", "-k", "one or two", "--long")
    assert ended.returncode == 0
    assert "pytest got ['-k', 'one or two', '--long']" in ended.stdout
    assert "ruff" not in ended.stdout


# --- Interrupted, moved, broken -----------------------------------------------------------------------------------


def _wait_for(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.long
def test_a_set_up_killed_while_the_environment_is_made_heals(project: Project) -> None:
    process = project.start()
    _wait_for((project.venv / "pyvenv.cfg").exists)
    process.kill()
    process.communicate()
    ended = project.run()
    assert ended.returncode == 7
    assert "an earlier set-up was interrupted" in ended.stderr
    assert project.run().stderr == ""


def test_a_set_up_killed_while_packages_are_installed_heals_when_its_orphan_has_ended(project: Project) -> None:
    (project.root / "hold").touch()
    process = project.start()
    _wait_for((project.root / "building").exists)
    process.kill()
    process.communicate()
    second = project.start()
    assert second.stderr is not None
    assert second.stderr.readline() == "Another set-up of this folder is running; waiting for it.\n"
    (project.root / "hold").unlink()
    _, errors = second.communicate(timeout=100)
    assert "an earlier set-up was interrupted" in errors
    assert second.returncode == 7
    assert project.run().stderr == ""


def _lock_is_free(project: Project) -> bool:
    with (project.venv / conch.LOCK.name).open("ab") as lock:
        return conch.try_lock(lock)


def _processes_with(text: str) -> list[str]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has just ended
            found.append(file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return [command for command in found if text in command]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_set_up_that_is_stopped_ends_what_it_started(stop: signal.Signals, project: Project) -> None:
    (project.root / "hold").touch()
    process = project.start()
    _wait_for((project.root / "building").exists)
    process.send_signal(stop)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.endswith("Stopped. The same command goes on from here.\n")
    assert "Traceback" not in errors
    assert _lock_is_free(project), "pip has ended too"
    assert not _processes_with(str(project.root)), "and so has what pip started"


def test_a_moved_or_broken_environment_is_made_anew(ready: Ready) -> None:
    project, _ = ready
    moved = project.root.with_name("moved")
    project.root.rename(moved)
    project.root = moved
    ended = project.run()
    assert "made anew, the folder was moved" in ended.stderr
    assert ended.returncode == 7
    python = project.venv / "bin" / "python"
    python.unlink()
    python.symlink_to("/no/such/python")
    ended = project.run()
    assert "made anew, the one here no longer worked" in ended.stderr
    assert ended.returncode == 7
