"""The command line: `conch-desktop [open] | ask | check | doctor | model | install-launcher`."""

from __future__ import annotations


def main() -> int:
    """Runs the command line."""
    return 0


def open_window() -> int:
    """Opens the window; the entry point of the desktop's menu."""
    return main()
