"""The composer: what Enter means, input methods, big pastes, Send and Stop."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.composer import Composer


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    made = Composer()
    qtbot.addWidget(made)
    made.resize(680, 120)
    made.show()
    made.show_state(running=False, ready=True)
    made.setFocus()
    return made


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    heard: list[str] = []
    composer.sent.connect(heard.append)
    return heard


def test_enter_sends_and_shift_enter_begins_a_line(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    qtbot.keyClicks(composer.writing, "one")
    qtbot.keyClick(composer.writing, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.writing, "two")
    assert (composer.text(), sent) == ("one\ntwo", [])
    qtbot.keyClick(composer.writing, Qt.Key.Key_Return)
    assert sent == ["one\ntwo"]


def test_nothing_but_spaces_is_not_sent(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    qtbot.keyClicks(composer.writing, "   ")
    qtbot.keyClick(composer.writing, Qt.Key.Key_Return)
    assert sent == []
    assert not composer.send.isEnabled()


def test_enter_belongs_to_the_input_method_while_it_composes(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    stopped: list[bool] = []
    composer.stopped.connect(lambda: stopped.append(True))
    QApplication.sendEvent(composer.writing, QInputMethodEvent("ni", []))
    assert composer.composing
    qtbot.keyClick(composer.writing, Qt.Key.Key_Return)
    qtbot.keyClick(composer.writing, Qt.Key.Key_Escape)
    assert (sent, stopped) == ([], [])
    commit = QInputMethodEvent("", [])
    commit.setCommitString("你")
    QApplication.sendEvent(composer.writing, commit)
    assert (composer.text(), composer.composing) == ("你", False)
    qtbot.keyClick(composer.writing, Qt.Key.Key_Return)
    assert sent == ["你"]


def test_while_it_answers_enter_sends_nothing(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    composer.show_state(running=True, ready=True)
    qtbot.keyClicks(composer.writing, "and on Sundays?")
    with qtbot.waitSignal(composer.queued) as queued:
        qtbot.keyClick(composer.writing, Qt.Key.Key_Return)
    assert (sent, queued.args) == ([], ["and on Sundays?"])


def test_the_button_is_stop_while_it_answers(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    stopped: list[bool] = []
    composer.stopped.connect(lambda: stopped.append(True))
    qtbot.keyClicks(composer.writing, "text")
    composer.show_state(running=True, ready=True)
    assert composer.send.accessibleName() == "Stop"
    qtbot.mouseClick(composer.send, Qt.MouseButton.LeftButton)
    assert (stopped, sent) == ([True], [])
    composer.show_state(running=False, ready=True)
    qtbot.mouseClick(composer.send, Qt.MouseButton.LeftButton)
    assert sent == ["text"]


def test_it_grows_from_three_lines_to_twelve(qtbot: QtBot, composer: Composer) -> None:
    composer.window().resize(680, 900)
    least = composer.writing.height()
    composer.set_text("\n".join("line" for _ in range(8)))
    middle = composer.writing.height()
    composer.set_text("\n".join("line" for _ in range(100)))
    most = composer.writing.height()
    line = composer.writing.fontMetrics().lineSpacing()
    assert least < middle < most
    assert most <= 12 * line + 8
    composer.set_text("")
    assert composer.writing.height() == least


def test_a_paste_is_plain_text_and_one_step_back(qtbot: QtBot, composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold\r\nnext")
    composer.writing.insertFromMimeData(data)
    assert composer.text() == "bold\nnext"
    composer.writing.undo()
    assert composer.text() == ""


def test_twenty_thousand_pasted_lines_cost_little_more_than_in_a_bare_field(qtbot: QtBot, composer: Composer) -> None:
    data = QMimeData()
    data.setText("\n".join(f"line {number} of a very long log that somebody pastes" for number in range(20_000)))
    bare = QPlainTextEdit()
    qtbot.addWidget(bare)
    bare.resize(640, 72)
    bare.show()

    def paste(field: QPlainTextEdit) -> float:
        field.clear()
        began = time.process_time()
        field.insertFromMimeData(data)
        QApplication.sendPostedEvents()
        field.repaint()
        return time.process_time() - began

    ours = sorted(paste(composer.writing) for _ in range(3))[1]
    other = sorted(paste(bare) for _ in range(3))[1]
    assert composer.writing.blockCount() == 20_000
    assert ours < 2 * other + 0.05


def test_a_key_after_a_big_paste_is_quick(qtbot: QtBot, composer: Composer) -> None:
    composer.set_text("\n".join("x" * 60 for _ in range(20_000)))
    began = time.process_time()
    qtbot.keyClicks(composer.writing, "twenty letters more!")
    assert (time.process_time() - began) / 20 < 0.02


def test_a_message_sent_while_the_program_starts_is_sent_once_it_can_be(qtbot: QtBot) -> None:
    early = Composer()
    qtbot.addWidget(early)
    heard: list[str] = []
    early.sent.connect(heard.append)
    early.show()
    qtbot.keyClicks(early.writing, "quick hands")
    qtbot.keyClick(early.writing, Qt.Key.Key_Return)
    qtbot.keyClick(early.writing, Qt.Key.Key_Return)
    assert (heard, early.text()) == ([], "quick hands")
    early.show_state(running=False, ready=False)
    early.show_state(running=False, ready=True)
    early.show_state(running=False, ready=True)
    assert heard == ["quick hands"]
