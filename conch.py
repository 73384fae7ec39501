"""Sets up Conch Desktop and opens its window (`python3 conch.py`), or runs every test (`python3 conch.py test`).

One file with the standard library alone, because it runs before anything is installed; that is why it is long.
It stays readable for Python 3.6, so that an old Python can say what is wrong instead of stumbling over the syntax.

Everything is kept in `.venv` beside this file: the packages, a note of what is done (so that the next start takes
no set-up), a lock (two set-ups at once wait for each other) and the log. What was interrupted is built anew.
"""

import glob
import hashlib
import importlib.util
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any, Callable, Iterable, Mapping, NamedTuple, NoReturn, TextIO  # noqa: UP035

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        "Conch Desktop needs Python 3.11 or newer, and this is Python {}.{}.\n"
        "Install a newer Python and start this file with it, for example: python3.11 conch.py".format(
            *sys.version_info[:2]
        )
    )

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STATE = VENV / "conch-setup.json"
LOCK = VENV / "conch-setup.lock"
LOG = VENV / "conch-setup.log"
WINDOWS = sys.platform == "win32"
LINUX = sys.platform.startswith("linux")
PYTHON = "{}.{}".format(*sys.version_info[:2])
LOCK_SECONDS = 900

USAGE = """\
python3 conch.py                    set up what is missing and open the window
python3 conch.py COMMAND […]        the same, then run `conch-desktop COMMAND […]`: ask, check, doctor, model,
                                    or an option of the window such as --screenshot FILE
python3 conch.py setup [--test]     only set up, for the window or for the tests
python3 conch.py test [--long] […]   set up and run every test; further arguments go to pytest
"""
OTHER_COMMANDS = ("ask", "check", "doctor", "model", "install-launcher")  # these open no window


class Stop(Exception):
    """The set-up can't go on; the text says why and what to do."""


# --- What must be on the computer ---------------------------------------------------------------------------------


class Need(NamedTuple):
    """Something the computer must have: what for, how it is found, and the packages that bring it."""

    group: str  # venv, window, x11, wayland, model, test
    found_by: str  # "module:NAME", "lib:SONAME", "command:NAME" or "font:FILE"
    debian: str
    arch: str
    rpm: str = ""  # only where the package manager can't be asked for the library or the command itself


# Read off the Qt wheel with ldd; libdbus is loaded by Qt when it runs.
NEEDS = (
    Need("venv", "module:ensurepip", "python3-venv", "python", "python3"),
    Need("window", "lib:libEGL.so.1", "libegl1", "libglvnd"),
    Need("window", "lib:libGL.so.1", "libgl1", "libglvnd"),
    Need("window", "lib:libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    Need("window", "lib:libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    Need("window", "lib:libfreetype.so.6", "libfreetype6", "freetype2"),
    Need("window", "lib:libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
    Need("window", "lib:libdbus-1.so.3", "libdbus-1-3", "dbus"),
    Need("x11", "lib:libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    Need("x11", "lib:libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    Need("x11", "lib:libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    Need("x11", "lib:libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    Need("x11", "lib:libxcb-randr.so.0", "libxcb-randr0", "libxcb"),
    Need("x11", "lib:libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    Need("x11", "lib:libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    Need("x11", "lib:libxcb-sync.so.1", "libxcb-sync1", "libxcb"),
    Need("x11", "lib:libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb"),
    Need("x11", "lib:libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
    Need("x11", "lib:libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    Need("x11", "lib:libX11-xcb.so.1", "libx11-xcb1", "libx11"),
    Need("wayland", "lib:libwayland-cursor.so.0", "libwayland-cursor0", "wayland"),
    Need("wayland", "lib:libwayland-egl.so.1", "libwayland-egl1", "wayland"),
    Need("model", "lib:libgomp.so.1", "libgomp1", "gcc-libs"),
    Need("test", "command:Xvfb", "xvfb", "xorg-server-xvfb"),
    Need("test", "command:xauth", "xauth", "xorg-xauth"),
    Need("test", "command:xdotool", "xdotool", "xdotool"),
    Need("test", "command:import", "imagemagick", "imagemagick", "ImageMagick"),
    Need("test", "command:dbus-run-session", "dbus", "dbus"),
    Need("test", "command:gnome-keyring-daemon", "gnome-keyring", "gnome-keyring"),
    Need("test", "command:desktop-file-validate", "desktop-file-utils", "desktop-file-utils"),
    Need("test", "command:npx", "npm", "npm"),  # integrations are tested with real servers; most are npm packages
    Need("test", "font:NotoSans-Regular.*", "fonts-noto-core", "noto-fonts", "google-noto-sans-fonts"),
    Need("test", "font:NotoColorEmoji*", "fonts-noto-color-emoji", "noto-fonts-emoji", "google-noto-emoji-color-fonts"),
    Need("test", "font:NotoSansCJK*", "fonts-noto-cjk", "noto-fonts-cjk", "google-noto-sans-cjk-fonts"),
)
GROUPS = {"x11": "a window on X11", "wayland": "a window on Wayland", "model": "the model on this computer"}
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


def is_here(need: Need) -> bool:
    """Whether the computer has it. A library counts when the system's own loader loads it."""
    kind, _, name = need.found_by.partition(":")
    if kind == "module":
        return importlib.util.find_spec(name) is not None
    if kind == "command":
        return shutil.which(name, path=search_path()) is not None
    if kind == "font":
        patterns = [str(Path(folder).expanduser() / "**" / name) for folder in FONT_FOLDERS]
        return any(next(glob.iglob(pattern, recursive=True), None) for pattern in patterns)  # noqa: PTH207
    import ctypes

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def search_path() -> str:
    """Where commands are looked for: a plain user's PATH on Debian has no sbin, the package tools live there."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def missing(groups: Iterable[str]) -> list[Need]:
    """What of these groups the computer lacks. Only Linux has needs: elsewhere the wheels bring everything."""
    wanted = set(groups)
    return [need for need in NEEDS if LINUX and need.group in wanted and not is_here(need)]


def window_is_blocked(lacking: Iterable[Need], environ: Mapping[str, str]) -> bool:
    """Whether Qt would abort here: X11's libraries count only where the window would open on X11."""
    groups = {need.group for need in lacking}
    chosen = environ.get("QT_QPA_PLATFORM", "")
    if "window" in groups:
        return True
    if chosen or not environ.get("WAYLAND_DISPLAY"):
        return "x11" in groups and (chosen.startswith("xcb") or (not chosen and bool(environ.get("DISPLAY"))))
    return {"x11", "wayland"} <= groups


# --- Package managers ---------------------------------------------------------------------------------------------


def package_manager() -> str:
    """The package manager of this computer by its command's name, or nothing."""
    return next((name for name in ("apt-get", "dnf", "zypper", "pacman") if shutil.which(name, path=search_path())), "")


def package_of(need: Need, manager: str) -> str:
    """What that package manager is asked for. The rpm family takes a library's or a command's own name."""
    kind, _, name = need.found_by.partition(":")
    if manager in ("dnf", "zypper"):
        bits = "()(64bit)" if sys.maxsize > 2**32 else ""
        return need.rpm or (name + bits if kind == "lib" else "/usr/bin/" + name)
    if manager == "pacman":
        return need.arch
    if kind == "module" and not same_file(sys.executable, "/usr/bin/python3"):
        return f"python{PYTHON}-venv"  # another Python than the distribution's own has its own package
    return need.debian


def same_file(one: str, other: str) -> bool:
    """Whether two paths lead to one file; a path to nothing leads nowhere."""
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def install_line(lacking: Iterable[Need], *, manager: str, root: bool, sudo: bool, lists: bool = True) -> str:
    """The exact line a person types to get what is lacking; nothing for an unknown package manager."""
    packages = " ".join(shlex.quote(name) for name in dict.fromkeys(package_of(need, manager) for need in lacking))
    commands = {
        "apt-get": [] if lists else ["apt-get update"],
        "dnf": [],
        "zypper": [],
        "pacman": [],
    }.get(manager)
    if commands is None:
        return ""
    commands.append(
        {
            "apt-get": "apt-get install -y --no-install-recommends ",
            "dnf": "dnf install -y ",
            "zypper": "zypper install -y ",
            "pacman": "pacman -S --needed ",
        }[manager]
        + packages
    )
    if root:
        return " && ".join(commands)
    if sudo:
        return " && ".join("sudo " + command for command in commands)
    return "su -c " + shlex.quote(" && ".join(commands))


def line_for(lacking: Iterable[Need]) -> str:
    """`install_line` on this computer, as a sentence that can stand at the end of a message."""
    lacking = list(lacking)
    lists = bool(next(glob.iglob("/var/lib/apt/lists/*_Packages*"), None))  # noqa: PTH207
    sudo = shutil.which("sudo") is not None
    line = install_line(lacking, manager=package_manager(), root=is_root(), sudo=sudo, lists=lists)
    if line:
        return f"To install them, type this line, then start again:\n\n    {line}\n"
    names = ", ".join(need.found_by.partition(":")[2] for need in lacking)
    return f"Install them with your system's own package manager, then start again: {names}"


def is_root() -> bool:
    """Whether this process may install packages without asking. There is no such user on Windows."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def apt_get() -> list[str]:
    """How apt-get is started without asking anybody for anything; nothing where that is not permitted."""
    command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    if package_manager() != "apt-get":
        return []
    if is_root():
        return command
    if shutil.which("sudo") is None:
        return []
    command = ["sudo", "-n", *command]  # -n: never a question for a password
    try:
        asked = subprocess.run(
            [*command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return command if asked.returncode == 0 else []


# --- What a person sees -------------------------------------------------------------------------------------------


class Screen:
    """One line for each step with its state and time. On a terminal the line lives while the step runs."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.live = stream.isatty()
        self.title = ""
        self.began = 0.0

    def say(self, text: str) -> None:
        """Writes one line."""
        encoding = self.stream.encoding or "ascii"
        self.stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        self.stream.flush()

    def begin(self, title: str) -> None:
        """A step starts."""
        self.title, self.began = title, time.monotonic()
        self.tick("")

    def tick(self, doing: str) -> None:
        """The step still runs; `doing` is the newest line of what it prints."""
        if self.live:
            width = shutil.get_terminal_size().columns - 1
            text = f"  {self.title:<24}{time.monotonic() - self.began:4.0f} s  {doing}"
            encoding = self.stream.encoding or "ascii"
            self.stream.write("\r" + text[:width].ljust(width).encode(encoding, "replace").decode(encoding))
            self.stream.flush()

    def end(self, state: str) -> None:
        """The step has ended; `state` says how."""
        self.clear()
        self.say(f"  {self.title:<24}{state} ({time.monotonic() - self.began:.1f} s)")

    def clear(self) -> None:
        """Takes the living line away."""
        if self.live:
            self.stream.write("\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r")


# --- What is already done -----------------------------------------------------------------------------------------


def key() -> str:
    """Changes whenever what was set up may no longer fit: another Python, other packages, other steps."""
    digest = hashlib.sha256(f"{sys.implementation.name} {PYTHON} {platform.machine()}".encode())
    for name in ("pyproject.toml", "conch.py"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


class State:
    """The note of what is done, in `.venv`. `unfinished` is written before the environment is touched: nothing that
    a note with it says counts at the next run."""

    def __init__(self) -> None:
        try:
            kept = json.loads(STATE.read_text("utf-8"))
        except (OSError, ValueError):
            kept = None
        kept = kept if isinstance(kept, dict) else {}
        self.unfinished = kept.get("unfinished") is True
        self.moved = "root" in kept and kept["root"] != str(ROOT)
        fits = kept.get("key") == key() and not self.unfinished and not self.moved
        self.done = {str(name) for name in kept.get("done") or ()} if fits else set()

    def mark(self, *names: str, unfinished: bool = False) -> None:
        """Writes it down so that a kill at any moment leaves the old note or the new one."""
        self.done.update(names)
        note = {"root": str(ROOT), "key": key(), "done": sorted(self.done), "unfinished": unfinished}
        written = STATE.with_suffix(".new")
        written.write_text(json.dumps(note), "utf-8")
        written.replace(STATE)


class Purpose(NamedTuple):
    """What is set up for."""

    name: str
    extras: str
    groups: tuple[str, ...]
    required: tuple[str, ...]  # the steps that must be done


LIBRARIES = ("window", "x11", "wayland", "model")
WINDOW = Purpose("window", "local,math", LIBRARIES, ("libraries", "packages", "qt", "model"))
COMMAND = Purpose("command", "local", LIBRARIES, ("packages", "model"))
TEST = Purpose("test", "local,math,dev", (*LIBRARIES, "test"), ("test libraries", "test packages", "qt"))


# --- The steps ----------------------------------------------------------------------------------------------------


class Setup:
    """One run of the set-up."""

    def __init__(self, purpose: Purpose, screen: Screen, lock: IO[bytes]) -> None:
        self.purpose = purpose
        self.screen = screen
        self.lock = lock
        self.state = State()
        self.notes: list[str] = []
        self.fault = fault_of_environment(self.state)
        if self.fault:
            self.state.done.difference_update(("packages", "test packages", "qt", "launcher"))

    def run(self) -> None:
        """Runs the steps that are not done yet, in order."""
        self.screen.say(f"Setting up Conch Desktop in {ROOT}")
        testing = self.purpose is TEST
        prefix = "test " if testing else ""
        self.step("system libraries", prefix + "libraries", self.libraries)
        self.step("environment", "", self.environment)
        self.step("packages", prefix + "packages", self.packages)
        if self.purpose is not COMMAND:
            self.step("window toolkit", "qt", self.toolkit)
        if testing or "model" not in self.state.done:
            self.step("model on this computer", "", self.model)
        if self.purpose is WINDOW:
            self.step("launcher in the menu", "launcher", self.launcher)
        self.state.mark()
        for note in self.notes:
            self.screen.say(note)

    def step(self, title: str, name: str, work: Callable[[], str]) -> None:
        """One line on the screen. A step that answers with nothing had nothing to do and is not shown."""
        if name in self.state.done:
            return
        self.screen.begin(title)
        try:
            state = work()
        except Stop:
            self.screen.end("failed")
            raise
        if state:
            self.screen.end(state)
        else:
            self.screen.clear()

    def shell(
        self, command: list[str], environ: "Mapping[str, str] | None" = None, *, may_be_killed: bool = True
    ) -> tuple[int, str]:
        """Runs a program to its end with its output in the log; answers with its status and what it wrote.

        It inherits the lock: where this process is killed, the next set-up waits until the orphan has ended.
        It has a session of its own: no terminal to ask for a password on, and it can be ended with its children.
        """
        with LOG.open("ab") as log:
            log.write(f"\n$ {shlex.join(command)}\n".encode("utf-8", "surrogateescape"))
            log.flush()
            begin = log.tell()
            apart: dict[str, Any] = {} if WINDOWS else {"pass_fds": (self.lock.fileno(),), "start_new_session": True}
            try:
                process = subprocess.Popen(
                    command,
                    cwd=ROOT,
                    env=environ,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    **apart,
                )
            except OSError as error:
                return 127, str(error)
            try:
                code = wait(process, 0.2)
                while code is None:
                    self.screen.tick(last_line(begin))
                    code = wait(process, 0.2)
            except BaseException:
                end(process, may_be_killed)
                raise
        return code, written_since(begin)

    def libraries(self) -> str:
        """Installs what the computer lacks where that is permitted; else says the line to type."""
        groups = self.purpose.groups + (("venv",) if self.fault else ())
        lacking = missing(groups)
        how = apt_get() if lacking else []
        why = ""
        if how:
            why = self.apt_install(how, lacking)
            installed, lacking = lacking, missing(groups)
        if self.purpose is TEST:
            blocked = bool(lacking)
        else:
            blocked = any(need.group == "venv" for need in lacking)
            blocked |= self.purpose is WINDOW and window_is_blocked(lacking, os.environ)
        if blocked:
            names = [need.found_by.partition(":")[2] for need in lacking]
            more = f" and {len(names) - 6} more" if len(names) > 6 else ""
            raise Stop(f"{why}This computer lacks: {', '.join(names[:6])}{more}.\n{line_for(lacking)}")
        if not [need for need in lacking if need.group != "wayland"]:
            self.state.done.update(("libraries", "test libraries") if self.purpose is TEST else ("libraries",))
        if lacking:
            uses = ", ".join(dict.fromkeys(GROUPS.get(need.group, "the window") for need in lacking))
            self.notes.append(f"Some libraries are not here ({uses}). {line_for(lacking)}")
        return f"{len(installed)} installed" if how else ""

    def apt_install(self, how: list[str], lacking: list[Need]) -> str:
        """Answers with nothing when all went well. Fresh lists are fetched when the ones here don't do."""
        packages = dict.fromkeys(package_of(need, "apt-get") for need in lacking)
        wait_for_others = ["-o", "DPkg::Lock::Timeout=300"]
        install = [*how, "install", "-y", "-q", "--no-install-recommends", *wait_for_others, *packages]
        code, output = self.shell(install, may_be_killed=False)
        if code:
            self.shell([*how, "update", "-q", *wait_for_others], may_be_killed=False)
            code, output = self.shell(install, may_be_killed=False)
        if not code:
            return ""
        return f"{tail(output)}\napt-get could not install the packages; the whole output is in {LOG}.\n"

    def environment(self) -> str:
        """Makes the virtual environment, unless the one that is here is whole."""
        if not self.fault:
            return ""
        self.state.mark(unfinished=True)
        clear_environment()
        code, output = self.shell([base_python(), "-I", "-m", "venv", str(VENV)])
        if code:
            raise Stop(f"{tail(output)}\nThe virtual environment could not be made in {VENV}.")
        return f"Python {PYTHON}" + (f"; made anew, {self.fault}" if self.fault != "new" else "")

    def packages(self) -> str:
        """Installs this checkout and what it needs. Without a wheel of the local model's server, all the rest."""
        self.state.mark(unfinished=True)
        extras = self.purpose.extras
        code, output = self.pip(extras)
        without_server = code and "No matching distribution found for xllamacpp" in output
        if without_server and not (self.purpose is TEST and model_is_due()):
            self.notes.append("The model on this computer can't run here: its server has no wheel for this system.")
            code, output = self.pip(",".join(name for name in extras.split(",") if name != "local"))
        if code:
            if not self.fault and "Installing collected packages" not in output:
                self.state.mark()  # nothing was touched: the environment is as whole as it was
            raise Stop(
                f"{tail(output)}\nThe packages could not be installed; the whole output is in {LOG}.\n"
                "If the network was away, run the same command again."
            )
        if self.purpose is TEST:
            self.state.mark("test packages", "packages")
        else:
            self.state.mark("packages")
        return "installed"

    def pip(self, extras: str) -> tuple[int, str]:
        """`--no-user`: a person's own PIP_USER can't work in an environment. All else of theirs is left to pip."""
        target = f".[{extras}]" if extras else "."
        options = ["--disable-pip-version-check", "--no-input", "--no-user", "--progress-bar", "off"]
        only = ["--only-binary", "xllamacpp"]  # without a wheel it would be hours of C++
        return self.shell([venv_python(), "-I", "-m", "pip", "install", *options, *only, "-e", target])

    def toolkit(self) -> str:
        """Starts Qt once without a screen, so that a missing library is a sentence and not a crash."""
        code, output = self.shell([venv_python(), "-I", "-c", TOOLKIT], {**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        lines = output.strip().splitlines() or [""]
        if code:
            raise Stop(f"{tail(output)}\nQt, the window's toolkit, does not start here: {lines[-1]}")
        x11 = Need("x11", "", "", "")
        if lines[-1] != "whole" and window_is_blocked([x11], os.environ):
            raise Stop(f"Qt can't open a window on X11 here: {lines[-1]}")
        if lines[-1] == "whole":
            self.state.mark("qt")
        return f"Qt {lines[0]}"

    def model(self) -> str:
        """Fetches the small model. The window can do it too, so only a test run insists."""
        code, output = self.shell([venv_python(), "-I", "-c", "import xllamacpp"])
        if code and not (self.purpose is TEST and model_is_due()):
            self.state.mark("model")
            return "not for this computer" if "No module named" in output else f"can't run: {tail(output, 1)}"
        code, output = self.shell([venv_python(), "-P", "-m", "conch_desktop", "model", "get"])
        if code and self.purpose is TEST and model_is_due():
            raise Stop(f"{tail(output)}\nThe model on this computer could not be fetched, and the tests need it.")
        self.state.mark("model")
        if code:
            self.notes.append(f"The small model was not fetched; the window offers it again. {tail(output, 3)}")
            return "not fetched"
        return "here"

    def launcher(self) -> str:
        """Puts the program into the desktop's menu where there is one."""
        if not LINUX:
            self.state.mark("launcher")
            return "not made on this system; start with `python3 conch.py`"
        if not has_desktop(os.environ):
            return ""
        code, output = self.shell([venv_python(), "-P", "-m", "conch_desktop", "install-launcher"])
        self.state.mark("launcher")
        if code:
            self.notes.append(f"The program could not be put into the menu. {tail(output, 3)}")
        return "could not be made" if code else "made"


TOOLKIT = """
import ctypes, pathlib, sys
from PySide6 import QtCore, QtGui, QtSvg, QtWidgets
application = QtWidgets.QApplication([])
print(QtCore.qVersion())
plugins = pathlib.Path(QtCore.QLibraryInfo.path(QtCore.QLibraryInfo.LibraryPath.PluginsPath))
try:
    for plugin in (plugins / "platforms").glob("libqxcb.*"):
        ctypes.CDLL(str(plugin))
except OSError as error:
    print(error)
else:
    print("whole")
"""


def has_desktop(environ: Mapping[str, str]) -> bool:
    """Whether somebody sits before a screen here."""
    return any(environ.get(name) for name in ("XDG_CURRENT_DESKTOP", "WAYLAND_DISPLAY", "DISPLAY"))


def model_is_due() -> bool:
    """Where the local model must be among what is tested: everywhere its server is known to run."""
    return LINUX and platform.machine() == "x86_64"


def base_python() -> str:
    """The Python outside any environment, also when this file is run with the environment's own."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def venv_python() -> str:
    """The environment's Python."""
    return str(script("python"))


def script(name: str) -> Path:
    """A program of the environment."""
    return VENV / "Scripts" / (name + ".exe") if WINDOWS else VENV / "bin" / name


def fault_of_environment(state: State) -> str:
    """Why the environment must be made anew; nothing when it is whole."""
    if not script("python").exists():
        broken = script("python").is_symlink() or (VENV / "pyvenv.cfg").exists()
        return "the one here no longer worked" if broken else "new"
    if state.unfinished:
        return "an earlier set-up was interrupted"
    if state.moved:
        return "the folder was moved"
    try:
        asked = subprocess.run(
            [venv_python(), "-I", "-c", "import sys, pip; print('%d.%d' % sys.version_info[:2]); print(sys.prefix)"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "the one here no longer worked"
    version, _, prefix = os.fsdecode(asked.stdout).strip().partition("\n")
    if asked.returncode or not same_file(prefix.strip(), str(VENV)):
        return "the one here no longer worked"
    return "" if version.strip() == PYTHON else f"the one here was for Python {version.strip()}"


def clear_environment() -> None:
    """Empties `.venv`, but for our own notes."""
    for entry in VENV.iterdir():
        if entry.name in (STATE.name, LOCK.name, LOG.name):
            continue
        try:
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
        except OSError as error:
            raise Stop(f"{entry} can't be removed: {error.strerror}. Close what uses it, then start again.") from None


def wait(process: "subprocess.Popen[bytes]", seconds: float) -> "int | None":
    """The exit status, or nothing while it runs."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def end(process: "subprocess.Popen[bytes]", may_be_killed: bool) -> None:
    """Ends a program that was started here, and its children, as Ctrl-C would; then by force, if nothing breaks by it.

    A package manager is only asked: it finishes the package it is at, and the next set-up waits for it.
    """
    try:
        if WINDOWS:
            process.terminate()
        else:
            os.killpg(process.pid, signal.SIGINT)
        if wait(process, 10) is None and may_be_killed:
            if WINDOWS:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(5)
    except (OSError, subprocess.TimeoutExpired):
        pass  # it has ended by itself, or belongs to root


def written_since(begin: int) -> str:
    """What was written into the log from that place on."""
    with LOG.open("rb") as log:
        log.seek(begin)
        return log.read().decode("utf-8", "replace")


def last_line(begin: int) -> str:
    """The newest whole line of the log after that place, for the living line on the screen."""
    size = LOG.stat().st_size
    lines = written_since(max(begin, size - 4096)).replace("\r", "\n").split("\n")
    return next((line.strip() for line in reversed(lines[:-1]) if line.strip()), "")


def tail(output: str, lines: int = 30) -> str:
    """The end of what a program wrote."""
    return "\n".join(output.strip().splitlines()[-lines:])


def take_lock(screen: Screen) -> IO[bytes]:
    """Waits for another set-up of this folder; its children count too. Freed by the system when we end."""
    lock = LOCK.open("ab")
    waited = 0
    while not try_lock(lock):
        if not waited:
            screen.say("Another set-up of this folder is running; waiting for it.")
        if waited >= LOCK_SECONDS:
            raise Stop(f"It still runs after {LOCK_SECONDS // 60} minutes. End it, then start again.")
        time.sleep(1)
        waited += 1
    return lock


def try_lock(lock: IO[bytes]) -> bool:
    """Whether the lock is ours now."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def is_set_up(purpose: Purpose) -> bool:
    """Whether nothing is left to do. Reads one small file and two digests: the price of every later start."""
    required = set(purpose.required)
    if purpose is WINDOW and (not LINUX or has_desktop(os.environ)):
        required.add("launcher")
    return script("python").exists() and required <= State().done


def set_up(purpose: Purpose, screen: Screen) -> None:
    """Does all that is not done yet for this purpose."""
    if purpose is not TEST and is_set_up(purpose):
        return
    try:
        VENV.mkdir(exist_ok=True)
        lock = take_lock(screen)
        if purpose is TEST or not is_set_up(purpose):  # another set-up may just have done it
            LOG.write_bytes(b"")
            Setup(purpose, screen, lock).run()
        lock.close()
    except OSError as error:
        raise Stop(f"The set-up can't write into {VENV}: {error}") from error


# --- The two commands ---------------------------------------------------------------------------------------------

CHECKS = (
    ("style", ("ruff", "check", "--quiet")),
    ("format", ("ruff", "format", "--check", "--quiet")),
    ("types", ("mypy",)),
    ("layers", ("lint-imports",)),
)


TESTS = (
    ("Testing", ("-n", "auto", "--maxprocesses", "4", "--dist", "loadfile", "-m", "not figures")),
    ("Measuring", ("-m", "figures")),  # alone, so that nothing of ours disturbs it
)


def run_tests(arguments: list[str], screen: Screen) -> int:
    """Every check and every test, whatever failed before. With arguments for pytest, only the tests, one by one."""
    failed = []
    everything = set(arguments) <= {"--long"}
    if everything:
        screen.say("Checking")
        for title, (program, *options) in CHECKS:
            screen.begin(title)
            ended = subprocess.run(
                [str(script(program)), *options],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            screen.end("failed" if ended.returncode else "good")
            if ended.returncode:
                failed.append(title)
                screen.say(ended.stdout.decode("utf-8", "replace").rstrip())
    ways: tuple[tuple[str, tuple[str, ...]], ...] = TESTS if everything else ((TESTS[0][0], ()),)
    for title, how in ways:
        screen.say(title)
        if attend([venv_python(), "-m", "pytest", *how, *arguments], ROOT):
            failed.append(title.lower())
    if failed:
        screen.say(f"Failed: {', '.join(failed)}.")
    return 1 if failed else 0


def start(arguments: list[str]) -> int:
    """Runs the program in the place of this one. `-P`: the folder a person stands in holds no part of it."""
    command = [venv_python(), "-P", "-m", "conch_desktop", *arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    if not WINDOWS:
        os.execv(command[0], command)
    return attend(command, None)


def attend(command: list[str], folder: "Path | None") -> int:
    """Runs a program that has the terminal: Ctrl-C has reached it too, and it decides what that means."""
    with subprocess.Popen(command, cwd=folder) as process:
        while True:
            try:
                return process.wait()
            except Terminated:
                process.terminate()
            except KeyboardInterrupt:
                continue


class Terminated(KeyboardInterrupt):
    """Asked to end (SIGTERM, a closed terminal): like Ctrl-C, but only this process has got it."""


def stop_on_request(*_: object) -> NoReturn:
    """Ends what is running in order."""
    raise Terminated


def main(arguments: list[str]) -> int:
    """Decides what is wanted, sets it up and runs it."""
    command = arguments[0] if arguments else ""
    if command in ("-h", "--help"):
        sys.stdout.write(USAGE)
        return 0
    own = command in ("test", "setup")
    screen = Screen(sys.stdout if own else sys.stderr)  # what `ask` prints on stdout is the answer alone
    requests = [number for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)) if number is not None]
    before = [signal.signal(number, stop_on_request) for number in requests]
    try:
        if command == "test":
            set_up(TEST, screen)
            return run_tests(arguments[1:], screen)
        if command == "setup":
            set_up(TEST if "--test" in arguments else WINDOW, screen)
            screen.say("Everything is set up.")
            return 0
        set_up(COMMAND if command in OTHER_COMMANDS else WINDOW, screen)
    except Stop as stop:
        screen.say(f"\n{stop}")
        return 1
    except KeyboardInterrupt:
        screen.clear()
        screen.say("Stopped. The same command goes on from here.")
        return 130
    for number, handler in zip(requests, before):  # noqa: B905 - Python 3.6 must be able to read this file
        signal.signal(number, handler)
    return start(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
