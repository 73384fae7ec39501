"""The guard against a PySide6 that loses references.

PySide6 6.12.0 on Python 3.10 and 3.11 takes one reference from None at every call that answers None, and one from True
at every emitted signal; the process aborts within seconds. From Python 3.12 on, None and True can't be used up.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, Signal

pytestmark = pytest.mark.skipif(sys.version_info >= (3, 12), reason="None and True are immortal in this Python")

CALLS = 300
SLACK = 30  # other threads and caches hold and drop a few; the fault would take all 300


class Speaker(QObject):
    spoke = Signal()


def _lost(value: object, call: Callable[[], object]) -> int:
    call()
    before = sys.getrefcount(value)
    for _ in range(CALLS):
        call()
    return before - sys.getrefcount(value)


def test_a_call_that_answers_none_takes_no_reference_from_none() -> None:
    thing = QObject()
    assert _lost(None, lambda: thing.setObjectName("x")) < SLACK


def test_an_emitted_signal_takes_no_reference_from_true() -> None:
    speaker = Speaker()
    assert _lost(True, speaker.spoke.emit) < SLACK
