"""The chat view: only what is near has widgets, nothing that is read moves, and what is copied is what was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QImage, QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.chat_view import ChatView
from conch_desktop.desktop.code_block import CodeBlock
from conch_desktop.desktop.edit_block import EditBlock
from conch_desktop.desktop.message_row import MessageRow
from conch_desktop.desktop.picture_block import PictureBlock
from conch_desktop.desktop.selection import Place, Span
from conch_desktop.desktop.table_block import TableMore
from conch_desktop.desktop.text_block import TextBlock
from conch_desktop.desktop.theme import look
from conch_desktop.domain.calls import CallRecord
from conch_desktop.domain.messages import Message, Outline, TextPart
from tests.benchmarks.chats import chat, long_text
from tests.watchdog import Watchdog


def settle() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents()
        QApplication.processEvents()


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> ChatView:
    look.choice, look.zoom = "light", 100
    look.install(qapp)
    made = ChatView()
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    made.activateWindow()
    qtbot.waitActive(made)
    return made


def answer(text: str, number: str = "a", **more: object) -> Message:
    return replace(Message(number, "assistant", (TextPart(text),), author="Gemini"), **more)  # type: ignore[arg-type]


def user(text: str, number: str = "u") -> Message:
    return Message(number, "user", (TextPart(text),))


def widgets(view: ChatView, kind: type[QWidget]) -> list[QWidget]:
    return [block.widget for _, row in view.live() for _, block in row.shown if isinstance(block.widget, kind)]


def first_seen(view: ChatView) -> tuple[str, int]:
    """The first message that is in view, and where it is."""
    for _, row in view.live():
        if row.geometry().bottom() > 0:
            return row.message.id, row.y()
    raise AssertionError("nothing is in view")


# What has widgets ---------------------------------------------------------------------------------------------------


def test_a_long_chat_opens_at_its_end_with_few_widgets(view: ChatView) -> None:
    view.show_chat("c", chat(10_000))
    settle()
    assert view.at_end()
    assert len(view.rows) < 12
    assert view.rows[-1].message.id == "a9999"
    assert view.rows[-1].geometry().bottom() < 700


def test_a_long_message_has_few_widgets(view: ChatView) -> None:
    view.show_chat("c", [answer(long_text(300_000))])
    settle()
    (row,) = view.rows
    assert len(row.blocks) > 300
    assert len(row.shown) < 30


@pytest.mark.parametrize("place", [0.0, 0.1, 0.5, 0.93, 1.0])
def test_no_place_of_a_long_chat_is_blank(view: ChatView, place: float) -> None:
    view.show_chat("c", chat(3000))
    settle()
    bar = view.verticalScrollBar()
    bar.setValue(round(bar.maximum() * place))
    settle()
    covered = 0
    last = None
    for _, row in view.live():
        if last is not None:
            assert 16 <= row.y() - last <= 28
        last = row.y() + row.height()
        covered += row.height()
    assert view.rows[0].y() <= 40
    assert last is not None
    assert last >= 640 or view.at_end()
    assert covered > 500


def test_scrolling_by_steps_reaches_every_message_in_order(view: ChatView) -> None:
    view.show_chat("c", chat(60))
    settle()
    bar = view.verticalScrollBar()
    bar.setValue(0)
    settle()
    assert view.rows[0].message.id == "u0"
    seen: list[str] = []
    for _ in range(400):
        seen += [row.message.id for row in view.rows if row.message.id not in seen]
        if view.at_end():
            break
        bar.setValue(bar.value() + 120)
    assert seen == [message.id for message in chat(60)]


# What is read stays -------------------------------------------------------------------------------------------------


def test_the_line_that_is_read_does_not_move_while_an_answer_streams(view: ChatView) -> None:
    before = chat(20)
    text = long_text(3000)
    view.show_chat("c", [*before, answer(text)], running=True)
    settle()
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 1400)
    settle()
    where = first_seen(view)
    for _ in range(120):
        text += "and more words, **bold** ones too\n\n- item\n"
        view.show_chat("c", [*before, answer(text)], running=True)
        settle()
        assert first_seen(view) == where
    assert "new lines" in view._pill._words
    assert view._pill.isVisible()
    view._pill.click()
    settle()
    assert view.at_end()
    assert not view._pill.isVisible()


def test_the_end_is_followed_while_it_is_in_view(view: ChatView) -> None:
    text = ""
    for _ in range(80):
        text += "words and words\n\n"
        view.show_chat("c", [user("Hello"), answer(text)], running=True)
        settle()
        assert view.at_end()


def test_messages_above_that_turn_out_taller_do_not_move_what_is_read(view: ChatView) -> None:
    view.show_chat("c", chat(500))
    settle()
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    settle()
    for _ in range(30):
        name, y = first_seen(view)
        bar.setValue(bar.value() - 90)
        settle()
        place = {row.message.id: row.y() for row in view.rows}
        assert place[name] - y == 90


def test_another_width_keeps_what_is_read(view: ChatView, qtbot: QtBot) -> None:
    view.show_chat("c", chat(200))
    settle()
    view.go_to_message("a101")
    settle()
    for width in (700, 560, 480, 900, 800):
        view.resize(width, 700)
        settle()
        qtbot.wait(300)
        assert any(row.message.id == "a101" and -5 <= row.y() <= 60 for row in view.rows)


def test_a_larger_text_keeps_what_is_read(view: ChatView) -> None:
    view.show_chat("c", chat(100))
    settle()
    view.go_to_message("a51")
    settle()
    look.set_zoom(150)
    settle()
    name, _ = first_seen(view)
    look.set_zoom(100)
    assert name in ("u50", "a51")


# Unread messages ----------------------------------------------------------------------------------------------------


def test_messages_that_were_not_read_are_asked_for_and_take_their_place(view: ChatView) -> None:
    whole = chat(400)
    entries: list[Message | Outline] = [
        Outline(one.id, one.role, len(one.text), 0) if at < 380 else one for at, one in enumerate(whole)
    ]
    asked: list[tuple[int, int]] = []
    view.wanted.connect(lambda first, last: asked.append((first, last)))
    view.show_chat("c", entries)
    settle()
    assert asked == []
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    settle()
    first, last = asked[-1]
    entries[first:last] = whole[first:last]
    where = first_seen(view)[0]
    view.show_chat("c", entries)
    settle()
    assert first_seen(view)[0] in (where, whole[int(where[1:]) + 1].id)
    assert all(isinstance(row.message, Message) for row in view.rows)


# Selection and copies -----------------------------------------------------------------------------------------------


def drag(view: ChatView, begin: QPoint, end: QPoint) -> None:
    port = view.viewport()
    target = port.childAt(begin) or port
    QTest.mousePress(target, Qt.MouseButton.LeftButton, pos=target.mapFrom(port, begin))
    for step in range(1, 6):
        view.selecting.drag(begin + (end - begin) * step / 5)
    view.selecting.release(end)


def place_of(view: ChatView, row: int, block: int, at: int) -> QPoint:
    """Where a letter of a block of text is in the viewport."""
    widget = dict(view.live())[row].blocks[block].widget
    assert isinstance(widget, TextBlock)
    cursor = widget.textCursor()
    cursor.setPosition(at)
    spot = widget.cursorRect(cursor).center()
    return widget.viewport().mapTo(view.viewport(), spot)


def test_a_selection_goes_over_messages_and_leaves_captions_and_calls_out(view: ChatView) -> None:
    call = CallRecord("c1", "remember", '{"content":"secret json"}', args={"content": "secret json"}, state="done")
    middle = replace(answer("Middle words", "a1"), parts=(call, TextPart("Middle words\n\n```py\nx = 1\n```")))
    view.show_chat("c", [user("First of all", "u1"), middle, user("And the last", "u2")])
    settle()
    drag(view, place_of(view, 0, 0, 6), place_of(view, 2, 0, 7))
    view.selecting.copy()
    assert QGuiApplication.clipboard().text() == "of all\n\nMiddle words\n\nx = 1\n\nAnd the"


def test_what_is_off_screen_is_copied_too(view: ChatView) -> None:
    messages = chat(300)
    view.show_chat("c", messages)
    settle()
    view.selecting.span = Span(Place(10, 0, 4), Place(290, 0, 5))
    text = view.selecting.text()
    assert text.startswith("what about boat 10")
    assert text.endswith("And w")
    assert all(f"boat {at} on Saturday" in text for at in range(12, 289, 2))
    assert text.index("Boat 101") < text.index("Boat 103")
    assert "Copy" not in text


def test_everything_can_be_selected_with_the_keyboard(view: ChatView) -> None:
    view.show_chat("c", [user("One", "u1"), answer("Two", "a1")])
    settle()
    view.setFocus()
    QTest.keyClick(view.list, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(view.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "One\n\nTwo"


def test_a_double_press_selects_a_word_and_a_third_the_block(view: ChatView) -> None:
    view.show_chat("c", [answer("The early boat")])
    settle()
    spot = place_of(view, 0, 1, 6)
    view.selecting.double(spot)
    assert view.selecting.text() == "early"


def test_a_selection_stays_while_more_words_arrive(view: ChatView) -> None:
    view.show_chat("c", [answer("The early boat")], running=True)
    settle()
    view.selecting.double(place_of(view, 0, 1, 6))
    view.show_chat("c", [answer("The early boat is calmer.\n\nMore.")], running=True)
    settle()
    assert view.selecting.text() == "early"
    (block,) = [one for one in widgets(view, TextBlock) if isinstance(one, TextBlock)]
    assert block.textCursor().selectedText() == "early"


def test_a_message_is_copied_as_it_was_written(view: ChatView) -> None:
    text = "A **list**:\n\n- one\n\n```py\n\tx\n```"
    call = CallRecord("c1", "remember", "{}", state="done")
    view.show_chat("c", [Message("a", "assistant", (call, TextPart(text)), author="G")])
    settle()
    view.copy_message(0)
    assert QGuiApplication.clipboard().text() == text


def test_the_copy_of_code_is_the_bytes_between_the_fences(view: ChatView) -> None:
    code = "def f():\n\treturn 1\n\n\t# " + "long " * 300 + "\n"
    view.show_chat("c", [answer(f"```python\n{code}```")])
    settle()
    (block,) = widgets(view, CodeBlock)
    assert isinstance(block, CodeBlock)
    block._copy.click()
    assert QGuiApplication.clipboard().text() == code


def test_the_head_of_code_stays_in_view(view: ChatView) -> None:
    code = "".join(f"line {at}\n" for at in range(40))
    view.show_chat("c", [answer(f"words\n\n```python\n{code}```\n" + "\n\nwords" * 60)])
    settle()
    view.verticalScrollBar().setValue(250)
    settle()
    (block,) = widgets(view, CodeBlock)
    assert isinstance(block, CodeBlock)
    assert block.mapTo(view.viewport(), QPoint(0, 0)).y() < 0
    head = block._head.mapTo(view.viewport(), QPoint(0, 0)).y()
    assert 0 <= head < 40
    assert block.height() <= 480


def test_the_wheel_turns_a_long_block_of_code_after_a_press_in_it(view: ChatView) -> None:
    code = "".join(f"line {at}\n" for at in range(80))
    view.show_chat("c", [answer(f"words\n\n```python\n{code}```\n" + "\n\nwords" * 60)])
    settle()
    view.verticalScrollBar().setValue(0)
    settle()
    (block,) = widgets(view, CodeBlock)
    assert isinstance(block, CodeBlock)
    lines, port = block.text, block.text.viewport()

    def turn() -> None:
        spot = QPointF(20, 60)
        wheel = QWheelEvent(
            spot, port.mapToGlobal(spot), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(port, wheel)

    turn()
    assert lines.verticalScrollBar().value() == 0
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=QPoint(20, 60))
    turn()
    assert lines.verticalScrollBar().value() > 0
    QApplication.sendEvent(lines, QEvent(QEvent.Type.Leave))
    before = lines.verticalScrollBar().value()
    turn()
    assert lines.verticalScrollBar().value() == before


# Finding ------------------------------------------------------------------------------------------------------------


def test_a_word_that_occurs_once_is_found_marked_and_in_view(view: ChatView, qtbot: QtBot) -> None:
    messages = chat(500)
    messages[12] = user("Where is the **lighthouse**?", "u12")
    view.show_chat("c", messages)
    settle()
    view.open_find()
    assert view._find is not None
    QTest.keyClicks(view._find.field, "Lighthouse")
    qtbot.waitUntil(lambda: view._find is not None and view._find._said.text() == "1 of 1")
    row = dict(view.live())[12]
    assert 0 <= row.y() < 600
    (block,) = [block.widget for _, block in row.shown if isinstance(block.widget, TextBlock)]
    assert [place.cursor.selectedText() for place in block.extraSelections()] == ["lighthouse"]
    QTest.keyClick(view._find.field, Qt.Key.Key_Escape)
    assert not view._find.isVisible()
    assert block.extraSelections() == []


def test_hits_are_walked_in_code_tables_and_words(view: ChatView, qtbot: QtBot) -> None:
    view.show_chat("c", [answer("a boat\n\n```\nboat = 1\n```\n\n| boat | x |\n|---|---|\n| 1 | boat |\n")])
    settle()
    view.open_find()
    assert view._find is not None
    view._find.field.setText("BOAT")
    qtbot.waitUntil(lambda: view._find is not None and view._find._said.text() == "1 of 4")
    for expected in (2, 3, 4, 1):
        QTest.keyClick(view._find.field, Qt.Key.Key_Return)
        assert view._find._said.text() == f"{expected} of 4"
    for expected in (4, 3):
        QTest.keyClick(view._find.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert view._find._said.text() == f"{expected} of 4"
    view._find.field.setText("nowhere")
    qtbot.waitUntil(lambda: view._find is not None and view._find._said.text() == "Not found")


# What can be done with a message ------------------------------------------------------------------------------------


def test_a_message_is_edited_and_sent_again(view: ChatView, qtbot: QtBot) -> None:
    view.show_chat("c", [user("Helo", "u1"), answer("Hi", "a1")])
    settle()
    row = view.rows[0]
    row.edit()
    settle()
    (field,) = widgets(view, EditBlock)
    assert isinstance(field, EditBlock)
    assert field.text.toPlainText() == "Helo"
    sent: list[tuple[str, str]] = []
    view.edited.connect(lambda which, text: sent.append((which, text)))
    QApplication.sendEvent(field.text, QInputMethodEvent("ni", []))
    QTest.keyClick(field.text, Qt.Key.Key_Return)
    assert sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("Hello")
    QApplication.sendEvent(field.text, commit)
    QTest.keyClick(field.text, Qt.Key.Key_Return)
    assert sent == [("u1", "Hello")]
    settle()
    assert widgets(view, EditBlock) == []


def test_the_field_of_an_edit_is_whole(view: ChatView) -> None:
    view.show_chat("c", [user("Hello", "u1"), answer("Hi")])
    settle()
    view.rows[0].edit()
    settle()
    (field,) = widgets(view, EditBlock)
    assert field.geometry().bottom() <= view.rows[0].height()
    assert view.rows[1].y() - view.rows[0].geometry().bottom() <= 20


def test_the_button_to_the_end_counts_only_what_is_new(view: ChatView) -> None:
    view.show_chat("c", chat(30))
    settle()
    view.verticalScrollBar().setValue(200)
    settle()
    assert view._pill._words == "Jump to latest"
    view.show_chat("c", [*chat(30), user("One more", "u30")])
    settle()
    assert "new line" in view._pill._words


def test_the_message_that_has_the_keys_is_ringed(view: ChatView) -> None:
    view.show_chat("c", [user("Hello", "u1"), answer("Hi")])
    settle()
    before = view.grab().toImage()
    view.take_focus()
    settle()
    row = view.rows[-1].geometry()
    spot = QPoint(row.x() - 5, row.center().y())
    assert before.pixelColor(spot) == look.colour("chat")
    assert view.grab().toImage().pixelColor(spot) != look.colour("chat")


def test_escape_leaves_the_editing(view: ChatView) -> None:
    view.show_chat("c", [user("Hello", "u1")])
    settle()
    view.rows[0].edit()
    settle()
    (field,) = widgets(view, EditBlock)
    assert isinstance(field, EditBlock)
    QTest.keyClick(field.text, Qt.Key.Key_Escape)
    settle()
    assert widgets(view, EditBlock) == []


def test_a_picture_is_only_shown_when_asked_for(view: ChatView) -> None:
    view.show_chat("c", [answer("![boat](https://a.example/b.png)\n\n![x](file:///etc/passwd)")])
    settle()
    one, other = widgets(view, PictureBlock)
    assert isinstance(one, PictureBlock)
    assert isinstance(other, PictureBlock)
    assert not other.button.isVisible()
    asked: list[str] = []
    view.picture_asked.connect(asked.append)
    assert asked == []
    one.button.click()
    assert asked == ["https://a.example/b.png"]
    image = QImage(200, 100, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    view.show_image(asked[0], image)
    settle()
    assert one.height() == 100


def test_only_the_first_rows_of_a_long_table_are_drawn_until_all_are_asked_for(view: ChatView) -> None:
    view.show_chat("c", [answer("| a | b |\n|---|---|\n" + "".join(f"| {at} | x |\n" for at in range(1000)))])
    settle()
    (more,) = widgets(view, TableMore)
    assert isinstance(more, TableMore)
    more.button.click()
    settle()
    (more,) = widgets(view, TableMore)
    assert isinstance(more, TableMore)
    assert more.view is not None
    assert more.view.model().rowCount() == 1000
    assert more.view.model().index(999, 0).data() == "999"


def test_a_call_line_opens_its_card(view: ChatView) -> None:
    call = CallRecord("c1", "remember", "{}", state="done")
    view.show_chat("c", [Message("a", "assistant", (call, TextPart("Done")), author="G")])
    settle()
    pressed: list[str] = []
    view.call_pressed.connect(pressed.append)
    view.rows[0].lines()[0].click()
    assert pressed == ["c1"]


# Ears and keys ------------------------------------------------------------------------------------------------------


def test_messages_are_a_list_with_author_and_text(view: ChatView) -> None:
    view.show_chat("c", [*chat(1000), user("What now?", "u"), answer("Go **home**", "a")])
    settle()
    found = QAccessible.queryAccessibleInterface(view.list)
    assert found.role() == QAccessible.Role.List
    assert found.childCount() == 1002
    names = [found.child(at).text(QAccessible.Text.Name) for at in (0, 1000, 1001)]
    assert names == ["You: And what about boat 0 on Saturday?", "You: What now?", "Gemini: Go **home**"]
    assert found.child(5).role() == QAccessible.Role.ListItem


def test_arrows_walk_the_messages_and_bring_them_into_view(view: ChatView) -> None:
    view.show_chat("c", chat(40))
    settle()
    view.take_focus()
    assert view.list.row == 39
    for _ in range(12):
        QTest.keyClick(view.list, Qt.Key.Key_Up)
    settle()
    assert view.list.row == 27
    row = dict(view.live())[27]
    assert row.geometry().bottom() > 0
    assert row.y() < 700


def test_keys_that_come_to_the_messages_begin_at_the_last(view: ChatView) -> None:
    view.show_chat("c", chat(4))
    settle()
    other = QWidget(view)
    other.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    other.show()
    other.setFocus()
    view.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.list.row == 3
    view.show_chat("other", chat(6))
    settle()
    view.take_focus()
    assert view.list.row == 5


def test_enter_on_a_message_opens_its_last_call(view: ChatView) -> None:
    calls = tuple(CallRecord(f"c{at}", "remember", "{}", state="done") for at in range(3))
    view.show_chat("c", [user("Hello"), Message("a", "assistant", calls, author="G")])
    settle()
    pressed: list[str] = []
    view.call_pressed.connect(pressed.append)
    view.take_focus()
    QTest.keyClick(view.list, Qt.Key.Key_Return)
    assert pressed == ["c2"]


def test_every_control_in_a_message_has_a_name(view: ChatView) -> None:
    text = "words\n\n```py\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n![b](https://a.example/b.png)"
    view.show_chat("c", [user("Hello", "u"), answer(text)])
    settle()
    for row in view.rows:
        for child in row.findChildren(QWidget):
            if child.focusPolicy() != Qt.FocusPolicy.NoFocus and child.isVisible():
                assert child.accessibleName().strip(), child


# Bad input ----------------------------------------------------------------------------------------------------------

HOSTILE: dict[str, Callable[[], str]] = {
    "nested quotes": lambda: ">" * 20_000 + " x",
    "a million stars": lambda: "*" * 1_000_000,
    "a giant line": lambda: "word " * 200_000,
    "a giant word": lambda: "x" * 1_000_000,
    "open brackets": lambda: "[" * 100_000,
    "right to left": lambda: "\u202eabc\u202d \u2067x\u2069 " * 30_000,
    "zero width": lambda: "\u200b" * 500_000,
    "combining marks": lambda: "a" + "\u0301" * 20_000,
    "a wide table": lambda: "|a" * 20_000 + "|\n" + "|-" * 20_000 + "|\n",
    "a line of code": lambda: "```\n" + "x = 1; " * 100_000 + "\n```",
    "html": lambda: "<script>alert(1)</script><img src=file:///etc/passwd>" * 2000,
    "formulas": lambda: "$\\frac{1}{$ and $$\\left(" * 400,
    "deep lists": lambda: "\n".join(" " * (2 * n) + "- x" for n in range(300)),
}


@pytest.mark.flaky(reruns=2)  # Measured again when something else disturbed it.
@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_message_is_shown_in_bounded_time(
    view: ChatView, watchdog: Watchdog, qtbot: QtBot, make: Callable[[], str]
) -> None:
    text = make()
    view.show_chat("warm", [answer("words `code` $x$\n\n- a\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx\n```")])
    settle()
    watchdog.longest = 0.0
    watchdog.start()
    view.show_chat("c", [user("Hello", "u"), answer(text)])
    settle()
    watchdog.tick()
    shown = watchdog.longest
    assert shown < 1500
    watchdog.longest = 0.0
    bar = view.verticalScrollBar()
    for place in (0, bar.maximum() // 2, bar.maximum()):
        bar.setValue(place)
        settle()
        watchdog.tick()
    assert watchdog.longest < 600
    watchdog.longest = 0.0


def test_nothing_in_a_message_is_loaded(view: ChatView, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[object] = []
    real = TextBlock.loadResource

    def load(self: TextBlock, kind: int, name: object) -> object:
        loaded.append(name)
        return real(self, kind, name)  # type: ignore[arg-type]

    monkeypatch.setattr(TextBlock, "loadResource", load)
    view.show_chat("c", [answer("![a](file:///etc/passwd) words ![b](http://127.0.0.1:9/x.png) <img src=/etc/passwd>")])
    settle()
    assert loaded == []


@pytest.mark.flaky(reruns=2)  # Measured again when something else disturbed it.
def test_streaming_holds_the_window_for_less_than_50_ms(view: ChatView, watchdog: Watchdog, qtbot: QtBot) -> None:
    text = long_text(12_000)
    before = chat(200)
    view.show_chat("c", [*before, answer("")], running=True)
    settle()
    watchdog.start()
    for at in range(0, len(text), 40):
        view.show_chat("c", [*before, answer(text[:at])], running=True)
        QApplication.processEvents()
    qtbot.wait(50)


def test_the_words_shown_at_the_end_of_a_stream_are_those_of_the_whole(view: ChatView) -> None:
    text = long_text(6000)
    for at in range(0, len(text), 37):
        view.show_chat("c", [answer(text[:at])], running=True)
    view.show_chat("c", [answer(text)])
    settle()
    view.selecting.choose_all()
    streamed = view.selecting.text()
    view.show_chat("d", [answer(text)])
    settle()
    view.selecting.choose_all()
    assert view.selecting.text() == streamed
    assert isinstance(view.rows[0], MessageRow)
