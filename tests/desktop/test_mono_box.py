"""The framed text: what a tool answers is shown at once, whatever it is made of."""

from __future__ import annotations

import time

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.mono_box import MonoBox


@pytest.mark.parametrize("length", [19_000, 300_000])
def test_one_word_of_any_length_is_shown_at_once(qtbot: QtBot, length: int) -> None:
    """A picture in base64 as text: while Qt looked for words in it, the window stood still for a minute."""
    began = time.process_time()
    box = MonoBox("Answer", "Here it is: " + "x" * length)
    qtbot.addWidget(box)
    for width in (340, 380):
        box.resize(width, box.heightForWidth(width))
        box.show()
        QApplication.processEvents()
    assert time.process_time() - began < 6  # seconds; half of one on an idle computer


def test_lines_of_words_end_between_words(qtbot: QtBot) -> None:
    box = MonoBox("Answer", "harbour " * 40)
    qtbot.addWidget(box)
    box.resize(340, box.heightForWidth(340))
    layout = box.text.document().firstBlock().layout()
    starts = [layout.lineAt(at).textStart() for at in range(layout.lineCount())]
    assert len(starts) > 3
    assert all(start % len("harbour ") == 0 for start in starts)
