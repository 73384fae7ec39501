"""Keeps the table of figures: what each measurement said, in `docs/figures.md`, when the long tier is run."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pluggy
import pytest

TABLE = Path(__file__).parents[2] / "docs" / "figures.md"
_HEAD = """# Figures

Written by `python3 conch.py test --long` ({day}; {system}, {cores} cores, Python {python}). Times are CPU time, and
what is promised is a ratio: absolute times differ from one computer to the next. Each test in `tests/benchmarks` says
what is compared and holds its own limit.
"""
_said: dict[str, list[str]] = {}


def figure(text: str) -> None:
    """One line of the table."""
    sys.stdout.write(text + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pluggy.Result[pytest.TestReport], None]:
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.passed and item.get_closest_marker("figures"):
        _said.setdefault(item.path.stem.removeprefix("test_"), []).extend(
            line.strip() for line in report.capstdout.splitlines() if line.strip()
        )


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if (
        not session.config.getoption("--long")
        or exitstatus
        or len(_said) < len([*Path(__file__).parent.glob("test_*.py")])
    ):
        return  # a table of some figures would put the others' in the past
    day = time.strftime("%Y-%m-%d")
    head = _HEAD.format(
        day=day,
        system=f"{platform.system()} {platform.machine()}",
        cores=os.cpu_count(),
        python=platform.python_version(),
    )
    parts = [head, *(f"## {name}\n\n```\n" + "\n".join(lines) + "\n```\n" for name, lines in sorted(_said.items()))]
    TABLE.write_text("\n".join(parts), encoding="utf-8")
