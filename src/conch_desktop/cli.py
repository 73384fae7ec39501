"""The command line: `conch-desktop [open] | ask | check | doctor | model | install-launcher` (DESIGN 4).

What a command needs is imported when it runs: the window must not wait for what only `ask` uses, nor the other way.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from conch_desktop import __version__

USAGE_STATUS = 2
"""Exit status for arguments that can't be used."""

_SUMMARY = """\
conch-desktop [open]             the window (--data-dir DIR, --model ID, --screenshot FILE)
conch-desktop ask "…"            one turn without a window
conch-desktop check KIND [FILE]  the readers, on data: one JSON object a line
conch-desktop doctor             what works on this computer, and what to do about the rest
conch-desktop model get          fetches the small model
conch-desktop install-launcher   adds Conch Desktop to the desktop's menu (--remove takes it away)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and answers its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments else "open"
    if name.startswith("-") and name not in {"-h", "--help", "--version"}:
        name, arguments = "open", ["open", *arguments]
    match name:
        case "-h" | "--help":
            sys.stdout.write(_SUMMARY)
            return 0
        case "--version":
            sys.stdout.write(f"conch-desktop {__version__}\n")
            return 0
    command = _COMMANDS.get(name)
    if command is None:
        sys.stderr.write(f"There is no command {name}.\n\n{_SUMMARY}")
        return USAGE_STATUS
    return command(arguments[1:])


def open_window() -> int:
    """Opens the window; the entry point of the desktop's menu."""
    return _open(sys.argv[1:])


def _open(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("conch-desktop", description="Opens the window.")
    parser.add_argument("--data-dir", type=Path, help="a separate profile")
    parser.add_argument("--model", default="", metavar="ID", help="the model of a new chat, PROVIDER/NAME")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save a picture of the window and leave")
    options = parser.parse_args(arguments)
    from conch_desktop.desktop.app import run_window

    return run_window(data_dir=options.data_dir, model=options.model, screenshot=options.screenshot)


def _ask(arguments: Sequence[str]) -> int:
    from conch_desktop.ask import main as ask

    return ask(arguments)


def _check(arguments: Sequence[str]) -> int:
    from conch_desktop.check import main as check

    return check(arguments)


def _doctor(arguments: Sequence[str]) -> int:
    from conch_desktop.doctor import main as doctor

    return doctor(arguments)


def _model(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("conch-desktop model", description="The model on this computer.")
    parser.add_argument("what", choices=["get"], help="get: fetch the small model")
    parser.parse_args(arguments)
    from conch_desktop.ask import fetch_model

    return fetch_model()


def _launcher(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("conch-desktop install-launcher")
    parser.add_argument("--remove", action="store_true", help="take it away again")
    options = parser.parse_args(arguments)
    from conch_desktop.domain.errors import ConchError
    from conch_desktop.launcher import install_launcher, remove_launcher

    try:
        sys.stdout.write((remove_launcher() if options.remove else install_launcher()) + "\n")
    except ConchError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


_COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "open": _open,
    "ask": _ask,
    "check": _check,
    "doctor": _doctor,
    "model": _model,
    "install-launcher": _launcher,
}
