"""The start: from process start to a painted window that takes keys, and the memory it idles with.

Both against a bare PySide6 window measured the same way: CPU time of the whole child by its own clock (interpreter and
imports included), medians of alternating runs, because the machine is shared with others.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil  # type: ignore[import-untyped, unused-ignore]
import pytest

from tests.benchmarks.conftest import figure

pytestmark = [pytest.mark.figures, pytest.mark.timeout(300)]

START_RATIO, IDLE_RATIO = 2.5, 2.0
RUNS, IDLE_RUNS = 7, 3
IDLE_AFTER = 7.0
"""Seconds after which a program that starts is done with it."""

_BARE = """
import os, sys, time
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

class Text(QPlainTextEdit):
    def paintEvent(self, event):
        super().paintEvent(event)
        painted()

def painted():
    if {leave}:
        sys.stdout.write(str(time.process_time()))
        sys.stdout.flush()
        os._exit(0)

app = QApplication([])
window = QMainWindow()
text = Text()
window.setCentralWidget(text)
window.resize(1280, 800)  # as large as ours
window.show()
text.setFocus()
app.exec()
"""

_OURS = """
import os, sys, time
from collections.abc import Sequence
from pathlib import Path

def painted():
    from PySide6.QtWidgets import QApplication
    if {leave}:
        took = time.process_time()
        assert QApplication.focusWidget().accessibleName() == "Message"
        sys.stdout.write(str(took))
        sys.stdout.flush()
        os._exit(0)

from conch_desktop.desktop.app import start
sys.exit(start(data_dir=Path({folder!r}), model="", screenshot=None, painted=painted))
"""


def _run(source: str) -> float:
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60, check=True)
    return float(done.stdout)


def test_the_window_is_there_within_two_and_a_half_times_a_bare_one(tmp_path: Path) -> None:
    ours = _OURS.format(leave=True, folder=str(tmp_path))
    bare = _BARE.format(leave=True)
    _run(ours), _run(bare)  # compiles and warms the disk
    pairs = [(_run(ours), _run(bare)) for _ in range(RUNS)]
    one, other = (statistics.median(times) for times in zip(*pairs, strict=True))
    figure(f"start: {one * 1000:.0f} ms, bare window {other * 1000:.0f} ms, ratio {one / other:.2f}")
    assert one <= START_RATIO * other


def _idle(sources: Sequence[str]) -> list[int]:
    """The memory of programs that have nothing to do, in bytes. They start together: it is no matter of time."""
    children = [subprocess.Popen([sys.executable, "-c", source], stderr=subprocess.DEVNULL) for source in sources]
    try:
        time.sleep(IDLE_AFTER)
        assert [child.poll() for child in children] == [None] * len(children)
        return [int(psutil.Process(child.pid).memory_info().rss) for child in children]
    finally:
        for child in children:
            child.kill()
            child.wait()


def test_the_idle_window_takes_at_most_twice_the_memory_of_a_bare_one(tmp_path: Path) -> None:
    ours = _idle([_OURS.format(leave=False, folder=str(tmp_path / str(at))) for at in range(IDLE_RUNS)])
    bare = _idle([_BARE.format(leave=False)] * IDLE_RUNS)
    one, other = statistics.median(ours), statistics.median(bare)
    figure(f"idle: {one / 1e6:.0f} MB, bare window {other / 1e6:.0f} MB, ratio {one / other:.2f}")
    assert one <= IDLE_RATIO * other
