"""A framed text: shown and copied as it is, however long its lines are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.mono_box import MonoBox

TEXT = "one short line\n" + "berth 7 is free " * 1_500 + "\n\n" + "x" * 9_000 + "😀" * 30 + "\nlast\n"


def place(text: str) -> int:
    """How long Qt counts a text to be."""
    return len(text.encode("utf-16-le")) // 2


def positions(box: MonoBox, text: str) -> list[int]:
    """Where in the shown document each place of the text is."""
    assert isinstance(box.text, QPlainTextEdit)
    found, block = [], box.text.document().firstBlock()
    while block.isValid():
        start = block.position()
        units = [place(block.text()[:at]) for at in range(len(block.text()))]
        found += [start + at for at in units]
        if block.userState() != 1:
            found.append(start + place(block.text()))
        block = block.next()
    assert len(found) == len(text) + 1
    return found


@settings(max_examples=40)
@given(st.tuples(st.integers(0, len(TEXT)), st.integers(0, len(TEXT))).map(sorted))
def test_what_is_selected_of_long_lines_is_copied_as_it_was(qapp: QApplication, ends: list[int]) -> None:
    box = MonoBox("Answer", TEXT)
    assert box.long
    assert isinstance(box.text, QPlainTextEdit)
    found = positions(box, TEXT)
    cursor = QTextCursor(box.text.document())
    cursor.setPosition(found[ends[0]])
    cursor.setPosition(found[ends[1]], QTextCursor.MoveMode.KeepAnchor)
    box.text.setTextCursor(cursor)
    assert box.text.createMimeDataFromSelection().text() == TEXT[ends[0] : ends[1]]


@pytest.mark.parametrize("size", [19_000, 2_000_000])
def test_one_word_of_any_length_is_laid_out_about_as_fast_as_many(qapp: QApplication, size: int) -> None:
    def seconds(text: str) -> float:
        best = 1e9
        for _ in range(3):
            began = time.process_time()
            box = MonoBox("Answer", text)
            box.resize(380, box.heightForWidth(380))
            box.show()
            box.grab()
            best = min(best, time.process_time() - began)
            box.hide()
            box.deleteLater()
        return best

    words, word = seconds(("berth is free " * (size // 14 + 1))[:size]), seconds("x" * size)
    assert word < 60 * words  # it was hundreds of times as much


def test_lines_of_words_end_between_words(qtbot: QtBot) -> None:
    box = MonoBox("Answer", "harbour " * 40)
    qtbot.addWidget(box)
    box.resize(340, box.heightForWidth(340))
    layout = box.text.document().firstBlock().layout()
    starts = [layout.lineAt(at).textStart() for at in range(layout.lineCount())]
    assert len(starts) > 3
    assert all(start % len("harbour ") == 0 for start in starts)
