"""Finds a server's command: a program started from a desktop does not have the PATH of the person's terminal.

macOS and many Linux desktops start programs with a short PATH, so `npx` and `uvx` are not found although the terminal
has them (the most frequent trouble in the issues of MCP clients). The login shell is asked once for its PATH.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from conch_desktop.domain.errors import IntegrationError
from conch_desktop.domain.integrations import Definition

SHELL_LIMIT = 8.0
"""Seconds a login shell may take: some start-up files fetch things."""

_MARK = "conch-path-7f3a"

_USUAL = ("~/.local/bin", "~/.cargo/bin", "~/.bun/bin", "~/.volta/bin", "~/.asdf/shims", "~/.local/share/mise/shims",
          "/usr/local/bin", "/opt/homebrew/bin", "/snap/bin", "/usr/bin", "/bin")  # fmt: skip
"""Where programs are put that a short PATH leaves out."""

_WHERE_FROM = {
    "npx": "npx comes with Node.js: install Node.js.",
    "npm": "npm comes with Node.js: install Node.js.",
    "node": "Install Node.js.",
    "uvx": "uvx comes with uv: install uv.",
    "uv": "Install uv.",
    "docker": "Install Docker.",
    "bunx": "bunx comes with Bun: install Bun.",
}

_INHERITED = re.compile(
    r"HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS"
    r"|XDG_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|(?:HTTPS?|ALL|NO)_PROXY|(?:PIP|UV|NPM_CONFIG)_\w+"
    r"|APPDATA|LOCALAPPDATA|HOMEDRIVE|HOMEPATH|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMDATA|PROGRAMFILES.*|SYSTEMDRIVE"
    r"|SYSTEMROOT|USERNAME|USERPROFILE|COMSPEC|WINDIR",
    re.IGNORECASE,
)
"""What a server gets of our own environment. Not the rest: keys of providers stand there."""

_KEYS = re.compile(r"token|secret|passw|auth|(?<!un)key", re.IGNORECASE)


class CommandNotFound(IntegrationError):
    """The command of a server is in none of `folders`."""

    def __init__(self, command: str, folders: list[str], advice: str) -> None:
        super().__init__(f"The command {command} was not found. Looked in: {', '.join(folders)}.", advice)
        self.folders = tuple(folders)


class Paths:
    """The folders in which commands are looked for; the login shell is asked when they are first needed."""

    def __init__(self) -> None:
        self._asked: asyncio.Future[str] | None = None

    async def folders(self) -> list[str]:
        """The login shell's folders, then our own, then the usual ones; each once."""
        if self._asked is None:
            self._asked = asyncio.ensure_future(asyncio.to_thread(_login_path))
        shell = await asyncio.shield(self._asked)
        own = os.environ.get("PATH", os.defpath)
        usual = [_in_home(folder) for folder in _USUAL] if sys.platform != "win32" else []
        return list(
            dict.fromkeys(folder for folder in [*shell.split(os.pathsep), *own.split(os.pathsep), *usual] if folder)
        )

    async def find(self, definition: Definition) -> tuple[str, dict[str, str]]:
        """The program to start and the environment it gets. Raises `IntegrationError` that says what was tried."""
        folders = await self.folders()
        env = {name: expanded(value) for name, value in definition.env.items()}
        if own := env.get("PATH"):
            folders = list(dict.fromkeys([*own.split(os.pathsep), *folders]))
        path = os.pathsep.join(folders)
        command = _in_home(expanded(definition.command))
        found = await asyncio.to_thread(shutil.which, command, path=path)
        if found is None:
            raise _not_found(command, folders)
        return found, {**_inherited(), **env, "PATH": path}


def expanded(text: str) -> str:
    """The text with `${env:NAME}`, `${NAME}`, `${NAME:-else}` and `${userHome}` filled in, as other programs do."""

    def value(match: re.Match[str]) -> str:
        name, _, otherwise = match.group(1).removeprefix("env:").partition(":-")
        if name == "userHome":
            return str(Path.home())
        return os.environ.get(name) or otherwise or match.group()

    return re.sub(r"\$\{((?:env:)?\w+(?::-[^}]*)?)\}", value, text)


def _in_home(path: str) -> str:
    return str(Path(path).expanduser())


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if _INHERITED.fullmatch(name) and not _KEYS.search(name)}


def _not_found(command: str, folders: list[str]) -> IntegrationError:
    if os.sep in command:
        why = "may not be run" if Path(command).exists() else "is not there"
        return IntegrationError(f"The command {command} {why}.", "Correct the command.")
    advice = _WHERE_FROM.get(command, "Install it, or write the whole path of the command.")
    return CommandNotFound(command, folders, advice)


def _login_path() -> str:
    """The PATH of the person's login shell; nothing when it can't be told."""
    if sys.platform == "win32":
        return ""
    shell = os.environ.get("SHELL") or _shell_of_user()
    if not shell or not Path(shell).is_file():
        return ""
    # Interactive, because nvm and others write themselves into .bashrc; a session of its own, because an interactive
    # shell would take the terminal.
    script = f"printf '\\n{_MARK}%s{_MARK}\\n' \"$PATH\""
    if Path(shell).name == "fish":
        script = f"printf '\\n{_MARK}%s{_MARK}\\n' (string join : $PATH)"
    try:
        process = subprocess.Popen(
            [shell, "-i", "-l", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "TERM": "dumb"},
        )
    except OSError:
        return ""
    try:
        output, _ = process.communicate(timeout=SHELL_LIMIT)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=1)
        return ""
    found = re.search(f"{_MARK}(.*?){_MARK}".encode(), output, re.DOTALL)
    return found.group(1).decode("utf-8", "replace") if found else ""


def _shell_of_user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""
