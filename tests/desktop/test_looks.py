"""Small things a designer would fault: what stands where, in which words, and what gives way when there is no room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from conch_desktop.desktop.activity import Activity
from conch_desktop.desktop.buttons import Button
from conch_desktop.desktop.lesson_words import brief, weightiest_first
from conch_desktop.desktop.picker import ModelPicker, PickerContent
from conch_desktop.desktop.picker_rows import Entry, picker_rows
from conch_desktop.desktop.theme import look
from conch_desktop.desktop.tries_card import TriesCard
from conch_desktop.desktop.welcome import Welcome
from conch_desktop.desktop.window import Window
from conch_desktop.domain.lessons import Lesson
from conch_desktop.domain.messages import Message, NoticePart, TextPart, TriedPart

REFUSED = TriedPart("native", 200, "m does not support tools")
ANSWERED = TriedPart("words", 900, answered=True)


def entries() -> list[Entry]:
    """Three models of each of two providers."""
    return [
        Entry(f"{provider}/{at}", str(at), f"{provider} {at}", provider, provider, search=f"{provider} {at}".casefold())
        for provider in ("Pier", "Quay")
        for at in range(3)
    ]


def content(*folded: str) -> PickerContent:
    return PickerContent(entries(), [("Pier", "Pier"), ("Quay", "Quay")], folded=folded)


@pytest.fixture
def picker(qtbot: QtBot, window: Window) -> ModelPicker:
    made = ModelPicker(window)
    made.show_content(content())
    made.open_below(window.header.model.rect())
    return made


def shown(picker: ModelPicker) -> list[str]:
    """What the list shows, headings with their state."""
    marks = {True: " folded", False: " open", None: ""}
    return [row.entry.label if row.entry else row.text + marks[row.folded] for row in picker.rows.rows]


def test_left_folds_the_group_and_right_shows_it_again(qtbot: QtBot, picker: ModelPicker) -> None:
    heard: list[tuple[str, bool]] = []
    picker.folded.connect(lambda provider, away: heard.append((provider, away)))
    qtbot.keyClick(picker.search, Qt.Key.Key_Down)
    qtbot.keyClick(picker.search, Qt.Key.Key_Left)
    assert shown(picker) == ["Pier folded", "Quay open", "Quay 0", "Quay 1", "Quay 2"]
    assert picker.list.currentIndex().row() == 0
    qtbot.keyClick(picker.search, Qt.Key.Key_Right)
    assert shown(picker)[:3] == ["Pier open", "Pier 0", "Pier 1"]
    assert picker.list.currentIndex().row() == 1
    assert heard == [("Pier", True), ("Pier", False)]


def test_a_press_on_a_heading_folds_and_chooses_nothing(qtbot: QtBot, picker: ModelPicker) -> None:
    chosen: list[str] = []
    picker.chosen.connect(chosen.append)
    spot = picker.list.visualRect(picker.rows.index(0)).center()
    qtbot.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert shown(picker)[0] == "Pier folded"
    assert picker.isVisible()
    assert not chosen


def test_what_is_looked_for_is_shown_though_it_is_folded(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.show_content(content("Pier", "Quay"))
    assert shown(picker) == ["Pier folded", "Quay folded"]
    assert picker.keys.words == "6 models, 2 providers"
    qtbot.keyClicks(picker.search, "pier 1")
    assert shown(picker) == ["Pier", "Pier 1"]
    qtbot.keyClick(picker.search, Qt.Key.Key_Left)
    assert picker.search.cursorPosition() == len("pier 1") - 1


def test_enter_on_a_folded_heading_shows_its_models(qtbot: QtBot, picker: ModelPicker) -> None:
    picker.show_content(content("Pier", "Quay"))
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert shown(picker)[:2] == ["Pier open", "Pier 0"]
    assert picker.isVisible()


def test_a_heading_says_whether_it_is_folded() -> None:
    rows = picker_rows(
        entries(),
        words="",
        providers=[("Pier", "Pier"), ("Quay", "Quay")],
        failures={},
        favourites=["Quay/1"],
        recent=[],
        folded=["Pier"],
    )
    assert [(row.text, row.count, row.folded) for row in rows if row.kind == "heading"] == [
        ("Favourites", 0, None),
        ("Pier", 3, True),
        ("Quay", 2, False),
    ]


def answer(*parts: TextPart | NoticePart | TriedPart) -> Message:
    return Message("a", "assistant", parts, mode="words", why="because the provider refused native tools")


@pytest.mark.parametrize(
    ("parts", "title", "notices"),
    [
        ((REFUSED, NoticePart("From now on in words."), ANSWERED, TextPart("Yes.")), "Asked again, in words", []),
        ((NoticePart("No browser."), REFUSED, ANSWERED, TextPart("Yes.")), "Asked again, in words", []),
        ((NoticePart("No browser."), NoticePart("No files."), REFUSED, TextPart("")), "Asked again", ["No browser."]),
        ((REFUSED, TriedPart("native", 40, answered=True), TextPart("Yes.")), "Asked again", []),
        ((REFUSED, TriedPart("strict", 40, answered=True), TextPart("Yes.")), "Asked again, strict", []),
    ],
)
def test_one_card_tells_the_tries_of_an_answer(
    qtbot: QtBot, parts: tuple[TextPart | NoticePart | TriedPart, ...], title: str, notices: list[str]
) -> None:
    panel = Activity()
    qtbot.addWidget(panel)
    panel.resize(380, 600)
    panel.show_messages([answer(*parts)], {})
    cards = panel.findChildren(TriesCard)
    assert [card.accessibleName().split(".")[0] for card in cards] == [title]
    assert "refused, 0.2 s" in cards[0].accessibleName()
    first = cards[0]
    panel.show_messages([answer(*parts)], {})
    assert panel.findChildren(TriesCard) == [first]


def test_the_card_of_the_tries_goes_with_its_chat(qtbot: QtBot) -> None:
    panel = Activity()
    qtbot.addWidget(panel)
    panel.show_messages([answer(REFUSED, ANSWERED)], {})
    panel.show_messages([], {})
    assert all(card.isHidden() for card in panel.findChildren(TriesCard))


def test_lessons_are_brief_and_that_about_tools_stands_first() -> None:
    window = Lesson("p", "u", "m", "window", "8192", "num_ctx 8192")
    words = Lesson("p", "u", "m", "words", "tools", "does not support tools")
    assert [brief(one) for one in weightiest_first([window, words])] == [
        "Takes no tools natively; gets them in words.",
        "Its window holds 8,192 tokens.",
    ]


def test_an_arrow_is_shown_as_the_two_characters_it_is() -> None:
    font = look.font("code")
    assert QFontMetricsF(font).horizontalAdvance("->") == pytest.approx(2 * QFontMetricsF(font).horizontalAdvance("-"))
    assert {font.featureValue(tag) for tag in font.featureTags()} == {0}


def test_a_button_that_opens_a_menu_has_room_for_its_arrow(qtbot: QtBot) -> None:
    plain, opens = Button("14 tools", "quiet", "tool", 28), Button("14 tools", "quiet", "tool", 28, opens=True)
    qtbot.addWidget(plain)
    qtbot.addWidget(opens)
    assert opens.sizeHint().width() - plain.sizeHint().width() == look.px(20)


def test_the_note_of_the_composer_gets_the_room_of_the_meter(qtbot: QtBot, window: Window) -> None:
    window.resize(QSize(520, 400))
    window.composer.meter.setText("9 % of 1,048,576 tokens")
    window.composer.say("Offline. It is sent when the harbour's own server can be reached.")
    assert window.composer.meter.isHidden()
    window.composer.say("")
    assert not window.composer.meter.isHidden()


def test_offline_is_an_icon_where_the_head_is_narrow(qtbot: QtBot, window: Window) -> None:
    window.header.show_offline("Pier can’t be reached.")
    assert window.header.offline.words.isVisible()
    window.resize(QSize(480, 360))
    assert window.header.offline.isVisible()
    assert not window.header.offline.words.isVisible()
    window.header.show_offline("")
    assert window.header.offline.isHidden()


def test_apps_can_be_brought_in_from_the_first_page(qtbot: QtBot) -> None:
    page = Welcome("93")
    qtbot.addWidget(page)
    with qtbot.waitSignal(page.apps_wanted):
        page.apps.click()
